"""Periods that the compiled core counts as entered, held to those counted one by one."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from idle_states.base.reading.problems import InputProblems, Problem
from idle_states.lab.replay.counters import Figures, Tally
from idle_states.lab.replay.machine import CpuTable, TracedMachine, from_times
from idle_states.lab.replay.observed import Observed
from idle_states.lab.traces.periods import Period, Periods
from idle_states.tables.linux.governors.interface import State
from tests.support.compiled import needs_core
from tests.support.thorough import examples

pytestmark = needs_core
TIMES = ((1_000, 10_000), (2_500, 20_000), (30_000, 90_000))
MACHINE = TracedMachine(
    "m", None, {0: from_times(TIMES, True, [2]), 1: CpuTable(("snooze",), (State(0, 0),))}
)
"""CPU 2 has no table."""
PERIODS = st.builds(
    lambda cpu, state, start, length, miss: (cpu, state, start, start + length, miss),
    st.integers(0, 2),
    st.integers(0, 4),
    st.integers(0, 10**6),
    st.one_of(
        st.sampled_from((999, 1_000, 2_500, 10_000, 20_000, 22_500)),
        st.integers(0, 100_000),
        st.integers(0, 2**62),
    ),
    st.sampled_from((0, 0, 0, 0, 1, 2, 3)),
)


def sifted(
    batches: list[list[Period]], misses: list[bool], *, in_ns: bool, traced: bool, packed: bool
) -> tuple[list[Period], dict[int, Figures], dict[str, int], tuple[Problem, ...]]:
    problems = InputProblems()
    judge = Observed(MACHINE, in_ns, problems, traced=traced)
    found: list[Period] = []
    for batch, had in zip(batches, misses, strict=True):
        found += judge.sift(Periods.of(batch) if packed else batch, had)
    figures = judge.finish(misses[-1])
    return found, figures, judge.misses, problems.listing()


@given(
    st.lists(st.lists(PERIODS, max_size=12), min_size=1, max_size=8),
    st.integers(0, 8),
    st.booleans(),
    st.booleans(),
)
@example([[(0, 1, 0, 2_500, 0)], [(0, 1, 9_000, 11_500, 1)]], 1, True, True)
@settings(max_examples=examples(50, 150), deadline=None)
def test_the_core_counts_as_the_reference_does(
    batches: list[list[Period]], first_miss: int, in_ns: bool, traced: bool
) -> None:
    misses = [number >= first_miss for number in range(len(batches))]
    core, reference = (
        sifted(batches, misses, in_ns=in_ns, traced=traced, packed=packed)
        for packed in (True, False)
    )
    assert core == reference


def test_the_core_does_the_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    added = []
    add = Tally.add

    def counted(self: Tally, state: int, residency_ns: int) -> int:
        added.append(state)
        return add(self, state, residency_ns)

    monkeypatch.setattr(Tally, "add", counted)
    batch = [(0, 0, 0, 5_000, 0), (0, 1, 9_000, 14_000, 0)]
    judge = Observed(MACHINE, True, InputProblems())
    for _ in range(10):
        packed = Periods.of(batch)
        assert judge.sift(packed, misses=False) is packed
    # only to find the examples, which are full in the third batch
    assert len(added) == 6
    assert judge.finish(False)[0].states[1].above == 10
