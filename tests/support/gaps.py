"""Histograms of idle gaps for tests of tune."""

from collections.abc import Iterable

from idle_states.lab.tune.gaps import Gaps, Gatherer


def from_counts(pairs: Iterable[tuple[int, int]], cuts: Iterable[int] = ()) -> Gaps:
    """Returns a histogram of (gap, count) pairs. cuts: as a Gatherer takes them."""
    gathered = Gatherer(cuts)
    for gap, count in pairs:
        gathered.add(gap, count)
    return gathered.gaps()
