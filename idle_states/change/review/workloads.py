"""Workloads simulated with a table before and after a change, running CPUs included.

What hardware takes to leave a state does not change with a table. So both tables are simulated on
the same hardware: as the new table describes it and, where the old one says otherwise, as that
does. Every figure of the change is a range over both, over all seeds, and over what states may
draw.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Self

from ...base.dataclass import dataclass
from ...base.model.forms import Rounded
from ...base.model.table import IdleTable, Power, Register
from ...lab.replay.consumption import LEAVING_NOTE, Change, spanned
from ...lab.replay.machine import CpuTable, from_driver
from ...lab.replay.power import Rows
from ...lab.simulation import by_core
from ...lab.simulation.consumption import (
    Draws,
    anything,
    drawn,
    likely,
    power_ratios,
    turning_points,
)
from ...lab.simulation.costs import Costs
from ...lab.simulation.setup import SCOPES, Effect, Setup, check_selects, effects_of
from ...lab.simulation.simulate import simulate
from ...lab.simulation.window import Window, window
from ...lab.simulation.workload_request import WorkloadRequest
from ...tables.linux.governors import Governor
from ...tables.linux.releases import Release
from ...tables.pipeline import Arrival
from ...tables.power.energy import RELATIVE, Spent
from ...tables.spec.library import packaged

if TYPE_CHECKING:
    from ...lab.simulation.given import Given

_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Load:
    """A workload, how long it settles before it is looked at, and for how long it is, in ns.

    on_chip  whether its CPUs are a part of the processor's chip; else they have no siblings
    """

    workload: str
    on_chip: bool
    settles_ns: int
    lasts_ns: int


LOADS = (
    Load("ping-pong", False, 20 * _MS, 40 * _MS),
    Load("periodic", False, 20 * _MS, 200 * _MS),
    Load("server", True, 100 * _MS, 1000 * _MS),
    Load("server:gap=300ms", True, 1000 * _MS, 60_000 * _MS),
)
"""Idle periods of about 2 us, 100 us, 1 ms and 300 ms."""
_CHIP = {Register.PSSCR: "cpus=8,threads=4,pair=2", Register.PMICR: "cpus=8,threads=8"}
"""A topology with as many CPUs as clients: those that nobody uses would be in the totals with the
state that they took first."""


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a state."""

    state: Annotated[str, "Its name."]
    per_unit: Annotated[
        float | None, Rounded(4), "Idle periods for each unit of work; null without work."
    ]
    share: Annotated[float, Rounded(3), "Share of all CPUs' time, in percent."]


@dataclass(frozen=True, slots=True)
class Performed:
    """The figures of a workload with one table.

    units_per_s       units of work
    wakeups_per_unit  idle periods that ended, for each; None without work
    awake             percent of CPU time outside idle states
    median_ns, p99_ns  from wake-up to first instruction; None without wake-ups
    spent            what CPUs drew, relative to a thread in snooze, states drawing what is likely
    """

    units_per_s: float
    wakeups_per_unit: float | None
    awake: float
    median_ns: int | None
    p99_ns: int | None
    states: tuple[Use, ...]
    spent: Spent


