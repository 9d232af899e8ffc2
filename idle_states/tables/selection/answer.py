"""The answer to `select`."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ...base.dataclass import dataclass, replace
from ..linux.driver_table import DriverTable
from ..linux.qos import NO_LIMIT_US
from ..linux.releases import Release
from ..pipeline import Journey, crashes, followed, held_by, journey
from ..sources import Source, read_table
from .limits import Held, ObeyedLimits, TableLimit, limit, obeyed
from .request import Scope, SelectRequest
from .selection import Mapped, Selecting, SelectionChange, TableSelection, changes


@dataclass(frozen=True, slots=True)
class Selections:
    """The result of a request.

    selections  of the first governor: of the first table under each kernel, then of the second
                one; then of further governors
    sources     of the tables; empty if states were given
    limits      what each latency limit asked for leaves, of the first table, then of the second;
                under the first governor, then under further ones, which leave the same states
    """

    selections: tuple[TableSelection, ...]
    sources: tuple[Source, ...]
    limits: tuple[TableLimit, ...] = ()

    @property
    def first(self) -> TableSelection:
        return self.selections[0]

    @property
    def changed(self) -> list[tuple[TableSelection, list[tuple[Mapped, list[SelectionChange]]]]]:
        """Every other selection, with its differences from the first."""
        return [(other, changes(self.first, other)) for other in self.selections[1:]]

    @property
    def governors(self) -> list[str]:
        """The governors, each once."""
        return list(dict.fromkeys(selection.governor for selection in self.selections))

    @property
    def releases(self) -> list[Release]:
        """The kernels, each once."""
        return list(dict.fromkeys(selection.release for selection in self.selections))

    @property
    def obeyed(self) -> Iterator[ObeyedLimits]:
        """The limits that the kernels look at, where a limit is asked for."""
        return obeyed(self.releases) if self.limits else iter(())


def select(request: SelectRequest, say: Callable[[str], None] = lambda message: None) -> Selections:
    """Computes the selections of a request. say: called with notes for the user.

    Raises UsageError, UnknownGovernor and what reading a table raises.
    """
    sources: list[Source] = []
    held: list[tuple[str, list[Held]]] = []
    of = [request.of]
    if request.against:
        of.append(replace(request.of, table=request.against))
    for each in of:
        releases, source = request.releases, None
        if each.table is not None:
            source = read_table(each.table)
            sources.append(source)
            if source.table is not None and len(releases) > 1:
                releases = followed(source.table, each.platform, releases, say)
        held.append((each.table or "", [(k, held_by(k, each, source)) for k in releases]))
        for note in crashes(states for _, states in held[-1][1]):
            say(note)
    governors = [Selecting(governor, request.of.hz) for governor in request.governors]
    limits = [
        limit(one, kernels, selecting, table, per_cpu=request.per_cpu)
        for selecting in governors
        for table, kernels in held
        for one in request.all_limits
    ]
    found = [
        selecting.select(release, states, one, table)
        for selecting in governors
        for (table, release, states), one in zip(
            ((table, *each) for table, kernels in held for each in kernels),
            _scopes(request, held, limits),
            strict=True,
        )
    ]
    return Selections(tuple(found), tuple(sources), tuple(limits))


def _scopes(
    request: SelectRequest, held: Sequence[tuple[str, list[Held]]], limits: Sequence[TableLimit]
) -> list[Scope]:
    """Returns what is asked of each kernel of each table: the limits as they are in force there.
    Limits that are the same on all are one. Where none is asked for, a dump has its machine's."""
    each = len(request.all_limits)
    rows = [
        [one.in_force(release) for one in limits[number * each : (number + 1) * each]]
        for number, (_, kernels) in enumerate(held)
        for release, _ in kernels
    ]
    if not limits:
        tables = (table for _, kernels in held for _, table in kernels)
        machines = (t.limit_us if isinstance(t, DriverTable) else NO_LIMIT_US for t in tables)
        return [replace(request.scope, limits_us=(limit_us,)) for limit_us in machines]
    distinct = dict.fromkeys(zip(*rows, strict=True))
    return [replace(request.scope, limits_us=row) for row in zip(*distinct, strict=True)]


def journeys(request: SelectRequest, sources: Iterable[Source]) -> list[Journey]:
    """Each table through all stages, to the request's kernels."""
    platform, found = request.of.platform, []
    for source in sources:
        assert source.table is not None
        found.append(journey(source, platform, followed(source.table, platform, request.releases)))
    return found
