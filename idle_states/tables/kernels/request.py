"""The request for what is known of kernels."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.options import Annotated, Argument, Option
from ..linux.governors.source.names import SOURCES
from ..linux.request_parts import (
    ASSUMED_HZ,
    GIVEN,
    HZ,
    KERNEL_SOURCE,
    PLATFORM,
    GivenStates,
    all_levels,
    table_of,
)

if TYPE_CHECKING:
    from ..linux.platforms import AnyPlatform
    from ..linux.releases import Release


@dataclass(frozen=True, slots=True)
class KernelsRequest:
    """The kernels asked for. Raises UsageError for more than two, and contradictory options.

    names     none, a series, a kernel, or two to compare
    governor  None: all, or with a table, menu
    table, states, hz, platform  of a governor's request: where its selection changes
    values    of the table, every value that firmware or a kernel changes instead
    kernels   which ones then; none: all releases, each where the table's driver changes; without
              values, source trees' kernels, which are added to the names
    """

    names: Annotated[
        tuple[str, ...],
        Argument(
            "KERNEL", "a series (6.6), a kernel (6.6.93, a uname -r), or two kernels to compare"
        ),
    ] = ()
    table: Annotated[
        str | None,
        Option(
            "--table",
            "show at which releases the selection from this table changes",
            metavar="TABLE",
            is_table=True,
        ),
    ] = None
    states: Annotated[GivenStates | None, GIVEN] = None
    governor: Annotated[
        str | None,
        Option(
            "--governor",
            f"menu, teo, ladder or haltpoll, {SOURCES} (default: all; for a table: menu)",
            metavar="G",
        ),
    ] = None
    hz: Annotated[int, HZ] = ASSUMED_HZ
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)
    values: Annotated[
        bool, Option("--values", "with --table: show every value that firmware or a kernel changes")
    ] = False
    kernels: Annotated[
        "tuple[Release, ...]",
        Option(
            "--kernel",
            "with --values: Linux release; may be repeated (default: all, as ranges that agree)",
            metavar="K",
            also=KERNEL_SOURCE,
        ),
    ] = ()

    def __post_init__(self) -> None:
        if self.values and not self.has_table:
            raise UsageError("expected --table TABLE with --values")
        if self.values and (self.names or self.governor or self.states):
            raise UsageError("expected --table, --platform and --kernel alone with --values")
        if self.kernels and not self.values and all(each.source for each in self.kernels):
            names = (*self.names, *(each.name for each in self.kernels))
            object.__setattr__(self, "names", names)
        elif self.kernels and not self.values:
            expected = "expected --kernel with --values only; name kernels as operands otherwise"
            raise UsageError(expected)
        if not self.has_table and len(self.names) > 2:
            raise UsageError(f"expected at most two kernels, found {' '.join(self.names)}")

    @property
    def has_table(self) -> bool:
        """Tells whether it is asked where the selection from a table, or from states, changes."""
        return bool(self.table or self.states or table_of(self.platform))
