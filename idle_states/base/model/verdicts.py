"""An advertised exit latency against a measured one: what follows from the measurement's interval.

An exit latency is the longest a wake-up takes (Linux, Documentation/admin-guide/pm/cpuidle.rst), so
the measured value is to be a high quantile. A mean can contradict what is advertised, since the
longest is no shorter, but cannot confirm it. Times are in nanoseconds.
"""

from typing import Literal

from ..dataclass import dataclass

Verdict = Literal["under-stated", "over-stated", "consistent", "unknown"]

SEVERAL = 2
"""The number of times more that a value without an interval has to be, and how many times less an
upper bound has to be, before they contradict what is advertised."""
MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Judgement:
    """why: what decides, in words."""

    verdict: Verdict
    why: str


def judge(
    advertised_ns: int,
    value_ns: float | None,
    low_ns: float | None,
    high_ns: float | None,
    statistic: str = "",
) -> Judgement:
    """Returns what a measurement says of an advertised exit latency.

    low_ns, high_ns  the interval's bounds; None: no bound on that side
    statistic        "p99.99", "max", MEAN; "" where it is not known
    """
    if low_ns is not None and low_ns > advertised_ns:
        return Judgement(
            "under-stated", "the whole measured interval lies above the advertised latency"
        )
    if low_ns is None and high_ns is None:
        if value_ns is not None and value_ns > SEVERAL * advertised_ns:
            why = f"more than {SEVERAL} times the advertised latency, though without an interval"
            return Judgement("under-stated", why)
        return Judgement("unknown", "the measurement has no interval")
    if statistic == MEAN:
        return Judgement("unknown", "a mean does not bound the longest wake-up")
    if high_ns is None:
        return Judgement("unknown", "the interval has no upper bound")
    if SEVERAL * high_ns < advertised_ns:
        why = f"the whole measured interval lies below 1/{SEVERAL} of the advertised latency"
        return Judgement("over-stated", why)
    return Judgement(
        "consistent", "the measured interval is consistent with the advertised latency"
    )
