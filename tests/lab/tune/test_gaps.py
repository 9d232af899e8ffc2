"""Histograms of gaps, and that the compiled core fills them as they are filled gap by gap."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from idle_states.lab.traces.periods import Periods
from idle_states.lab.tune.gaps import Gatherer
from idle_states.tables.linux.governors.core.packing import compiled
from tests.support.compiled import NO_CORE
from tests.support.gaps import from_counts
from tests.support.tuning import GAPS


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


@given(GAPS, st.integers(0, 5_000_000))
def test_cuts_make_sums_exact(gaps: list[int], cut: int) -> None:
    found = from_counts(((gap, 1) for gap in gaps), [cut])
    below = [gap for gap in gaps if gap <= cut]
    assert found.up_to(cut) == (len(below), sum(below))
    assert found.shared(cut) == (sum(min(gap, cut) for gap in gaps), len(gaps) - len(below))
    assert (found.count, found.total) == (len(gaps), sum(gaps))


@given(GAPS, st.lists(st.integers(0, 5_000_000), max_size=5))
def test_many_at_a_time_are_as_one_by_one(gaps: list[int], cuts: list[int]) -> None:
    gathered = Gatherer(cuts)
    gathered.extend(gaps)
    assert gathered.gaps() == from_counts(((gap, 1) for gap in gaps), cuts)


def test_buckets_are_narrow() -> None:
    gathered = Gatherer()
    gathered.extend(range(1_000_000, 2_000_000, 7))
    assert 900 < len(gathered.gaps().greatest) < 2100
