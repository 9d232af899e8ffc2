"""The request to show a table."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.options import Annotated, Option
from ..linux.request_parts import PLATFORM, TABLE_OF_MACHINE, all_levels, kernels, table_or_machine

if TYPE_CHECKING:
    from ..linux.platforms import AnyPlatform
    from ..linux.releases import Release


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """The table to follow, and the kernels to follow it to. Raises UsageError for no table.

    releases    kernels that it is followed to
    platform    machine that it is exported for
    table       None for that of the platform, an x86 machine
    provenance  places and sources of values, grounds of reasons and kernels' logs are shown, too
    """

    releases: Annotated["tuple[Release, ...]", kernels()]
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)
    table: Annotated[str | None, TABLE_OF_MACHINE] = None
    provenance: Annotated[
        bool,
        Option(
            "--provenance",
            "add the place and source of each value, what it replaced, the source of each reason, "
            "and kernel log lines",
            after="--platform",
        ),
    ] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", table_or_machine(self.table, self.platform))
