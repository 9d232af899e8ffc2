"""Histograms of gaps that the compiled core fills, held to those filled gap by gap."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from idle_states.core.packing import compiled
from idle_states.traces.periods import Periods
from idle_states.tune.gaps import Gatherer
from tests.support.compiled import NO_CORE


@pytest.mark.skipif(compiled is None, reason=NO_CORE)
@given(
    st.lists(st.one_of(st.integers(0, 5_000), st.integers(0, 2**64 - 1)), max_size=60),
    st.lists(st.one_of(st.integers(0, 5_000), st.integers(0, 2**63)), max_size=12),
)
@example([2047, 2048, 2**64 - 1, 4096, 4097, 4098], [2047, 4096, 4097, 4097])
def test_the_core_gathers_as_the_reference_does(gaps: list[int], cuts: list[int]) -> None:
    plain, packed = Gatherer(cuts), Gatherer(cuts)
    plain.extend(gaps)
    half = len(gaps) // 2
    for some in (gaps[:half], gaps[half:]):
        packed.extend_packed(Periods.of([(0, 1, 0, gap, 0) for gap in some]).packed)
    assert packed.gaps() == plain.gaps()
