"""All sets against the first one, exactly or as ministat does it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from . import ministat, outliers, student
from .comparison import Comparison, compare
from .summary import Dataset, Summary


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
    def survives(self) -> bool:
        return all(again.survives for again in self.again)


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
    if as_ministat:
        needed = ministat.needed_for(confidence)
        rows = tuple(ministat.summary(dataset) for dataset in datasets)
    else:

        def needed(degrees: int) -> float:
            return student.quantile(confidence, degrees)

        rows = tuple(dataset.summary() for dataset in datasets)
    pairs = []
    for number in range(1, len(rows)):
        comparison = compare(rows[0], rows[number], needed)
        probability = None
        if not as_ministat and comparison.t is not None:
            probability = student.two_sided(comparison.t, comparison.degrees)
        again = outliers.audit(rows[0], rows[number], needed) if audited else ()
        pairs.append(Pair(number, comparison, probability, again))
    reduced = tuple(outliers.without_maximum(row) if audited else None for row in rows)
    method = "ministat" if as_ministat else "exact"
    return Analysis(method, confidence, tuple(datasets), rows, reduced, tuple(pairs))
