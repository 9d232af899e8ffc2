"""The timer events oriented (teo) governor, all releases since 5.1.

A wakeup is compared with the nearest timer: the timer was its cause, or something came before. Each
state keeps decaying counts of both, and the state the timer suggests is given up for a shallower
one where earlier wakeups prevail. Two generations of metrics do so: teo_hits.py (5.1 to 5.13),
teo_bins.py and teo_select.py (5.14 on). What they share is here: which idles are learnt from, and
the tick.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from .interface import Decision, Outcome, Situation, State, s64
from .teo_features import TeoFeatures
from .teo_hits import Hits
from .teo_select import TeoSelection
from .teo_table import NEVER_IDLE, Choice, TeoTable, Wakeup


class Generation(Protocol):
    """One CPU's metrics, and the choice of a state by them."""

    def learn(self, wakeup: Wakeup) -> None: ...

    def choose(self, situation: Situation, why: dict[str, Any]) -> Choice: ...


class Teo:
    """One CPU's teo."""

    only_compares = True

    def __init__(self, states: Sequence[State], features: TeoFeatures, hz: int = 250) -> None:
        self.states = states
        self.features = features
        self.hz = hz
        self._table = TeoTable(states, features, hz)
        self.metrics: Generation = (TeoSelection if features.bins else Hits)(self._table)
        self._unlearnt: Wakeup | None = NEVER_IDLE
        self._selected_ns = 0
        self._sleep_length = 0

    def switched_on(self, earlier: Outcome) -> None:
        """teo learns from that period with timers and clock of 0: enabling resets them."""
        never = earlier.state < 0
        self._unlearnt = None if never else Wakeup(earlier.state, 0, 0, earlier.residency_ns)

    def select(self, situation: Situation) -> Decision:
        """The state for an idle period, and whether to stop the tick."""
        if self._unlearnt is not None:
            self.metrics.learn(self._unlearnt)
            self._unlearnt = None
        why: dict[str, Any] = {}
        choice = self.metrics.choose(situation, why)
        self._selected_ns = situation.clock_ns
        self._sleep_length = choice.sleep_length
        why |= {"found": choice.state, "duration": choice.duration, "settled": choice.settled}
        return self._with_tick(choice, situation, why)

    def finished(self, outcome: Outcome) -> None:
        """Stores the idle period for the next select(); a rejected one is discarded."""
        if outcome.rejected:
            return
        far = self._table.ktime(self._sleep_length) > self._table.tick_ns
        safety_net = outcome.poll_time_limit or (outcome.got_tick and far)
        self._unlearnt = Wakeup(
            outcome.state,
            self._sleep_length,
            self._sleep_length if safety_net else s64(outcome.clock_ns - self._selected_ns),
            outcome.residency_ns,
            safety_net,
            outcome.got_tick,
            outcome.poll_time_limit,
        )

    def _with_tick(self, choice: Choice, situation: Situation, why: dict[str, Any]) -> Decision:
        """The tick is kept for polling and for idles shorter than it; the state must then fit."""
        table, state = self._table, choice.state
        if choice.settled:
            return Decision(state, False, why)
        long = choice.duration >= table.tick and not table.polling[state]
        if long or situation.tick_stopped:
            return Decision(state, True, why)
        delta = table.time(situation.delta_next_ns) if choice.uses_timers else table.tick // 2
        if table.residency[state] > delta:
            state = table.shallower(state, delta, situation.disabled)
        return Decision(state, False, why)
