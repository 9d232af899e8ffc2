"""A governor through equal idle periods by the compiled core, by the reference where there is none.

What waking and the tick make of an idle period depends on the decision, so the core is first told
that the tick stops and waking counts, and told better where its decisions say otherwise, until they
agree. Each round settles one more decision at least. The answer is the reference's.
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
    """Steps, see settling.Steps."""
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
    """What the end of a sequence repeats, as a length; 0 if nothing."""
    for period in range(1, min(16, len(known) // 2) + 1):
        if known[-period:] == known[-2 * period : -period]:
            return period
    return 0
