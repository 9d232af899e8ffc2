"""What a simulation is given, and what comes out of it.

The parameters of Costs are free: no document gives them for a machine in general. Their defaults
are of the size measured on POWER9, and every one is an option.
"""

from dataclasses import dataclass
from typing import Annotated

from ..findings import UsageError
from ..forms import Count
from ..linux.releases import Release
from ..replay.counters import Figures
from ..replay.machine import SNOOZE, CpuTable
from ..table import Flag, IdleState, IdleTable, Register
from .placement import Policy
from .programs import Workload
from .topology import Topology

SCOPES = ("thread", "core", "pair", "quad")
"""What a state acts on, in ascending order."""
HISTOGRAM_BITS = 7
"""Latencies are exact below 2^7 ns, and to one part in 2^7 above."""
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
    """POWER9: 2565 ns to wake a polling CPU and 3856 ns one in stop0_lite, of which the table of
    that time explains 200."""
    snooze_overshoot: Annotated[
        Count, "Polling is over, and measured, so long after its time limit."
    ] = 1500
    """Of the size that docs/published.md fits, 2500 and 3500 ns; with 500 ns, a period of 50 us is
    on the other side of (1, 10)'s edge."""
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
    """Fitted, as the next one, to a POWER9 partition of four threads (R2 0.95): 63.0 - 19.1 busy -
    8.15 snooze, in units of all three siblings."""
    smt_hold_permille: Annotated[
        Count, "By how much one that idles without giving up its share of the core does."
    ] = 43


LEAST_RATE_PERMILLE = 100
"""Siblings slow a thread down to this at most."""
COST_LIMITS = {
    **dict.fromkeys(Costs.__dataclass_fields__, (0, 1_000_000_000)),
    "background": (1_000_000, 1_000_000_000_000),
    "wake": (1, 1_000_000_000),
    "slice": (1000, 1_000_000_000),
    "smt_busy_permille": (0, 1000),
    "smt_hold_permille": (0, 1000),
}
"""Parameter -> least and greatest value. A wake-up that took no time could go on for ever."""


class BadParameter(UsageError):
    """Names a parameter, what was expected and what was found."""


def check_costs(costs: Costs) -> None:
    """Raises BadParameter."""
    for name, (least, most) in COST_LIMITS.items():
        if not least <= getattr(costs, name) <= most:
            raise BadParameter(
                f"expected {name} from {least} to {most}, found {costs.__getattribute__(name)}"
            )


@dataclass(frozen=True, slots=True)
class Effect:
    """What a state of the kernel's table is to the hardware.

    exit_ns   from the wake-up to the first instruction
    scope     a number in SCOPES
    holds     its thread keeps its share of the core: polling, and states without loss of it
    """

    exit_ns: int
    scope: int
    holds: bool


@dataclass(frozen=True, slots=True)
class Setup:
    """One simulation but for its seed. effects: one for each state of the table."""

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

    @property
    def polls(self) -> bool:
        """Whether state 0 is a loop, which interrupts do not end."""
        return self.table.names[0] == SNOOZE or self.table.states[0].polling


def effects_of(
    table: CpuTable, source: IdleTable | None, exits_ns: dict[str, int] | None = None
) -> tuple[Effect, ...]:
    """From the rows of the table that firmware has; what it does not say, from the kernel's.

    exits_ns: name -> the exit latency that the hardware really has. A row whose control register
    sets neither ESL nor EC, as stop0_lite's, holds the thread's share of the core.
    """
    found = []
    rows = {row.name: row for row in source.states} if source else {}
    for name, state in zip(table.names, table.states, strict=True):
        row = rows.get(name)
        exit_ns, scope, holds = state.exit_ns, 0, state.polling or name == SNOOZE
        if source and row:
            exit_ns = row.latency_ns
            named = row.scope or scope_of(row, source.register)
            # nothing is shared by more than a quad here
            scope = SCOPES.index(named) if named in SCOPES else len(SCOPES) - 1
            if source.register is Register.PSSCR:
                holds = not (row.psscr.esl or row.psscr.ec)
        exit_ns = (exits_ns or {}).get(name, exit_ns)
        found.append(Effect(exit_ns, scope, holds))
    return tuple(found)


def scope_of(row: IdleState, register: Register) -> str:
    """What a row of firmware acts on, by its level: firmware does not say.

    POWER9: a pair shares the clocks that level 8 stops, a quad the L3 that level 11 flushes.
    POWER8: all but nap take the core.
    """
    if register is Register.PSSCR:
        if not row.level or not (row.psscr.esl or row.psscr.ec):
            return "thread"
        return "quad" if row.level >= 11 else "pair" if row.level >= 8 else "core"
    beyond_nap = Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1 | Flag.WINKLE_ENABLED
    return "core" if row.flags & beyond_nap else "thread"


@dataclass(frozen=True, slots=True)
class SimulationRun:
    """What one seed's simulation did.

    cpus         CPU -> what its kernel counted, by the state that was asked for
    reached      state -> idle periods that ended in it: with siblings awake, a lighter one than
                 was asked for
    scope_ns     scope -> level -> time summed over its instances; level -1, the first, is awake,
                 the others are the lightest state that any thread of it had asked for
    latencies    bucket -> wake-ups; from the wake-up to the first instruction; latency_max_ns: the
                 greatest of them
    switches     tasks that began to run, or went on; counted: what the workload counts
    events       of the simulation
    digest       of every event, its time and whom it concerned
    trace        (time in ns, CPU, task) of the first switches, as many as were asked for
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

    def latency_ns(self, percentile: float) -> int | None:
        """Nearest rank, the greatest value that its bucket may have had: the exact one below 2^7
        ns and of the greatest, else at most one part in 2^7 more. None without wake-ups."""
        count = sum(self.latencies.values())
        if not count:
            return None
        rank = max(1, -(-round(percentile * 10) * count // 1000))
        for bucket, number in sorted(self.latencies.items()):
            rank -= number
            if rank <= 0:
                return min(bucket_top(bucket), self.latency_max_ns)
        raise AssertionError("ranks do not exceed the count")


def bucket_of(value: int) -> int:
    """Exact below 2^HISTOGRAM_BITS; above, so many buckets for every power of two."""
    shift = max(value.bit_length() - HISTOGRAM_BITS - 1, 0)
    return (shift << HISTOGRAM_BITS) + (value >> shift)


def bucket_top(bucket: int) -> int:
    """The greatest value that it takes."""
    shift = max((bucket >> HISTOGRAM_BITS) - 1, 0)
    return ((bucket - (shift << HISTOGRAM_BITS) + 1) << shift) - 1
