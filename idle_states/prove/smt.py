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
from ..linux.governors.ladder_features import LadderFeatures
from ..linux.governors.menu_features import MenuFeatures
from ..linux.governors.teo_features import TeoFeatures
from .history import Scene
from .smt_menu import menu_step
from .smt_step import SolverStep
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
                return menu_step(self.z3, menu, governor.states, governor.hz, scene)
            case LadderFeatures() as ladder:
                return _ladder(self.z3, ladder, governor.states, scene)
            case HaltpollFeatures():
                return _haltpoll(self.z3, scene)
            case TeoFeatures() as teo:
                return teo_step(self.z3, teo, governor.states, governor.hz, scene)
            case _:
                return None


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
