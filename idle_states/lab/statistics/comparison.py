"""Two summaries compared: Student's t with the pooled standard deviation."""

import enum
import math
from collections.abc import Callable

from ...base.dataclass import dataclass
from .summary import Summary


class TVerdict(enum.StrEnum):
    """The proven relation of the other set to the reference."""

    HIGHER = "higher"
    LOWER = "lower"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of a t-test.

    difference, error       other minus reference; half the width of its confidence interval
    percent, percent_error  both in percent of the reference's average, taken as exact because
                            `error` already includes its uncertainty; None if the average is 0
    pooled                  pooled standard deviation
    degrees                 degrees of freedom
    needed                  t of the requested confidence
    t                       difference in standard errors; None if no sample varies
    """

    difference: float
    error: float
    percent: float | None
    percent_error: float | None
    pooled: float
    degrees: int
    needed: float
    t: float | None

    @property
    def verdict(self) -> TVerdict:
        if not abs(self.difference) > self.error:
            return TVerdict.NONE
        return TVerdict.HIGHER if self.difference > 0 else TVerdict.LOWER


def compare(reference: Summary, other: Summary, needed_for: Callable[[int], float]) -> Comparison:
    """s^2 = ((n1-1) s1^2 + (n2-1) s2^2) / (n1+n2-2), error = t s sqrt(1/n1 + 1/n2).

    needed_for  degrees of freedom -> t
    """
    degrees = other.n + reference.n - 2
    needed = needed_for(degrees)
    squares = (other.n - 1) * other.variance + (reference.n - 1) * reference.variance
    pooled = root(squares / degrees)
    standard_error = pooled * math.sqrt(1.0 / other.n + 1.0 / reference.n)
    difference = other.average - reference.average
    error = needed * standard_error
    base = reference.average
    return Comparison(
        difference,
        error,
        difference * 100 / base if base else None,
        error * 100 / base if base else None,
        pooled,
        degrees,
        needed,
        difference / standard_error if standard_error > 0 else None,
    )


def root(value: float) -> float:
    """Returns the square root; for a negative value -nan, as C does on common processors."""
    return math.sqrt(value) if value >= 0 else -math.nan
