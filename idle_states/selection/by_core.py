"""Runs a governor through equal idle periods: in the compiled core, else in the Python reference.

How long an idle period is measured to be depends on the decision (whether the state polls, whether
the tick is stopped), but the core takes all periods at once. So the first run assumes states that
do not poll and a stopped tick; each further run corrects the periods that the decisions contradict,
until none does. Each run settles at least one more decision. The result is the reference's.

An idle period's kind says what was decided for it: 1 for a stopped tick, plus 2 for a state that
polls.
"""

from collections.abc import Sequence
from functools import cache

from .. import core
from ..linux.governors.interface import Outcome
from ..linux.governors.settling import (
    OBSERVED,
    SETTLING,
    Idle,
    Settling,
    Steps,
    by_reference,
    continued,
)


def by_core(settling: Settling) -> Steps:
    """Steps by the core, if it supports the governor, its states and the latency limit."""
    governor, reference = settling.governor, by_reference(settling)
    if len(governor.states) < 2 or not core.can_replay(governor):
        return reference
    stream = core.Stream(governor.name, governor.features, governor.states, governor.hz)
    polling = bytes(
        2 * (n < len(governor.states) and governor.states[n].polling) for n in range(256)
    )

    def steps(idle: Idle, history: Sequence[Outcome]) -> Sequence[int]:
        if idle.situation.latency_req_us >> 32:
            return reference(idle, history)

        @cache
        def row(kind: int) -> bytes:
            expected = idle.outcome(0, bool(kind & 2), bool(kind & 1))
            return bytes(core.pack([(idle.situation, expected)], as_selected=True))

        before = core.pack([(idle.situation, outcome) for outcome in history])
        kinds = b"\1" * (SETTLING + OBSERVED)
        while True:
            if kinds.count(kinds[0]) == len(kinds):
                rows = row(kinds[0]) * len(kinds)
            else:
                rows = b"".join(map(row, kinds))
            packed = bytes(stream.from_boot(before + rows).packed[2 * len(history) :])
            states = packed[::2]
            if not idle.depends:
                return states
            found = int.from_bytes(states.translate(polling)) | int.from_bytes(packed[1::2])
            differs = found ^ int.from_bytes(kinds)
            if not differs:
                return states
            better = found.to_bytes(len(kinds))
            known = better[: len(kinds) - (differs.bit_length() - 1) // 8]
            period = _period(known)
            kinds = continued(known, known[-period:], len(kinds)) if period else better

    return steps


def _period(known: bytes) -> int:
    """Length of the pattern that the sequence's end repeats at least twice; 0 if there is none."""
    for period in range(1, min(16, len(known) // 2) + 1):
        if known[-period:] == known[-2 * period : -period]:
            return period
    return 0
