"""Governors of Linux whose source a change alters: both sides compiled, run confined, compared.

Both decide the same idle periods of packaged tables, about each target residency, and are judged by
how long each period lasts; what is selected by idle length is mapped; and the simulated workloads
of a table's change are run with either side. The kernel around both is the tree's release.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Rejected, UsageError
from ...base.model.forms import Count
from ...base.reading.git.commits import Commit, CommitReader
from ...tables.linux.driver_table import DriverTable
from ...tables.linux.governors import State, states_of
from ...tables.linux.governors.core.packing import NONE, ROW
from ...tables.linux.governors.rhythms import CIRCUMSTANCES, rhythm_rows
from ...tables.linux.governors.source.named import DIRECTORY, SourceFile, give
from ...tables.linux.releases import Release
from ...tables.pipeline import Arrival, journey
from ...tables.selection.selection import SelectionChange, changes, select
from ...tables.skiboot.platform import ALL_LEVELS
from ...tables.sources import Source, read_sources
from ...tables.spec.packaged import named
from .claims.claim import MessageClaim
from .claims.function import function

if TYPE_CHECKING:
    from .workloads import OnWorkload

_SIMULATED = "power9"


@dataclass(frozen=True, slots=True)
class JudgedDecisions:
    """The selections of both sides in idle periods of one kind, judged by how long each lasts."""

    circumstance: Annotated[str, "The circumstances of these idle periods."]
    periods: Annotated[Count, "Idle periods that both sides decided."]
    differ: Annotated[Count, "Idle periods for which they select different states."]
    deeper: Annotated[Count, "Differing periods for which the new side selects the deeper state."]
    ticks: Annotated[
        Count, "Periods for which both select the same state, and only one of them stops the tick."
    ]
    too_deep: Annotated[
        tuple[Count, Count],
        "Before and after: periods shorter than the selected state's target residency.",
    ]
    too_shallow: Annotated[
        tuple[Count, Count],
        "Before and after: periods that a deeper state within the latency limit would have fitted.",
    ]


@dataclass(frozen=True, slots=True)
class MapChange:
    """Idle lengths of one circumstance for which the governor settles on another state."""

    timer_driven: Annotated[bool, "True: a timer ends the idle periods; false: an interrupt."]
    tick_stopped: Annotated[bool, "True if the tick is stopped already."]
    changes: Annotated[tuple[SelectionChange, ...], "The lengths, tried, not proven."]


@dataclass(frozen=True, slots=True)
class OnTable:
    """The effect of a governor's change on a table, as the kernel registers it."""

    tables: Annotated[tuple[str, ...], "Names of the tables that have these states."]
    judged: Annotated[tuple[JudgedDecisions, ...], "Decisions, by circumstance."]
    maps: Annotated[Count, "Maps of idle lengths to states that were compared."]
    changed: Annotated[tuple[MapChange, ...], "The maps that differ."]
    lost: Annotated[tuple[str, ...], "States that only the old side selects anywhere."]
    gained: Annotated[tuple[str, ...], "States that only the new side does."]


@dataclass(frozen=True, slots=True)
class GovernorChange:
    """A governor whose source changes.

    name       "menu"
    file       its C file in the repository
    kernel     the release that the tree is of, whose drivers and idle loop are around it; ""
               where nothing was run
    hz         the tick rate
    tables     what the change does to packaged tables
    workloads  those simulated on which something changes; unchanged: the others, by name
    grounds    assumptions of the simulated figures
    unsaid     why nothing was compared; "" where it was
    has_failed  whether that is because a side could not be compiled or run
    claims     what messages say of its function, and whether that holds
    """

    name: str
    file: str
    kernel: str = ""
    hz: int = 0
    tables: tuple[OnTable, ...] = ()
    workloads: "tuple[OnWorkload, ...]" = ()
    unchanged: tuple[str, ...] = ()
    grounds: tuple[str, ...] = ()
    unsaid: str = ""
    has_failed: bool = False
    claims: tuple[MessageClaim, ...] = ()

    @property
    def judged(self) -> list[JudgedDecisions]:
        """The decisions of all tables together, by circumstance."""
        found = []
        for number, circumstance in enumerate(CIRCUMSTANCES):
            each = [table.judged[number] for table in self.tables]
            total = (sum(getattr(one, name) for one in each) for name in _COUNTS)
            sides = (
                tuple(sum(getattr(one, name)[side] for one in each) for side in (0, 1))
                for name in ("too_deep", "too_shallow")
            )
            found.append(JudgedDecisions(circumstance, *total, *sides))
        return found

    @property
    def decisions(self) -> int:
        """The idle periods that both sides decided."""
        return sum(one.periods for one in self.judged)

    @property
    def differ(self) -> int:
        """Returns the periods for which they select different states."""
        return sum(one.differ for one in self.judged)

    @property
    def ticks(self) -> int:
        """Returns the periods for which only what they decide about the tick differs."""
        return sum(one.ticks for one in self.judged)


