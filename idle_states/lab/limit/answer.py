"""The answer to `limit`."""

from collections.abc import Callable, Iterator, Sequence

from ...base.dataclass import dataclass, replace
from ...tables.linux import idle_loop
from ...tables.linux.asked import NO_LIMIT_US
from ...tables.linux.driver_table import DriverTable
from ...tables.linux.governors import names_of, states_of
from ...tables.linux.governors.interface import State
from ...tables.linux.idle_loop import IdleLoopFeatures
from ...tables.linux.releases import Release
from ...tables.pipeline import crashes, followed, registered_of, switched_off
from ...tables.selection.request import Asked
from ...tables.selection.selection import Selecting, TableSelection
from ...tables.sources import Source, read_table
from .asked import NO_LATENCY, LimitMeant, meaning, nowhere
from .remaining import (
    StateUnderLimit,
    deepest,
    following,
    needs_us,
    same_values,
    under_limit,
    unexpected,
)
from .request import LimitRequest

TIGHT_US = 8
"""teo does not ask for the time to the next timer where the limit is below 7.5 us."""


@dataclass(frozen=True, slots=True)
class LimitEra:
    """Kernels whose governor selects alike under the limit.

    under, free  its selections with the limit and without
    alike        the first and the last limit with which it selects the same; None: without, too
    """

    releases: tuple[Release, ...]
    under: TableSelection
    free: TableSelection
    alike: tuple[int, int | None]

    @property
    def beyond(self) -> tuple[str, ...]:
        """Names of states that are selected although the limit excludes them; state 0 always may
        be."""
        limit_us = self.under.maps[0].circumstances.limit_us
        return tuple(
            self.under.names[number]
            for number, state in enumerate(self.under.states)
            if number and state.exit_ns > limit_us * 1000 and number not in self.under.unreachable
        )

    @property
    def idle(self) -> tuple[str, ...]:
        """Names of states that the limit allows, that are not off, and that nothing selects."""
        limit_us = self.under.maps[0].circumstances.limit_us
        return tuple(
            self.under.names[number]
            for number in self.under.unreachable
            if self.under.states[number].exit_ns <= limit_us * 1000
            and number not in self.under.disabled
        )


@dataclass(frozen=True, slots=True)
class LimitedTable:
    """Kernels on which the same states are left.

    meant     what the limit comes to; None where none of its words names a state
    limit_us  the limit in force: NO_LIMIT_US where the kernel does not take it for one
    states    all states, by number
    same      the first and the last value that leave the same states; None: no limit does, too
    eras      by what the governor selects; none where the limit came to nothing
    """

    releases: tuple[Release, ...]
    meant: LimitMeant | None
    limit_us: int
    states: tuple[StateUnderLimit, ...]
    same: tuple[int, int | None]
    eras: tuple[LimitEra, ...]

    @property
    def deepest(self) -> StateUnderLimit | None:
        """The deepest state that is left; None if there is none."""
        return deepest(self.states)

    @property
    def following(self) -> StateUnderLimit | None:
        """The state that a greater limit would allow first; None if all are."""
        return following(self.states)

    @property
    def unexpected(self) -> tuple[StateUnderLimit, ...]:
        """Of a limit that is to keep a state: deeper ones that stay with it, and shallower ones
        that go."""
        kept = self.meant.state if self.meant else None
        return () if kept is None else unexpected(self.states, kept)


@dataclass(frozen=True, slots=True)
class ObeyedLimits:
    """Which other limits kernels look at: that of a CPU, and the one on waking up the system."""

    releases: tuple[Release, ...]
    per_cpu: bool
    wakeup: bool


@dataclass(frozen=True, slots=True)
class LimitResult:
    """The result of a request. inputs: (name, SHA-256) of the files read."""

    request: LimitRequest
    tables: tuple[LimitedTable, ...]
    obeyed: tuple[ObeyedLimits, ...]
    inputs: tuple[tuple[str, str], ...]


def limit(request: LimitRequest, say: Callable[[str], None] = lambda message: None) -> LimitResult:
    """Computes what a limit leaves. say: called with notes for the user.

    Raises UsageError, also for a state that no kernel registers, UnknownGovernor, and what reading
    a table raises.
    """
    source = read_table(request.of.table) if request.of.table is not None else None
    if source is not None and source.table is not None:
        taken = followed(source.table, request.of.platform, request.releases, say)
        request = replace(request, releases=taken)
    if source and (note := switched_off(source, request.of.table or "")):
        say(note)
    by_table: dict[object, LimitedTable] = {}
    selecting = Selecting(request.of.governor, request.of.hz)
    registered = list(_registered(request, source))
    for note in crashes(table for _, table in registered):
        say(note)
    for release, table in registered:
        one = _one(request, release, table, selecting)
        key = one.meant, one.limit_us, one.states
        before = by_table.get(key)
        by_table[key] = one if before is None else _together(before, one)
    found = tuple(by_table.values())
    if all(each.meant is None for each in found):
        names = dict.fromkeys(state.name for each in found for state in each.states)
        domains = [
            domain
            for _, table in registered
            if isinstance(table, DriverTable)
            for domain in table.domains
        ]
        raise nowhere(request.words, list(names), domains)
    inputs = ((source.file, source.sha256),) if source else ()
    return LimitResult(request, found, tuple(_obeyed(request.releases)), inputs)


