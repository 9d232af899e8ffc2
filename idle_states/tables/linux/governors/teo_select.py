"""The choice of a state from its bins by teo's second generation, 5.14 on.

The deepest enabled state is the candidate (up to 6.5, the deepest within the sleep length). If
intercepts below it outweigh everything at and above it, it moves down to where most of them lie.
The latency limit and, from 6.6 on, the nearest timer come last.
"""

from typing import Any

from ....base.dataclass import dataclass
from .interface import KTIME_MAX, Situation, u32
from .teo_bins import RECENT, SHORT_NS, Bins
from .teo_table import Choice, TeoTable, Wakeup

TIGHT_NS = SHORT_NS // 2
"""Below this latency limit, timers need not be asked."""
UTILISED_SHIFT = 6
"""A CPU is utilised above its capacity shifted right by this."""


@dataclass(slots=True)
class Candidate:
    """The deepest state taken into account, and what lies below it.

    state        -1: every state is disabled
    first        the shallowest enabled one; if it is the candidate, it is taken as it is
    constraint   the deepest state within the latency limit
    hits ..      sums over shallower bins
    """

    state: int
    first: int = 0
    constraint: int = 0
    hits: int = 0
    intercepts: int = 0
    recent: int = 0


class TeoSelection:
    """One CPU's metrics of the second generation, and the choice by them."""

    def __init__(self, table: TeoTable) -> None:
        self.table = table
        self.features = table.features
        self.bins = Bins(table)

    def learn(self, wakeup: Wakeup) -> None:
        self.bins.learn(wakeup)

    def choose(self, situation: Situation, why: dict[str, Any]) -> Choice:
        utilised = self.features.utilisation != "" and (
            situation.cpu_util > situation.cpu_capacity >> UTILISED_SHIFT
        )
        if self.features.lazy_timers:
            return self._choose_then_ask(situation, utilised, why)
        return self._ask_then_choose(situation, utilised, why)

    def _ask_then_choose(self, situation: Situation, utilised: bool, why: dict[str, Any]) -> Choice:
        """5.14 to 6.5."""
        table, disabled = self.table, situation.disabled
        sleep = situation.sleep_length_ns
        if table.count < 2 or (0 not in disabled and table.residency[1] > sleep):
            return Choice(0, sleep, sleep)
        if utilised and table.count == 2:
            enabled = (i for i in range(2) if i not in disabled and not table.polling[i])
            found = next(enabled, None)
            if found is not None:
                return Choice(found, sleep, sleep)
        candidate = self._candidate(situation, sleep)
        if candidate.state < 0:
            return Choice(0, sleep, sleep)
        if candidate.state == candidate.first:
            return Choice(candidate.state, sleep, sleep)
        state, duration = self._intercepted(candidate, sleep, situation, why)
        state = min(state, candidate.constraint)
        if utilised:
            state = table.shallower(state, duration, disabled, polls=False)
        return Choice(state, duration, sleep)

    def _choose_then_ask(self, situation: Situation, utilised: bool, why: dict[str, Any]) -> Choice:
        """6.6 on."""
        table = self.table
        if table.count < 2:
            return Choice(0, KTIME_MAX, KTIME_MAX, settled=True)
        if utilised and table.count == 2:
            return self._of_two(situation)
        candidate = self._candidate(situation, KTIME_MAX)
        if candidate.state < 0:
            return Choice(0, KTIME_MAX, KTIME_MAX, settled=True)
        if candidate.state == candidate.first:
            residency = table.residency[candidate.state]
            return Choice(candidate.state, residency, KTIME_MAX, uses_timers=False)
        found, _ = self._intercepted(candidate, KTIME_MAX, situation, why)
        state = min(found, candidate.constraint)
        if utilised:
            lower = table.shallower(state, KTIME_MAX, situation.disabled, polls=False)
            state = lower if self._deep_enough(lower, situation) else state
        why |= {"before_timers": state, "asks_timers": True}
        sleep = situation.sleep_length_ns
        if not self._worth_asking(state, situation):
            why["asks_timers"] = False
            asks = self.features.asks_for_zero and found == 0
            return Choice(state, KTIME_MAX, sleep if asks else KTIME_MAX, settled=True)
        if self._stuck_without_tick(state, situation):
            return Choice(self._deepest(state, candidate.constraint, situation), sleep, sleep)
        if state == 0:
            return Choice(0, sleep, sleep, settled=True)
        state = self._by_timer(state, situation)
        kept = table.residency[state] < table.tick and self._intercepts_keep_tick()
        return Choice(state, table.tick // 2 if kept else sleep, sleep)

    def _of_two(self, situation: Situation) -> Choice:
        """A utilised CPU with two states: the shallowest that does not poll."""
        shallow = 0 not in situation.disabled and not self.table.polling[0]
        if (shallow and self._deep_enough(0, situation)) or 1 in situation.disabled:
            return Choice(0, KTIME_MAX, KTIME_MAX, settled=True)
        return Choice(1, self.table.residency[1], KTIME_MAX, uses_timers=False)

    def _candidate(self, situation: Situation, sleep: int) -> Candidate:
        table, bins = self.table, self.bins
        latency = table.latency(situation.latency_req_us)
        candidate = Candidate(-1 if 0 in situation.disabled else 0)
        for i in range(1, table.count):
            if i in situation.disabled:
                continue
            if candidate.state < 0:
                candidate.state = candidate.first = i
            if table.residency[i] > sleep:
                break
            candidate.state = i
            if table.exit[i] <= latency:
                candidate.constraint = i
            candidate.hits = sum(bins.hits[:i])
            candidate.intercepts = sum(bins.intercepts[:i])
            candidate.recent = u32(sum(bins.recent[:i]))
        return candidate

    def _intercepted(
        self, candidate: Candidate, duration: int, situation: Situation, why: dict[str, Any]
    ) -> tuple[int, int]:
        """State and duration after the lookup among intercepts, if they prevail."""
        features, total = self.features, self.bins.total
        by_sums = u32(2 * candidate.intercepts) > u32(total - candidate.hits)
        by_recent = features.recent and candidate.recent > RECENT // 2
        why |= {
            "candidate": candidate.state,
            "latency_limits_to": candidate.constraint,
            "total": total,
            "hits_below": candidate.hits,
            "intercepts_below": candidate.intercepts,
            "recent_below": candidate.recent,
            "intercepted": by_sums or by_recent,
        }
        if not (by_sums or by_recent):
            return candidate.state, duration
        if features.passes_disabled:
            return self._lookup_enabled(candidate, situation), duration
        return self._lookup(candidate, duration, by_sums, by_recent, situation)

    def _lookup(
        self,
        candidate: Candidate,
        duration: int,
        by_sums: bool,
        by_recent: bool,
        situation: Situation,
    ) -> tuple[int, int]:
        """Up to 6.18: the deepest state at or below which most intercepts under the candidate lie,
        if that may be led to; else the last one passed that may."""
        bins, state = self.bins, candidate.state
        suitable = state, duration
        sums = recent = 0
        for i in range(state - 1, -1, -1):
            sums += bins.intercepts[i]
            recent = u32(recent + bins.recent[i])
            span = (self.table.residency[i] + self.table.residency[i + 1]) // 2
            fit = self._fit(i, span, situation)
            most = not by_sums or u32(2 * sums) > candidate.intercepts
            most_recent = not by_recent or u32(2 * recent) > candidate.recent
            enabled = i not in situation.disabled
            if most and most_recent:
                return (i, span) if fit and enabled else suitable
            if not enabled:
                continue
            if fit:
                suitable = i, span
            elif suitable[0] == state:
                break
        return state, duration

    def _lookup_enabled(self, candidate: Candidate, situation: Situation) -> int:
        """From 6.19 on: the same among enabled states; if they end before, the shallowest."""
        bins, state, lowest = self.bins, candidate.state, candidate.first
        if self.features.stopped_tick == "residency" and situation.tick_stopped:
            while lowest < state and self.table.residency[lowest] < self.table.tick:
                lowest += 1
            if self.features.empty_bins and self._same_residency(lowest, state):
                return state
        peak = state
        if self.features.peak_first:
            peak = max(range(self.table.count - 1), key=lambda i: (bins.intercepts[i], i))
        sums = 0
        for i in range(candidate.state - 1, lowest - 1, -1):
            sums += bins.intercepts[i]
            if i in situation.disabled:
                continue
            state = i
            if u32(2 * sums) > candidate.intercepts and i <= peak:
                break
        return state

    def _same_residency(self, a: int, b: int) -> bool:
        return self.table.residency[a] == self.table.residency[b]

    def _fit(self, state: int, span: int, situation: Situation) -> bool:
        """Not too shallow to be led to by intercepts, should the tick be stopped."""
        match self.features.stopped_tick:
            case "span":
                return not situation.tick_stopped or span >= self.table.tick
            case "residency":
                return self._deep_enough(state, situation)
            case _:
                return True

    def _deep_enough(self, state: int, situation: Situation) -> bool:
        return not situation.tick_stopped or self.table.residency[state] >= self.table.tick

    def _worth_asking(self, state: int, situation: Situation) -> bool:
        """Asking for the nearest timer costs time: not for states that hardly depend on it."""
        short = self.table.residency[state] < SHORT_NS
        if not self.features.short_idles:
            return state > 0 and not (short and self.table.polling[0])
        if self.features.stopped_tick == "last" and situation.tick_stopped:
            return True
        many = 2 * self.bins.short_idles >= self.bins.total
        tight = self.table.latency(situation.latency_req_us) < TIGHT_NS
        return not ((state == 0 or short) and (many or tight))

    def _stuck_without_tick(self, state: int, situation: Situation) -> bool:
        """Neither tick nor timer would end a long stay in so shallow a state."""
        return (
            self.features.stopped_tick == "last"
            and situation.tick_stopped
            and situation.sleep_length_ns > 2 * self.table.tick
            and self.table.residency[state] < self.table.tick
        )

    def _deepest(self, state: int, constraint: int, situation: Situation) -> int:
        """The deepest enabled state within latency limit and sleep length, or `state`."""
        for i in range(constraint, state, -1):
            if i not in situation.disabled and self.table.residency[i] <= situation.sleep_length_ns:
                return i
        return state

    def _by_timer(self, state: int, situation: Situation) -> int:
        """A shallower state if the nearest timer is before the residency of this one."""
        sleep = situation.sleep_length_ns
        if self.table.residency[state] <= sleep:
            return state
        lower = self.table.shallower(state, sleep, situation.disabled)
        return lower if self.features.timer_wins or self._deep_enough(lower, situation) else state

    def _intercepts_keep_tick(self) -> bool:
        bins = self.bins
        if self.features.two_thirds:
            return 3 * bins.tick_intercepts >= 2 * bins.total
        every = self.features.tick_intercepts == "all"
        weight = sum(bins.intercepts) if every else bins.tick_intercepts
        return weight > bins.total // 2 + bins.total // 8
