"""Selections as they are asked for, and what came of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ..linux.governors.given import GovernorRequest
from ..linux.releases import Release
from ..pipeline import Journey, held_by, journey
from ..sources import Source, read_table
from .selection import Asked, Mapped, SelectionChange, TableSelection, changes, select


@dataclass(frozen=True, slots=True)
class SelectRequest:
    """What a governor selects, under each kernel, of a table or given states, and of another one.

    against  a TABLE; what it changes is wanted
    """

    of: GovernorRequest
    releases: tuple[Release, ...]
    asked: Asked
    against: str | None = None


@dataclass(frozen=True, slots=True)
class Selections:
    """What came of a request.

    selections  of the table under each kernel, then of the other one
    tables      each a TABLE; none for given states
    """

    selections: tuple[TableSelection, ...]
    tables: tuple[str, ...]

    @property
    def first(self) -> TableSelection:
        return self.selections[0]

    @property
    def changed(self) -> list[tuple[TableSelection, list[tuple[Mapped, list[SelectionChange]]]]]:
        """The others, and what they change in the first."""
        return [(other, changes(self.first, other)) for other in self.selections[1:]]

    @property
    def sources(self) -> list[Source]:
        """The tables, read once more."""
        return [read_table(text) for text in self.tables]


def selections(
    request: SelectRequest, say: Callable[[str], None] = lambda message: None
) -> Selections:
    """say: is called with what the user should know. Raises UsageError, UnknownGovernor and what
    reading a table raises."""
    found = []
    of = [request.of]
    if request.against:
        of.append(replace(request.of, table=request.against))
    for each in of:
        for release in request.releases:
            held = held_by(release, each, say)
            table = each.table or ""
            found.append(select(each.governor, release, held, each.hz, request.asked, table))
    return Selections(tuple(found), tuple(each.table for each in of if each.table))


def journeys(request: SelectRequest, sources: Iterable[Source]) -> list[Journey]:
    """The way of each table to the kernels."""
    return [journey(source, request.of.platform, request.releases) for source in sources]
