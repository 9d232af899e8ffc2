"""A second opinion on proofs: one step of a governor as the kernel's C has it, given to an SMT
solver (z3, the extra `prove`).

Nothing here calls the model or the proofs: the step is written down once more, with everything that
the history decides left free within the bounds that a proof lists. If the solver finds no values
for which a state is selected, none is; what it finds need not be a history that there is.
"""

from collections.abc import Sequence
from typing import Any

from .. import extras
from ..linux.governors import Governor, State
from ..linux.governors.haltpoll_features import HaltpollFeatures
from ..linux.governors.interface import KTIME_MAX, NSEC_PER_SEC, U32_MAX
from ..linux.governors.ladder_features import LadderFeatures
from ..linux.governors.menu_features import MenuFeatures
from ..linux.governors.teo_features import TeoFeatures
from .history import Scene
from .smt_step import SolverStep, value_at
from .smt_teo import teo_step

__all__ = ["Solver"]

_SECONDS = 20


class Solver:
    """Asks z3 of each state whether a step selects it. Raises MissingPackage without z3.

    name  the solver and its version
    """

    def __init__(self, governor: Governor, scene: Scene) -> None:
        self.z3 = extras.package("prove", "z3", "prove --check")
        self.name = f"z3 {self.z3.get_version_string()}"
        self.governor = governor
        self._step = self._encoded(scene)

    def selects(self, state: int) -> bool | None:
        """Whether some inputs select the state; None: the solver does not say in its time."""
        if self._step is None:
            return None
        z3 = self.z3
        solver = z3.SimpleSolver()  # z3.Solver() chooses tactics that take 50 times as long
        solver.set("timeout", _SECONDS * 1000)
        solver.add(*self._step.holds, self._step.selected == state)
        answer = solver.check()
        return None if answer == z3.unknown else bool(answer == z3.sat)

    def _encoded(self, scene: Scene) -> SolverStep | None:
        governor = self.governor
        match governor.features:
            case MenuFeatures() as menu:
                return _menu(self.z3, menu, governor, scene)
            case LadderFeatures() as ladder:
                return _ladder(self.z3, ladder, governor.states, scene)
            case HaltpollFeatures():
                return _haltpoll(self.z3, scene)
            case TeoFeatures() as teo:
                return teo_step(self.z3, teo, governor.states, governor.hz, scene)
            case _:
                return None


