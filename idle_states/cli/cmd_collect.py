"""Prints a shell script that gathers what the other commands need of a machine.

    idle-states collect > collect.sh
    sh collect.sh > machine.tar              (there; reads only, best as root)
    idle-states audit machine.tar

The tar holds the device tree, what cpuidle holds, the kernel's and OPAL's logs, and which processor
and kernel it is. The audit then also says whether the running kernel is as the models predict.

--record: a script that records what a running kernel's governor is given, decides and experiences.

    idle-states collect --record --seconds 10 > record.sh
    sh record.sh > recording.txt             (there, as root)
    idle-states collect --convert recording.txt -o recording.csv

--convert makes of its output an exact recording, as conform, replay, simulate and tune do
themselves where they are given it as it is. Decisions that were not recorded completely are left
out, and counted on standard error; there is said, too, which command holds the recording against
the governor's model. Its head, in lines that begin with #, says kernel, HZ, governor and states, so
that neither conform nor replay has to be told.

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
from ..base.model.findings import UsageError
from ..base.options import Annotated, Option
from .output import FILE_ALONE, USUAL, Output

_RECORD, _MEASURE = "with --record", "with --measure"


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What a script records. None: as the script has it."""

    arch: Annotated[
        str | None,
        Option(
            "--arch",
            "ppc64le, x86-64 or arm64: run there only (default: the script finds out)",
            metavar="A",
            heading=_RECORD,
        ),
    ] = None
    governor: Annotated[
        str | None,
        Option(
            "--governor",
            "menu, ladder or teo from 6.14 on (default: menu)",
            metavar="G",
            heading=_RECORD,
        ),
    ] = None
    seconds: Annotated[
        int | None,
        Option("--seconds", "duration (default: 10)", metavar="N", heading=_RECORD),
    ] = None
    buffer: Annotated[
        int | None,
        Option(
            "--buffer",
            "memory per CPU; a decision takes about half a KiB (default: 4096)",
            metavar="KIB",
            heading=_RECORD,
        ),
    ] = None
    restart_governor: Annotated[
        bool,
        Option(
            "--restart-governor",
            "switch to another governor and back first: its memory is known then, namely empty",
            heading=_RECORD,
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """What a script measures. None: as the script has it."""

    samples: Annotated[
        int | None,
        Option(
            "--samples",
            "wake-ups by timer and by interrupt to attempt for each state (default: 1000)",
            metavar="N",
            heading=_MEASURE,
        ),
    ] = None
    cpu: Annotated[
        int | None,
        Option(
            "--cpu",
            "the CPU to measure (default: the last online)",
            metavar="N",
            heading=_MEASURE,
        ),
    ] = None
    waker: Annotated[
        int | None,
        Option(
            "--waker",
            "the CPU that wakes it by interrupt (default: the first of another core)",
            metavar="N",
            heading=_MEASURE,
        ),
    ] = None
    all_cpus: Annotated[
        bool,
        Option(
            "--all-cpus",
            "disable the other states on all CPUs, for states of a cluster or package",
            heading=_MEASURE,
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class CollectCommand:
    """Options of `collect`. convert: a recording to convert instead of printing a script."""

    record: Annotated[
        bool,
        Option(
            "--record",
            "a script that records what a governor is given, decides and experiences",
            only="what",
        ),
    ] = False
    measure: Annotated[
        bool,
        Option(
            "--measure",
            "a script that measures how long the machine takes to wake from each idle state",
            only="what",
        ),
    ] = False
    convert: Annotated[
        str | None,
        Option(
            "--convert",
            "make an exact recording of what --record's script printed; - for standard input",
            metavar="RECORDING",
            only="what",
        ),
    ] = None
    recording: RecordOptions = RecordOptions()
    measuring: MeasureOptions = MeasureOptions()
    out: Annotated[Output, FILE_ALONE] = USUAL

    def check(self) -> None:
        """Raises UsageError for options of another script."""
        if self.recording != RecordOptions() and not self.record:
            if self.convert is not None:
                raise UsageError("expected --convert alone; the other options are the script's")
            raise UsageError("expected --arch, --governor and their like with --record only")
        if self.measuring != MeasureOptions() and not self.measure:
            raise UsageError("expected --samples, --cpu and their like with --measure only")


def run(given: CollectCommand) -> int:
    given.check()
    if given.convert is not None:
        return _convert(given.convert, given.out)
    if given.record:
        return _recording(given.recording, given.out)
    if given.measure:
        return _measuring(given.measuring, given.out)
    return _collecting(given.out)


def _collecting(out: Output) -> int:
    from ..base.resources import template
    from ..tables.sources.format_tar import COLLECTION, CPUIDLE, KERNEL_LOG, UNAME

    names = {"top": COLLECTION, "cpuidle": CPUIDLE, "uname": UNAME, "kernel_log": KERNEL_LOG}
    out.document(template("collect.sh.j2").render(names))
    return 0


def _recording(asked: RecordOptions, out: Output) -> int:
    from ..lab.record.script import archs, script

    text = script(
        "menu" if asked.governor is None else asked.governor,
        archs(asked.arch),
        10 if asked.seconds is None else asked.seconds,
        4096 if asked.buffer is None else asked.buffer,
        asked.restart_governor,
    )
    out.document(text)
    return 0


def _measuring(asked: MeasureOptions, out: Output) -> int:
    from ..lab.record.measuring import SAMPLES, script

    samples = SAMPLES if asked.samples is None else asked.samples
    out.document(script(samples, asked.cpu, asked.waker, asked.all_cpus))
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