_COUNTS = ("periods", "differ", "deeper", "ticks")


def table_names() -> tuple[str, ...]:
    """Returns the tables on which governors are compared: all packaged ones that are current, and
    three of intel_idle."""
    current = (each.name for each in named() if "@" not in each.name)
    return (*current, "intel:skx", "intel:spr", "intel:mtl")


@dataclass(slots=True)
class GovernorRuns:
    """Compares governors' sources at commits of a repository. run: whether they may be run; runs:
    seeds of each simulated workload, 0 for none."""

    repository: CommitReader
    paths: Sequence[str]
    run: bool
    hz: int
    runs: int
    _tables: dict[str, list[tuple[list[str], Source, Arrival]]] = field(default_factory=dict)

    def changes(
        self, base: str, head: str, kernel: Release, commits: Sequence[Commit]
    ) -> Iterator[GovernorChange]:
        """Yields the governors whose source is another at head than at base.

        kernel   the release that the tree is of, or comes nearest to
        commits  of the range, whose messages are read
        """
        top = f"{self.repository.prefix}{DIRECTORY}/"
        for path in self.paths:
            name = path.removeprefix(top).removesuffix(".c")
            there = [bool(c and self.repository.named(c, path)) for c in (base, head)]
            if not all(there):
                if any(there):
                    verb = "is new" if there[1] else "is removed"
                    yield GovernorChange(name, path, unsaid=f"{verb}: nothing to compare it with")
                continue
            try:
                old, new = (give(self.repository, commit, name) for commit in (base, head))
                if (old.digest, old.header) != (new.digest, new.header):
                    found = self._compared(name, path, old, new, kernel)
                    own = [one for one in commits if self._touches(one, path)]
                    differ = None if found.unsaid else found.differ + found.ticks
                    yield replace(found, claims=tuple(function(own, differ, found.decisions)))
            except Rejected as error:
                reason = "; ".join(found.message for found in error.findings)
                yield GovernorChange(name, path, unsaid=f"not compared: {reason}", has_failed=True)

    def _touches(self, commit: Commit, path: str) -> bool:
        before = self.repository.named(commit.parent, path) if commit.parent else []
        return before != self.repository.named(commit.hash, path)

    def _compared(
        self, name: str, path: str, old: SourceFile, new: SourceFile, kernel: Release
    ) -> GovernorChange:
        """Raises Unreadable for a source that does not compile, crashes or is not confined."""
        if not self.run:
            hint = "--run compiles both sides, runs them confined and compares what they select"
            return GovernorChange(name, path, unsaid=f"changes; {hint}")
        from .workloads import LOADS, Case, Side, Simulator

        tables = tuple(
            self._on_table(names, arrival, (old.name, new.name))
            for names, _, arrival in self._known(kernel)
        )
        simulator, workloads = Simulator(self.hz, self.runs), {}
        grounds: list[str] = []
        for names, source, arrival in self._known(kernel):
            if _SIMULATED in names and self.runs:
                assert source.table is not None
                case = Case(*(Side.of(source.table, arrival, each.name) for each in (old, new)))
                workloads = {load.workload: simulator.on(case, load) for load in LOADS}
                grounds += simulator.grounds(case)
        changed = tuple(filter(None, workloads.values()))
        same = tuple(load for load, result in workloads.items() if result is None)
        rest = tuple(grounds) if changed else ()
        return GovernorChange(name, path, kernel.name, self.hz, tables, changed, same, rest)

    def _known(self, kernel: Release) -> list[tuple[list[str], Source, Arrival]]:
        """Returns (names, source, what the kernel registers) of the packaged tables that are
        current, those with the same states together."""
        if kernel.name not in self._tables:
            found: dict[object, tuple[list[str], Source, Arrival]] = {}
            for name in table_names():
                try:
                    sources = [one for one in read_sources(name) if one.table is not None]
                    ways = [(one, journey(one, ALL_LEVELS, [kernel])) for one in sources]
                except (Rejected, UsageError):
                    continue
                for source, way in ways:
                    driver = way.arrivals[0].driver
                    if len(driver.states) > 1:
                        key = states_of(driver), driver.off, tuple(s.name for s in driver.states)
                        names, *_ = found.setdefault(key, ([], source, way.arrivals[0]))
                        names.append(name if len(sources) == 1 else f"{name}:{source.name}")
            self._tables[kernel.name] = list(found.values())
        return self._tables[kernel.name]

    def _on_table(self, names: Sequence[str], arrival: Arrival, sides: tuple[str, str]) -> OnTable:
        driver = arrival.driver
        states = states_of(driver)
        found = [select(side, arrival.release, driver, self.hz) for side in sides]
        judged, entered = _decided(states, driver, self.hz, sides)
        every = set(range(len(states)))
        old, new = (
            every - set(each.unreachable) | one & every
            for each, one in zip(found, entered, strict=True)
        )
        return OnTable(
            tuple(names),
            judged,
            len(found[0].maps),
            tuple(
                MapChange(at.circumstances.timer_driven, at.circumstances.tick_stopped, tuple(some))
                for at, some in changes(*found)
            ),
            found[0].state_names(sorted(old - new)),
            found[0].state_names(sorted(new - old)),
        )


