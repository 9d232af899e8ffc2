"""The timer events oriented (teo) governor, all releases since 5.1.

A wakeup is compared with the nearest timer: either the timer was it, or something came before. Each
state keeps decaying counts of both, and the state the timer suggests is given up for a shallower
one if earlier wakeups dominate. Two generations of metrics do that: teo_hits.py (5.1 to 5.13) and
teo_bins.py (5.14 on). What they share is here: which idles are learnt from, and the tick.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from .interface import Decision, Outcome, Situation, State, u64
from .teo_bins import Bins
from .teo_features import TeoFeatures
from .teo_hits import Hits
from .teo_table import Choice, Table, Wakeup


class Metrics(Protocol):
    """A generation's memory."""

    def learn(self, wakeup: Wakeup) -> None: ...

    def choose(self, situation: Situation, why: dict[str, Any]) -> Choice: ...


class Teo:
    """One CPU's teo.

    utilised  the CPU's utilisation exceeds 1/64 of its capacity (6.3 to 6.10 look at it); may be
              set between decisions
    """

    def __init__(self, states: Sequence[State], features: TeoFeatures, hz: int = 250) -> None:
        self.states = states
        self.features = features
        self.hz = hz
        self.table = Table(states, features, hz)
        self.metrics: Metrics = (Bins if features.bins else Hits)(self.table)
        self._learnt: Wakeup | None = Wakeup(0, 0, 0, 0)
        self._selected_ns = 0
        self._sleep_length = 0

    def select(self, situation: Situation) -> Decision:
        if self._learnt is not None:
            self.metrics.learn(self._learnt)
            self._learnt = None
        why: dict[str, Any] = {}
        choice = self.metrics.choose(situation, why)
        self._selected_ns = situation.clock_ns
        self._sleep_length = choice.sleep_length
        return self._decide_tick(choice, situation, why)

    def _decide_tick(
        self, choice: Choice, situation: Situation, why: dict[str, Any]
    ) -> Decision:
        state = choice.state
        why |= {"candidate": state, "duration": choice.duration}
        if choice.settled:
            return Decision(state, False, why)
        short = self.table.polling[state] or choice.duration < self.table.tick
        if situation.tick_stopped or not short:
            return Decision(state, True, why)
        delta = self.table.time(situation.delta_next_ns)
        if state > choice.first and self.table.residency[state] > delta:
            state = self.table.shallower(state, delta, situation.disabled)
        return Decision(state, False, why)

    def finished(self, outcome: Outcome) -> None:
        if outcome.rejected:
            return
        tick = self.table.tick_ns
        far = self._sleep_length if self.features.signed else u64(self._sleep_length)
        safety_net = outcome.poll_time_limit or (outcome.got_tick and far > tick)
        span = self._sleep_length if safety_net else outcome.clock_ns - self._selected_ns
        self._learnt = Wakeup(
            outcome.state,
            self._sleep_length,
            span,
            outcome.residency_ns,
            safety_net,
            outcome.got_tick,
            outcome.poll_time_limit,
        )
