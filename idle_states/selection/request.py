"""The request that `select` makes, and its results."""

from collections.abc import Callable, Iterable

from ..dataclass import dataclass, replace
from ..linux.governors.given import GovernorRequest
from ..linux.releases import Release
from ..pipeline import Journey, crashes, followed, held_by, journey
from ..sources import Source, read_table
from .selection import Asked, Mapped, Selecting, SelectionChange, TableSelection, changes


@dataclass(frozen=True, slots=True)
class SelectRequest:
    """A request for what a governor selects under each of some kernels.

    of        the governor, and the TABLE or states it selects from
    releases  the kernels
    asked     for which latency limits, timers and idle lengths
    against   a second TABLE to compare with, None for no comparison
    """

    of: GovernorRequest
    releases: tuple[Release, ...]
    asked: Asked
    against: str | None = None


@dataclass(frozen=True, slots=True)
class Selections:
    """The result of a request.

    selections  of the first table under each kernel, then of the second one
    tables      the TABLE arguments; empty if states were given
    """

    selections: tuple[TableSelection, ...]
    tables: tuple[str, ...]

    @property
    def first(self) -> TableSelection:
        return self.selections[0]

    @property
    def changed(self) -> list[tuple[TableSelection, list[tuple[Mapped, list[SelectionChange]]]]]:
        """Every other selection, with its differences from the first."""
        return [(other, changes(self.first, other)) for other in self.selections[1:]]

    @property
    def sources(self) -> list[Source]:
        """The sources of the tables, which are read again."""
        return [read_table(text) for text in self.tables]


def selections(
    request: SelectRequest, say: Callable[[str], None] = lambda message: None
) -> Selections:
    """Computes the selections of a request. say: called with notes for the user.

    Raises UsageError, UnknownGovernor and what reading a table raises.
    """
    found = []
    of = [request.of]
    if request.against:
        of.append(replace(request.of, table=request.against))
    selecting = Selecting(request.of.governor, request.of.hz, request.asked)
    for each in of:
        taken = []
        for release in _followed(each, request.releases, say):
            held = held_by(release, each, say)
            found.append(selecting.select(release, held, each.table or ""))
            taken.append(held)
        for note in crashes(taken):
            say(note)
    return Selections(tuple(found), tuple(each.table for each in of if each.table))


def _followed(
    of: GovernorRequest, releases: tuple[Release, ...], say: Callable[[str], None]
) -> tuple[Release, ...]:
    source = read_table(of.table) if of.table is not None and len(releases) > 1 else None
    if source is None or source.table is None:
        return releases
    return followed(source.table, of.platform, releases, say)


def journeys(request: SelectRequest, sources: Iterable[Source]) -> list[Journey]:
    """Each table through all stages, to the request's kernels."""
    platform, found = request.of.platform, []
    for source in sources:
        assert source.table is not None
        found.append(journey(source, platform, followed(source.table, platform, request.releases)))
    return found