def _menu(z3: Any, era: MenuFeatures, governor: Governor, scene: Scene) -> SolverStep:
    """menu_select()."""
    us = 1000 if era.nanoseconds else 1
    hz = governor.hz
    tick = (NSEC_PER_SEC + hz // 2) // hz
    if not era.nanoseconds:
        tick = (1_000_000 + hz // 2) // hz
    residency = [state.residency_ns * us // 1000 for state in governor.states]
    latency = [state.exit_ns * us // 1000 for state in governor.states]
    polling = [state.polling for state in governor.states]
    on = [number for number in range(len(residency)) if number not in scene.disabled]
    asked_limit = scene.limit_us * us

    history, timer, event, limit = z3.Ints("history timer event limit")
    stopped, asked = z3.Bools("stopped asked")
    holds = [
        history >= 0,
        z3.Implies(asked, z3.And(event >= 0, event <= timer, timer <= KTIME_MAX)),
        z3.Implies(asked, z3.And(history <= timer + us // 2, history <= U32_MAX * us)),
        z3.Implies(z3.And(asked, z3.Not(stopped)), event <= tick),
        z3.Implies(z3.Not(asked), z3.And(history <= 15 * us, event == tick // 2)),
        z3.Implies(z3.Not(asked), timer == KTIME_MAX),
    ]
    if not era.typical_first:
        holds.append(asked)
    elif era.stopped_asks_timers:
        holds.append(z3.Implies(stopped, asked))

    instead = {
        "": history,
        "capped": z3.If(event < tick, event, tick),
        "event": event,
        "timer": timer,
    }[era.stopped_tick]
    replaced = z3.And(stopped, history < tick)
    if era.stopped_margin:
        replaced = z3.And(replaced, timer > 2 * tick)
    predicted = z3.If(replaced, instead, history)
    divided = z3.And(z3.Not(stopped) if era.stopped_tick else True, era.predicted_limit)
    least = z3.If(predicted < asked_limit, predicted, asked_limit)
    by_prediction = limit <= least if era.iowait or era.load else limit == least
    holds += [limit >= 0, z3.If(divided, by_prediction, limit == asked_limit)]

    early: Any = asked_limit == 0
    if era.early_return and len(residency) > 1:
        near = z3.Or(timer < residency[1], asked_limit < latency[1])
        early = z3.Or(early, z3.And(near, 0 in on))
    elif era.early_return:
        early = True

    # The loop, a state at a time: what is reached, whether it ended, whether that is returned.
    chosen: Any = z3.IntVal(-1)
    ended: Any = z3.BoolVal(False)
    returned: Any = z3.BoolVal(False)
    skips: Any = False
    polls = era.polling_loop or (era.skips_polling and polling[0])
    if polls and len(residency) > 1 and 1 in on:
        skips = z3.And(timer > max(20 * us, residency[1]), asked_limit > latency[1])
    if era.none_fits:
        chosen = z3.If(z3.And(timer > 5 * us, 0 in on), 0, chosen)
    elif not era.zero_disabled:
        chosen = z3.If(skips, 1, 0)
    for i in on:
        looked = z3.Not(ended)
        if i == 0:
            looked = z3.And(looked, z3.Not(skips))
        if not era.none_fits and not era.zero_disabled:
            looked = z3.And(looked, i > z3.If(skips, 1, 0))
        if not era.none_fits:
            chosen = z3.If(z3.And(looked, chosen < 0), i, chosen)
        slow, deep = latency[i] > limit, residency[i] > predicted
        fits = z3.And(z3.Not(slow), z3.Not(deep))
        stops: Any = z3.BoolVal(era.scan_stops)
        blocked = z3.And(slow, era.latency_first)
        at = value_at(z3, polling, chosen)
        instead_of_polling = z3.And(
            looked, deep, z3.Not(blocked), at, era.polling_override, residency[i] <= timer
        )
        if era.override_in_limit:
            instead_of_polling = z3.And(instead_of_polling, latency[i] <= limit)
        if era.override_in_time:
            instead_of_polling = z3.And(instead_of_polling, latency[i] <= predicted)
        if era.override_short:
            instead_of_polling = z3.And(instead_of_polling, residency[i] < 15 * us)
        reached = value_at(z3, residency, chosen)
        long = z3.And(
            looked, deep, z3.Not(blocked), z3.Not(instead_of_polling), predicted >= tick,
            era.shallow_escape, era.scan_stops, chosen >= 0,
        )  # fmt: skip
        escapes = z3.And(long, stopped, reached < tick, residency[i] <= event)
        shortened = z3.And(
            looked, z3.Not(fits), z3.Not(deep), slow, era.latency_shortens, z3.Not(blocked)
        )
        ended = z3.Or(ended, z3.And(looked, z3.Or(z3.And(z3.Not(fits), stops), blocked)))
        returned = z3.Or(returned, z3.And(long, stopped))
        predicted = z3.If(
            instead_of_polling,
            residency[i],
            z3.If(z3.Or(z3.And(long, z3.Not(stopped)), shortened), reached, predicted),
        )
        chosen = z3.If(z3.Or(z3.And(looked, fits), instead_of_polling, escapes), i, chosen)
    if not era.none_fits:
        chosen = z3.If(chosen < 0, 0, chosen)

    kept = z3.And(
        era.decides_tick,
        z3.Not(returned),
        z3.Not(stopped),
        z3.Or(value_at(z3, polling, chosen), predicted < tick),
    )
    walking = z3.And(kept, chosen > 0, value_at(z3, residency, chosen) > event)
    for i in reversed(on):
        moves = z3.And(walking, i < chosen)
        chosen = z3.If(moves, i, chosen)
        walking = z3.And(walking, z3.Not(z3.And(moves, residency[i] <= event)))
    return SolverStep(holds, z3.If(early, 0, chosen))


def _ladder(z3: Any, era: LadderFeatures, states: Sequence[State], scene: Scene) -> SolverStep:
    """ladder_select_state(), as a step from any state that is reached: those that steps from the
    first rung lead to, one after the other, within as many steps as there are states."""
    us = 1000 if era.nanoseconds else 1
    latency = [state.exit_ns * us // 1000 for state in states]
    limit, count = scene.limit_us * us, len(states)
    first = 1 if era.skips_polling and states[0].polling else 0
    last: Any = z3.IntVal(first)
    holds: list[Any] = []
    for step in range(2 * count):
        # What the last idle period and the counters decide, is free.
        up, down = z3.Bools(f"up{step} down{step}")
        above = z3.BoolVal(False)
        for i in range(count - 1):
            free = i + 1 not in scene.disabled and latency[i + 1] <= limit
            above = z3.Or(above, z3.And(last == i, free))
        barred = z3.Or(
            *(last == i for i in range(count) if i in scene.disabled or latency[i] > limit), False
        )
        lower = z3.Int(f"lower{step}")
        holds += [lower >= first, z3.Or(lower < last, lower == first)]
        following = z3.If(
            z3.And(up, above),
            last + 1,
            z3.If(last <= first, last, z3.If(barred, lower, z3.If(down, last - 1, last))),
        )
        last = z3.If(limit == 0, 0, following)
    return SolverStep(holds, last)


def _haltpoll(z3: Any, scene: Scene) -> SolverStep:
    """haltpoll_select()."""
    poll_limit, last = z3.Ints("poll_limit last")
    timed_out = z3.Bool("timed_out")
    polls = z3.If(last == 0, z3.If(timed_out, 1, 0), 0)
    selected = z3.If(poll_limit == 0, 1, polls)
    return SolverStep([poll_limit >= 0, last >= 0], z3.If(scene.limit_us == 0, 0, selected))
