"""The measurements of idle states on a machine: wake-up latencies and power.

Frozen values without I/O; `fit/` reads them from files and makes advertised values of them. Times
are floats in nanoseconds, because tools print fractions of them; counts are integers.
"""

from collections.abc import Mapping
from typing import Literal

from ..dataclass import dataclass, field
from .findings import Location

WokenBy = Literal["timer", "write", "ipi", "nic", "pipe"]
"""The event that ended the idle period: the CPU's own timer, another CPU's write to a flag that the
idle CPU polls or monitors, another CPU's interrupt, a network card's timer, a write to a pipe
(which includes the scheduler). Each measures more than the one before."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Single measurements, in the order they were made."""

    values_ns: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LatencyBins:
    """Counts by range of values.

    bins            (low, high, count): low <= value < high in ns, ascending, count >= 1
    over            values above the last bin, of which no more is known
    min_ns, max_ns  the exact extremes, None where the source does not say them
    """

    bins: tuple[tuple[float, float, int], ...]
    over: int = 0
    min_ns: float | None = None
    max_ns: float | None = None


@dataclass(frozen=True, slots=True)
class SummaryOnly:
    """Statistics alone, None or absent where the source does not say them.

    quantiles_ns  share -> ns: {0.5: 7564.0, 0.99: 9514.0}
    """

    n: int | None = None
    mean_ns: float | None = None
    sd_ns: float | None = None
    min_ns: float | None = None
    max_ns: float | None = None
    quantiles_ns: Mapping[float, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Latency:
    """Wake-up latencies of one state, measured one way.

    state     name or "state3" as the source gives it; None: it does not say which state was entered
    busy      measured with the CPU awake: what the measuring itself takes, to be subtracted
    net       the source has subtracted its own share already
    group     latencies of different groups are not to be mixed: a package state reached or not, a
              CPU, a frequency; in words, "" where there is one group
    where     file and line of the first value
    """

    state: str | None
    woken_by: WokenBy
    values: Samples | LatencyBins | SummaryOnly
    busy: bool = False
    net: bool = False
    group: str = ""
    where: Location | None = None


@dataclass(frozen=True, slots=True)
class Energy:
    """Mean power of a span in which one state was forced and CPUs were woken periodically.

    wakeups    wake-ups in the span as counted; None: not counted, period_ns is what was asked
    domain     what was metered: "package", "core", "wall", ...
    reached    share of the span that hardware says the state was reached; None where it is unknown
    """

    state: str
    period_ns: float
    watts: float
    seconds: float
    wakeups: int | None = None
    domain: str = ""
    reached: float | None = None
    where: Location | None = None


@dataclass(frozen=True, slots=True)
class Claimed:
    """The machine's own claims about a state while it was measured, ns; None without a claim."""

    state: str
    latency_ns: float | None = None
    residency_ns: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """All that one file says.

    file, sha256  the input
    tool          what wrote it, with its version where it says one: "wult 1.12.40"
    machine       the CPU or machine as the file names it, None where it does not
    kernel        the kernel's release as the file names it
    left_out      reason -> number of values that were left out
    notes         sentences: what a reader of results should know of this file
    """

    file: str
    sha256: str
    tool: str
    machine: str | None = None
    kernel: str | None = None
    latencies: tuple[Latency, ...] = ()
    energies: tuple[Energy, ...] = ()
    claims: tuple[Claimed, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