@dataclass(frozen=True, slots=True)
class OnWorkload:
    """The effect of a change on a workload under a kernel, in percent over all assumptions.

    unit           what the workload counts: "round trips"
    before, after  with the first seed, on hardware as the new table describes it
    rate           units of work in a time; None where there are none
    power          mean power of all CPUs, states drawing what is likely
    energy         energy for each unit of work, likewise; None where there are none
    power_any, energy_any  the same whatever states draw
    turning        least and most that the states but for snooze would have to draw, in percent of
                   snooze, for the energy of a unit to stay as it is; None if nothing does that
    """

    workload: str
    machine: str
    kernel: str
    unit: str
    before: Performed
    after: Performed
    rate: Change | None
    power: Change
    energy: Change | None
    power_any: Change
    energy_any: Change | None
    turning: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Side:
    """A table under a kernel.

    held      the states as its governor sees them
    rows      (kernel's state name, row) of the rows that became states
    governor  as --governor names it
    """

    table: IdleTable
    release: Release
    held: CpuTable
    rows: Rows
    governor: str

    @classmethod
    def of(cls, table: IdleTable, arrival: Arrival, governor: str) -> Self:
        rows = sorted(arrival.registered.items())
        return cls(
            table,
            arrival.release,
            from_driver(arrival.driver),
            tuple((state.name, table.states[row]) for row, state in rows),
            governor,
        )

    def effects(self, exits_ns: Mapping[str, int] | None = None) -> tuple[Effect, ...]:
        """Returns the hardware's behaviour in each state. exits_ns: state -> exit latency, where
        it is not the table's."""
        return effects_of(self.held, self.table, exits_ns, self.rows)


@dataclass(frozen=True, slots=True)
class Case:
    """Two tables, or two governors, under one kernel."""

    old: Side
    new: Side

    def latencies(self) -> Iterator[tuple[str, int, int]]:
        """(state, old exit latency, new one) of states that both tables have, in ns."""
        before = dict(self.old.rows)
        for name, row in self.new.rows:
            if name in before:
                yield name, before[name].latency_ns, row.latency_ns

    def hardware(self) -> Iterator[dict[str, int]]:
        """State -> what it takes to leave it, in ns: as the new table says and, where the old one
        says otherwise, as that does."""
        both = list(self.latencies())
        yield {name: after for name, _, after in both}
        if any(before != after for _, before, after in both):
            yield {name: before for name, before, _ in both}

    def by_depth(self) -> list[tuple[str, str]]:
        """(state, its scope) of all that one of the tables registers, but for snooze: by scope,
        then by what it takes to leave it."""
        found: dict[str, tuple[int, int]] = {}
        for side in (self.new, self.old):
            for name, effect in list(zip(side.held.names, side.effects(), strict=True))[1:]:
                found.setdefault(name, (effect.scope, effect.exit_ns))
        ordered = sorted(found.items(), key=lambda item: item[1])
        return [(name, SCOPES[scope]) for name, (scope, _) in ordered]

    def figures(self) -> dict[str, Power]:
        """State -> its power relative to an awake CPU, as its row gives it, or a row of that name
        in a packaged table: of the same array, else for the same register."""
        table = self.new.table
        alike = [
            known
            for known in packaged(lambda revision: "@" not in revision.name)
            if known.register is table.register
        ]
        alike.sort(key=lambda known: known.firmware.array != table.name)
        found: dict[str, Power] = {}
        for name, row in (*self.new.rows, *self.old.rows):
            rows = (row, *(known.state(row.name) for known in alike))
            power = next((each.power for each in rows if each and each.power), None)
            if power is not None and power.unit == RELATIVE:
                found.setdefault(name, power)
        return found


