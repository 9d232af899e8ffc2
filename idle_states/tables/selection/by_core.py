"""Runs a governor through equal idle periods: in the compiled core, else in the reference."""

from array import array
from collections.abc import Iterable, Sequence

from ..linux.governors import core
from ..linux.governors.interface import Outcome, Situation
from ..linux.governors.settling import Circumstances, Settling, Steps, by_reference


def by_core(settling: Settling) -> Steps:
    """Steps by the core, if it supports the governor, its states and the latency limit."""
    governor, reference = settling.governor, by_reference(settling)
    if (source := governor.source) is not None:
        settled = source.settled_states
    elif core.can_replay(governor):
        settled = core.Stream.of(governor).settled
    else:
        return reference

    def steps(
        lengths: "array[int]", circumstances: Circumstances, history: Sequence[Outcome]
    ) -> Iterable[bytes]:
        if circumstances.limit_us >> 32:
            return reference(lengths, circumstances, history)
        # the situation of the history is that of the length, which the core fills in
        before = core.pack([(Situation(0, 0, 0), outcome) for outcome in history])
        return settled(
            lengths,
            (
                circumstances.tick_stopped,
                circumstances.timer_driven,
                circumstances.limit_us,
                circumstances.wake_ns,
                core.mask(settling.disabled),
            ),
            before,
        )

    return steps
