"""The changes in a governor's selection from a table, as values. walk.py says how to find them."""

from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.model.forms import INLINE
from ..diff.tables import Difference
from ..linux.governors import expect_steady, not_utilised
from ..linux.releases import Release, release
from ..linux.request_parts import GovernorRequest
from ..linux.source_tree.told import PREFIX
from ..selection.selection import Mapped, SelectionChange, TableSelection
from ..sources import Source
from .behaviour import Brought, FeatureChange
from .request import KernelsRequest

Step = tuple[Release, Release]
Different = tuple[tuple[Mapped, tuple[SelectionChange, ...]], ...]


@dataclass(frozen=True, slots=True)
class MovesRequest:
    """A request for where a governor's selection from a table, or from given states, changes.

    of     the governor, and the TABLE or states it selects from
    names  a series, 6.6: only its stable releases; two kernels: what leads from one to the other;
           none: all releases
    Raises UsageError, UnknownGovernor.
    """

    of: GovernorRequest
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        expect_steady(self.of.governor)
        if len(self.names) > 2:
            raise UsageError(f"expected a series or two kernels, found {' '.join(self.names)}")
        if len(self.names) == 2:
            object.__setattr__(self, "of", self.of.at(map(release, self.names)))

    @classmethod
    def of_kernels(cls, request: KernelsRequest) -> "MovesRequest":
        """The request for a governor, menu by default, and a table. Of a source tree alone, what
        it does otherwise than the release of its Makefile. Raises as release()."""
        governor = request.governor or "menu"
        of = GovernorRequest(governor, request.hz, request.table, request.states, request.platform)
        names = request.names
        if len(names) == 1 and names[0].startswith(PREFIX):
            tree = release(names[0]).source
            names = (tree.base, *names) if tree else names
        return cls(of, names)


@dataclass(frozen=True, slots=True)
class Cause:
    """A change of a step without which the step would do something else. features: what it
    changes."""

    subsystem: Annotated[str, "The governor, or the table's driver."]
    origin: Annotated[Brought, INLINE]
    features: tuple[FeatureChange, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A step that changes something.

    registered  what the kernel registers otherwise, as in diff
    maps        the circumstances under which other states are selected, with the idle lengths
    before, at  the selections themselves; None where no state is registered or the governor is not
                modelled
    causes      found by trial
    """

    step: Step
    registered: tuple[Difference, ...]
    maps: Different
    before: TableSelection | None
    at: TableSelection | None
    causes: tuple[Cause, ...]

    @property
    def begins(self) -> bool:
        """Tells whether this is where the governor begins to select from the table."""
        return self.before is None and self.at is not None


@dataclass(frozen=True, slots=True)
class Still:
    """Changes of the governor that a step brings, and that move nothing as long as every idle
    period is like the one before."""

    step: Step
    changes: tuple[FeatureChange, ...]


@dataclass(frozen=True, slots=True)
class Moves:
    """The result: steps in the order of the releases.

    source  None for given states
    steps   how many were looked at
    kinds   how many different pairs of a governor's features and a registered table these have
    """

    request: MovesRequest
    source: Source | None
    steps: int
    kinds: int
    moves: tuple[Move, ...]
    still: tuple[Still, ...]

    @property
    def kernels(self) -> tuple[Release, ...]:
        """The releases at which something changes."""
        return tuple(dict.fromkeys(move.step[1] for move in self.moves))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions of the maps of selections, in sentences."""
        return not_utilised(self.request.of.governor, self.kernels)