def _registered(
    request: LimitRequest, source: Source | None
) -> Iterator[tuple[Release, DriverTable | list[State]]]:
    of = request.of
    for release in request.releases:
        if source is None:
            assert of.states is not None
            yield release, of.states.states
        else:
            assert of.table is not None
            yield release, registered_of(source, of.table, of.platform, release).driver


def _one(
    request: LimitRequest,
    release: Release,
    table: DriverTable | list[State],
    selecting: Selecting,
) -> LimitedTable:
    """A limit under one kernel."""
    loop = idle_loop.features(release)
    states = states_of(table) if isinstance(table, DriverTable) else tuple(table)
    names = names_of(table, states)
    needs = [needs_us(state, nanoseconds=loop.nanoseconds) for state in states]
    meant = meaning(request.words, names, needs)
    limit_us = NO_LIMIT_US if meant is None else in_force(loop, meant, per_cpu=request.per_cpu)
    off = table.off if isinstance(table, DriverTable) else ()
    rows = under_limit(names, states, needs, limit_us, off)
    same = same_values(needs, limit_us)
    if meant is None:
        return LimitedTable((release,), None, limit_us, rows, same, ())

    def select(value_us: int) -> TableSelection:
        return selecting.select(release, table, Asked((value_us,)))

    under = select(limit_us)
    alike = _alike(select, under, limit_us, same)
    era = LimitEra((release,), under, select(NO_LIMIT_US), alike)
    return LimitedTable((release,), meant, limit_us, rows, same, (era,))


def in_force(loop: IdleLoopFeatures, meant: LimitMeant, *, per_cpu: bool) -> int:
    """The limit that governors are told, in us. A CPU's of 0 is none; n/a, which allows no latency
    at all, is refused by kernels that take a limit of 0 for none."""
    if not per_cpu:
        return idle_loop.latency_limit_us(loop, meant.value_us)
    if meant.value_us == 0 and meant.word.text != NO_LATENCY:
        return NO_LIMIT_US
    return idle_loop.latency_limit_us(loop, resume_us=meant.value_us)


def _alike(
    select: Callable[[int], TableSelection],
    under: TableSelection,
    limit_us: int,
    same: tuple[int, int | None],
) -> tuple[int, int | None]:
    """The limits about one, of those that allow the same states, with which the same is selected.

    That changes, if at all, just above a state's own latency, where menu no longer polls for near
    timers, and at TIGHT_US.
    """
    first, last = same
    steps = sorted({first, first + 1, max(first, TIGHT_US)})
    steps = [step for step in steps if last is None or step <= last]
    at = max(number for number, step in enumerate(steps) if step <= limit_us)
    low = high = at
    while low and _ranges(select(steps[low - 1])) == _ranges(under):
        low -= 1
    while high + 1 < len(steps) and _ranges(select(steps[high + 1])) == _ranges(under):
        high += 1
    return steps[low], steps[high + 1] - 1 if high + 1 < len(steps) else last


def _ranges(selection: TableSelection) -> list[object]:
    return [mapped.ranges for mapped in selection.maps]


def _together(a: LimitedTable, b: LimitedTable) -> LimitedTable:
    """One of two results for equal states, on the kernels of both; eras that select alike are
    one."""
    eras = list(a.eras)
    for more in b.eras:
        for at, era in enumerate(eras):
            if _selects(era) == _selects(more):
                eras[at] = replace(era, releases=(*era.releases, *more.releases))
                break
        else:
            eras.append(more)
    return replace(a, releases=(*a.releases, *b.releases), eras=tuple(eras))


def _selects(era: LimitEra) -> tuple[object, ...]:
    under = era.under
    return _ranges(under), era.free.unreachable, era.alike, under.steps, under.domains


def _obeyed(releases: Sequence[Release]) -> Iterator[ObeyedLimits]:
    found: dict[tuple[bool, bool], list[Release]] = {}
    for release in releases:
        loop = idle_loop.features(release)
        found.setdefault((loop.resume_latency, loop.wakeup_latency), []).append(release)
    for (per_cpu, wakeup), some in found.items():
        yield ObeyedLimits(tuple(some), per_cpu, wakeup)
