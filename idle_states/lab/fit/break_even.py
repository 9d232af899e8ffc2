"""Target residencies from mean power at several wake-up periods.

With one state forced and a wake-up every T, the mean power is W(T) = P + e / T: P what the state
draws, e all energy above P that entry, exit and the work of waking take. A weighted regression of W
on 1/T gives both. A deeper state pays off beyond the period

    T* = (e_deep - e_shallow) / (P_shallow - P_deep)

a ratio, whose interval is Fieller's (E. C. Fieller, Some problems in interval estimation, 1954).
Where the difference in power is not told from 0, T* is not identified: at best it has a lower
bound.
"""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

from ...base.dataclass import dataclass
from ...base.model.measured import Energy
from ...base.wording import plural
from ..statistics import student

NS = 1e9
_PERIODS = 3
"""Fewer periods leave nothing to tell how far points are from the line."""
REACHED = 0.5
"""Spans in which hardware counted less of the state than this say nothing of it."""
_ROOM = 3
"""A period is to be longer than so many exit latencies: before, it was not slept."""


@dataclass(frozen=True, slots=True)
class PowerLine:
    """W(T) = watts + joules / T of one state.

    spans     number of measurements that the line is of
    joules    per wake-up, above what the state draws
    variances of watts, of joules, and their covariance
    degrees   of freedom
    domain    what was metered
    """

    state: str
    watts: float
    joules: float
    variances: tuple[float, float, float]
    spans: int
    degrees: int
    domain: str


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The period beyond which a state uses less energy than shallower ones.

    over             the shallower state that decides
    period_ns        None where the deeper state does not draw less
    low_ns, high_ns  the interval; None: no bound on that side. Without high_ns the period is not
                     identified
    why              why there is no period, or no bound
    """

    state: str
    over: str
    period_ns: float | None
    low_ns: float | None
    high_ns: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class NoLine:
    """why: why the measurements of a state give none."""

    state: str
    why: str


def usable(
    spans: Iterable[Energy], latency_ns: float | None
) -> tuple[list[Energy], dict[str, int]]:
    """Returns the spans that tell of the state, and the number left out by reason. latency_ns: the
    state's exit latency, None where it is not known."""
    kept, left_out = [], dict[str, int]()
    for span in spans:
        why = None
        if span.reached is not None and span.reached < REACHED:
            why = f"the state was reached for less than {100 * REACHED:g} % of the span"
        elif span.seconds <= 0 or period(span) is None:
            why = "no time passed, or no CPU woke up"
        elif latency_ns is not None and (period(span) or 0) * NS <= _ROOM * latency_ns:
            why = f"the period is not above {_ROOM} exit latencies"
        if why is None:
            kept.append(span)
        else:
            left_out[why] = left_out.get(why, 0) + 1
    return kept, left_out


def period(span: Energy) -> float | None:
    """Seconds from wake-up to wake-up: by those counted; where none are, as asked."""
    if span.wakeups is not None:
        return span.seconds / span.wakeups if span.wakeups else None
    return span.period_ns / NS if span.period_ns > 0 else None


def line(state: str, spans: Sequence[Energy]) -> PowerLine | NoLine:
    """The weighted least squares of power on 1/T. Weights are lengths of spans, since a mean over
    twice the time varies half as much. spans: as `usable` returns them."""
    domains = sorted({span.domain for span in spans})
    if len(domains) > 1:
        return NoLine(state, f"metered were different things: {', '.join(domains)}")
    points = [(1 / (period(span) or math.inf), span.watts, span.seconds) for span in spans]
    periods = len({span.period_ns for span in spans})
    if periods < _PERIODS:
        return NoLine(
            state, f"expected {_PERIODS} wake-up periods or more, found {plural(periods, 'period')}"
        )
    total = math.fsum(w for _, _, w in points)
    x_mean = math.fsum(w * x for x, _, w in points) / total
    y_mean = math.fsum(w * y for _, y, w in points) / total
    sxx = math.fsum(w * (x - x_mean) ** 2 for x, _, w in points)
    slope = math.fsum(w * (x - x_mean) * (y - y_mean) for x, y, w in points) / sxx
    at_rest = y_mean - slope * x_mean
    degrees = len(points) - 2
    scatter = math.fsum(w * (y - at_rest - slope * x) ** 2 for x, y, w in points) / degrees
    joules = scatter / sxx
    variances = scatter / total + x_mean * x_mean * joules, joules, -x_mean * joules
    return PowerLine(state, at_rest, slope, variances, len(points), degrees, domains[0])


def break_even(deep: PowerLine, shallower: Sequence[PowerLine], confidence: Decimal) -> BreakEven:
    """The greatest period over all shallower states, of which there is one or more. Each interval
    is wide enough that all hold together as often as is said (Bonferroni)."""
    each = 100 - (100 - confidence) / len(shallower)
    pairs = [_pair(deep, shallow, each) for shallow in shallower]
    never = [pair for pair in pairs if pair.period_ns is None]
    if never:
        return never[0]
    decides = max(pairs, key=lambda pair: pair.period_ns or 0)
    unbounded = [pair for pair in pairs if pair.high_ns is None]
    return BreakEven(
        deep.state,
        decides.over,
        decides.period_ns,
        max((pair.low_ns for pair in pairs if pair.low_ns is not None), default=None),
        None if unbounded else max(pair.high_ns or 0 for pair in pairs),
        unbounded[0].why if unbounded else "",
    )


def _pair(deep: PowerLine, shallow: PowerLine, confidence: Decimal) -> BreakEven:
    numerator, denominator = deep.joules - shallow.joules, shallow.watts - deep.watts
    of_watts, of_joules, common = (
        a + b for a, b in zip(deep.variances, shallow.variances, strict=True)
    )
    low, high = fieller(
        (numerator, denominator),
        (of_joules, of_watts, -common),
        student.quantile(confidence, min(deep.degrees, shallow.degrees)),
    )
    low_ns = None if low is None else max(0.0, low * NS)
    high_ns = None if high is None else max(0.0, high * NS)
    if denominator <= 0:
        why = f"{deep.state} was not measured to draw less than {shallow.state}"
        return BreakEven(
            deep.state, shallow.state, None, low_ns if high is None else None, None, why
        )
    why = ""
    if high is None:
        why = f"not identified: {deep.state} and {shallow.state} may draw the same"
    at = max(0.0, numerator / denominator * NS)
    return BreakEven(deep.state, shallow.state, at, low_ns, high_ns, why)


def fieller(
    means: tuple[float, float], variances: tuple[float, float, float], t: float
) -> tuple[float | None, float | None]:
    """Returns the bounds of the positive ratio of two means, None where it has none on that side.

    variances: of numerator and denominator, and their covariance; t: Student's quantile. The ratios
    r are those for which numerator - r * denominator is not told from 0. Where the denominator is
    not told from 0 either, they lie outside of two bounds, or are all: only the lower end of the
    part that reaches up without end can then be said.
    """
    over, under = means
    a = under * under - t * t * variances[1]
    b = over * under - t * t * variances[2]
    c = over * over - t * t * variances[0]
    root = b * b - a * c
    if a > 0:
        half = math.sqrt(max(0.0, root))
        # the smaller in size of the two is computed without a difference of like numbers
        first = b + math.copysign(half, b)
        ends = sorted((first / a, c / first if first else 0.0))
        return ends[0], ends[1]
    if a == 0 or root <= 0:
        return None, None
    upper = (b - math.sqrt(root)) / a
    return (upper, None) if upper > 0 and c > 0 else (None, None)
