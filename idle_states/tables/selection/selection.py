"""select: which state each governor takes, as ranges, for a table under one kernel; and what
another kernel or another table changes in that."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, TypedDict

from ...base.dataclass import dataclass, replace
from ...base.model.forms import Count, KeyName
from ..linux.driver_table import DriverTable
from ..linux.governors import Governor, State, expect_steady, names_of
from ..linux.governors.interface import NO_STATE
from ..linux.governors.settling import Circumstances, Settling
from ..linux.governors.steady import (
    Range,
    lock_in,
    reachable,
    selection_map,
    timer_map,
)
from ..linux.releases import Release
from .by_core import by_core
from .request import Scope

if TYPE_CHECKING:
    from ..linux.governors.ladder_steps import LadderStep
    from .domains import DomainSelection


@dataclass(frozen=True, slots=True)
class Mapped:
    """The states selected over a range of lengths.

    circumstances  what is fixed
    ranges         ranges of idle lengths or, if `idle_ns` is given, of the time to the next timer
    idle_ns        the fixed idle length, None if that is what varies
    """

    circumstances: Circumstances
    ranges: tuple[Range, ...]
    idle_ns: int | None = None


@dataclass(frozen=True, slots=True)
class TableSelection:
    """The selections of a governor from one table under one kernel.

    table              name of the table, "" for plain states
    names              names of the states, by number
    maps               one for each of the circumstances asked for
    unreachable        numbers of the states that no map selects
    level_with_snooze  numbers of the states with the same exit latency as state 0
    locked             state -> ranges of idle lengths in which the governor keeps selecting it
    wake_ns            see Asked
    steps              for ladder, its steps under the first latency limit
    domains            what becomes of the power domains that the CPUs sit in (Arm, RISC-V)
    domain_notes       what that rests on that neither tree nor release tells
    disabled           numbers of the states that the driver registers switched off
    """

    table: str
    governor: str
    release: Release
    hz: int
    names: tuple[str, ...]
    states: tuple[State, ...]
    maps: tuple[Mapped, ...]
    unreachable: tuple[int, ...]
    level_with_snooze: tuple[int, ...]
    locked: dict[int, tuple[Range, ...]]
    wake_ns: int
    steps: "tuple[LadderStep, ...]" = ()
    domains: "tuple[DomainSelection, ...]" = ()
    domain_notes: tuple[str, ...] = ()
    disabled: frozenset[int] = frozenset()

    def state_names(self, states: Sequence[int]) -> tuple[str, ...]:
        """Names of the states with these numbers."""
        return tuple(name_of(self.names, state) for state in states)


@dataclass(frozen=True, slots=True)
class SelectionChange:
    """Idles that take another state by the second of two maps."""

    first_ns: Annotated[Count, KeyName("from_ns"), "The shortest of them."]
    last_ns: Annotated[int | None, KeyName("to_ns"), "The longest of them; null: without end."]
    a: Annotated[
        tuple[str, ...],
        KeyName("before"),
        "States they took; several where the governor alternates between them.",
    ]
    b: Annotated[tuple[str, ...], KeyName("after"), "States they take."]


def select(
    governor: str,
    release: Release,
    table: DriverTable | Sequence[State],
    hz: int,
    scope: Scope | None = None,
    name: str = "",
) -> TableSelection:
    """Computes maps for each latency limit, with the tick running and stopped, and with idle
    periods ended by timers and by interrupts.

    table  what the kernel registers, or plain states
    name   name of the table, for the result
    Raises UnknownGovernor.
    """
    return Selecting(governor, hz).select(release, table, scope or Scope(), name)


class _OfDomains(TypedDict):
    domains: "tuple[DomainSelection, ...]"
    domain_notes: tuple[str, ...]


def _domains(table: DriverTable | Sequence[State], release: Release, scope: Scope) -> _OfDomains:
    if not isinstance(table, DriverTable) or not table.domains:
        return {"domains": (), "domain_notes": ()}
    from .domains import domain_selections

    found = domain_selections(table, release, scope.limits_us)
    alive = any(not each.domain.dead for each in found)
    return {"domains": found, "domain_notes": table.domain_notes if alive else ()}


class Selecting:
    """select() under many kernels, and for several Asked: what the same behaviour makes of the same
    states is computed once. Equal selections share their maps."""

    def __init__(self, governor: str, hz: int) -> None:
        self.governor = governor
        self._hz = hz
        self._known: dict[object, TableSelection] = {}
        self._last: tuple[object, Settling] | None = None

    def select(
        self,
        release: Release,
        table: DriverTable | Sequence[State],
        scope: Scope,
        name: str = "",
    ) -> TableSelection:
        """Returns a governor's selections from a table under a release: see select(), whose other
        arguments this has."""
        settling = settling_of(self.governor, release, table, self._hz)
        key = settling.behaviour, names_of(table, settling.governor.states)
        if (key, scope) not in self._known:
            if self._last is None or self._last[0] != key:
                # What it found out serves what else is asked of this behaviour, often next.
                self._last = key, settling
            self._known[key, scope] = self._select(release, table, scope, self._last[1])
        domains = _domains(table, release, scope)
        return replace(self._known[key, scope], release=release, table=name, **domains)

    def _select(
        self,
        release: Release,
        table: DriverTable | Sequence[State],
        scope: Scope,
        settling: Settling,
    ) -> TableSelection:
        maps = tuple(_maps(settling, scope))
        states = settling.governor.states
        reached = reachable([mapped.ranges for mapped in maps])
        wake_ns = scope.wake_ns
        return TableSelection(
            table="",
            governor=self.governor,
            release=release,
            hz=self._hz,
            names=names_of(table, states),
            states=states,
            maps=maps,
            unreachable=tuple(i for i in range(len(states)) if i not in reached),
            level_with_snooze=tuple(
                i for i, state in enumerate(states) if i and state.exit_ns == states[0].exit_ns
            ),
            locked=lock_in(settling, maps[0].circumstances, wake_ns) if wake_ns else {},
            wake_ns=wake_ns,
            steps=_steps(settling, scope.limits_us[0]),
            disabled=settling.disabled,
        )


def _steps(settling: Settling, limit_us: int) -> "tuple[LadderStep, ...]":
    if settling.governor.name != "ladder" or not limit_us:
        return ()
    from ..linux.governors.ladder_features import LadderFeatures
    from ..linux.governors.ladder_steps import steps

    features = settling.governor.features
    assert isinstance(features, LadderFeatures)
    return steps(settling.governor.states, features, limit_us, settling.disabled)


def settling_of(
    governor: str, release: Release, table: DriverTable | Sequence[State], hz: int
) -> Settling:
    """A governor to be run through equal idle periods until its decisions settle.

    Raises UnknownGovernor, also for haltpoll, whose decisions depend on how long it polled.
    """
    expect_steady(governor)
    off = table.off if isinstance(table, DriverTable) else frozenset()
    return Settling(lambda: Governor.for_kernel(governor, release, table, hz), by_core, off)


def _maps(settling: Settling, scope: Scope) -> Iterator[Mapped]:
    for fixed, idle_ns in _wanted(scope):
        if idle_ns is None:
            yield Mapped(fixed, selection_map(settling, fixed))
        else:
            yield Mapped(fixed, timer_map(settling, idle_ns, fixed), idle_ns)


def _wanted(scope: Scope) -> Iterator[tuple[Circumstances, int | None]]:
    """Yields what is fixed in each map, and the idle length where that is fixed."""
    for limit in scope.limits_us:
        for timer_driven in (False, True):
            for tick_stopped in (False, True):
                yield Circumstances(tick_stopped, timer_driven, limit), None
        for timer_ns in scope.timers_ns:
            for tick_stopped in (False, True):
                yield Circumstances(tick_stopped, False, limit, next_timer_ns=timer_ns), None
        for idle_ns in scope.idles_ns:
            for tick_stopped in (False, True):
                yield Circumstances(tick_stopped, False, limit), idle_ns


def name_of(names: Sequence[str], state: int) -> str:
    """Name of a state, by number. The number may be one past the last: ladder selects that if there
    is only a polling state. 4.4's menu may select none."""
    if state == NO_STATE:
        return "default idle"
    return names[state] if state < len(names) else f"state {state}, which is not there"


