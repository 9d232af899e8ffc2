"""Minimum, mean and maximum over several runs of one simulation."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import KeyName, Rounded
from ...tables.linux.genpd.running import DomainStateFigures
from ...tables.linux.genpd.tables import DomainLevel
from ..replay.counters import Figures, StateFigures, percentile_name, total
from ..statistics import poisson
from .setup import SCOPES, WAKE_PERCENTILES, Setup, SimulationRun
from .topology import SCOPED
from .wake_ups import WakeUp

BISTABLE_POINTS = 10.0
"""A state is bistable if a jitter of UNNOTICED_NS changes its share of the time by more than this,
in percentage points."""
UNNOTICED_NS = 1_000
RARE = 100
"""A state that was used fewer times is rare: how often it is used is not known well."""


@dataclass(frozen=True, slots=True)
class RunSpread:
    """Over the runs."""

    mean: Annotated[float, Rounded(6), "Mean."]
    least: Annotated[float, Rounded(6), KeyName("min"), "Least."]
    greatest: Annotated[float, Rounded(6), KeyName("max"), "Greatest."]


NONE = RunSpread(0, 0, 0)


def spread(values: Iterable[float]) -> RunSpread:
    found = list(values)
    return RunSpread(sum(found) / len(found), min(found), max(found))


@dataclass(frozen=True, slots=True)
class StateSummary:
    """A state's counters, of all CPUs or of a power domain.

    per_s    usage in a second
    share    percent of the time, for a CPU's state of all CPUs' time
    reached  idle periods in which the hardware really entered this state, whatever was requested;
             not counted of a domain's
    interval_per_s  usage in a second with its 95 % Poisson interval, over all runs; None for a
             state used RARE times or more
    """

    name: str
    usage: RunSpread
    per_s: RunSpread
    time_us: RunSpread
    share: RunSpread
    above: RunSpread
    below: RunSpread
    reached: RunSpread = NONE
    interval_per_s: tuple[float, float] | None = None

    @classmethod
    def of(
        cls,
        rows: Sequence[StateFigures | DomainStateFigures],
        duration_ns: int,
        whole_ns: int,
        reached: Iterable[int] = (0,),
    ) -> "StateSummary":
        """Summarises a state's counters, run by run. whole_ns: the time that shares are of."""
        usage, seconds = sum(row.usage for row in rows), duration_ns / 1e9
        between = None
        if usage < RARE:
            low, high = poisson.interval(usage)
            between = low / (seconds * len(rows)), high / (seconds * len(rows))
        return cls(
            rows[0].name,
            spread(row.usage for row in rows),
            spread(row.usage / seconds for row in rows),
            spread(row.time_us for row in rows),
            spread(100_000 * row.time_us / whole_ns for row in rows),
            spread(row.above for row in rows),
            spread(row.below for row in rows),
            spread(reached),
            between,
        )


@dataclass(frozen=True, slots=True)
class ScopeSummary:
    """Idle time of the cores, pairs or quads. idle: state -> percent of the time, averaged over the
    instances, in which every thread of an instance had requested this state or a deeper one."""

    scope: str
    instances: int
    idle: tuple[RunSpread, ...]


@dataclass(frozen=True, slots=True)
class DomainSummary:
    """A power domain; see DomainFigures."""

    name: str
    level: DomainLevel
    cpus: tuple[int, ...]
    stayed_on: RunSpread
    states: tuple[StateSummary, ...]


