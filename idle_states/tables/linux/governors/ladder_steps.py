"""ladder's transitions: for each state, which measured idle periods promote and which demote.

ladder compares one idle period with one state, so its rules are a table. The idle period is as
measured, exit latency included. What counts is the remainder above the exit latency, which wraps
below 0: an idle period shorter than the exit latency counts as endless (see ladder.py).
"""

from collections.abc import Sequence

from ....base.dataclass import dataclass
from .interface import State
from .ladder import PROMOTION_COUNT
from .ladder_features import LadderFeatures


@dataclass(frozen=True, slots=True)
class LadderStep:
    """From state `source`, idle periods of first_ns..last_ns (None: without end) lead to `to`.

    after  number of such periods needed since the state was entered, not necessarily in a row;
           0 if they leave the state unchanged
    """

    source: int
    first_ns: int
    last_ns: int | None
    to: int
    after: int


def steps(
    states: Sequence[State],
    features: LadderFeatures,
    limit_us: int,
    disabled: frozenset[int] = frozenset(),
) -> tuple[LadderStep, ...]:
    """Returns all steps for a latency limit of at least 1 us: by state, then by idle length.
    disabled: numbers of states that are switched off, from which there are none."""
    unit = 1 if features.nanoseconds else 1000
    exits = [state.exit_ns // unit for state in states]
    limit = limit_us * 1000 // unit
    first = 1 if features.skips_polling and states[0].polling and len(states) > 1 else 0
    found: list[LadderStep] = []
    bounds: list[tuple[int, int | None, tuple[int, int]]]
    for state, latency in enumerate(exits):
        if state in disabled:
            continue
        stays = (state, 0)
        above = state + 1
        rises = above < len(states) and above not in disabled and exits[above] <= limit
        up = (state + 1, PROMOTION_COUNT if state >= first else 1) if rises else stays
        if state > first and latency > limit:
            fitting = (i for i in range(state - 1, first, -1) if exits[i] <= limit)
            bounds = [(0, None, (next(fitting, first), 1))]
        elif state > first:
            down = (state - 1, 1)
            bounds = [(0, latency - 1, up), (latency, 2 * latency - 1, down)]
            bounds += [(2 * latency, 2 * latency, stays), (2 * latency + 1, None, up)]
        else:
            # Below the first rung there is no threshold: anything above the latency will do.
            last = 2 * latency if state == first else latency
            bounds = [(0, latency - 1, up), (latency, last, stays), (last + 1, None, up)]
        for low, high, (to, after) in bounds:
            if high is None or high >= low:
                last_ns = None if high is None else (high + 1) * unit - 1
                found = _added(found, LadderStep(state, low * unit, last_ns, to, after))
    return tuple(found)


def _added(found: list[LadderStep], step: LadderStep) -> list[LadderStep]:
    """Adds a step; adjacent steps with the same result become one."""
    if found:
        last = found[-1]
        if (last.source, last.to, last.after) == (step.source, step.to, step.after):
            return [
                *found[:-1],
                LadderStep(last.source, last.first_ns, step.last_ns, last.to, last.after),
            ]
    return [*found, step]
