"""What several runs of one simulation have in common: least, mean and greatest."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..replay.counters import Figures, percentile_name, total
from .setup import SCOPES, WAKE_PERCENTILES, Setup, SimulationRun

BISTABLE_POINTS = 10.0
"""A state's share of the time that changes by more, in points of a hundred, for a jitter that
nobody would notice."""
UNNOTICED_NS = 1_000


@dataclass(frozen=True, slots=True)
class RunSpread:
    """Over the runs."""

    mean: float
    least: float
    greatest: float


def spread(values: Iterable[float]) -> RunSpread:
    found = list(values)
    return RunSpread(sum(found) / len(found), min(found), max(found))


@dataclass(frozen=True, slots=True)
class StateSummary:
    """Sums over CPUs. share: of all CPUs' time. reached: idle periods that came to this state,
    whatever was asked for."""

    name: str
    usage: RunSpread
    time_us: RunSpread
    share: RunSpread
    above: RunSpread
    below: RunSpread
    reached: RunSpread


@dataclass(frozen=True, slots=True)
class ScopeSummary:
    """idle: the share of the time in which all of a core, pair or quad had asked for a state, this
    one or a deeper, by state; of all instances."""

    scope: str
    instances: int
    idle: tuple[RunSpread, ...]


@dataclass(frozen=True, slots=True)
class SimulationSummary:
    """latency_ns: percentile -> from a wake-up to the first instruction; None without wake-ups.
    bistable: names of states whose share a jitter of UNNOTICED_NS changes by more than
    BISTABLE_POINTS; None where that was not tried."""

    setup: Setup
    runs: tuple[SimulationRun, ...]
    states: tuple[StateSummary, ...]
    scopes: tuple[ScopeSummary, ...]
    latency_ns: dict[str, RunSpread | None]
    switches_per_s: RunSpread
    counted_per_s: RunSpread
    bistable: tuple[str, ...] | None = None

    @property
    def figures(self) -> Figures:
        """Of all CPUs in all runs."""
        return total([cpu for run in self.runs for cpu in run.cpus])


def summary(
    setup: Setup, runs: Sequence[SimulationRun], jittered: SimulationRun | None = None
) -> SimulationSummary:
    """jittered: a run of the first seed with a jitter of UNNOTICED_NS."""
    totals = [total(list(run.cpus)) for run in runs]
    seconds = setup.duration_ns / 1e9
    latencies: dict[str, RunSpread | None] = {}
    for percentile in WAKE_PERCENTILES:
        values = [value for run in runs if (value := run.latency_ns(percentile)) is not None]
        latencies[percentile_name(percentile)] = spread(values) if values else None
    return SimulationSummary(
        setup,
        tuple(runs),
        tuple(_state(setup, runs, totals, number) for number in range(len(setup.table.states))),
        tuple(_scope(setup, runs, scope) for scope in range(len(SCOPES))),
        latencies,
        spread(run.switches / seconds for run in runs),
        spread(run.counted / seconds for run in runs),
        None if jittered is None else bistable(setup, runs[0], jittered),
    )


def shares(setup: Setup, figures: Figures) -> list[float]:
    """State -> share of all CPUs' time, in a hundred."""
    whole = setup.duration_ns * setup.topology.cpus
    return [100_000 * state.time_us / whole for state in figures.states]


def bistable(setup: Setup, one: SimulationRun, other: SimulationRun) -> tuple[str, ...]:
    both = (shares(setup, total(list(run.cpus))) for run in (one, other))
    return tuple(
        name
        for name, first, second in zip(setup.table.names, *both, strict=True)
        if abs(first - second) > BISTABLE_POINTS
    )


def _state(
    setup: Setup, runs: Sequence[SimulationRun], totals: Sequence[Figures], number: int
) -> StateSummary:
    rows = [figures.states[number] for figures in totals]
    return StateSummary(
        setup.table.names[number],
        spread(row.usage for row in rows),
        spread(row.time_us for row in rows),
        spread(shares(setup, figures)[number] for figures in totals),
        spread(row.above for row in rows),
        spread(row.below for row in rows),
        spread(run.reached[number] for run in runs),
    )


def _scope(setup: Setup, runs: Sequence[SimulationRun], scope: int) -> ScopeSummary:
    counts = (
        setup.topology.cpus,
        setup.topology.count("small_core"),
        setup.topology.count("pair"),
        setup.topology.count("quad"),
    )
    whole = setup.duration_ns * counts[scope]
    levels = range(1, len(setup.table.states) + 1)
    return ScopeSummary(
        SCOPES[scope],
        counts[scope],
        tuple(
            spread(100 * sum(run.scope_ns[scope][level:]) / whole for run in runs)
            for level in levels
        ),
    )
