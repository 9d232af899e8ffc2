"""Exact recordings of simulated CPUs: what each governor was asked, decided and told."""

from array import array
from collections.abc import Sequence
from typing import Any

import pytest

from idle_states.lab.simulation.idle_periods import IdlePeriods
from idle_states.lab.simulation.setup import Setup
from idle_states.lab.simulation.simulate import simulate
from idle_states.tables.linux.governors import Decision, Governor, Outcome, Situation

Row = tuple[Situation, Decision, Outcome]


class _Recorded:
    """A governor that keeps what it is asked, decides and is told."""

    def __init__(self, governor: Governor) -> None:
        self.rows: list[Row] = []
        self._governor = governor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._governor, name)

    def select(self, situation: Situation) -> Decision:
        self._asked = situation, self._governor.select(situation)
        return self._asked[1]

    def reflect(self, outcome: Outcome) -> None:
        self._governor.reflect(outcome)
        self.rows.append((*self._asked, outcome))


def recorded(setup: Setup, seed: int) -> list[list[Row]]:
    """Each CPU's rows."""
    governors: list[_Recorded] = []
    made = IdlePeriods.governor

    def governor(periods: IdlePeriods) -> _Recorded | None:
        one = made(periods)
        if one is None:
            return None
        governors.append(_Recorded(one))
        return governors[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IdlePeriods, "governor", governor)
        simulate(setup, seed)
    return [each.rows for each in governors]


def stripped(rows: Sequence[Row]) -> "array[int]":
    """Returns what a trace of cpu_idle has of them: start, end and state."""
    periods = array("Q")
    for situation, decision, outcome in rows:
        start_ns = situation.clock_ns
        periods.extend((start_ns, start_ns + outcome.residency_ns, decision.state))
    return periods
