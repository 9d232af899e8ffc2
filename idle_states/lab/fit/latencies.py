"""Exit latencies of states: each measurement's estimate, and which of them a state is judged by."""

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal

from ...base.dataclass import dataclass
from ...base.model.measured import Latency, LatencyBins, Measured, Samples
from ...base.model.verdicts import Judgement, judge
from .advertised import Advertised
from .estimate import Estimate, above_busy, estimate
from .shape import SampleShape, shape

_WITH_MEASURING = (
    "it includes the measuring overhead, which was not measured on a busy CPU: measure that "
    "too (busy=FILE)"
)


@dataclass(frozen=True, slots=True)
class FittedLatency:
    """One measurement of one state.

    of         the file that it is from
    busy       the measurement with the CPU awake that was subtracted; None: there was none, or the
               source has subtracted its own share
    confidence of its interval, in percent: those of all measurements of a state hold together
    estimate   with its interval, the busy CPU's middle subtracted
    shape      outliers and modes; None of few values and of summaries
    """

    of: Measured
    latency: Latency
    busy: Latency | None
    confidence: Decimal
    estimate: Estimate
    shape: SampleShape | None
    judgement: Judgement

    @property
    def value_ns(self) -> int | None:
        """Rounded up: an advertised latency is to be no shorter."""
        return None if self.estimate.value_ns is None else math.ceil(self.estimate.value_ns)

    @property
    def interval_ns(self) -> tuple[int | None, int | None] | None:
        """Rounded outwards; None where neither side is bounded."""
        low, high = self.estimate.low_ns, self.estimate.high_ns
        if low is None and high is None:
            return None
        return (None if low is None else math.floor(low), None if high is None else math.ceil(high))


def fitted_latency(
    of: Measured,
    latency: Latency,
    others: Iterable[Measured],
    advertised: Advertised | None,
    percent: Decimal,
    confidence: Decimal,
) -> FittedLatency:
    """others: files among which a busy measurement may be, where the latency's own has none."""
    busy = None if latency.net else _busy_for(latency, [of, *others])
    if busy is None:
        found = estimate(latency.values, percent, confidence)
    else:
        found = above_busy(latency.values, busy.values, percent, confidence)
    if advertised is None or advertised.latency_ns is None:
        judgement = Judgement("unknown", "nothing is advertised for this state")
    else:
        judgement = judge(
            advertised.latency_ns, found.value_ns, found.low_ns, found.high_ns, found.statistic
        )
        if judgement.verdict == "unknown" and found.refused:
            judgement = Judgement("unknown", found.refused)
        if judgement.verdict == "under-stated" and busy is None and not latency.net:
            judgement = Judgement("unknown", _WITH_MEASURING)
    return FittedLatency(of, latency, busy, confidence, found, shape(latency.values), judgement)


def together(confidence: Decimal, count: int) -> Decimal:
    """Returns the confidence of each of some intervals that hold together as often as is asked for
    (Bonferroni), rounded up to a hundredth of a percent."""
    each = 100 - (100 - confidence) / count
    return each if count == 1 else each.quantize(Decimal("0.01"), ROUND_CEILING).normalize()


def decisive(fitted: Sequence[FittedLatency]) -> FittedLatency:
    """The measurement that a state is judged by, of one or more: one that contradicts what is
    advertised by its lower bound, else one with an interval, else any; of several the longest,
    since an exit latency holds for every way to be woken up. All intervals hold together, so that
    one of them contradicts by chance no more often than is asked for."""

    def rank(one: FittedLatency) -> tuple[bool, bool, float]:
        contrary = one.judgement.verdict == "under-stated"
        return contrary, one.estimate.bounded, one.estimate.value_ns or 0.0

    return max(fitted, key=rank)


def _busy_for(latency: Latency, files: Sequence[Measured]) -> Latency | None:
    """Woken the same way, of the same group if there is one; on the same machine."""
    machine = files[0].machine
    for file in files:
        if file.machine != machine:
            continue
        found = [
            other
            for other in file.latencies
            if other.busy and other.woken_by == latency.woken_by and _has_values(other)
        ]
        same = [other for other in found if other.group == latency.group]
        if same or found:
            return (same or found)[0]
    return None


def _has_values(latency: Latency) -> bool:
    values = latency.values
    if isinstance(values, Samples):
        return bool(values.values_ns)
    return not isinstance(values, LatencyBins) or bool(values.bins)
