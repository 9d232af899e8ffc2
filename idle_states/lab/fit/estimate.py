"""A latency with its interval, made of measured values.

Of values or a histogram, a quantile with the order statistics that enclose it: no distribution is
assumed. Of a summary, what its quantiles bound, or its mean with Student's t. What the measuring
takes by itself, measured with the CPU busy, is subtracted as a median or mean: the tail of one
measurement less the tail of another is no tail of anything.
"""

import math
from decimal import Decimal

from ...base.dataclass import dataclass, replace
from ...base.model.measured import LatencyBins, Samples, SummaryOnly
from ...base.wording import plural
from ..statistics import student
from .binomial import coverage_of_maximum, least, ranks, spread_ranks
from .dependence import dependence
from .ordered import Ordered, ordered

Values = Samples | LatencyBins | SummaryOnly

_MEDIAN = Decimal(50)
_BUSY_SHARE = Decimal("0.2")
"""The part of what the confidence leaves for the busy measurement; the rest is the state's. Both
intervals hold together at least as often as is said (Bonferroni)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """statistic        "p99.99", "max" or "mean"
    value_ns         None where the source bounds it on neither side
    low_ns, high_ns  the interval; None: not bounded on that side
    n                number of values; None where the source does not say it
    effective        how many independent values they count as, by which the interval is made; n of
                     what says no order, None where n is
    coverage         the probability that such an interval encloses the quantile, where it is known
    method           how the interval was made, "" where there is none
    refused          why the quantile asked for is not given, "" where it is
    busy_ns          what measuring takes, which was subtracted; None: nothing was
    busy_more_ns     by how much the same quantile of what measuring takes is above busy_ns: so much
                     of the value may be the measuring's; None where it is not known
    """

    statistic: str
    value_ns: float | None
    low_ns: float | None
    high_ns: float | None
    n: int | None
    coverage: float | None = None
    method: str = ""
    refused: str = ""
    busy_ns: float | None = None
    busy_more_ns: float | None = None
    effective: int | None = None

    @property
    def bounded(self) -> bool:
        return self.low_ns is not None and self.high_ns is not None


def named(percent: Decimal) -> str:
    """Decimal("99.99") -> "p99.99"."""
    return f"p{percent.normalize():f}"


def estimate(values: Values, percent: Decimal, confidence: Decimal) -> Estimate:
    """Returns the quantile, or what so few values or their summary say in its place."""
    known = ordered(values)
    if isinstance(values, SummaryOnly):
        value_ns = values.quantiles_ns.get(float(percent / 100))
        if known is None or (not values.quantiles_ns and values.max_ns is None):
            return mean(values, confidence)
        found = _of(known, percent, confidence, known.n)
        if value_ns is not None and not found.refused:
            return replace(found, value_ns=value_ns)
        return found if found.value_ns is not None else mean(values, confidence)
    if known is None:
        return Estimate(named(percent), None, None, None, 0, refused="there are no values")
    effective = known.n
    if isinstance(values, Samples) and (follows := dependence(values.values_ns)):
        effective = follows.effective(known.n, percent, confidence)
    return _of(known, percent, confidence, effective)


def _of(known: Ordered, percent: Decimal, confidence: Decimal, effective: int) -> Estimate:
    n, counted = known.n, f"{known.n}"
    enclosing = ranks(n, percent, confidence)
    if effective != n:
        enclosing = spread_ranks(n, effective, percent, confidence)
        counted += f", which count as {effective} independent ones"
    low, high = known.between(enclosing.low, enclosing.high)
    method = f"order statistics {enclosing.low or '-'} and {enclosing.high or '-'} of {counted}"
    if enclosing.high is None and percent >= _MEDIAN:
        share = 100 * coverage_of_maximum(effective, percent)
        refused = (
            f"{named(percent)} needs {least(percent, confidence)} values for an interval of "
            f"{confidence.normalize():f} %, there are {counted}; the longest reaches it with a "
            f"probability of {share:.3g} %"
        )
        found = Estimate("max", known.at_most(n), low, None, n, enclosing.coverage, method, refused)
        return replace(found, effective=effective)
    value = known.at_most(max(1, math.ceil(n * percent / 100)))
    refused = "" if value is not None else f"{named(percent)} is above the last bucket"
    found = Estimate(named(percent), value, low, high, n, enclosing.coverage, method, refused)
    return replace(found, effective=effective)


def mean(summary: SummaryOnly, confidence: Decimal) -> Estimate:
    """Returns the mean, with Student's interval where number and standard deviation are said."""
    refused = "only a mean was reported; it says nothing about the worst case"
    if summary.mean_ns is None:
        statistic, value = "max", summary.max_ns
        if value is None:
            statistic, value = "p50", summary.quantiles_ns.get(0.5)
        refused = "the source does not give the number of values"
        return Estimate(statistic, value, None, None, summary.n, refused=refused)
    if summary.n is None or summary.sd_ns is None or summary.n < 2:
        missing = "a standard deviation" if summary.n else "a number of values"
        refused += f", and without {missing} it has no interval"
        return Estimate("mean", summary.mean_ns, None, None, summary.n, refused=refused)
    aside = student.quantile(confidence, summary.n - 1) * summary.sd_ns / math.sqrt(summary.n)
    low, high = summary.mean_ns - aside, summary.mean_ns + aside
    method = f"Student's t with {plural(summary.n - 1, 'degree')} of freedom"
    return Estimate("mean", summary.mean_ns, low, high, summary.n, None, method, refused)


def above_busy(state: Values, busy: Values, percent: Decimal, confidence: Decimal) -> Estimate:
    """Returns the state's estimate less the middle of what was measured with the CPU busy. Nothing
    is less than 0. Without an interval of the middle, the difference has none."""
    aside = 100 - confidence
    found = estimate(state, percent, 100 - aside * (1 - _BUSY_SHARE))
    middle = _middle(busy, 100 - aside * _BUSY_SHARE)
    if found.value_ns is None or middle.value_ns is None:
        return found
    tail = None if isinstance(busy, SummaryOnly) else estimate(busy, percent, confidence).value_ns
    return replace(
        found,
        busy_ns=middle.value_ns,
        busy_more_ns=None if tail is None else max(0.0, tail - middle.value_ns),
        value_ns=max(0.0, found.value_ns - middle.value_ns),
        low_ns=_less(found.low_ns, middle.high_ns),
        high_ns=_less(found.high_ns, middle.low_ns),
        coverage=found.coverage and found.coverage - float(aside * _BUSY_SHARE / 100),
        method=found.method
        and (f"{found.method}, minus the {middle.statistic} of {middle.n} busy wake-ups"),
    )


def _middle(busy: Values, confidence: Decimal) -> Estimate:
    if isinstance(busy, SummaryOnly) and busy.mean_ns is not None:
        return mean(busy, confidence)
    found = estimate(busy, _MEDIAN, confidence)
    return found if not found.refused else replace(found, low_ns=None, high_ns=None)


def _less(bound: float | None, by: float | None) -> float | None:
    return None if bound is None or by is None else max(0.0, bound - by)
