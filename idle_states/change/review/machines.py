"""The effects of a changed table on machines: states registered, idle periods that take another
state, and workloads simulated before and after.

The kernels are those of the day the change was written, which its author and reviewers had, and
those of today. Selections are exact; workloads are simulated on the newest kernel of each. What is
selected at a sample of idle lengths is computed without the core, too.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Annotated

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import UsageError
from ...base.model.table import Register
from ...base.model.units import format_time
from ...base.wording import joined
from ...tables.diff.tables import Difference
from ...tables.linux.driver_table import DriverTable
from ...tables.linux.governors import UnknownGovernor, core, states_of
from ...tables.linux.governors.settling import Circumstances, Settling
from ...tables.linux.governors.steady import Range, selection_map
from ...tables.linux.platforms import AnyPlatform
from ...tables.linux.release_dates import current_at, released
from ...tables.linux.releases import MAINLINE, Release, release
from ...tables.pipeline import Arrival, journey
from ...tables.selection.selection import SelectionChange, map_changes, settling_of
from ...tables.sources import Source

if TYPE_CHECKING:
    from .workloads import Case, OnWorkload, Simulator

_WITHOUT_CORE = "neither exact selections nor workloads: the compiled core is missing"


@dataclass(frozen=True, slots=True)
class OnKernels:
    """A change that is the same on some kernels."""

    kernels: Annotated[tuple[str, ...], "Kernels on which all that follows is the same."]
    gained: Annotated[tuple[str, ...], "States that are registered only after the change."]
    lost: Annotated[tuple[str, ...], "States that were registered only before it."]
    interrupted: Annotated[
        tuple[SelectionChange, ...],
        "Exact, for idles that an interrupt ends, the next timer far away and the tick running.",
    ]
    timed: Annotated[tuple[SelectionChange, ...], "Exact, for idles that a timer ends."]


@dataclass(frozen=True, slots=True)
class OnMachines:
    """The effects of a table's change on machines.

    day        when it was written; None if that is not known
    then       kernels of that day, before them the one that it is a change of
    own        the kernel that it is a change of; "" where that is not known
    kernels    effects, kernels with the same ones together
    workloads  those that it changes
    unchanged  (kernel, workload) that were simulated without a difference
    grounds    assumptions of the simulated figures; none without figures
    unsaid     why something was not computed, in sentences
    """

    day: date | None
    then: tuple[str, ...]
    kernels: tuple[OnKernels, ...] = ()
    workloads: "tuple[OnWorkload, ...]" = ()
    unchanged: tuple[tuple[str, str], ...] = ()
    grounds: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    own: str = ""


@dataclass(slots=True)
class MachineModel:
    """Computes what changes do to machines, each thing once.

    kernels  today's
    runs     seeds for each workload; 0: none is simulated
    """

    kernels: Sequence[Release]
    platform: AnyPlatform
    governor: str = "menu"
    hz: int = 250
    runs: int = 1
    _maps: dict[object, tuple[Range, ...]] = field(default_factory=dict)
    _simulator: "Simulator | None" = None

    @property
    def simulator(self) -> "Simulator":
        from .workloads import Simulator

        if self._simulator is None:
            self._simulator = Simulator(self.hz, self.runs)
        return self._simulator

    def effects(self, before: Source, after: Source, day: date | None, own: str = "") -> OnMachines:
        """Both sources must have tables. day: when the change was written; own: the kernel that it
        is a change of, "" for none."""
        names = list(dict.fromkeys([*([own] if own else []), *(current_at(day) if day else ())]))
        then = tuple(map(release, names))
        kernels = (*then, *(kernel for kernel in self.kernels if kernel.name not in names))
        ways = [journey(source, self.platform, kernels).arrivals for source in (before, after)]
        changed = [sides for sides in zip(*ways, strict=True) if not _is_same(*sides)]
        if not changed or not core.available():
            unsaid = [_WITHOUT_CORE] if changed else []
            return OnMachines(day, tuple(names), unsaid=tuple(unsaid), own=own)
        grouped: dict[OnKernels, list[str]] = {}
        unknown: list[str] = []
        for old, new in changed:
            try:
                grouped.setdefault(self._on(old, new), []).append(old.release.name)
            except UnknownGovernor:
                unknown.append(old.release.name)
        unsaid = [f"{self.governor} of Linux {joined(unknown)} is not modelled"] if unknown else []
        wanted = self._simulated(day) - set(unknown)
        assert before.table is not None
        assert after.table is not None
        from .workloads import Case, Side

        workloads: list[OnWorkload] = []
        unchanged: list[tuple[str, str]] = []
        grounds: list[str] = []
        for old, new in changed:
            kernel = old.release.name
            if kernel not in wanted:
                continue
            sides = (before.table, old), (after.table, new)
            case = Case(*(Side.of(table, at, self.governor) for table, at in sides))
            try:
                results = self._performed(case)
            except UsageError as error:
                unsaid.append(f"Linux {kernel} is not simulated: {error}")
                continue
            workloads += filter(None, results.values())
            unchanged += [(kernel, name) for name, result in results.items() if result is None]
            grounds += self.simulator.grounds(case) if any(results.values()) else []
        return OnMachines(
            day,
            tuple(names),
            tuple(replace(effect, kernels=tuple(alike)) for effect, alike in grouped.items()),
            tuple(workloads),
            tuple(unchanged),
            tuple(dict.fromkeys(grounds)),
            tuple(unsaid),
            own,
        )

    def _simulated(self, day: date | None) -> set[str]:
        """Names of the newest kernel that was out on the day, and the newest of today's."""
        if not self.runs:
            return set()
        out = [name for name in MAINLINE if day is not None and released(name) <= day]
        today = max(self.kernels, key=lambda kernel: kernel.version, default=None)
        return {*out[-1:], *([today.name] if today else [])}

    def _performed(self, case: "Case") -> "dict[str, OnWorkload | None]":
        """Workload -> what the change does to it; None: nothing. Raises UsageError for a case that
        is not simulated."""
        if Register.NONE in (case.old.table.register, case.new.table.register):
            raise UsageError("what states stop is known for OPAL's tables only")
        if not (case.old.held.states and case.new.held.states):
            raise UsageError("with one of the tables it registers no state")
        from .workloads import LOADS

        return {load.workload: self.simulator.on(case, load) for load in LOADS}

    def _on(self, old: Arrival, new: Arrival) -> OnKernels:
        """The effects under one kernel, which they do not name. Raises UnknownGovernor."""
        drivers = old.driver, new.driver
        names = [[state.name for state in driver.states] for driver in drivers]
        moves = []
        for timer_driven in (False, True):
            if all(names):
                ranges = [self._map(old.release, driver, timer_driven) for driver in drivers]
                found = map_changes(names[0], ranges[0], names[1], ranges[1])
                moves.append(tuple(found))
            else:
                moves.append(())
        return OnKernels(
            (),
            tuple(name for name in names[1] if name not in names[0]),
            tuple(name for name in names[0] if name not in names[1]),
            *moves,
        )

    def _map(self, kernel: Release, driver: DriverTable, timer_driven: bool) -> tuple[Range, ...]:
        settling = settling_of(self.governor, kernel, driver, self.hz)
        key = settling.governor.states, settling.governor.features, timer_driven
        if key not in self._maps:
            fixed = Circumstances(timer_driven=timer_driven)
            self._maps[key] = tuple(selection_map(settling, fixed))
        return self._maps[key]


