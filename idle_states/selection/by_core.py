"""Runs a governor through equal idle periods: in the compiled core, else in the Python reference.

How long an idle period is measured to be depends on the decision (whether the state polls, whether
the tick is stopped), but the core takes all periods at once. So the first run assumes states that
do not poll and a stopped tick; each further run corrects the periods that the decisions contradict,
until none does. Each run settles at least one more decision. The result is the reference's.
"""

from collections.abc import Sequence

from .. import core
from ..linux.governors.interface import Outcome
from ..linux.governors.settling import (
    OBSERVED,
    SETTLING,
    Idle,
    Settling,
    by_reference,
    continued,
)


def by_core(settling: Settling, idle: Idle, history: Sequence[Outcome]) -> Sequence[int]:
    """The state selected in each idle period, as settling.Steps returns them."""
    governor = settling.governor
    if (
        len(governor.states) < 2
        or idle.situation.latency_req_us >> 32
        or not core.can_replay(governor)
    ):
        return by_reference(settling, idle, history)

    def row(polls: bool, stops: bool) -> bytes:
        expected = idle.outcome(0, polls, stops)
        return bytes(core.pack([(idle.situation, expected)], as_selected=True))

    before = core.pack([(idle.situation, outcome) for outcome in history])
    first = row(False, True)
    rows = [first] * (SETTLING + OBSERVED)
    while True:
        decisions = core.run(
            governor.name, governor.features, governor.states, governor.hz, before + b"".join(rows)
        )
        packed = bytes(decisions.packed[2 * len(history) :])
        if not idle.depends:
            return packed[::2]
        decided = list(zip(packed[::2], packed[1::2], strict=True))
        variants = {
            (state, stops): row(governor.states[state].polling, bool(stops))
            for state, stops in set(decided)
        }
        better = [variants[decision] for decision in decided]
        if better == rows:
            return packed[::2]
        right = next(i for i, pair in enumerate(zip(rows, better, strict=True)) if len({*pair}) > 1)
        known = better[: right + 1]
        period = _period(known)
        rows = continued(known, known[-period:], len(rows)) if period else better


def _period(known: Sequence[bytes]) -> int:
    """Length of the pattern that the sequence's end repeats at least twice; 0 if there is none."""
    for period in range(1, min(16, len(known) // 2) + 1):
        if known[-period:] == known[-2 * period : -period]:
            return period
    return 0
