"""Prints a shell script that gathers what the other commands need from a machine.

    idle-states collect > collect.sh
    sh collect.sh > machine.tar              (there; reads only, best as root)
    idle-states audit machine.tar            (or why machine.tar)

The tar contains the device tree, cpuidle's states, the governor, latency limits and their holders,
parameters and the command line, ACPI's processor tables, the kernel's and OPAL's logs, and the
processor and kernel. `show machine.tar:acpi` follows ACPI's tables into the driver. The audit also
compares the running kernel with the models.

--record: a script that records what a running kernel's governor is given, decides and experiences.

    idle-states collect --record --seconds 10 > record.sh
    sh record.sh > recording.txt             (there, as root)
    idle-states collect --convert recording.txt -o recording.csv

--convert turns its output into an exact recording; conform, replay, simulate and tune also do that
themselves. Incomplete decisions are left out and counted on standard error, with the command that
compares the recording with the governor's model. Its head, in lines that begin with #, names
kernel, HZ, governor and states, so that conform and replay need no options for them.

--wake-ups also records what ends idle periods, for `why FROM --recording FILE`. Where the kernel
has no kprobe events it records only idle periods and what ends them.

Utilisation is not recorded: only teo of Linux 6.3 to 6.10 uses it, and the script refuses teo
before 6.14.

--measure: a script that measures how long a machine takes to wake from each of its idle states.

    idle-states collect --measure > measure.sh
    sh measure.sh > measured.txt             (there, as root)

For each state it disables the others on one CPU's core, lets that CPU be woken by its own timer and
by another CPU's interrupt, and reads from the kernel's tracepoints when the event came and when the
CPU first reacted. The same is measured with the CPU busy: that is the overhead of measuring, not
part of a state's latency. All settings are restored, even if it is interrupted or killed. In an
emulator it measures the emulator, and its output says so.

It prints every sample, and nothing private: no host name, address or serial number.
docs/measuring.md describes the format, the requirements and what the figures contain."""

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
