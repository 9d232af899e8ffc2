"""The request for an audit."""

from pathlib import Path

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.options import Annotated, Argument, Option, Options
from ..check.acceptance import Acceptance
from ..check.criteria import Criteria
from ..linux.request_parts import ASSUMED_HZ, HZ, check_hz


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """The inputs of an audit, and its options. Raises UsageError for values that make no sense.

    inputs     files and directories; "-" stands for names on standard input, one a line
    trees      trees of device-tree sources, or folders in them, whose boards are audited
    against    file of a device tree to compare each input with
    since      file of an earlier audit to compare with
    governor   governor whose selections are reported; "": none
    hz         the kernel's tick rate, for the governor
    redact     whether to remove serial numbers and MAC addresses
    passed_over  whether to name what is no input
    jobs       number of processes; None: one for each CPU
    scheduler  address of a Dask cluster that sees the same files
    """

    inputs: Annotated[
        tuple[str, ...],
        Argument(
            "FILE|DIR", "device tree, image, dump or collection; - reads names from standard input"
        ),
    ]
    criteria: Annotated[Criteria, Options(after="--sqlite")]
    trees: Annotated[
        tuple[str, ...],
        Option(
            "--tree",
            "audit all boards of a tree of device-tree sources (Linux, U-Boot, Zephyr)",
            metavar="DIR",
        ),
    ] = ()
    against: Annotated[
        str | None,
        Option("--against", "a tree to compare each input with", metavar="OTHER", is_table=True),
    ] = None
    since: Annotated[
        str | None,
        Option(
            "--since",
            "an earlier audit (jsonl or json): show what is new, gone or changed since",
            metavar="EARLIER",
        ),
    ] = None
    governor: Annotated[
        str,
        Option(
            "--governor",
            "menu, teo or ladder: also show what it selects on each kernel",
            metavar="G",
        ),
    ] = ""
    hz: Annotated[int, HZ] = ASSUMED_HZ
    redact: Annotated[bool, Option("--redact", "hide serial numbers and MAC addresses")] = False
    passed_over: Annotated[
        bool, Option("--passed-over", "list each skipped file with its kind")
    ] = False
    jobs: Annotated[
        int | None, Option("--jobs", "processes (default: one per CPU)", metavar="N")
    ] = None
    scheduler: Annotated[
        str | None,
        Option("--scheduler", "run on a Dask cluster that sees the same files", metavar="ADDRESS"),
    ] = None
    resume: Annotated[
        Path | None,
        Option(
            "--resume",
            "write each result to this file as it comes (jsonl), and continue after those "
            "already in it",
            metavar="FILE",
        ),
    ] = None
    acceptance: Annotated[Acceptance, Options(configures=True, after="--ignore")] = field(
        default_factory=Acceptance
    )

    def __post_init__(self) -> None:
        if not self.inputs and not self.trees:
            raise UsageError("expected files or directories to audit, or --tree, found none")
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"expected at least one process, found --jobs {self.jobs}")
        if self.resume is not None and (self.redact or self.against is not None):
            other = "--redact" if self.redact else "--against"
            raise UsageError(
                f"expected --resume without {other}: its results are of no names or tree"
            )
        check_hz(self.hz)
