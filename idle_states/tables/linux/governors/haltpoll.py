"""The haltpoll governor of KVM guests: poll for a while before the virtual CPU halts.

State 0 polls, state 1 halts. How long to poll adapts to how long the CPU was blocked: the limit
grows while a longer one would have caught the wakeup, and shrinks after blocks beyond its maximum.
"""

from collections.abc import Sequence
from typing import Any

from ....base.dataclass import dataclass
from .haltpoll_features import HaltpollFeatures
from .interface import Decision, Outcome, Situation, State, u32

_NSEC_PER_USEC = 1000


@dataclass(frozen=True, slots=True)
class Parameters:
    """The module's parameters guest_halt_poll_*, with their defaults. Times in ns.

    max_ns         guest_halt_poll_ns: the limit's maximum
    grow           factor; grow_start: the first limit
    shrink         divisor, 0: polling ends at once
    allow_shrink   the limit shrinks at all
    """

    max_ns: int = 200_000
    grow: int = 2
    grow_start: int = 50_000
    shrink: int = 2
    allow_shrink: bool = True


class Haltpoll:
    """One virtual CPU's haltpoll.

    poll_limit_ns  for how long state 0 polls next
    """

    def __init__(
        self,
        states: Sequence[State],
        features: HaltpollFeatures,
        hz: int = 250,
        parameters: Parameters | None = None,
    ) -> None:
        self.states = states
        self.features = features
        self.hz = hz
        self.parameters = parameters or Parameters()
        self.poll_limit_ns = 0
        self._last = 0
        self._timed_out = False

    def switched_on(self, earlier: Outcome) -> None:
        """Has no effect: the polling limit is cleared, so the first state selected is 1."""

    def select(self, situation: Situation) -> Decision:
        why: dict[str, Any] = {
            "poll_limit_ns": self.poll_limit_ns,
            "last": self._last,
            "timed_out": self._timed_out,
        }
        if situation.latency_req_us == 0:
            return Decision(0, False, why | {"rule": "latency limit 0"})
        if self.poll_limit_ns == 0:
            return Decision(1, True, why | {"rule": "no polling"})
        if self._last == 0 and self._timed_out:
            return Decision(1, True, why | {"rule": "polled in vain"})
        return Decision(0, False, why | {"rule": "poll"})

    def finished(self, outcome: Outcome) -> None:
        if outcome.rejected:
            return
        self._last = state = outcome.state
        # Only polling writes the flag: it outlives idles in other states.
        if state < len(self.states) and self.states[state].polling:
            self._timed_out = outcome.poll_time_limit
        if state == 0:
            return
        unit = 1 if self.features.nanoseconds else _NSEC_PER_USEC
        self._adapt(outcome.residency_ns // unit * unit)

    def _adapt(self, blocked_ns: int) -> None:
        parameters, limit = self.parameters, self.poll_limit_ns
        if limit < blocked_ns <= parameters.max_ns:
            grown = max(u32(limit * parameters.grow), parameters.grow_start)
            self.poll_limit_ns = min(grown, parameters.max_ns)
        elif blocked_ns > parameters.max_ns and parameters.allow_shrink:
            shrunk = limit // parameters.shrink if parameters.shrink else 0
            if self.features.shrinks_to_zero and shrunk < parameters.grow_start:
                shrunk = 0
            self.poll_limit_ns = shrunk