def _decided(
    states: Sequence[State], driver: DriverTable, hz: int, sides: Sequence[str]
) -> tuple[tuple[JudgedDecisions, ...], list[set[int]]]:
    """Returns the decisions of both sides, judged, and the states that each selects."""
    from ...tables.linux.governors.source.model import model

    found, entered = [], [set[int](), set[int]()]
    off = sum(1 << state for state in driver.off)
    enabled = [(n, state) for n, state in enumerate(states) if not off >> n & 1]
    for words, circumstance in CIRCUMSTANCES.items():
        rows = b"".join(rhythm_rows(states, hz, circumstance, off))
        decided = [model(side, states, hz).replay(rows) for side in sides]  # type: ignore[attr-defined]
        differ = deeper = ticks = 0
        deep, shallow = [0, 0], [0, 0]
        both = zip(*(one.packed[::2] for one in decided), strict=True)
        stops = zip(*(one.packed[1::2] for one in decided), strict=True)
        for row, selected, (old, new) in zip(ROW.iter_unpack(rows), both, stops, strict=True):
            idle_ns, limit_ns = row[4], row[6] * 1000
            fits = (n for n, s in enabled if s.residency_ns <= idle_ns and s.exit_ns <= limit_ns)
            best = max(fits, default=0)
            for side, state in enumerate(selected):
                deep[side] += state != NONE and states[state].residency_ns > idle_ns
                shallow[side] += state == NONE or state < best
            differ += selected[0] != selected[1]
            deeper += selected[0] < selected[1]
            ticks += selected[0] == selected[1] and old != new and not row[9]
        for side, own in enumerate(decided):
            entered[side].update(own.states)
        periods = len(rows) // ROW.size
        found.append(
            JudgedDecisions(
                words, periods, differ, deeper, ticks, (deep[0], deep[1]), (shallow[0], shallow[1])
            )
        )
    return tuple(found), entered
