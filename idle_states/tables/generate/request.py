"""The request to generate a table in another form."""

from typing import TYPE_CHECKING, Literal, get_args

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import UsageError
from ...base.options import Annotated, Option, check_choices
from ..linux.request_parts import (
    KEEP,
    KERNEL_SOURCE,
    LIMIT,
    PLATFORM,
    TABLE_OF_MACHINE,
    all_levels,
    table_or_machine,
)

if TYPE_CHECKING:
    from ..linux.platforms import AnyPlatform
    from ..linux.releases import Release
    from ..selection.limit_words import AskedLimit

GeneratedForm = Literal["c", "dts", "dtb", "md", "yaml", "asl", "cmdline"]
C, DTS, DTB, MARKDOWN, YAML, ASL, CMDLINE = get_args(GeneratedForm)
_LIMIT = "for cmdline: keep only the states that a PM QoS latency limit such as 70us allows"


@dataclass(frozen=True, slots=True)
class Generated:
    """The form that `generate` makes. Raises UsageError for values that make no sense.

    versioned  for device trees: one node per state, as proposed in 2018
    part       for device-tree source of an Arm or RISC-V machine
    self_test  for C: add a main() that checks the values
    """

    to: Annotated[GeneratedForm, Option("--to", required=True)]
    versioned: Annotated[
        bool,
        Option(
            "--versioned",
            "dts, dtb: one node per state with a versioned compatible, as proposed in 2018",
        ),
    ] = False
    part: Annotated[
        Literal["tree", "include", "overlay"],
        Option(
            "--as",
            "dts of an Arm or RISC-V machine: a whole small tree (default), a file for a board's "
            "source to include, or an overlay",
        ),
    ] = "tree"
    self_test: Annotated[
        bool,
        Option(
            "--self-test",
            "c: add a main() behind an #ifdef that checks the values when compiled on the host, "
            "alone or with a skiboot tree's macros; the first lines say how",
        ),
    ] = False

    def __post_init__(self) -> None:
        check_choices(self)
        if self.self_test and self.to != C:
            raise UsageError("expected --self-test with --to c only")
        if self.versioned and self.to not in (DTS, DTB):
            raise UsageError("expected --versioned with --to dts or dtb only")
        if self.part != "tree" and self.to != DTS:
            raise UsageError("expected --as with --to dts only")


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """The table and the form to make of it. Raises UsageError for no table.

    release   for cmdline, the kernel that is to take the parameter
    platform  for device trees, the machine to export for; for cmdline, that of the parameter
    table     None for that of the platform, an x86 machine
    limit     for cmdline, a latency limit whose states are to be left; keep: such states
    """

    wanted: Generated
    release: Annotated[
        "Release",
        Option(
            "--kernel",
            "cmdline: Linux release (default: the newest)",
            metavar="K",
            also=KERNEL_SOURCE,
            default="newest",
            after="--platform",
        ),
    ]
    platform: Annotated["AnyPlatform", replace(PLATFORM, after="--to")] = field(
        default_factory=all_levels
    )
    table: Annotated[str | None, TABLE_OF_MACHINE] = None
    limit: Annotated[
        "AskedLimit | None", replace(LIMIT, help=_LIMIT, after="--kernel", only="limit")
    ] = None
    keep: Annotated[tuple[str, ...], replace(KEEP, only="limit")] = ()

    def __post_init__(self) -> None:
        if (self.limit or self.keep) and self.wanted.to != CMDLINE:
            raise UsageError("expected --latency-limit and --keep with --to cmdline only")
        object.__setattr__(self, "table", table_or_machine(self.table, self.platform))