class Simulator:
    """Simulates workloads, each setup once. runs: seeds for each, 1 or more."""

    def __init__(self, hz: int, runs: int) -> None:
        self._hz = hz
        self._seeds = range(1, runs + 1)
        self._given: dict[tuple[str, str | None], Given] = {}
        self._windows: dict[tuple[Setup, int], Window] = {}

    def on(self, case: Case, load: Load) -> OnWorkload | None:
        """None where nothing changes. Raises UsageError where the governor may select no state,
        UnknownGovernor."""
        sides = case.old, case.new
        runs = [(exits, seed) for exits in case.hardware() for seed in self._seeds]
        pairs = [[self._window(side, load, *run) for side in sides] for run in runs]
        if all(_same(a, b) for a, b in pairs):
            return None
        before, after = pairs[0]
        states = case.by_depth()
        assumed = likely(states, case.figures())
        likely_ratios, any_ratios = (
            [(a, b, ratio) for a, b in pairs for ratio in power_ratios(a, b, draws)]
            for draws in (assumed, anything(states))
        )
        counts = all(a.counted and b.counted for a, b in pairs)
        turns = [turn for a, b in pairs for turn in turning_points(a, b)] if counts else []
        setup = self._setup(case.new, load, {})
        return OnWorkload(
            load.workload,
            setup.topology.name,
            case.new.release.name,
            setup.workload.counts,
            _performed(before, assumed),
            _performed(after, assumed),
            spanned([Fraction(b.counted, a.counted) for a, b in pairs]) if counts else None,
            spanned([ratio for _, _, ratio in likely_ratios]),
            _of_units(likely_ratios) if counts else None,
            spanned([ratio for _, _, ratio in any_ratios]),
            _of_units(any_ratios) if counts else None,
            (min(turns), max(turns)) if turns else None,
        )

    def grounds(self, case: Case) -> list[str]:
        """Returns the assumptions of the figures, in sentences."""
        states = case.by_depth()
        differing = [name for name, a, b in case.latencies() if a != b]
        costs = Costs()
        notes = [
            f"simulated with ipi {costs.ipi} ns, switch {costs.switch} ns, wake {costs.wake} "
            "ns and the other parameters of simulate; none was measured on this machine",
            LEAVING_NOTE,
        ]
        if differing:
            notes.append(
                f"the hardware's exit latency of {', '.join(differing)} is the same before and "
                "after: as in the new table, or as in the old one"
            )
        return [*notes, *likely(states, case.figures()).grounds, *anything(states).grounds]

    def _window(self, side: Side, load: Load, exits_ns: Mapping[str, int], seed: int) -> Window:
        setup = self._setup(side, load, exits_ns)
        key = setup, seed
        if key not in self._windows:
            run = by_core.simulate if by_core.knows(setup) else simulate
            self._windows[key] = window(setup, seed, load.settles_ns, run)
        return self._windows[key]

    def _setup(self, side: Side, load: Load, exits_ns: Mapping[str, int]) -> Setup:
        states = side.held.states
        governor = Governor.for_kernel(side.governor, side.release, states, self._hz)
        check_selects(governor, side.held)
        machine = _CHIP.get(side.table.register) if load.on_chip else None
        of = self._given.get((load.workload, machine))
        if of is None:
            from ...lab.simulation.given import given

            of = given(WorkloadRequest(load.workload, machine))
            self._given[load.workload, machine] = of
        return Setup(
            "",
            of.topology,
            of.policy,
            of.workload,
            side.held,
            side.effects(exits_ns),
            side.governor,
            side.release,
            self._hz,
            load.settles_ns + load.lasts_ns,
        )


def _same(before: Window, after: Window) -> bool:
    """Tells whether the same happened; states that none was in may differ."""
    a, b = (
        {
            name: figures
            for name, *figures in zip(w.names, w.usage, w.times_ns, w.held_ns, strict=True)
            if w.names.index(name) == 0 or figures[0] or figures[1]
        }
        for w in (before, after)
    )
    return (before.counted, before.awake_ns, before.latencies, a) == (
        after.counted,
        after.awake_ns,
        after.latencies,
        b,
    )


def _of_units(ratios: Sequence[tuple[Window, Window, Fraction]]) -> Change:
    return spanned(
        [ratio * Fraction(before.counted, after.counted) for before, after, ratio in ratios]
    )


def _performed(found: Window, draws: Draws) -> Performed:
    whole = found.cpus * found.duration_ns
    units = found.counted
    return Performed(
        units * 1e9 / found.duration_ns,
        found.wakeups / units if units else None,
        100 * found.awake_ns / whole,
        found.latency_ns(50),
        found.latency_ns(99),
        tuple(
            Use(name, usage / units if units else None, 100 * time / whole)
            for name, usage, time in zip(found.names, found.usage, found.times_ns, strict=True)
        ),
        drawn(found, draws),
    )
