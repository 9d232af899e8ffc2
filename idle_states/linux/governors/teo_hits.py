"""teo's first generation, 5.1 to 5.13: hits, misses and early hits of each state.

A wakeup hits the state that fits the timer, or misses it; a miss is an early hit of the shallower
state that would have fitted. If a state misses as often as it hits, the one with the most early hits
takes its place, and if most recent idles were shorter still, one that fits their average.
"""

from dataclasses import dataclass
from typing import Any

from .interface import U32_MAX, U64_MAX, Situation, u64
from .teo_table import DECAY_SHIFT, PULSE, Choice, Table, Wakeup

INTERVALS = 8


@dataclass(slots=True)
class State:
    """One state's metrics."""

    hits: int = 0
    misses: int = 0
    early_hits: int = 0


class Hits:
    """One CPU's memory."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.features = table.features
        self.endless = U64_MAX if self.features.nanoseconds else U32_MAX
        self.states = [State() for _ in range(table.count)]
        self.intervals = [self.endless] * self.features.ring_slots
        self.next_interval = 0

    def learn(self, wakeup: Wakeup) -> None:
        sleep = self.table.time(wakeup.sleep_length)
        by_timer = self._by_timer(wakeup)
        measured = self._measured(wakeup, by_timer)
        timer = hit = 0 if self.features.short_counts else -1
        for i, state in enumerate(self.states):
            state.early_hits -= state.early_hits >> DECAY_SHIFT
            if self.table.residency[i] <= sleep:
                timer = i
                if self.table.residency[i] <= measured:
                    hit = i
        if timer >= 0:
            state = self.states[timer]
            state.hits -= state.hits >> DECAY_SHIFT
            state.misses -= state.misses >> DECAY_SHIFT
            if timer > hit:
                state.misses += PULSE
                if hit >= 0:
                    self.states[hit].early_hits += PULSE
            else:
                state.hits += PULSE
        self.intervals[self.next_interval] = self.endless if by_timer else measured
        self.next_interval = (self.next_interval + 1) % len(self.intervals)

    def _by_timer(self, wakeup: Wakeup) -> bool:
        if self.features.signed:
            return wakeup.time_span >= wakeup.sleep_length
        return u64(wakeup.time_span) >= u64(wakeup.sleep_length)

    def _measured(self, wakeup: Wakeup, by_timer: bool) -> int:
        """The idle itself, about half an exit latency shorter than what was measured."""
        if by_timer:
            return (
                self.endless
                if self.features.excludes_overhead
                else self.table.time(wakeup.sleep_length)
            )
        exit_latency = self.table.exit[wakeup.state]
        time = wakeup.residency if self.features.excludes_overhead else wakeup.time_span
        measured = self.table.time(time)
        return measured - exit_latency // 2 if measured >= exit_latency else measured // 2

    def choose(self, situation: Situation, why: dict[str, Any]) -> Choice:
        table, disabled = self.table, situation.disabled
        sleep = table.time(situation.sleep_length_ns)
        latency = table.latency(situation.latency_req_us)
        duration = sleep
        idx = max_early_idx = previous_idx = -1
        first = 0
        constraint = table.count
        early = hits = misses = 0
        for i, state in enumerate(self.states):
            residency = table.residency[i]
            if i in disabled:
                if not self.features.disabled_metrics:
                    if max_early_idx >= 0:
                        early = max(early, state.early_hits)
                    continue
                if residency > duration:
                    continue
                hits, misses = state.hits, state.misses
                if early >= state.early_hits or idx < 0:
                    continue
                if max_early_idx == idx:
                    early = state.early_hits
                elif self._long_enough(table.residency[idx], situation):
                    previous_idx = max_early_idx
                    early, max_early_idx = state.early_hits, idx
                continue
            if idx < 0:
                idx = first = i
                hits, misses = state.hits, state.misses
            if residency > duration:
                break
            if table.exit[i] > latency:
                if not self.features.late_constraint:
                    duration = table.residency[idx]
                    break
                constraint = min(constraint, i)
            idx = i
            hits, misses = state.hits, state.misses
            if early < state.early_hits and self._long_enough(residency, situation):
                previous_idx = max_early_idx
                early, max_early_idx = state.early_hits, i
        why |= {"sleep_length": sleep, "by_timer": idx, "hits": hits, "misses": misses}
        if hits <= misses:
            if self.features.disabled_metrics and idx == max_early_idx:
                max_early_idx = previous_idx
            if max_early_idx >= 0:
                idx = max_early_idx
                duration = table.residency[idx]
        if idx > constraint:
            idx = constraint
        if idx < 0:
            idx = 0
        elif idx > (first if self.features.late_constraint else 0):
            idx, duration = self._by_recent(idx, duration, situation)
        return Choice(idx, duration, situation.sleep_length_ns, first if self.features.late_constraint else 0)

    def _long_enough(self, time: int, situation: Situation) -> bool:
        return not situation.tick_stopped or time >= self.table.tick

    def _by_recent(self, idx: int, duration: int, situation: Situation) -> tuple[int, int]:
        limit = duration if self.features.recent_duration else self.table.residency[idx]
        recent = [time for time in self.intervals[:INTERVALS] if time < limit]
        if len(recent) > INTERVALS // 2:
            average = u64(sum(recent)) // len(recent)
            if self._long_enough(average, situation):
                duration = average
                if self.table.residency[idx] > average:
                    idx = self.table.shallower(idx, average, situation.disabled)
        return idx, duration