@dataclass(frozen=True, slots=True)
class SimulationSummary:
    """Figures of all runs of a setup.

    latency_ns  percentile -> ns from wake-up to the task's first instruction; None: no wake-ups
    mean_ns     the mean of the same
    bistable    names of states whose share of the time a jitter of UNNOTICED_NS changes by more
                than BISTABLE_POINTS; None if not tested
    waited      wake-ups of CPUs that waited for a power domain; waited_ns: how long on average,
                None if none did
    wake_ups    the first ones of the first seed, where they were asked for
    """

    setup: Setup
    runs: tuple[SimulationRun, ...]
    states: tuple[StateSummary, ...]
    scopes: tuple[ScopeSummary, ...]
    latency_ns: dict[str, RunSpread | None]
    mean_ns: RunSpread | None
    switches_per_s: RunSpread
    counted_per_s: RunSpread
    bistable: tuple[str, ...] | None = None
    domains: tuple[DomainSummary, ...] = ()
    waited: RunSpread = NONE
    waited_ns: RunSpread | None = None
    wake_ups: tuple[WakeUp, ...] = ()

    @property
    def too_deep(self) -> RunSpread:
        """Idle periods of all CPUs, run by run."""
        return spread(total(list(run.cpus)).above for run in self.runs)

    @property
    def too_shallow(self) -> RunSpread:
        return spread(total(list(run.cpus)).below for run in self.runs)

    @property
    def figures(self) -> Figures:
        """Counters summed over all CPUs and all runs."""
        return total([cpu for run in self.runs for cpu in run.cpus])


def summary(
    setup: Setup, runs: Sequence[SimulationRun], jittered: SimulationRun | None = None
) -> SimulationSummary:
    """Summarises runs. jittered: the first seed again, with a jitter of UNNOTICED_NS; or None."""
    seconds = setup.duration_ns / 1e9
    latencies: dict[str, RunSpread | None] = {}
    for percentile in WAKE_PERCENTILES:
        values = [value for run in runs if (value := run.latency_ns(percentile)) is not None]
        latencies[percentile_name(percentile)] = spread(values) if values else None
    return SimulationSummary(
        setup,
        tuple(runs),
        _states(setup, runs),
        tuple(_scope(setup, runs, scope) for scope in range(len(SCOPES))),
        latencies,
        spread(means) if (means := [m for r in runs if (m := r.mean_latency_ns)]) else None,
        spread(run.switches / seconds for run in runs),
        spread(run.counted / seconds for run in runs),
        None if jittered is None else bistable(setup, runs[0], jittered),
        tuple(_domain(setup, runs, number) for number in range(len(runs[0].domains))),
        spread(run.waited for run in runs),
        spread(waits) if (waits := [r.waited_ns / r.waited for r in runs if r.waited]) else None,
    )


def shares(setup: Setup, figures: Figures) -> list[float]:
    """Returns state -> share of all CPUs' time, in percent."""
    whole_ns = setup.duration_ns * setup.topology.cpus
    return [100_000 * state.time_us / whole_ns for state in figures.states]


def bistable(setup: Setup, one: SimulationRun, other: SimulationRun) -> tuple[str, ...]:
    both = (shares(setup, total(list(run.cpus))) for run in (one, other))
    return tuple(
        name
        for name, first, second in zip(setup.table.names, *both, strict=True)
        if abs(first - second) > BISTABLE_POINTS
    )


def _states(setup: Setup, runs: Sequence[SimulationRun]) -> tuple[StateSummary, ...]:
    whole_ns = setup.duration_ns * setup.topology.cpus
    totals = [total(list(run.cpus)).states for run in runs]
    return tuple(
        StateSummary.of(rows, setup.duration_ns, whole_ns, (run.reached[number] for run in runs))
        for number, rows in enumerate(zip(*totals, strict=True))
    )


def _domain(setup: Setup, runs: Sequence[SimulationRun], number: int) -> DomainSummary:
    found = [run.domains[number] for run in runs]
    states = tuple(
        StateSummary.of(rows, setup.duration_ns, setup.duration_ns)
        for rows in zip(*(domain.states for domain in found), strict=True)
    )
    first = found[0]
    stayed_on = spread(domain.stayed_on for domain in found)
    return DomainSummary(first.name, first.level, first.cpus, stayed_on, states)


def _scope(setup: Setup, runs: Sequence[SimulationRun], scope: int) -> ScopeSummary:
    count = (setup.topology.cpus, *map(setup.topology.count, SCOPED))[scope]
    whole = setup.duration_ns * count
    levels = range(1, len(setup.table.states) + 1)
    return ScopeSummary(
        SCOPES[scope],
        count,
        tuple(
            spread(100 * sum(run.scope_ns[scope][level:]) / whole for run in runs)
            for level in levels
        ),
    )
