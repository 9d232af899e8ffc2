"""menu's search: the deepest state that fits a prediction and a latency limit, and the tick."""

from collections.abc import Sequence

from ....base.dataclass import dataclass
from .interface import State, tick_ns, u32
from .menu_features import MenuFeatures

NS_PER_US = 1_000
US_PER_SEC = 1_000_000
THRESHOLD_US = 15
"""RESIDENCY_THRESHOLD_NS."""

POLLING_THRESHOLD_US = 20
NEAR_TIMER_US = 5
"""Before 4.5: up to here, state 0 has to fit as any other."""


class MenuTable:
    """States and tick in the release's unit: us until 5.4 (floored), ns from 5.5.

    per_us: how many units a us has.
    """

    def __init__(self, states: Sequence[State], features: MenuFeatures, hz: int) -> None:
        per_unit = 1 if features.nanoseconds else NS_PER_US
        self.per_us = NS_PER_US // per_unit
        self.exit = tuple(state.exit_ns // per_unit for state in states)
        self.residency = tuple(state.residency_ns // per_unit for state in states)
        self.polling = tuple(state.polling for state in states)
        self.tick = tick_ns(hz) if features.nanoseconds else (US_PER_SEC + hz // 2) // hz
        self.threshold = THRESHOLD_US * self.per_us


@dataclass(slots=True)
class MenuSearch:
    """The state of a search. Times in the release's unit.

    next_timer   unsigned
    delta        time to the next event, the tick included; signed, but u64 in ns before 5.13
    predicted    idle duration; once a state is found, the duration that decides the tick
    requested    latency limit as given
    latency      latency limit in force
    stopped      the tick is stopped already
    waiting      tasks wait for I/O
    enabled      numbers of enabled states, ascending
    state        the deepest that fits so far, -1 before the first
    settled      the tick is stopped and stays so
    compared     the deepest state whose exit latency was compared with the limit, -1 for none
    """

    next_timer: int
    delta: int
    predicted: int
    requested: int
    latency: int
    stopped: bool
    waiting: bool
    enabled: tuple[int, ...]
    state: int = -1
    settled: bool = False
    compared: int = -1


def early(table: MenuTable, search: MenuSearch) -> bool:
    """Tells whether state 0 is selected regardless of the prediction: no other state is allowed, or
    the timer is too near."""
    if len(table.exit) == 1 or search.requested == 0:
        return True
    excluded = search.next_timer < table.residency[1] or search.requested < table.exit[1]
    return excluded and 0 in search.enabled


def find(features: MenuFeatures, table: MenuTable, search: MenuSearch) -> None:
    """Sets `search.state`, searching from shallow to deep; mostly, the search ends at the first
    state that does not fit. It stays -1 if there is none (none_fits)."""
    first = _first(features, table, search)
    if features.none_fits:
        if search.next_timer > NEAR_TIMER_US and 0 in search.enabled:
            search.state = 0
    elif not features.zero_disabled:
        search.state, first = first, first + 1
    for state in search.enabled:
        if state < first:
            continue
        if search.state < 0 and not features.none_fits:
            search.state = state
        deep = table.residency[state] > search.predicted
        if deep and _ends(features, table, search):
            break
        search.compared = state
        slow = table.exit[state] > search.latency
        if features.latency_first and slow:
            break
        if not deep and not slow:
            if _is_enough(features, table, search):
                break
            search.state = state
        elif features.scan_stops:
            if search.state < 0:
                break
            if deep:
                _too_deep(features, table, search, state)
            elif features.latency_shortens:
                search.predicted = table.residency[search.state]
            break
    if not features.none_fits:
        search.state = max(search.state, 0)


def _first(features: MenuFeatures, table: MenuTable, search: MenuSearch) -> int:
    """Returns the state to start at: 1 if the timer is too far for polling, else 0."""
    polls = features.polling_loop or (features.skips_polling and table.polling[0])
    if not polls or 1 not in search.enabled:
        return 0
    far = search.next_timer > max(POLLING_THRESHOLD_US * table.per_us, table.residency[1])
    return 1 if far and search.requested > table.exit[1] else 0


def _ends(features: MenuFeatures, table: MenuTable, search: MenuSearch) -> bool:
    """Tells whether a residency beyond the prediction ends the search and changes nothing, whatever
    the latency limit."""
    if not features.scan_stops or search.state < 0:
        return features.scan_stops
    overrides = features.polling_override and table.polling[search.state]
    return not overrides and not (features.shallow_escape and search.predicted >= table.tick)


def _is_enough(features: MenuFeatures, table: MenuTable, search: MenuSearch) -> bool:
    """Tells whether no state beyond the one reached is looked for, because tasks wait for I/O."""
    first = features.io_waiters == "first" and search.waiting
    return first and search.state >= 0 and not table.polling[search.state]


def _too_deep(features: MenuFeatures, table: MenuTable, search: MenuSearch, state: int) -> None:
    """Handles the first state whose residency exceeds the prediction."""
    reached = table.residency[search.state]
    if _overrides(features, table, search, state):
        search.state, search.predicted = state, table.residency[state]
    elif not features.shallow_escape or search.predicted < table.tick:
        return
    elif not search.stopped:
        search.predicted = reached
    else:
        if reached < table.tick and table.residency[state] <= search.delta:
            search.state = state
        search.settled = True


def _overrides(features: MenuFeatures, table: MenuTable, search: MenuSearch, state: int) -> bool:
    """Tells whether `state` is selected instead of the polling state reached."""
    return (
        features.polling_override
        and table.polling[search.state]
        and table.residency[state] <= search.next_timer
        and (not features.override_in_limit or table.exit[state] <= search.latency)
        and (not features.override_in_time or table.exit[state] <= search.predicted)
        and (not features.override_short or table.residency[state] < table.threshold)
    )


def stops_tick(features: MenuFeatures, table: MenuTable, search: MenuSearch) -> bool:
    """Returns whether the tick stops. If it stays, states too deep for it are replaced by shallower
    ones."""
    if not features.decides_tick or search.settled:
        return True
    keeps = features.io_waiters == "tick" and search.waiting and not search.stopped
    if not keeps and not table.polling[search.state] and search.predicted >= table.tick:
        return True
    if search.stopped and not features.stopped_shallower:
        return features.stopped_tick_stays
    delta = search.delta if features.nanoseconds else u32(search.delta)
    within = min(delta, search.latency) if keeps else delta
    if table.residency[search.state] > within:
        for state in reversed([state for state in search.enabled if state < search.state]):
            search.state = state
            if table.residency[state] <= within:
                break
    return False
