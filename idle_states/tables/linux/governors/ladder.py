"""The ladder governor: up one state after four good idles, down one after a bad one.

A state's exit latency is both thresholds; residencies are ignored and the tick is left alone.

The signed remainder of an idle is compared with an unsigned threshold. An idle shorter than the
exit latency, which should demote, counts as endless: it promotes and never demotes. Every release
up to 7.3-rc7 does so (reported as 20221105174225.28673-1-rui.zhang@intel.com), and so does this.
"""

from collections.abc import Sequence
from typing import Any

from .interface import Decision, Outcome, Situation, State, u64
from .ladder_features import LadderFeatures

PROMOTION_COUNT = 4
STATES_MAX = 10
"""CPUIDLE_STATE_MAX: the kernel's array of states has entries, all zero, behind the last one."""

S32_MAX = (1 << 31) - 1
_NOTHING = State(0, 0)
_NSEC_PER_USEC = 1000


class Ladder:
    """One CPU's ladder.

    With state 0 polling and no other state, state 1 is selected although there is none: kernels
    before 7.0 then call a NULL pointer (e5c9ffc6ae1b).
    """

    only_compares = True

    def __init__(self, states: Sequence[State], features: LadderFeatures, hz: int = 250) -> None:
        self.states = states
        self.features = features
        self.hz = hz
        self.first = 1 if features.skips_polling and states and states[0].polling else 0
        self.last = self.first
        self.promotions = [0] * max(STATES_MAX, len(states))
        self._unit = 1 if features.nanoseconds else _NSEC_PER_USEC
        self._residency = 0

    def switched_on(self, earlier: Outcome) -> None:
        """The first select() compares that period with thresholds of the first state."""
        self._measured(earlier)

    def select(self, situation: Situation) -> Decision:
        last = self.last
        why: dict[str, Any] = {"last": last, "first": self.first}
        if situation.latency_req_us == 0:
            self._move(0)
            return Decision(0, True, why | {"rule": "latency limit 0"})
        latency = situation.latency_req_us * _NSEC_PER_USEC // self._unit
        remainder = u64(self._residency - self._exit(last))
        why |= {"remainder": remainder, "latency_req": latency}

        if self._promotes(last, remainder, latency, situation.disabled):
            self.promotions[last] += 1
            if self.promotions[last] >= self._promotion_count(last):
                return self._decide(last + 1, "promoted", why)

        if last <= self.first:
            return self._decide(last, "stays", why, moved=False)
        if last in situation.disabled or self._exit(last) > latency:
            return self._decide(self._below(last, latency), "disabled or too slow", why)
        if remainder < self._exit(last):
            return self._decide(last - 1, "demoted", why)
        return self._decide(last, "stays", why, moved=False)

    def finished(self, outcome: Outcome) -> None:
        self._residency = 0
        if outcome.rejected:
            return
        self._measured(outcome)
        if outcome.state > 0:
            self.last = outcome.state

    def _measured(self, outcome: Outcome) -> None:
        self._residency = outcome.residency_ns // self._unit
        if not self.features.nanoseconds:
            self._residency = min(self._residency, S32_MAX)

    def _promotes(self, last: int, remainder: int, latency: int, disabled: frozenset[int]) -> bool:
        if last + 1 >= len(self.states) or last + 1 in disabled:
            return False
        # A state below the first rung was never given a threshold.
        threshold = self._exit(last) if last >= self.first else 0
        return remainder > threshold and self._exit(last + 1) <= latency

    def _promotion_count(self, state: int) -> int:
        return PROMOTION_COUNT if state >= self.first else 0

    def _below(self, last: int, latency: int) -> int:
        """The next rung down whose exit latency is allowed; else the first."""
        fitting = (i for i in range(last - 1, self.first, -1) if self._exit(i) <= latency)
        return next(fitting, self.first)

    def _exit(self, state: int) -> int:
        entry = self.states[state] if state < len(self.states) else _NOTHING
        return entry.exit_ns // self._unit

    def _move(self, state: int) -> None:
        self.promotions[self.last] = 0
        self.last = state

    def _decide(
        self, state: int, rule: str, why: dict[str, Any], *, moved: bool = True
    ) -> Decision:
        why |= {"promotions": self.promotions[self.last], "rule": rule}
        if moved:
            self._move(state)
        return Decision(state, True, why)
