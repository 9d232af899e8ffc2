"""The answer to `select`."""

from collections.abc import Callable, Iterable

from ...base.dataclass import dataclass, replace
from ..pipeline import Journey, crashes, followed, held_by, journey
from ..sources import Source, read_table
from .request import SelectRequest
from .selection import Mapped, Selecting, SelectionChange, TableSelection, changes


@dataclass(frozen=True, slots=True)
class Selections:
    """The result of a request.

    selections  of the first table under each kernel, then of the second one
    sources     of the tables; empty if states were given
    """

    selections: tuple[TableSelection, ...]
    sources: tuple[Source, ...]

    @property
    def first(self) -> TableSelection:
        return self.selections[0]

    @property
    def changed(self) -> list[tuple[TableSelection, list[tuple[Mapped, list[SelectionChange]]]]]:
        """Every other selection, with its differences from the first."""
        return [(other, changes(self.first, other)) for other in self.selections[1:]]


def select(request: SelectRequest, say: Callable[[str], None] = lambda message: None) -> Selections:
    """Computes the selections of a request. say: called with notes for the user.

    Raises UsageError, UnknownGovernor and what reading a table raises.
    """
    found, sources = [], []
    of = [request.of]
    if request.against:
        of.append(replace(request.of, table=request.against))
    selecting = Selecting(request.of.governor, request.of.hz)
    for each in of:
        releases, source = request.releases, None
        if each.table is not None:
            source = read_table(each.table)
            sources.append(source)
            if source.table is not None and len(releases) > 1:
                releases = followed(source.table, each.platform, releases, say)
        taken = []
        for release in releases:
            held = held_by(release, each, say, source)
            found.append(selecting.select(release, held, request.asked, each.table or ""))
            taken.append(held)
        for note in crashes(taken):
            say(note)
    return Selections(tuple(found), tuple(sources))


def journeys(request: SelectRequest, sources: Iterable[Source]) -> list[Journey]:
    """Each table through all stages, to the request's kernels."""
    platform, found = request.of.platform, []
    for source in sources:
        assert source.table is not None
        found.append(journey(source, platform, followed(source.table, platform, request.releases)))
    return found