def map_changes(
    names_a: Sequence[str],
    ranges_a: Sequence[Range],
    names_b: Sequence[str],
    ranges_b: Sequence[Range],
) -> list[SelectionChange]:
    """The ranges in which two maps over the same lengths select states of different names."""
    found: list[SelectionChange] = []
    starts = sorted({r.first_ns for r in (*ranges_a, *ranges_b)})
    ends: list[int | None] = [start - 1 for start in starts[1:]]
    for first, last in zip(starts, [*ends, ranges_a[-1].last_ns], strict=True):
        a, b = (
            tuple(name_of(names, state) for state in _at(ranges, first))
            for names, ranges in ((names_a, ranges_a), (names_b, ranges_b))
        )
        if set(a) == set(b):
            continue
        before = found[-1] if found else None
        if before and before.last_ns == first - 1 and (before.a, before.b) == (a, b):
            found[-1] = SelectionChange(before.first_ns, last, a, b)
        else:
            found.append(SelectionChange(first, last, a, b))
    return found


def _at(ranges: Sequence[Range], length_ns: int) -> tuple[int, ...]:
    return next(r.states for r in ranges if r.last_ns is None or r.last_ns >= length_ns)


def changes(a: TableSelection, b: TableSelection) -> list[tuple[Mapped, list[SelectionChange]]]:
    """The maps of `a` in which `b`, made for the same Asked, selects other states; with the
    ranges."""
    return _changes(a.names, a.maps, b.names, b.maps)


@lru_cache(maxsize=1024)  # of kernels many have the same maps
def _changes(
    names_a: tuple[str, ...], a: tuple[Mapped, ...], names_b: tuple[str, ...], b: tuple[Mapped, ...]
) -> list[tuple[Mapped, list[SelectionChange]]]:
    found = []
    for left, right in zip(a, b, strict=True):
        different = map_changes(names_a, left.ranges, names_b, right.ranges)
        if different:
            found.append((left, different))
    return found
