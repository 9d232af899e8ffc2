"""Input and result of a simulation."""

from collections.abc import Mapping

from ...base.dataclass import dataclass
from ...base.model.findings import Unreadable, UsageError, unreadable
from ...base.model.table import Flag, IdleState, IdleTable, Register
from ...base.reading import limits
from ...tables.linux.genpd.running import DomainFigures
from ...tables.linux.genpd.tables import CpuDomain
from ...tables.linux.governors import Governor, needs_state_0
from ...tables.linux.releases import Release
from ...tables.power.energy import SNOOZE
from ..replay.counters import Figures, nearest_rank
from ..replay.machine import CpuTable
from ..replay.oracle import Foreseen
from ..replay.power import Rows
from ..statistics.buckets import least_of
from .costs import Costs
from .placement import Policy
from .programs import Workload
from .topology import Topology

SCOPES = ("thread", "core", "pair", "quad")
"""Scopes of a state: the hardware that it acts on, in ascending order."""
HISTOGRAM_BITS = 7
"""The latency histogram is exact below 2^7 ns; above, its buckets are 2^-7 of the value wide."""
HISTOGRAM_SIZE = (64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS
WAKE_PERCENTILES = (50.0, 90.0, 99.0, 99.9, 100.0)


LEAST_RATE_PERMILLE = 100
"""Lower limit of a thread's rate of work, however many siblings slow the thread down."""


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
    """The hardware's behaviour in a state of the kernel's table.

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
    foreseen      what hindsight selects for a stretch of idle time, from the end of a task until
                  there is work for the CPU; None: nothing
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
    foreseen: Foreseen | None = None

    def model(self) -> Governor:
        """A CPU's governor from boot on. Raises UnknownGovernor."""
        return Governor.for_kernel(self.governor, self.release, self.table.states, self.hz)

    @property
    def polls(self) -> bool:
        """Tells whether state 0 is a polling loop, which interrupts do not end."""
        return self.table.names[0] == SNOOZE or self.table.states[0].polling

    def task_name(self, number: int) -> str:
        """Returns a task's name, with its number if others have the same."""
        task = self.workload.tasks[number]
        several = sum(other.name == task.name for other in self.workload.tasks) > 1
        return f"{task.name} {task.number}" if several else task.name


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
    hindsight       counters of stretches of idle time, by the state that setup.foreseen selects, as
                    long as they lasted and that state's exit latency; None without
    between_ns      time within these outside of idle periods
    agreed          of each other table that the governor was asked with as well: the number of
                    decisions that were the same before one was not, U64 if all were
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
    hindsight: Figures | None = None
    between_ns: int = 0
    agreed: tuple[int, ...] = ()

    def latency_ns(self, percentile: float) -> int | None:
        """Returns a percentile of the wake-up latency by nearest rank; None without wake-ups.

        Returns the upper end of the value's bucket, but at most the exact maximum: exact below
        2^7 ns, above it too large by at most one part in 2^7.
        """
        bucket = nearest_rank(sorted(self.latencies.items()), percentile)
        return None if bucket is None else min(bucket_top(bucket), self.latency_max_ns)

    @property
    def mean_latency_ns(self) -> float | None:
        """The wake-up latency's mean, rounded up as latency_ns() rounds; None without wake-ups."""
        woken = sum(self.latencies.values())
        tops = (min(bucket_top(b), self.latency_max_ns) * n for b, n in self.latencies.items())
        return sum(tops) / woken if woken else None


def bucket_top(bucket: int) -> int:
    """Returns the greatest value that falls into the bucket."""
    return least_of(bucket + 1, HISTOGRAM_BITS) - 1


def too_many_events(setup: Setup, now_ns: int) -> Unreadable:
    """The exception for a simulation that has reached limits.SIMULATION_EVENTS at a time."""
    return unreadable(
        setup.workload.name,
        f"expected fewer than {limits.SIMULATION_EVENTS} events of a run, found as many in "
        f"{now_ns} ns of {setup.duration_ns}; a shorter --duration has fewer",
    )
