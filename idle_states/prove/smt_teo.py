"""teo_select() as the kernel's C has it, given to an SMT solver: see smt.py.

What teo has learnt is left free: any metrics, any recent idle periods. Only a bin that no time
falls into stays empty, for the kernel counts a wake-up at the last state whose target residency is
not above the time.
"""

from collections.abc import Sequence
from typing import Any

from ..linux.governors import State
from ..linux.governors.interface import NSEC_PER_SEC, U32_MAX
from ..linux.governors.teo_features import TeoFeatures
from .history import Scene
from .smt_step import SolverStep, value_at

_THRESHOLD_NS = 15_000
_NR_RECENT = 9


def teo_step(
    z3: Any, era: TeoFeatures, states: Sequence[State], hz: int, scene: Scene
) -> SolverStep:
    """teo_select()."""
    return (_Bins if era.bins else _Hits)(z3, era, states, hz, scene).step()


class _Teo:
    """The table in the kernel's units, and the inputs of a step."""

    def __init__(
        self, z3: Any, era: TeoFeatures, states: Sequence[State], hz: int, scene: Scene
    ) -> None:
        self.z3, self.era = z3, era
        us = 1 if era.nanoseconds else 1000
        self.residency = [state.residency_ns // us for state in states]
        self.latency = [state.exit_ns // us for state in states]
        self.polling = [state.polling for state in states]
        self.tick = ((NSEC_PER_SEC if era.nanoseconds else 1_000_000) + hz // 2) // hz
        self.limit = scene.limit_us * (1000 if era.nanoseconds else 1)
        self.count = len(states)
        self.on = [number not in scene.disabled for number in range(self.count)]
        self.sleep, self.event = z3.Ints("sleep event")
        self.stopped = z3.Bool("stopped")
        self.holds: list[Any] = []
        if not era.signed:
            self.holds += [self.sleep >= 0, self.event >= 0]
        if not era.nanoseconds:
            self.holds += [self.sleep <= U32_MAX, self.event <= U32_MAX]

    def counted(self, name: str) -> list[Any]:
        """A metric of each state, 0 where no time is counted at it."""
        metrics = [self.z3.Int(f"{name}{i}") for i in range(self.count)]
        self.holds += [metric >= 0 for metric in metrics]
        self.holds += [metrics[i] == 0 for i in range(self.count) if self.is_empty(i)]
        return metrics

    def is_empty(self, i: int) -> bool:
        """Whether a deeper state fits each time that this one fits. At the first, the second
        generation counts what is below every residency, too, and so did 5.13."""
        if i == 0 and (self.era.bins or self.era.short_counts):
            return False
        return any(each <= self.residency[i] for each in self.residency[i + 1 :])

    def time_ok(self, time: Any) -> Any:
        return self.z3.Or(self.z3.Not(self.stopped), time >= self.tick)

    def of(self, values: Sequence[Any], number: Any) -> Any:
        return value_at(self.z3, values, number)

    def shallower(self, state: Any, duration: Any, polls: bool = True) -> Any:
        """teo_find_shallower_state(). duration None: each is short enough."""
        z3 = self.z3
        found, ended = state, z3.BoolVal(False)
        for i in reversed(range(self.count)):
            if not self.on[i] or (self.polling[i] and not polls):
                continue
            here = z3.And(i < state, z3.Not(ended))
            found = z3.If(here, i, found)
            fits = True if duration is None else self.residency[i] <= duration
            ended = z3.Or(ended, z3.And(here, fits))
        return found

    def for_tick(self, state: Any, duration: Any, event: Any) -> Any:
        """The end of teo_select(): where the tick is kept, the state must fit before it."""
        z3 = self.z3
        kept = z3.And(
            z3.Or(self.of(self.polling, state), duration < self.tick), z3.Not(self.stopped)
        )
        deep = z3.And(kept, self.of(self.residency, state) > event)
        return z3.If(deep, self.shallower(state, event), state)


class _Hits(_Teo):
    """5.1 to 5.13."""

    def step(self) -> SolverStep:
        z3, era = self.z3, self.era
        hits, misses, early = (self.counted(name) for name in ("hits", "misses", "early"))
        duration, none = self.sleep, z3.IntVal(-1)
        state, first, constraint = none, z3.IntVal(0), z3.IntVal(self.count)
        most, most_early, previous = z3.IntVal(0), none, none
        hit, missed = z3.IntVal(0), z3.IntVal(0)
        ended = limited = z3.BoolVal(False)
        for i in range(self.count):
            looked, fits = z3.Not(ended), self.residency[i] <= self.sleep
            if not self.on[i] and era.disabled_metrics:
                here = z3.And(looked, fits)
                hit, missed = z3.If(here, hits[i], hit), z3.If(here, misses[i], missed)
                more = z3.And(here, most < early[i], state >= 0)
                same = most_early == state
                moves = z3.And(more, z3.Not(same), self.time_ok(self.of(self.residency, state)))
                previous = z3.If(moves, most_early, previous)
                most = z3.If(z3.Or(moves, z3.And(more, same)), early[i], most)
                most_early = z3.If(moves, state, most_early)
                continue
            if not self.on[i]:
                more = z3.And(looked, most_early >= 0, most < early[i])
                most = z3.If(more, early[i], most)
                continue
            starts = z3.And(looked, state < 0)
            state, first = z3.If(starts, i, state), z3.If(starts, i, first)
            hit, missed = z3.If(starts, hits[i], hit), z3.If(starts, misses[i], missed)
            ended = z3.Or(ended, z3.And(looked, z3.Not(fits)))
            here = z3.And(looked, fits)
            if self.latency[i] > self.limit and era.late_constraint:
                constraint = z3.If(z3.And(here, constraint > i), i, constraint)
            elif self.latency[i] > self.limit:
                duration = z3.If(here, self.of(self.residency, state), duration)
                ended, limited = z3.Or(ended, here), z3.Or(limited, here)
                continue
            state = z3.If(here, i, state)
            hit, missed = z3.If(here, hits[i], hit), z3.If(here, misses[i], missed)
            more = z3.And(here, most < early[i], self.time_ok(self.residency[i]))
            previous = z3.If(more, most_early, previous)
            most, most_early = z3.If(more, early[i], most), z3.If(more, i, most_early)
        if era.early_hits_below:
            most_early = z3.If(most_early == state, previous, most_early)
        instead = z3.And(z3.Not(limited), hit <= missed, most_early >= 0)
        state = z3.If(instead, most_early, state)
        duration = z3.If(instead, self.of(self.residency, state), duration)
        state = z3.If(constraint < state, constraint, state)
        state, duration = self._recent(state, duration, first)
        return SolverStep(self.holds, self.for_tick(state, duration, self.event))

    def _recent(self, state: Any, duration: Any, first: Any) -> tuple[Any, Any]:
        """Most of the eight recent idles were short, and their average counts instead."""
        z3 = self.z3
        short, average = z3.Bool("short"), z3.Int("average")
        residency = self.of(self.residency, state)
        below = duration if self.era.recent_duration else residency
        self.holds.append(z3.Implies(short, z3.And(average >= 0, average < below)))
        deep = state > (first if self.era.recent_from_first else 0)
        counts = z3.And(state >= 0, deep, short, self.time_ok(average))
        lower = z3.If(residency > average, self.shallower(state, average), state)
        found = z3.If(counts, lower, z3.If(state < 0, 0, state))
        return found, z3.If(counts, average, duration)


class _Bins(_Teo):
    """5.14 on."""

    def step(self) -> SolverStep:
        z3, era = self.z3, self.era
        if not any(self.on) or self.count < 2:
            return SolverStep(self.holds, z3.IntVal(0))
        self.hits, self.intercepts = self.counted("hits"), self.counted("intercepts")
        self.total = z3.Int("total")
        # Counts of recent intercepts are unsigned int, and some kernels let them wrap.
        self.recent = [z3.BitVec(f"recent{i}", 32) for i in range(self.count)]
        for i in range(self.count):
            if not era.recent or self.is_empty(i):
                self.holds.append(self.recent[i] == 0)
        self.utilised = z3.Bool("utilised") if era.utilisation else z3.BoolVal(False)
        return SolverStep(self.holds, self._lazily() if era.lazy_timers else self._at_once())

    def _at_once(self) -> Any:
        """5.14 to 6.5."""
        z3 = self.z3
        state, duration, chosen = self._looked_up(self.sleep)
        lower = self.shallower(state, duration, polls=False)
        state = z3.If(z3.And(chosen, self.utilised), lower, state)
        ends = [i for i in range(self.count) if self.on[i] and not self.polling[i]]
        if self.count == 2 and ends:
            state = z3.If(self.utilised, ends[0], state)
            duration = z3.If(self.utilised, self.sleep, duration)
        if self.on[0]:
            near = self.residency[1] > self.sleep
            state = z3.If(near, 0, state)
            duration = z3.If(near, self.sleep, duration)
        return self.for_tick(state, duration, self.event)

    def _lazily(self) -> Any:
        """6.6 on."""
        z3, era = self.z3, self.era
        two: Any = z3.IntVal(1)
        shallow = self.on[0] and not self.polling[0]
        if not self.on[1]:
            two = z3.IntVal(0)
        elif shallow:
            two = z3.If(self.time_ok(self.residency[0]), 0, two)
        two = self.for_tick(two, self.residency[1], self.tick // 2)
        enabled = [i for i in range(self.count) if self.on[i]]
        if len(enabled) == 1:
            only = z3.IntVal(enabled[0])
            return z3.If(self.utilised, two, only) if self.count == 2 else only
        state, _, _ = self._looked_up(None)
        if era.utilisation:
            lower = self.shallower(state, None, polls=False)
            ok = z3.And(self.utilised, self.time_ok(self.of(self.residency, lower)))
            state = z3.If(ok, lower, state)
        residency = self.of(self.residency, state)
        if era.short_idles:
            near = z3.Or(state == 0, residency < _THRESHOLD_NS)
            settled = z3.And(near, z3.Or(z3.Bool("short"), self.limit < _THRESHOLD_NS // 2))
            if era.stopped_tick == "last":
                settled = z3.And(settled, z3.Not(self.stopped))
        else:
            settled = z3.And(self.polling[0], residency < _THRESHOLD_NS)
        stuck: Any = z3.BoolVal(False)
        deepest = state
        if era.stopped_tick == "last":
            stuck = z3.And(self.stopped, self.sleep > 2 * self.tick, residency < self.tick)
            for i in range(1, self.count):
                if self.on[i] and i <= self._constraint():
                    fits = z3.And(i > state, self.residency[i] <= self.sleep)
                    deepest = z3.If(fits, i, deepest)
        lower = self.shallower(state, self.sleep)
        takes = residency > self.sleep
        if not era.timer_wins:
            takes = z3.And(takes, self.time_ok(self.of(self.residency, lower)))
        timed = z3.If(takes, lower, state)
        keeps = z3.And(self.of(self.residency, timed) < self.tick, z3.Bool("keeps"))
        ticked = self.for_tick(timed, z3.If(keeps, self.tick // 2, self.sleep), self.event)
        kept = z3.Or(settled, z3.And(state == 0, z3.Not(stuck)))
        found = z3.If(kept, state, z3.If(stuck, deepest, ticked))
        return z3.If(self.utilised, two, found) if self.count == 2 else found

    def _constraint(self) -> int:
        """constraint_idx, where the timers do not limit the search."""
        fast = (i for i in range(1, self.count) if self.on[i] and self.latency[i] <= self.limit)
        return max(fast, default=0)

    def _looked_up(self, sleep: Any) -> tuple[Any, Any, Any]:
        """The state, the duration, and whether there was any choice, up to the latency limit.
        sleep None: the search is not limited by it."""
        z3, era = self.z3, self.era
        start = 0 if self.on[0] else self.on.index(True)
        state, constraint = z3.IntVal(0 if self.on[0] else -1), z3.IntVal(0)
        ended: Any = z3.BoolVal(False)
        below: Any = (z3.IntVal(0), z3.IntVal(0), z3.BitVecVal(0, 32))
        at = below
        for i in range(1, self.count):
            metrics = (self.intercepts[i - 1], self.hits[i - 1], self.recent[i - 1])
            below = tuple(sum + more for sum, more in zip(below, metrics, strict=True))
            if not self.on[i]:
                continue
            state = z3.If(z3.And(z3.Not(ended), state < 0), i, state)
            if sleep is not None:
                ended = z3.Or(ended, self.residency[i] > sleep)
            here = z3.Not(ended)
            state = z3.If(here, i, state)
            if self.latency[i] <= self.limit:
                constraint = z3.If(here, i, constraint)
            at = tuple(z3.If(here, new, old) for new, old in zip(below, at, strict=True))
        intercepted, hit, recent = at
        many = 2 * intercepted > self.total - hit
        often = z3.UGT(recent, _NR_RECENT // 2) if era.recent else z3.BoolVal(False)
        duration: Any = z3.IntVal(0) if sleep is None else sleep
        chosen = state != start
        goes = z3.And(chosen, z3.Or(many, often))
        if era.passes_disabled:
            found, span = self._enabled_walk(state, start, intercepted), duration
        else:
            found, span = self._walk(state, duration, (many, intercepted), (often, recent))
        duration = z3.If(goes, span, duration)
        found = z3.If(goes, found, state)
        return z3.If(z3.And(chosen, found > constraint), constraint, found), duration, chosen

    def _walk(
        self, state: Any, duration: Any, many: tuple[Any, Any], often: tuple[Any, Any]
    ) -> tuple[Any, Any]:
        """The lookup among intercepts, up to 6.18."""
        z3 = self.z3
        found, span, suited, suited_span = state, duration, state, duration
        sum, recent = z3.IntVal(0), z3.BitVecVal(0, 32)
        ended = z3.BoolVal(False)
        for i in reversed(range(self.count - 1)):
            here = z3.And(i < state, z3.Not(ended))
            sum = z3.If(here, sum + self.intercepts[i], sum)
            recent = z3.If(here, recent + self.recent[i], recent)
            middle = (self.residency[i] + self.residency[i + 1]) // 2
            ok = self.time_ok(middle if self.era.stopped_tick == "span" else self.residency[i])
            half = z3.And(
                here,
                z3.Or(z3.Not(often[0]), z3.UGT(2 * recent, often[1])),
                z3.Or(z3.Not(many[0]), 2 * sum > many[1]),
            )
            taken = z3.And(ok, self.on[i])
            found = z3.If(half, z3.If(taken, i, suited), found)
            span = z3.If(half, z3.If(taken, middle, suited_span), span)
            ended = z3.Or(ended, half)
            if self.on[i]:
                passed = z3.And(here, z3.Not(half))
                ended = z3.Or(ended, z3.And(passed, z3.Not(ok), suited == state))
                suits = z3.And(passed, ok)
                suited_span = z3.If(suits, middle, suited_span)
                suited = z3.If(suits, i, suited)
        return found, span

    def _enabled_walk(self, state: Any, start: int, intercepted: Any) -> Any:
        """The lookup among intercepts, from 6.19 on."""
        z3, era = self.z3, self.era
        candidate = max(i for i in range(self.count) if self.on[i])
        deep = start
        while deep < candidate and self.residency[deep] < self.tick:
            deep += 1
        excludes = era.stopped_tick == "residency"
        lowest = z3.If(self.stopped, deep, start) if excludes else z3.IntVal(start)
        peak = z3.IntVal(-1)
        most = z3.IntVal(0)
        for i in range(self.count - 1):
            higher = self.intercepts[i] >= most
            peak, most = z3.If(higher, i, peak), z3.If(higher, self.intercepts[i], most)
        found, sum, ended = state, z3.IntVal(0), z3.BoolVal(False)
        for i in reversed(range(candidate)):
            here = z3.And(i >= lowest, z3.Not(ended))
            sum = z3.If(here, sum + self.intercepts[i], sum)
            if not self.on[i]:
                continue
            found = z3.If(here, i, found)
            half = 2 * sum > intercepted
            ended = z3.Or(ended, z3.And(here, half, i <= peak if era.peak_first else True))
        if era.peak_first and excludes:
            at_once = z3.And(lowest >= peak, self.of(self.on, lowest))
            found = z3.If(at_once, lowest, found)
        if era.empty_bins:
            same = self.residency[deep] == self.residency[candidate]
            found = z3.If(z3.And(self.stopped, same), state, found)
        return found
