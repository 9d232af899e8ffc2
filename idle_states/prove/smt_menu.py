"""menu_select() as the kernel's C has it, given to an SMT solver: see smt.py.

What menu remembers is left free within what it can come to: any typical interval, any correction of
the next timer.
"""

from collections.abc import Sequence
from typing import Any

from ..linux.governors import State
from ..linux.governors.interface import KTIME_MAX, NSEC_PER_SEC, U32_MAX
from ..linux.governors.menu_features import MenuFeatures
from .history import Scene
from .smt_step import SolverStep, value_at


def menu_step(
    z3: Any, era: MenuFeatures, states: Sequence[State], hz: int, scene: Scene
) -> SolverStep:
    """menu_select()."""
    return _Menu(z3, era, states, hz, scene).step()


class _Menu:
    """The table in the kernel's units (ns, else us), and the inputs of a step.

    history  the idle period that menu's memory makes it expect
    timer    the time to the next timer; event: to that or the tick, whichever comes first
    limit    the latency that a state may have
    asked    whether menu asks for the next timer at all
    """

    def __init__(
        self, z3: Any, era: MenuFeatures, states: Sequence[State], hz: int, scene: Scene
    ) -> None:
        self.z3, self.era = z3, era
        self.us = us = 1000 if era.nanoseconds else 1
        self.tick = ((NSEC_PER_SEC if era.nanoseconds else 1_000_000) + hz // 2) // hz
        self.residency = [state.residency_ns * us // 1000 for state in states]
        self.latency = [state.exit_ns * us // 1000 for state in states]
        self.polling = [state.polling for state in states]
        self.on = [number for number in range(len(states)) if number not in scene.disabled]
        self.asked_limit = scene.limit_us * us
        self.history, self.timer, self.event, self.limit = z3.Ints("history timer event limit")
        self.stopped, self.asked = z3.Bools("stopped asked")

    def step(self) -> SolverStep:
        predicted = self._prediction()
        holds = [*self._inputs(), *self._limits(predicted)]
        early = self._early()
        chosen, returned, predicted = self._scan(predicted)
        selected = self._before_event(chosen, returned, predicted)
        return SolverStep(holds, self.z3.If(early, 0, selected))

    def _inputs(self) -> list[Any]:
        z3, us, asked = self.z3, self.us, self.asked
        history, timer, event = self.history, self.timer, self.event
        holds = [
            history >= 0,
            z3.Implies(asked, z3.And(event >= 0, event <= timer, timer <= KTIME_MAX)),
            z3.Implies(asked, z3.And(history <= timer + us // 2, history <= U32_MAX * us)),
            z3.Implies(z3.And(asked, z3.Not(self.stopped)), event <= self.tick),
            z3.Implies(z3.Not(asked), z3.And(history <= 15 * us, event == self.tick // 2)),
            z3.Implies(z3.Not(asked), timer == KTIME_MAX),
        ]
        if not self.era.typical_first:
            holds.append(asked)
        elif self.era.stopped_asks_timers:
            holds.append(z3.Implies(self.stopped, asked))
        return holds

    def _prediction(self) -> Any:
        """The idle period that menu expects; while the tick is stopped, a short one is replaced."""
        z3, tick, event = self.z3, self.tick, self.event
        instead = {
            "": self.history,
            "capped": z3.If(event < tick, event, tick),
            "event": event,
            "timer": self.timer,
        }[self.era.stopped_tick]
        replaced = z3.And(self.stopped, self.history < tick)
        if self.era.stopped_margin:
            replaced = z3.And(replaced, self.timer > 2 * tick)
        return z3.If(replaced, instead, self.history)

    def _limits(self, predicted: Any) -> list[Any]:
        """What holds of the limit: what was asked for, or what the prediction makes of it."""
        z3, era, limit, asked = self.z3, self.era, self.limit, self.asked_limit
        divided = z3.And(z3.Not(self.stopped) if era.stopped_tick else True, era.predicted_limit)
        least = z3.If(predicted < asked, predicted, asked)
        by_prediction = limit <= least if era.iowait or era.load else limit == least
        return [limit >= 0, z3.If(divided, by_prediction, limit == asked)]

    def _early(self) -> Any:
        """Whether menu returns state 0 before it looks at any."""
        z3 = self.z3
        early: Any = self.asked_limit == 0
        if self.era.early_return and len(self.residency) > 1:
            near = z3.Or(self.timer < self.residency[1], self.asked_limit < self.latency[1])
            return z3.Or(early, z3.And(near, 0 in self.on))
        return True if self.era.early_return else early

    def _scan(self, predicted: Any) -> tuple[Any, Any, Any]:
        """The loop, a state at a time: the state chosen, whether it is returned at once, and what
        the prediction has become."""
        z3, era, us, residency, latency = self.z3, self.era, self.us, self.residency, self.latency
        chosen: Any = z3.IntVal(-1)
        ended: Any = z3.BoolVal(False)
        returned: Any = z3.BoolVal(False)
        skips = self._skips_polling()
        if era.none_fits:
            chosen = z3.If(z3.And(self.timer > 5 * us, 0 in self.on), 0, chosen)
        elif not era.zero_disabled:
            chosen = z3.If(skips, 1, 0)
        for i in self.on:
            looked = z3.Not(ended)
            if i == 0:
                looked = z3.And(looked, z3.Not(skips))
            if not era.none_fits and not era.zero_disabled:
                looked = z3.And(looked, i > z3.If(skips, 1, 0))
            if not era.none_fits:
                chosen = z3.If(z3.And(looked, chosen < 0), i, chosen)
            slow, deep = latency[i] > self.limit, residency[i] > predicted
            fits = z3.And(z3.Not(slow), z3.Not(deep))
            stops: Any = z3.BoolVal(era.scan_stops)
            blocked = z3.And(slow, era.latency_first)
            too_deep = z3.And(looked, deep, z3.Not(blocked))
            instead_of_polling = self._instead_of_polling(i, chosen, predicted, too_deep)
            reached = value_at(z3, residency, chosen)
            long = z3.And(
                too_deep, z3.Not(instead_of_polling), predicted >= self.tick,
                era.shallow_escape, era.scan_stops, chosen >= 0,
            )  # fmt: skip
            escapes = z3.And(long, self.stopped, reached < self.tick, residency[i] <= self.event)
            shortened = z3.And(
                looked, z3.Not(fits), z3.Not(deep), slow, era.latency_shortens, z3.Not(blocked)
            )
            ended = z3.Or(ended, z3.And(looked, z3.Or(z3.And(z3.Not(fits), stops), blocked)))
            returned = z3.Or(returned, z3.And(long, self.stopped))
            predicted = z3.If(
                instead_of_polling,
                residency[i],
                z3.If(z3.Or(z3.And(long, z3.Not(self.stopped)), shortened), reached, predicted),
            )
            chosen = z3.If(z3.Or(z3.And(looked, fits), instead_of_polling, escapes), i, chosen)
        return chosen if era.none_fits else z3.If(chosen < 0, 0, chosen), returned, predicted

    def _skips_polling(self) -> Any:
        """Whether the loop begins after state 0, which polls."""
        era, residency = self.era, self.residency
        polls = era.polling_loop or (era.skips_polling and self.polling[0])
        if not polls or len(residency) < 2 or 1 not in self.on:
            return False
        long = self.timer > max(20 * self.us, residency[1])
        return self.z3.And(long, self.asked_limit > self.latency[1])

    def _instead_of_polling(self, i: int, chosen: Any, predicted: Any, too_deep: Any) -> Any:
        """Whether a state that is too deep is taken all the same, as the one chosen polls."""
        z3, era, residency, latency = self.z3, self.era, self.residency[i], self.latency[i]
        polls = value_at(z3, self.polling, chosen)
        conditions = [too_deep, polls, era.polling_override, residency <= self.timer]
        if era.override_in_limit:
            conditions.append(latency <= self.limit)
        if era.override_in_time:
            conditions.append(latency <= predicted)
        if era.override_short:
            conditions.append(residency < 15 * self.us)
        return z3.And(*conditions)

    def _before_event(self, chosen: Any, returned: Any, predicted: Any) -> Any:
        """The state selected: where the tick is kept, one that fits before the next event."""
        z3, residency = self.z3, self.residency
        kept = z3.And(
            self.era.decides_tick,
            z3.Not(returned),
            z3.Not(self.stopped),
            z3.Or(value_at(z3, self.polling, chosen), predicted < self.tick),
        )
        walking = z3.And(kept, chosen > 0, value_at(z3, residency, chosen) > self.event)
        for i in reversed(self.on):
            moves = z3.And(walking, i < chosen)
            chosen = z3.If(moves, i, chosen)
            walking = z3.And(walking, z3.Not(z3.And(moves, residency[i] <= self.event)))
        return chosen