def _is_same(a: Arrival, b: Arrival) -> bool:
    """Tells whether a governor sees the same."""
    names = [[state.name for state in one.driver.states] for one in (a, b)]
    return states_of(a.driver) == states_of(b.driver) and names[0] == names[1]


SERIES_US = tuple(digit * 10**power for power in range(5) for digit in (1, 2, 5))
"""1 us to 50 ms."""


class Selector:
    """Compares a governor's selections at a sample of idle lengths, each computed once: 1, 2 and 5
    times each power of ten, residencies that changed, and lengths just below these. Exact ranges,
    as of `diff --governor`, would take too long for a review of many commits."""

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
        if not old.driver.states or not new.driver.states or _is_same(old, new):
            return
        tables = old.driver, new.driver
        ways = [settling_of(self.governor, old.release, table, self.hz) for table in tables]
        stage = f"{self.governor} {old.release.name}"
        first, before, last = 0, ("", ""), 0
        residencies = [{state.target_residency_us for state in table.states} for table in tables]
        near = {us for changed in residencies[0] ^ residencies[1] for us in (changed - 1, changed)}
        for length in [*sorted({*SERIES_US, *near} - {-1, 0}), 0]:
            now = ("", "")
            if length:
                a, b = (self._names(*way, length) for way in zip(ways, tables, strict=True))
                now = a, b
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


def _span(first_us: int, last_us: int) -> str:
    if first_us == last_us:
        return format_time(first_us * 1000)
    return f"{format_time(first_us * 1000)} to {format_time(last_us * 1000)}"
