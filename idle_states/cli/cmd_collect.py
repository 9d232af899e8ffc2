"""Prints a shell script that gathers what the other commands need of a machine.

    idle-states collect > collect.sh
    sh collect.sh > machine.tar              (there; reads only, best as root)
    idle-states audit machine.tar            (or why machine.tar)

The tar holds the device tree, what cpuidle holds, the governor, latency limits and who holds them,
parameters and the command line, ACPI's tables of processors, the kernel's and OPAL's logs, and
which processor and kernel it is. `show machine.tar:acpi` follows ACPI's tables into the driver.
The audit then also says whether the running kernel is as the models predict.

--record: a script that records what a running kernel's governor is given, decides and experiences.

    idle-states collect --record --seconds 10 > record.sh
    sh record.sh > recording.txt             (there, as root)
    idle-states collect --convert recording.txt -o recording.csv

--convert makes of its output an exact recording, as conform, replay, simulate and tune do
themselves where they are given it as it is. Decisions that were not recorded completely are left
out, and counted on standard error; there is said, too, which command holds the recording against
the governor's model. Its head, in lines that begin with #, says kernel, HZ, governor and states, so
that neither conform nor replay has to be told.

--wake-ups also records what ends idle periods, for `why FROM --recording FILE`. Where the kernel
has no kprobe events it then records idle periods and what ends them alone.

Utilisation is not recorded: of the governors, only teo of 6.3 to 6.10 asks for it, and the script
refuses teo before 6.14.

--measure: a script that measures how long a machine takes to wake from each of its idle states.

    idle-states collect --measure > measure.sh
    sh measure.sh > measured.txt             (there, as root)

For each state it disables the others on one CPU's core, lets that CPU be woken by its own timer and
by another CPU's interrupt, and takes from the kernel's tracepoints when the event came and when
the CPU showed its first sign of life. The same is measured with the CPU busy: that is what the
measuring itself takes, and no part of a state's latency. What it changes it puts back, also
when it is interrupted or killed. In an emulator it measures the emulator, and says so.

It prints every sample, and nothing private: no host name, no address, no serial number. The form is
in docs/measuring.md, with what it needs and what its figures contain."""

from ..base.dataclass import dataclass
from ..base.options import Annotated
from ..lab.record.request import CollectRequest
from .output import FILE_ALONE, USUAL, Output


@dataclass(frozen=True, slots=True)
class CollectCommand:
    """Options of `collect`."""

    request: CollectRequest
    out: Annotated[Output, FILE_ALONE] = USUAL


def run(given: CollectCommand) -> int:
    request, out = given.request, given.out
    if request.convert is not None:
        return _convert(request.convert, out)
    from ..lab.record.answer import script_of

    out.document(script_of(request))
    return 0


def _convert(file: str, out: Output) -> int:
    from ..base.reading.inputs import Input
    from ..base.report.escapes.text import printable_lines
    from ..lab.record.convert import convert
    from ..lab.record.summary import lines
    from .values import say

    converted = convert(Input(file))
    # a machine's own texts are in its head
    out.document(printable_lines(converted.csv()))
    for line in lines(converted, file, out.file):
        say(line)
    return 0
