"""teo's first generation, 5.1 to 5.13: hits, misses and early hits of each state.

A wakeup hits the state fit for the timer, or misses it; a miss is an early hit of the shallower
state that would have been fit. A state that misses no less than it hits gives way to the one with
most early hits. If most recent idles were shorter still, a state fit for their average is taken.
"""

from typing import Any

from ....base.dataclass import dataclass
from .interface import U32_MAX, U64_MAX, Situation, u64
from .teo_table import DECAY_SHIFT, PULSE, Choice, TeoTable, Wakeup

INTERVALS = 8


@dataclass(slots=True)
class Metrics:
    """Metrics of one state."""

    hits: int = 0
    misses: int = 0
    early_hits: int = 0


@dataclass(slots=True)
class HitsSearch:
    """A pass over the states, shallow to deep.

    state       the deepest fit one so far, -1 for none
    first       the first enabled one
    duration    the idle expected
    constraint  the first state beyond the latency limit
    hits ..     metrics of the range of durations that `state` covers, disabled states included
    early_hits  most so far, of state `early`; before that, `previous` had most; -1 for none
    limited     it ended at the latency limit: what it found is not given up for misses
    """

    duration: int
    constraint: int
    state: int = -1
    first: int = 0
    hits: int = 0
    misses: int = 0
    early_hits: int = 0
    early: int = -1
    previous: int = -1
    limited: bool = False


class Hits:
    """One CPU's metrics of the first generation."""

    def __init__(self, table: TeoTable) -> None:
        self.table = table
        self.features = table.features
        self.states = [Metrics() for _ in range(table.count)]
        self.endless = U64_MAX if self.features.nanoseconds else U32_MAX
        self.intervals = [self.endless] * self.features.ring_slots
        self.next_interval = 0

    def learn(self, wakeup: Wakeup) -> None:
        table = self.table
        sleep = table.time(wakeup.sleep_length)
        by_timer = table.ktime(wakeup.time_span) >= table.ktime(wakeup.sleep_length)
        if self.features.excludes_overhead:
            measured = self.endless if by_timer else table.idle(wakeup.residency, wakeup.state)
        else:
            span = table.time(wakeup.time_span)
            measured = sleep if by_timer else table.idle(span, wakeup.state)

        timer = idle = 0 if self.features.short_counts else -1
        for i, metrics in enumerate(self.states):
            metrics.early_hits -= metrics.early_hits >> DECAY_SHIFT
            if table.residency[i] <= sleep:
                timer = i
                if table.residency[i] <= measured:
                    idle = i
        if timer >= 0:
            self._count(timer, idle)
        self.intervals[self.next_interval] = self.endless if by_timer else measured
        self.next_interval = (self.next_interval + 1) % len(self.intervals)

    def choose(self, situation: Situation, why: dict[str, Any]) -> Choice:
        sleep = self.table.time(situation.sleep_length_ns)
        search = self._search(sleep, situation)
        why |= {
            "sleep_length": sleep,
            "fit_for_timer": search.state,
            "hits": search.hits,
            "misses": search.misses,
            "most_early_hits": search.early,
            "latency_limits_to": search.constraint,
        }
        state, duration = search.state, search.duration
        if search.hits <= search.misses and not search.limited:
            early = search.early
            if self.features.early_hits_below and early == state:
                early = search.previous
            if early >= 0:
                state, duration = early, self._expected(early)
        state = max(min(state, search.constraint), 0)
        if state > (search.first if self.features.recent_from_first else 0):
            state, duration = self._refined(state, duration, situation, why)
        return Choice(state, duration, situation.sleep_length_ns)

    def _expected(self, state: int) -> int:
        if self.features.mixed_units:
            return self.table.residency_ns[state] & U32_MAX
        return self.table.residency[state]

    def _count(self, timer: int, idle: int) -> None:
        metrics = self.states[timer]
        metrics.hits -= metrics.hits >> DECAY_SHIFT
        metrics.misses -= metrics.misses >> DECAY_SHIFT
        if timer == idle:
            metrics.hits += PULSE
            return
        metrics.misses += PULSE
        if idle >= 0:
            self.states[idle].early_hits += PULSE

    def _search(self, sleep: int, situation: Situation) -> HitsSearch:
        table = self.table
        latency = table.latency(situation.latency_req_us)
        search = HitsSearch(duration=sleep, constraint=table.count)
        for i, metrics in enumerate(self.states):
            residency = table.residency[i]
            if i in situation.disabled:
                self._pass_disabled(search, i, situation)
                continue
            if search.state < 0:
                search.state = search.first = i
                search.hits, search.misses = metrics.hits, metrics.misses
            if residency > search.duration:
                break
            if table.exit[i] > latency:
                if not self.features.late_constraint:
                    search.duration, search.limited = table.residency[search.state], True
                    break
                search.constraint = min(search.constraint, i)
            search.state = i
            search.hits, search.misses = metrics.hits, metrics.misses
            if search.early_hits < metrics.early_hits and self._long(residency, situation):
                search.previous, search.early = search.early, i
                search.early_hits = metrics.early_hits
        return search

    def _pass_disabled(self, search: HitsSearch, i: int, situation: Situation) -> None:
        """A disabled state's early hits set a mark that deeper ones must exceed."""
        metrics = self.states[i]
        if not self.features.disabled_metrics:
            if search.early >= 0:
                search.early_hits = max(search.early_hits, metrics.early_hits)
            return
        if self.table.residency[i] > search.duration:
            return
        search.hits, search.misses = metrics.hits, metrics.misses
        if search.early_hits >= metrics.early_hits or search.state < 0:
            return
        if search.early != search.state:
            if not self._long(self.table.residency[search.state], situation):
                return
            search.previous, search.early = search.early, search.state
        search.early_hits = metrics.early_hits

    def _refined(
        self, state: int, duration: int, situation: Situation, why: dict[str, Any]
    ) -> tuple[int, int]:
        """State and duration by recent idles, if most of them were short."""
        residency = self.table.residency[state]
        limit = duration if self.features.recent_duration else residency
        short = [time for time in self.intervals[:INTERVALS] if time < limit]
        why["recent_short"] = len(short)
        if len(short) <= INTERVALS // 2:
            return state, duration
        average = u64(sum(short)) // len(short)
        if not self._long(average, situation):
            return state, duration
        if residency > average:
            state = self.table.shallower(state, average, situation.disabled)
        return state, average

    def _long(self, time: int, situation: Situation) -> bool:
        """A stopped tick will not end an idle: no state for less than a tick then."""
        return not situation.tick_stopped or time >= self.table.tick
