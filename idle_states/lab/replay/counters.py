"""Usage, time, above and below of one CPU, counted as cpuidle_enter_state() counts them.

With d the measured residency, exit latency included, of the state k that was entered:
  above[k]  d is below k's target residency, and a shallower state is enabled
  below[k]  otherwise, d is above k's exit latency, and d minus that latency reaches the target
            residency of the next enabled deeper state
Kernels up to 5.4 count in us: each d and the sum are floored. From 5.5 on, d is in ns, and sysfs
floors the sum. (above and below exist since 5.1; for earlier kernels, 5.1's definition is used.)
"""

import struct
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import Count
from ...base.reading.problems import InputProblems
from ...tables.linux import idle_loop
from ...tables.linux.governors.core.packing import Buffer, compiled
from ...tables.linux.governors.interface import NO_STATE
from ...tables.linux.releases import Release
from .machine import CpuTable

FITS, ABOVE, BELOW = 0, 1, 2
_INT_MAX = (1 << 31) - 1
_NS_PER_US = 1000
_THRESHOLD = struct.Struct("<QQQII")
_COUNTER = struct.Struct("<6Q")
_Counted = tuple[int, int, int, int, int]
"""Usage, time, above, below and rejected of a state."""
PERCENTILES = (50.0, 90.0, 99.0, 99.9, 100.0)
PAID = "exit latency paid"
"""Label for the latency of a wake-up where only the kernel's table is known."""


def counts_in_ns(release: Release) -> bool:
    """Tells whether the release measures idle periods in ns (from 5.5 on) instead of us."""
    return idle_loop.features(release).nanoseconds


