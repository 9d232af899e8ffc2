"""Input and result of a simulation.

The parameters of Costs are free: no document gives them for a machine in general. The defaults have
the magnitude measured on POWER9, and each parameter is an option of the command line.
"""

from collections.abc import Mapping
from typing import Annotated

from ..dataclass import dataclass
from ..findings import Unreadable, UsageError, unreadable
from ..forms import Count
from ..linux.genpd.running import DomainFigures
from ..linux.genpd.tables import CpuDomain
from ..linux.governors import Governor, needs_state_0
from ..linux.releases import Release
from ..reading import limits
from ..replay.counters import Figures, nearest_rank
from ..replay.machine import SNOOZE, CpuTable
from ..replay.power import Rows
from ..table import Flag, IdleState, IdleTable, Register
from ..units import format_time
from .placement import Policy
from .programs import Workload
from .topology import Topology

SCOPES = ("thread", "core", "pair", "quad")
"""Scopes of a state: the hardware that it acts on, in ascending order."""
HISTOGRAM_BITS = 7
"""The latency histogram is exact below 2^7 ns; above, its buckets are 2^-7 of the value wide."""
HISTOGRAM_SIZE = (64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS
WAKE_PERCENTILES = (50.0, 90.0, 99.0, 99.9, 100.0)


@dataclass(frozen=True, slots=True)
class Costs:
    """Free parameters, in ns unless a name says otherwise."""

    switch: Annotated[
        Count, "From the end of an idle period, or of another task, to a task's first instruction."
    ] = 600
    wake: Annotated[
        Count, "A waker's work for each task it wakes, before that task's CPU hears of it."
    ] = 500
    idle_entry: Annotated[Count, "From the last instruction of a task to the governor."] = 300
    turn: Annotated[Count, "From an idle period that led to nothing to the governor."] = 1000
    ipi: Annotated[Count, "Until an idle CPU that does not poll hears of a wake-up by another."] = (
        1100
    )
    """On POWER9 it took 2565 ns to wake a polling CPU and 3856 ns to wake one in stop0_lite; the
    exit latency in the table of that time explains 200 ns of the difference."""
    snooze_overshoot: Annotated[
        Count, "Polling is over, and measured, so long after its time limit."
    ] = 1500
    """docs/published.md fits 2500 and 3500 ns. With 500 ns, a wake-up period of 50 us would fall on
    the other side of the boundary for residencies (1, 10)."""
    jitter: Annotated[Count, "Of every end of an idle state: 0 to so much more, uniform."] = 0
    slice: Annotated[Count, "A task that shares its CPU yields after so long."] = 3_000_000
    background: Annotated[
        Count,
        "The kernel's own next timer, on every CPU at multiples of so much; it does nothing but "
        "wake an idle CPU whose tick is stopped.",
    ] = 1_000_000_000
    smt_busy_permille: Annotated[
        Count, "By how much a sibling that computes slows a thread down."
    ] = 101
    """Fitted, like smt_hold_permille, to a POWER9 partition of four threads (R2 0.95): 63.0 - 19.1
    busy - 8.15 snooze, in units of all three siblings."""
    smt_hold_permille: Annotated[
        Count, "By how much one that idles without giving up its share of the core does."
    ] = 43


LEAST_RATE_PERMILLE = 100
"""Lower limit of a thread's rate of work, however many siblings slow the thread down."""
COST_LIMITS = {
    **dict.fromkeys(Costs.__dataclass_fields__, (0, 1_000_000_000)),
    "background": (1_000_000, 1_000_000_000_000),
    "wake": (1, 1_000_000_000),
    "slice": (1000, 1_000_000_000),
    "smt_busy_permille": (0, 1000),
    "smt_hold_permille": (0, 1000),
}
"""Parameter -> (minimum, maximum). With a wake cost of 0, time might never advance."""


class BadParameter(UsageError):
    """A parameter out of range; the message names it, what was expected and what was found."""


def check_costs(costs: Costs) -> None:
    """Raises BadParameter for a parameter outside COST_LIMITS."""
    for name, (least, most) in COST_LIMITS.items():
        found = getattr(costs, name)
        if not least <= found <= most:
            said = str if name.endswith("permille") else format_time
            name = name.replace("_", "-")
            raise BadParameter(
                f"expected {name} from {said(least)} to {said(most)}, found {said(found)}"
            )


def check_selects(governor: Governor, table: CpuTable) -> None:
    """Raises UsageError if the governor may select no state: what the default idle, which follows,
    lasts and costs is not known."""
    if needs_state_0(governor, table.disabled):
        raise UsageError(
            f"expected {table.names[0]} to be enabled, of 0 us, for {governor.name} of Linux "
            f"{governor.release.name}, found it otherwise: where no state fits, CPUs are in the "
            "default idle, which is not modelled"
        )


@dataclass(frozen=True, slots=True)
class Effect:
    """What the hardware does in a state of the kernel's table.

    exit_ns   time from the wake-up event to the first instruction
    scope     index in SCOPES of the hardware that the state acts on
    holds     whether the thread keeps its share of the core: polling, and states that lose no
              context (ESL and EC clear)
    """

    exit_ns: int
    scope: int
    holds: bool


@dataclass(frozen=True, slots=True)
class Setup:
    """A simulation without its seed.

    effects       one for each state of the table
    domains       power domains of the tree that the table is from, whose CPUs are numbered as here;
                  those within others first
    domain_notes  sentences: what these rest on
    """

    name: str
    topology: Topology
    policy: Policy
    workload: Workload
    table: CpuTable
    effects: tuple[Effect, ...]
    governor: str
    release: Release
    hz: int
    duration_ns: int
    costs: Costs = Costs()
    domains: tuple[CpuDomain, ...] = ()
    domain_notes: tuple[str, ...] = ()

    @property
    def polls(self) -> bool:
        """Whether state 0 is a polling loop, which interrupts do not end."""
        return self.table.names[0] == SNOOZE or self.table.states[0].polling


def effects_of(
    table: CpuTable,
    source: IdleTable | None,
    exits_ns: Mapping[str, int] | None = None,
    rows: Rows = (),
) -> tuple[Effect, ...]:
    """Returns the effect of each state, from firmware's rows or, for what they lack, the kernel's.

    source    firmware's table, or None
    exits_ns  state name -> real exit latency in ns
    rows      (kernel's state name, row) where the kernel gives states names of its own, as it does
              POWER8's
    A row whose control register sets neither ESL nor EC, such as stop0_lite, keeps its share of the
    core.
    """
    found = []
    name2row = {row.name: row for row in source.states} if source else {}
    name2row |= dict(rows)
    for name, state in zip(table.names, table.states, strict=True):
        row = name2row.get(name)
        exit_ns, scope, holds = state.exit_ns, 0, state.polling or name == SNOOZE
        if source and row:
            exit_ns = row.latency_ns
            named = row.scope or scope_of(row, source.register)
            # the largest scope modelled is the quad
            scope = SCOPES.index(named) if named in SCOPES else len(SCOPES) - 1
            if source.register is Register.PSSCR:
                holds = not (row.psscr.esl or row.psscr.ec)
        exit_ns = (exits_ns or {}).get(name, exit_ns)
        found.append(Effect(exit_ns, scope, holds))
    return tuple(found)


def scope_of(row: IdleState, register: Register) -> str:
    """Returns the scope that a row's level implies; firmware's rows do not state the scope.

    POWER9: level 8 stops the clocks that a pair shares, level 11 flushes the L3 of a quad.
    POWER8: every state deeper than nap acts on the core.
    """
    if register is Register.PSSCR:
        if not row.level or not (row.psscr.esl or row.psscr.ec):
            return "thread"
        return "quad" if row.level >= 11 else "pair" if row.level >= 8 else "core"
    beyond_nap = Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1 | Flag.WINKLE_ENABLED
    return "core" if row.flags & beyond_nap else "thread"


@dataclass(frozen=True, slots=True)
class SimulationRun:
    """Result of one seed.

    cpus            CPU -> counters as its kernel counts them, by the state requested
    reached         state -> idle periods in which the hardware really entered it; lighter than the
                    requested state where siblings were awake
    scope_ns        scope -> level + 1 -> ns, summed over the scope's instances; level -1 is awake,
                    the others are the lightest state that any thread of the instance had requested
    latencies       bucket -> number of wake-ups; the time from wake-up to the task's first
                    instruction
    latency_max_ns  the greatest of these times, exact
    switches        number of times a task began or continued to run
    counted         number of `count` ops done
    events          number of simulated events
    digest          hash of all events, each with its time and its CPU or task
    trace           (time in ns, CPU, task) of the first switches, as many as requested
    domains         counters of the power domains with states, those within others first
    waited          wake-ups of CPUs that waited for a power domain; waited_ns: how long in all
    """

    seed: int
    duration_ns: int
    cpus: tuple[Figures, ...]
    reached: tuple[int, ...]
    scope_ns: tuple[tuple[int, ...], ...]
    latencies: dict[int, int]
    latency_max_ns: int
    switches: int
    counted: int
    events: int
    digest: int
    trace: tuple[tuple[int, int, int], ...] = ()
    domains: tuple[DomainFigures, ...] = ()
    waited: int = 0
    waited_ns: int = 0

    def latency_ns(self, percentile: float) -> int | None:
        """Returns a percentile of the wake-up latency by nearest rank; None without wake-ups.

        Returns the upper end of the value's bucket, but at most the exact maximum: exact below
        2^7 ns, above it too large by at most one part in 2^7.
        """
        bucket = nearest_rank(sorted(self.latencies.items()), percentile)
        return None if bucket is None else min(bucket_top(bucket), self.latency_max_ns)


def bucket_of(value: int) -> int:
    """Exact below 2^HISTOGRAM_BITS; above, 2^HISTOGRAM_BITS buckets for each power of two."""
    shift = max(value.bit_length() - HISTOGRAM_BITS - 1, 0)
    return (shift << HISTOGRAM_BITS) + (value >> shift)


def bucket_top(bucket: int) -> int:
    """Returns the greatest value that falls into the bucket."""
    shift = max((bucket >> HISTOGRAM_BITS) - 1, 0)
    return ((bucket - (shift << HISTOGRAM_BITS) + 1) << shift) - 1


def too_many_events(setup: Setup, now_ns: int) -> Unreadable:
    """The exception for a simulation that has reached limits.SIMULATION_EVENTS at a time."""
    return unreadable(
        setup.workload.name,
        f"expected fewer than {limits.SIMULATION_EVENTS} events of a run, found as many in "
        f"{now_ns} ns of {setup.duration_ns}; a shorter --duration has fewer",
    )
