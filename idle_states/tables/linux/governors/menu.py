"""The menu governor: idle time predicted from the next timer, corrected, and from recent idles.

Times are in the release's unit, us until 5.4 and ns from 5.5; what differs between releases is
said in `menu_features`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from .interface import (
    KTIME_MAX,
    NO_STATE,
    U32_MAX,
    Decision,
    Outcome,
    Situation,
    State,
    s64,
    u32,
    u64,
)
from .menu_correction import MAX_INTERESTING_US, Correction
from .menu_features import S32_MAX, MenuFeatures
from .menu_history import SIZE, UNKNOWN, IntervalHistory
from .menu_search import NS_PER_US, MenuSearch, MenuTable, early, find, stops_tick

_WRAPS = 1 << 50
"""From here on, the product of a time and a correction factor exceeds 64 bits."""


class Menu:
    """One CPU's menu governor, from boot on.

    states    the driver's states, shallowest first; at least one
    features  menu_features.features(release)
    hz        the kernel's HZ
    Raises ValueError without states.
    """

    def __init__(self, states: Sequence[State], features: MenuFeatures, hz: int) -> None:
        if not states:
            raise ValueError("expected at least one state for menu, found none")
        self.states = states
        self.features = features
        self.hz = hz
        self._table = MenuTable(states, features, hz)
        self._per_us = self._table.per_us
        self._history = IntervalHistory(
            trims_both_ends=features.trims_both_ends,
            maximum=features.typical_maximum,
            ceiling=features.typical_ceiling,
            unknown=features.typical_unknown,
            deviation_bits=features.long_bits if features.typical_deviation else 0,
        )
        self._correction = Correction(self._per_us)
        self._next_timer = 0
        self._knows_timer = True
        self._bucket = 0
        self._residency_ns = 0
        self._reflected: Outcome | None = None
        self._compared = -1
        self._divided_by = 1

    def switched_on(self, earlier: Outcome) -> None:
        """menu only uses whether there was such a period."""
        self._residency_ns = earlier.residency_ns

    def select(self, situation: Situation) -> Decision:
        """The next decision.

        why, times in its "unit" unless named otherwise: history_us; next_timer, delta, bucket and
        factor; timer_us (the timer corrected), typical_us, predicted (the lesser); effective (what
        the tick rules make of predicted), divisor and latency_limit; rule (what ended it).
        """
        features = self.features
        self._catch_up()
        why: dict[str, Any] = {
            "unit": "ns" if features.nanoseconds else "us",
            "history_us": tuple(self._history.intervals),
        }
        if situation.latency_req_us == 0 and not features.early_return:
            why["rule"] = "latency limit 0"
            return Decision(0, not features.decides_tick, why)
        search = self._predict(situation, why)
        if features.early_return and early(self._table, search):
            why["rule"] = "state 0 early"
            keeps = features.early_tick == "keep" or self.states[0].polling
            return Decision(0, not keeps, why)
        self._limit(search, situation, why)
        find(features, self._table, search)
        self._compared = max(self._compared, search.compared)
        why |= {"rule": "search", "decided_by": search.predicted, "found": search.state}
        if search.state == NO_STATE:
            return Decision(NO_STATE, True, why)
        stops = stops_tick(features, self._table, search)
        return Decision(search.state, stops, why)

    def finished(self, outcome: Outcome) -> None:
        """Ends the idle period. Of a rejected entry, only the missing residency is recorded; of a
        period without cpuidle (NO_STATE), nothing."""
        if outcome.state == NO_STATE:
            return
        self._residency_ns = 0 if outcome.rejected else outcome.residency_ns
        if not outcome.rejected:
            self._reflected = outcome

    def settled(self) -> bool:
        """Tells whether the last decision is made again and again, if every idle period is as the
        last one: the history holds no other, so that decisions differ by the corrected timer alone.
        That only rises or only falls, and predictions with it: between this one and the last one,
        there is none of the times that they are compared with."""
        if self._reflected is None:
            return False
        intervals = self._history.intervals
        if intervals.count(intervals[0]) < SIZE:
            return False
        measured, interval_us = self._learnt(self._reflected)
        if interval_us != intervals[0]:
            return False
        if not self._knows_timer:
            return True
        if self._next_timer >= _WRAPS:
            return False
        now_us = self._correction.predicted_us(self._next_timer, self._bucket)
        then_us = self._correction.settled_us(self._bucket, measured, self._next_timer)
        low, high = sorted((self._predicted(now_us), self._predicted(then_us)))
        table, divisor = self._table, self._divided_by
        limited = [*table.exit, *(table.residency if self.features.io_waiters == "tick" else ())]
        compared = (*table.residency, table.tick, *table.exit, *(divisor * e for e in limited))
        return not any(low < each <= high for each in compared)

    def limits_alike(self, limit_us: int) -> tuple[int, int]:
        """The first and the last latency limit, in us, of those about this one under which all
        decisions so far, made under this one, would have been the same: they compare alike with 0
        and each exit latency that it was compared with. That of state 1 always is, in both ways."""
        per_us, exits = self._table.per_us, self._table.exit
        steps = {0, 1, U32_MAX + 1, *(exit // per_us + 1 for exit in exits[1:2])}
        steps |= {-(-exit // per_us) for exit in exits[: max(self._compared, 1) + 1]}
        if self.features.io_waiters == "tick":
            steps |= {-(-residency // per_us) for residency in self._table.residency}
        return max(step for step in steps if step <= limit_us), min(
            step - 1 for step in steps if step > limit_us
        )

    def _learnt(self, outcome: Outcome) -> tuple[int, int]:
        """Returns the time that an idle period teaches: as measured, and in whole us, u32."""
        measured = min(self._measured(outcome), self._next_timer)
        return measured, u32(_divided(s64(measured), self._per_us))

    def _catch_up(self) -> None:
        """Learns from the last idle period, or from its absence."""
        outcome, self._reflected = self._reflected, None
        if outcome is not None:
            measured, interval_us = self._learnt(outcome)
            self._correction.learn(self._bucket, measured, self._next_timer)
            self._history.push(interval_us)
        elif self.features.rejected_is_unknown and self._residency_ns == 0:
            self._history.push(UNKNOWN)

    def _measured(self, outcome: Outcome) -> int:
        """Returns the idle time that menu learns from: without waking up; 45 ms if the tick ended
        it before the next timer; the time to that timer if the poll limit ended it."""
        features = self.features
        if features.tick_wakeup and outcome.got_tick and self._next_timer > self._table.tick:
            return 9 * MAX_INTERESTING_US * self._per_us // 10
        if features.poll_limit and outcome.poll_time_limit and self.states[outcome.state].polling:
            return self._next_timer
        if features.nanoseconds:
            measured = outcome.residency_ns
        else:
            measured = min(outcome.residency_ns // NS_PER_US, S32_MAX)
        exit_latency = self._table.exit[outcome.state]
        if not features.halves_short:
            return measured - exit_latency if measured > exit_latency else measured
        return measured - exit_latency if measured > 2 * exit_latency else measured // 2

    def _predict(self, situation: Situation, why: dict[str, Any]) -> MenuSearch:
        """Next timer, its bucket, and the lesser of corrected timer and typical interval."""
        features = self.features
        typical_us = UNKNOWN
        asks = True
        if features.typical_first:
            typical_us = self._history.typical(UNKNOWN)
            asks = self._interval(typical_us) > self._table.threshold
            asks |= features.stopped_asks_timers and situation.tick_stopped
        self._knows_timer = asks
        if asks:
            self._next_timer, delta = self._timers(situation)
        else:
            self._next_timer, delta = KTIME_MAX, self._table.tick // 2
        waits_for_io = features.iowait and situation.nr_iowaiters > 0
        self._bucket = self._correction.bucket(self._next_timer, waits_for_io)
        why |= {
            "next_timer": self._next_timer if asks else "not asked",
            "delta": delta,
            "bucket": self._bucket,
            "factor": self._correction.factors[self._bucket],
        }
        if asks:
            timer_us = self._correction.predicted_us(self._next_timer, self._bucket)
            if not features.typical_first:
                typical_us = self._history.typical(timer_us)
            predicted = self._lesser(timer_us, typical_us)
            why["timer_us"] = timer_us
        else:
            predicted = self._interval(typical_us)
        why |= {"typical_us": typical_us, "predicted": predicted}
        latency = situation.latency_req_us * self._per_us
        return MenuSearch(
            next_timer=self._next_timer,
            delta=delta,
            predicted=predicted,
            requested=latency,
            latency=latency,
            stopped=situation.tick_stopped,
            waiting=situation.nr_iowaiters > 0,
            enabled=_enabled(len(self.states), situation.disabled),
        )

    def _predicted(self, timer_us: int) -> int:
        """The prediction, where timers are asked, of the history as it is."""
        first = self.features.typical_first
        return self._lesser(timer_us, self._history.typical(UNKNOWN if first else timer_us))

    def _lesser(self, timer_us: int, typical_us: int) -> int:
        """The prediction of the corrected timer and the typical interval."""
        if self.features.typical_replaces:
            return typical_us if typical_us < self._next_timer else timer_us
        return min(timer_us * self._per_us, self._interval(typical_us))

    def _interval(self, typical_us: int) -> int:
        """A typical interval in the release's unit; typical_first: multiplied as a C long."""
        interval = typical_us * self._per_us
        features = self.features
        return u32(interval) if features.typical_first and features.long_bits == 32 else interval

    def _timers(self, situation: Situation) -> tuple[int, int]:
        """Returns the time to the next timer, unsigned, and to the next event in the form that is
        compared with residencies."""
        sleep_ns, delta_ns = situation.sleep_length_ns, situation.delta_next_ns
        if self.features.negative_is_zero and sleep_ns < 0:
            sleep_ns = delta_ns = 0
        if self.features.nanoseconds:
            return u64(sleep_ns), delta_ns if self.features.signed_event else u64(delta_ns)
        return u32(_divided(sleep_ns, NS_PER_US)), _divided(delta_ns, NS_PER_US)

    def _limit(self, search: MenuSearch, situation: Situation, why: dict[str, Any]) -> None:
        """With the tick stopped, adjusts the prediction; otherwise lets it set the limit."""
        features = self.features
        if search.stopped and features.stopped_tick:
            if search.predicted < self._table.tick:
                search.predicted = self._stopped_prediction(search)
        elif features.predicted_limit:
            divisor = self._divided_by = self._divisor(situation)
            search.latency = min(search.latency, search.predicted // divisor)
            why["divisor"] = divisor
        why |= {"effective": search.predicted, "latency_limit": search.latency}

    def _stopped_prediction(self, search: MenuSearch) -> int:
        """Adjusts a prediction below a tick: with no tick, no CPU may stay in a shallow state."""
        features = self.features
        event = u64(search.delta) if features.nanoseconds else u32(search.delta)
        if features.stopped_tick == "capped":
            return min(self._table.tick, event)
        if features.stopped_tick == "event":
            return event
        near = features.stopped_margin and search.next_timer <= 2 * self._table.tick
        if near or features.stopped_tick == "kept":
            return search.predicted
        return search.next_timer

    def _divisor(self, situation: Situation) -> int:
        """Returns the divisor of the prediction for the latency limit: an odd C int, so never 0."""
        divisor = 1
        if self.features.load:
            divisor += 2 * _load_average(situation.load)
        if self.features.iowait:
            divisor += 10 * situation.nr_iowaiters
        return u32(divisor)


@lru_cache(64)
def _enabled(count: int, disabled: frozenset[int]) -> tuple[int, ...]:
    return tuple(state for state in range(count) if state not in disabled)


def _divided(value: int, by: int) -> int:
    """C's division of signed integers: towards 0."""
    return value // by if value >= 0 else -(-value // by)


def _load_average(load: int) -> int:
    """Tenths of the load weight, which has 11 fractional bits."""
    fraction = (load & 2047) * 100 >> 11
    return (load >> 11) * 10 + fraction // 10