class Tally:
    """Counters of one CPU. rejected: entries that the driver refused; they are no idle periods.
    stateless: idle periods for which the governor selected no state; no state counts them."""

    def __init__(self, table: CpuTable, in_ns: bool) -> None:
        count = len(table.states)
        unit = 1 if in_ns else _NS_PER_US
        enabled = [number for number in range(count) if number not in table.disabled]
        self.table = table
        self.in_ns = in_ns
        self._residency = [state.residency_ns // unit for state in table.states]
        self._exit = [state.exit_ns // unit for state in table.states]
        self._shallower = [any(other < number for other in enabled) for number in range(count)]
        self._deeper = [
            next((self._residency[other] for other in enabled if other > number), None)
            for number in range(count)
        ]
        self._thresholds = b""
        self.usage = [0] * count
        self.time = [0] * count
        self.above = [0] * count
        self.below = [0] * count
        self.rejected = [0] * count
        self.stateless = 0

    def add(self, state: int, residency_ns: int) -> int:
        """Counts an idle period; returns ABOVE, BELOW or FITS. One for which no state was selected
        is counted in `stateless` only."""
        if state == NO_STATE:
            self.stateless += 1
            return FITS
        time = residency_ns if self.in_ns else min(residency_ns // _NS_PER_US, _INT_MAX)
        self.usage[state] += 1
        self.time[state] += time
        if time < self._residency[state]:
            if not self._shallower[state]:
                return FITS
            self.above[state] += 1
            return ABOVE
        deeper = self._deeper[state]
        if deeper is None or time < deeper:
            return FITS
        latency = self._exit[state]
        if time <= latency or time - latency < deeper:
            return FITS
        self.below[state] += 1
        return BELOW

    @property
    def thresholds(self) -> bytes:
        """The limits for above and below of each state, packed for the compiled core."""
        if not self._thresholds:
            of_states = zip(self._residency, self._exit, self._deeper, self._shallower, strict=True)
            self._thresholds = b"".join(
                _THRESHOLD.pack(residency, exit_, deeper or 0, deeper is not None, shallower)
                for residency, exit_, deeper, shallower in of_states
            )
        return self._thresholds

    @property
    def exits_ns(self) -> "array[int]":
        """The exit latencies, packed for the compiled core."""
        return array("Q", [state.exit_ns for state in self.table.states])

    def empty_counters(self) -> bytearray:
        """Returns zeroed counters for the compiled core to add to."""
        return bytearray(_COUNTER.size * len(self.usage))

    def absorb(self, counters: Buffer) -> None:
        """Adds counters filled by the compiled core."""
        for state, (usage, time, above, below, rejected) in enumerate(_counted(counters)):
            self.usage[state] += usage
            self.time[state] += time
            self.above[state] += above
            self.below[state] += below
            self.rejected[state] += rejected

    def figures_of(self, counters: Buffer) -> "Figures":
        """Figures of counters filled by the compiled core, which are not added."""
        return self._figures(_counted(counters))

    def count(self, rows: Buffer, decisions: Buffer) -> tuple[int, list[int]]:
        """Counts packed rows, each under the state in `decisions`. Returns the number of rows whose
        state is beyond the table, and the indices of the first three of them."""
        counters = self.empty_counters()
        outside, first = compiled.tally(self.thresholds, self.in_ns, rows, decisions, counters)
        self.absorb(counters)
        return outside, first

    def refuse(self, state: int, residency_ns: int) -> None:
        """Turns a period counted as above into a refused entry."""
        other = Tally(self.table, self.in_ns)
        other.add(state, residency_ns)
        self.withdraw(other)

    def withdraw(self, other: "Tally") -> None:
        """Turns all periods of another tally, which this one includes, into refused entries."""
        for state, count in enumerate(other.usage):
            self.usage[state] -= count
            self.time[state] -= other.time[state]
            self.above[state] -= other.above[state]
            self.below[state] -= other.below[state]
            self.rejected[state] += count

    def figures(self) -> "Figures":
        of_states = self.usage, self.time, self.above, self.below, self.rejected
        return self._figures(zip(*of_states, strict=True))

    def _figures(self, counted: Iterable[_Counted]) -> "Figures":
        unit = _NS_PER_US if self.in_ns else 1
        exits_ns = [state.exit_ns for state in self.table.states]
        states = [
            StateFigures(number, name, usage, time // unit, *others)
            for number, (name, (usage, time, *others)) in enumerate(
                zip(self.table.names, counted, strict=True)
            )
        ]
        return Figures.of(states, exits_ns)


def _counted(counters: Buffer) -> Iterator[_Counted]:
    for usage, time_low, time_high, above, below, rejected in _COUNTER.iter_unpack(counters):
        yield usage, time_low + (time_high << 64), above, below, rejected


def stateless(tallies: Mapping[int, Tally], problems: InputProblems) -> None:
    """Says of CPUs how often their governor selected no state."""
    for cpu, tally in tallies.items():
        if tally.stateless:
            message = f"CPU {cpu}: {tally.stateless}"
            problems.add("default-idle", message, count=tally.stateless)


@dataclass(frozen=True, slots=True)
class StateFigures:
    """Counters of a state, in the kernel's terms."""

    index: Annotated[Count, "Number."]
    name: Annotated[str, "Name."]
    usage: Annotated[Count, "Idle periods."] = 0
    time_us: Annotated[Count, "Time spent."] = 0
    above: Annotated[Count, "Too deep, as the kernel counts."] = 0
    below: Annotated[Count, "Too shallow."] = 0
    rejected: Annotated[Count, "Entries that the driver refused."] = 0

    def __add__(self, other: "StateFigures") -> "StateFigures":
        counters = ("usage", "time_us", "above", "below", "rejected")
        sums = (getattr(self, name) + getattr(other, name) for name in counters)
        return StateFigures(self.index, self.name, *sums)


@dataclass(frozen=True, slots=True)
class Figures:
    """Counters of a CPU or of several.

    wakeups  (exit latency in ns, number of idle periods with it), ascending
    """

    states: tuple[StateFigures, ...]
    wakeups: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, states: Sequence[StateFigures], exits_ns: Iterable[int]) -> "Figures":
        """Returns the counters of states, whose exit latencies wake-ups pay."""
        wakeups: Counter[int] = Counter()
        for state, exit_ns in zip(states, exits_ns, strict=True):
            wakeups[exit_ns] += state.usage
        return cls(tuple(states), tuple(sorted((+wakeups).items())))

    @property
    def usage(self) -> int:
        return sum(state.usage for state in self.states)

    @property
    def above(self) -> int:
        return sum(state.above for state in self.states)

    @property
    def below(self) -> int:
        return sum(state.below for state in self.states)

    @property
    def time_us(self) -> int:
        return sum(state.time_us for state in self.states)

    def wake_latency_ns(self, percentile: float) -> int | None:
        """Returns a percentile of the exit latency by nearest rank; None without idle periods."""
        return nearest_rank(self.wakeups, percentile)


def nearest_rank(counted: Sequence[tuple[int, int]], percentile: float) -> int | None:
    """Returns a percentile of values by nearest rank; None without any.

    counted  (value, how often), ascending
    """
    count = sum(number for _, number in counted)
    rank = max(1, -(-round(percentile * 10) * count // 1000))
    for value, number in counted:
        rank -= number
        if rank <= 0:
            return value
    return None


def total(figures: "list[Figures]") -> Figures:
    """Sums over CPUs. States of the same number and name are added up, even of different tables."""
    rows: dict[tuple[int, str], StateFigures] = {}
    wakeups: Counter[int] = Counter()
    for each in figures:
        for state in each.states:
            key = (state.index, state.name)
            rows[key] = rows[key] + state if key in rows else state
        wakeups.update(dict(each.wakeups))
    return Figures(tuple(rows[key] for key in sorted(rows)), tuple(sorted(wakeups.items())))


def percentile_name(percentile: float) -> str:
    """Returns a label such as p50, p99.9 or max."""
    return "max" if percentile == 100 else f"p{percentile:g}"
