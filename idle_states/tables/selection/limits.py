"""Latency limits: which states a limit leaves under each kernel, which values leave the same, and
what the governor then selects."""

from collections.abc import Callable, Iterator, Sequence

from ...base.dataclass import dataclass, replace
from ..linux import idle_loop
from ..linux.driver_table import DriverTable
from ..linux.governors import names_of, states_of
from ..linux.governors.interface import State
from ..linux.qos import NO_LIMIT_US
from ..linux.releases import Release
from .limit_words import NO_LATENCY, AskedLimit, LimitMeant, meaning, nowhere
from .remaining import (
    StateUnderLimit,
    deepest,
    following,
    needs_us,
    same_values,
    under_limit,
    unexpected,
)
from .request import Scope
from .selection import Selecting, TableSelection

Held = tuple[Release, DriverTable | list[State]]
"""A kernel, and the states that its governor selects from."""
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
    def cpu_value(self) -> str | None:
        """The same as a CPU's pm_qos_resume_latency_us; None for none, or not in all kernels."""
        feature = "resume_latency" if self.limit_us else "zero_limits"
        known = (getattr(idle_loop.features(release), feature) for release in self.releases)
        has = self.limit_us < NO_LIMIT_US and all(known)
        return str(self.limit_us or NO_LATENCY) if has else None

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
        """The unexpected states of a limit that is to keep some: deeper ones that stay with them,
        and shallower ones that go."""
        return unexpected(self.states, self.meant.states) if self.meant else ()


@dataclass(frozen=True, slots=True)
class TableLimit:
    """The states that a limit leaves of a table.

    table      as given; "" for plain states
    governor   what selects
    per_cpu    the limit is a CPU's (pm_qos_resume_latency_us), not the system's
    by_kernel  by the states that are left, in the order of the kernels
    """

    wanted: AskedLimit
    table: str
    governor: str
    per_cpu: bool
    by_kernel: tuple[LimitedTable, ...]

    def in_force(self, release: Release) -> int:
        """Returns the limit that this kernel's governors are told, in us."""
        return next(each.limit_us for each in self.by_kernel if release in each.releases)


@dataclass(frozen=True, slots=True)
class ObeyedLimits:
    """The other limits kernels look at: that of a CPU, and the one on waking up the system."""

    releases: tuple[Release, ...]
    per_cpu: bool
    wakeup: bool


def limit(
    wanted: AskedLimit,
    held: Sequence[Held],
    selecting: Selecting,
    table: str = "",
    *,
    per_cpu: bool = False,
) -> TableLimit:
    """Computes what a limit leaves of the states of each kernel. Raises UsageError for states that
    no kernel has."""
    found: dict[object, LimitedTable] = {}
    for release, states in held:
        one = _limited(wanted, release, states, selecting, per_cpu=per_cpu)
        key = one.meant, one.limit_us, one.states
        before = found.get(key)
        found[key] = one if before is None else _together(before, one)
    if all(each.meant is None for each in found.values()):
        names = dict.fromkeys(state.name for each in found.values() for state in each.states)
        drivers = [states for _, states in held if isinstance(states, DriverTable)]
        domains = [domain for driver in drivers for domain in driver.domains]
        raise nowhere(wanted, list(names), domains)
    return TableLimit(wanted, table, selecting.governor, per_cpu, tuple(found.values()))


def _limited(
    wanted: AskedLimit,
    release: Release,
    table: DriverTable | list[State],
    selecting: Selecting,
    *,
    per_cpu: bool,
) -> LimitedTable:
    """A limit under one kernel."""
    meant, limit_us, rows = left(wanted, release, table, per_cpu=per_cpu)
    same = same_values([row.needs_us for row in rows], limit_us)
    if meant is None:
        return LimitedTable((release,), None, limit_us, rows, same, ())

    def select(value_us: int) -> TableSelection:
        return selecting.select(release, table, Scope((value_us,)))

    under = select(limit_us)
    alike = _alike(select, under, limit_us, same)
    era = LimitEra((release,), under, select(NO_LIMIT_US), alike)
    return LimitedTable((release,), meant, limit_us, rows, same, (era,))


def left(
    wanted: AskedLimit, release: Release, table: DriverTable | list[State], *, per_cpu: bool = False
) -> tuple[LimitMeant | None, int, tuple[StateUnderLimit, ...]]:
    """Returns what a limit comes to, the limit in force in us, and the states under it."""
    loop = idle_loop.features(release)
    states = states_of(table) if isinstance(table, DriverTable) else tuple(table)
    names = names_of(table, states)
    needs = [needs_us(state, nanoseconds=loop.nanoseconds) for state in states]
    meant = meaning(wanted, names, needs)
    limit_us = NO_LIMIT_US
    if meant is not None and not per_cpu:
        limit_us = idle_loop.latency_limit_us(loop, meant.value_us)
    # a CPU's limit of 0 is none; n/a allows no latency, where kernels know it
    elif meant is not None and (meant.value_us or wanted.keeps or meant.word.text == NO_LATENCY):
        limit_us = idle_loop.latency_limit_us(loop, resume_us=meant.value_us)
    off = table.off if isinstance(table, DriverTable) else ()
    return meant, limit_us, under_limit(names, states, needs, limit_us, off)


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


def obeyed(releases: Sequence[Release]) -> Iterator[ObeyedLimits]:
    """Yields which limits kernels look at, those that look at the same together."""
    found: dict[tuple[bool, bool], list[Release]] = {}
    for release in releases:
        loop = idle_loop.features(release)
        found.setdefault((loop.resume_latency, loop.wakeup_latency), []).append(release)
    for (per_cpu, wakeup), some in found.items():
        yield ObeyedLimits(tuple(some), per_cpu, wakeup)
