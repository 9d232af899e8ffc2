"""The request for a script that gathers what other commands need of a machine."""

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.options import Annotated, Option, Options


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """The options of a recording script. None: the script's default."""

    arch: Annotated[
        str | None,
        Option(
            "--arch",
            "ppc64le, x86-64 or arm64: run there only (default: the script finds out)",
            metavar="A",
        ),
    ] = None
    governor: Annotated[
        str | None,
        Option("--governor", "menu, ladder or teo from 6.14 on (default: menu)", metavar="G"),
    ] = None
    seconds: Annotated[int | None, Option("--seconds", "duration (default: 10)", metavar="N")] = (
        None
    )
    buffer: Annotated[
        int | None,
        Option(
            "--buffer",
            "memory per CPU; a decision takes about half a KiB (default: 4096)",
            metavar="KIB",
        ),
    ] = None
    wake_ups: Annotated[
        bool,
        Option(
            "--wake-ups",
            "also record what ends idle periods; only that where the kernel has no kprobe events",
        ),
    ] = False
    restart_governor: Annotated[
        bool,
        Option(
            "--restart-governor",
            "switch to another governor and back first, so that the governor starts with "
            "empty memory",
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """The options of a measuring script. None: the script's default."""

    samples: Annotated[
        int | None,
        Option(
            "--samples",
            "wake-ups by timer and by interrupt to attempt for each state (default: 1000)",
            metavar="N",
        ),
    ] = None
    cpu: Annotated[
        int | None, Option("--cpu", "the CPU to measure (default: the last online)", metavar="N")
    ] = None
    waker: Annotated[
        int | None,
        Option(
            "--waker",
            "the CPU that wakes it by interrupt (default: the first of another core)",
            metavar="N",
        ),
    ] = None
    all_cpus: Annotated[
        bool,
        Option(
            "--all-cpus", "disable the other states on all CPUs, for states of a cluster or package"
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class CollectRequest:
    """The script to write: of a collection, unless it is another. Raises UsageError for options of
    another script."""

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
            "convert the output of --record's script into an exact recording; - for standard input",
            metavar="RECORDING",
            only="what",
        ),
    ] = None
    recording: Annotated[RecordOptions, Options(heading="with --record")] = RecordOptions()
    measuring: Annotated[MeasureOptions, Options(heading="with --measure")] = MeasureOptions()

    def __post_init__(self) -> None:
        if self.recording != RecordOptions() and not self.record:
            if self.convert is not None:
                raise UsageError("expected --convert alone; the other options are the script's")
            raise UsageError("expected --arch, --governor and their like with --record only")
        if self.measuring != MeasureOptions() and not self.measure:
            raise UsageError("expected --samples, --cpu and their like with --measure only")
