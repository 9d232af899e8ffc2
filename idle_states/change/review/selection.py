"""How a change alters what a governor selects, at a sample of idle lengths.

The lengths are 1, 2 and 5 times each power of ten, the residencies that changed, and the lengths
just below these. Each selection is exact for its length; `diff --governor` computes exact ranges,
but takes too long for a review of many commits.
"""

from collections.abc import Iterator, Sequence

from ...base.model.units import format_time
from ...tables.diff.tables import Difference
from ...tables.linux.driver_table import DriverTable
from ...tables.linux.governors import UnknownGovernor, states_of
from ...tables.linux.governors.settling import Circumstances, Settling
from ...tables.linux.platforms import AnyPlatform
from ...tables.linux.releases import Release
from ...tables.pipeline import Arrival, journey
from ...tables.selection.selection import settling_of
from ...tables.sources import Source

SERIES_US = tuple(digit * 10**power for power in range(5) for digit in (1, 2, 5))
"""1 us to 50 ms."""


class Selector:
    """A governor's selections, each computed once. hz: the kernel's tick rate."""

    def __init__(self, governor: str, hz: int) -> None:
        self.governor = governor
        self.hz = hz
        self._answers: dict[object, tuple[int, ...]] = {}

    def differences(
        self, before: Source, after: Source, kernels: Sequence[Release], platform: AnyPlatform
    ) -> Iterator[tuple[str, list[Difference]]]:
        """Yields (kernel, differences in the states selected), without kernels for which the
        governor is not modelled. Idle periods end by an interrupt, with the next timer far away and
        the tick running. Both sources must have tables."""
        arrivals = (journey(source, platform, kernels).arrivals for source in (before, after))
        for old, new in zip(*arrivals, strict=True):
            try:
                found = list(self._of_kernel(old, new))
            except UnknownGovernor:
                continue
            yield old.release.name, found

    def _of_kernel(self, old: Arrival, new: Arrival) -> Iterator[Difference]:
        if not old.driver.states or not new.driver.states or _same(old.driver, new.driver):
            return
        lengths = _lengths(old.driver, new.driver)
        ways = [settling_of(self.governor, a.release, a.driver, self.hz) for a in (old, new)]
        tables = old.driver, new.driver
        stage = f"{self.governor} {old.release.name}"
        first, before, last = 0, ("", ""), 0
        for length in [*lengths, 0]:
            now = ("", "")
            if length:
                now = (
                    self._names(ways[0], tables[0], length),
                    self._names(ways[1], tables[1], length),
                )
            if now != before or not length:
                if before[0] != before[1]:
                    yield Difference(stage, f"idle {_span(first, last)}", *before)
                first, before = length, now
            last = length

    def _names(self, way: Settling, table: DriverTable, length_us: int) -> str:
        key = way.governor.states, way.governor.features, length_us
        if key not in self._answers:
            self._answers[key] = way.at(length_us * 1000, Circumstances())
        return "/".join(table.states[number].name for number in self._answers[key])


def _same(a: DriverTable, b: DriverTable) -> bool:
    return states_of(a) == states_of(b) and [s.name for s in a.states] == [s.name for s in b.states]


def _lengths(a: DriverTable, b: DriverTable) -> list[int]:
    """Idle lengths to try, in us."""
    changed = {s.target_residency_us for s in a.states} ^ {s.target_residency_us for s in b.states}
    near = {length for residency in changed for length in (residency - 1, residency)}
    return sorted({*SERIES_US, *(length for length in near if length > 0)})


def _span(first_us: int, last_us: int) -> str:
    if first_us == last_us:
        return format_time(first_us * 1000)
    return f"{format_time(first_us * 1000)} to {format_time(last_us * 1000)}"
