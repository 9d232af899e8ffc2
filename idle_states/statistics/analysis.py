"""All sets against the first one, exactly or as ministat does it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from . import ministat, outliers, student
from .comparison import Comparison, compare
from .summary import Dataset, Summary, summarise


@dataclass(frozen=True, slots=True)
class Pair:
    """A set against the first.

    other        its number
    probability  of so large a difference by chance, two-sided; None by ministat's table, or if
                 nothing varies at all
    again        without maxima; empty if not asked for
    """

    other: int
    comparison: Comparison
    probability: float | None
    again: tuple[outliers.Again, ...]

    @property
    def survives(self) -> bool | None:
        """None if no comparison says otherwise, but some have too few digits to tell."""
        found = [again.survives for again in self.again]
        return False if False in found else None if None in found else True


@dataclass(frozen=True, slots=True)
class Analysis:
    """method: exact or ministat; summaries and reduced (without their maximum) by set."""

    method: str
    confidence: Decimal
    datasets: tuple[Dataset, ...]
    summaries: tuple[Summary, ...]
    reduced: tuple[outliers.Reduced | None, ...]
    pairs: tuple[Pair, ...]


def analyse(
    datasets: Sequence[Dataset], confidence: Decimal, as_ministat: bool, audited: bool
) -> Analysis:
    """Raises ValueError for a confidence that the method does not have."""
    needed: Callable[[int], float]
    summarised: Callable[[Sequence[float]], Summary]
    if as_ministat:
        needed = ministat.needed_for(confidence)
        summarised = ministat.summarise
    else:

        def needed(degrees: int) -> float:
            return student.quantile(confidence, degrees)

        summarised = summarise
    rows = tuple(dataset.summary(summarised) for dataset in datasets)
    reduced = tuple(
        _reduced(dataset, row, summarised) if audited else None
        for dataset, row in zip(datasets, rows, strict=True)
    )
    pairs = []
    for number in range(1, len(rows)):
        comparison = compare(rows[0], rows[number], needed)
        probability = None
        if not as_ministat and comparison.t is not None:
            probability = student.two_sided(comparison.t, comparison.degrees)
        again = (
            outliers.audit((rows[0], rows[number]), (reduced[0], reduced[number]), needed)
            if audited
            else ()
        )
        pairs.append(Pair(number, comparison, probability, again))
    method = "ministat" if as_ministat else "exact"
    return Analysis(method, confidence, tuple(datasets), rows, reduced, tuple(pairs))


def _reduced(
    dataset: Dataset, row: Summary, summarised: Callable[[Sequence[float]], Summary]
) -> outliers.Reduced | None:
    if dataset.values is None:
        return outliers.without_maximum(row)
    return outliers.without_sample(dataset.values, row, summarised)
