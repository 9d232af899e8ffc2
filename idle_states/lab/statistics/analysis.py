"""Comparison of all sets with the first one of their group, exactly or as ministat does it."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from ...base.dataclass import dataclass, replace
from . import ministat, outliers, student
from .comparison import Comparison, compare
from .summary import Dataset, Summary, summarise


@dataclass(frozen=True, slots=True)
class Pair:
    """The comparison of a set with the first of its group.

    other        number of the set
    probability  two-sided probability of at least this difference by chance; None with ministat's
                 table, or if no sample varies
    again        the comparisons without maxima; empty if not requested
    reference    number of the first of its group
    """

    other: int
    comparison: Comparison
    probability: float | None
    again: tuple[outliers.Again, ...]
    reference: int = 0

    @property
    def survives(self) -> bool | None:
        """Tells whether the conclusion holds without maxima; None if none contradicts it, but some
        rows have too few digits to tell."""
        found = [again.survives for again in self.again]
        return False if False in found else None if None in found else True


@dataclass(frozen=True, slots=True)
class Analysis:
    """method: exact or ministat. summaries; reduced: the sets without their maximum."""

    method: str
    confidence: Decimal
    datasets: tuple[Dataset, ...]
    summaries: tuple[Summary, ...]
    reduced: tuple[outliers.Reduced | None, ...]
    pairs: tuple[Pair, ...]

    @property
    def groups(self) -> "tuple[Analysis, ...]":
        """Each group as an analysis of its own."""
        return tuple(self._group(group) for group in dict.fromkeys(d.group for d in self.datasets))

    def _group(self, group: int) -> "Analysis":
        own = [at for at, dataset in enumerate(self.datasets) if dataset.group == group]
        return replace(
            self,
            datasets=tuple(self.datasets[at] for at in own),
            summaries=tuple(self.summaries[at] for at in own),
            reduced=tuple(self.reduced[at] for at in own),
            pairs=tuple(
                replace(pair, other=own.index(pair.other), reference=0)
                for pair in self.pairs
                if pair.other in own
            ),
        )


def analyse(
    datasets: Sequence[Dataset], confidence: Decimal, as_ministat: bool, audited: bool
) -> Analysis:
    """Compares all sets with the first of their group. Raises ValueError for a confidence level
    that the method does not offer."""
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
    firsts: dict[int, int] = {}
    for number in range(len(rows)):
        first = firsts.setdefault(datasets[number].group, number)
        if first == number:
            continue
        comparison = compare(rows[first], rows[number], needed)
        probability = None
        if not as_ministat and comparison.t is not None:
            probability = student.two_sided(comparison.t, comparison.degrees)
        again = (
            outliers.audit((rows[first], rows[number]), (reduced[first], reduced[number]), needed)
            if audited
            else ()
        )
        pairs.append(Pair(number, comparison, probability, again, first))
    method = "ministat" if as_ministat else "exact"
    return Analysis(method, confidence, tuple(datasets), rows, reduced, tuple(pairs))


def _reduced(
    dataset: Dataset, row: Summary, summarised: Callable[[Sequence[float]], Summary]
) -> outliers.Reduced | None:
    if dataset.values is None:
        return outliers.without_maximum(row)
    return outliers.without_sample(dataset.values, row, summarised)
