"""simulate."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from ...base.model.forms import GIVEN, INLINE, Count, Form, Limits, With, derived
from ...base.report.escapes.text import printable
from ...tables.documents.known_document import Kernel, Known
from ...tables.linux.genpd.running import DomainFigures
from ...tables.power.energy import PowerModel
from ...tables.power.energy_document import Costs
from ..replay import counters
from ..replay.consumption import spent
from ..replay.consumption_document import Consumption, consumption_of
from ..replay.counters import percentile_name
from . import costs, setup, summary, wake_ups
from .consumption import of_runs
from .experiments import EXPERIMENTS, Experiment
from .hindsight import HindsightForm, hindsight_of
from .placement import Policy
from .setup import SCOPES, WAKE_PERCENTILES, Setup
from .summary import RunSpread, SimulationSummary
from .topology import Topology
from .workloads import Described, described


class Woken(Form[wake_ups.WakeUp]):
    """A task that was woken and began to run."""

    time_ns: Annotated[Count, "When it was woken, or its timer expired."]
    waker: Annotated[str | None, "The task that woke it; null: a timer."]
    waker_cpu: Annotated[Count | None, "The waking task's CPU; null: a timer."]
    task: Annotated[str, "The task."]
    cpu: Annotated[Count, "The CPU that it began to run on."]
    state: Annotated[
        str | None, "Idle state that this ended, as the hardware had it; null: it was not idle."
    ]
    latency_ns: Annotated[Count, "To the task's first instruction."]


class Ran(Form[wake_ups.Visits]):
    """The CPUs that a task ran on in turn: lead, then cycle again and again."""

    task: Annotated[str, "The task."]
    count: Annotated[Count, "Length of the whole sequence."]
    lead: Annotated[list[Count], "CPUs at the beginning."]
    cycle: Annotated[list[Count], "CPUs that repeat; empty: none do."]


class Cluster(Form[tuple[tuple[int, ...], int]]):
    """A group of CPUs that cluster scheduling tells apart."""

    cpus: Annotated[list[Count], "Its CPUs."]
    wake_ups: Annotated[Count, "How many of the wake-ups it had."]


class Wakes(Form[SimulationSummary]):
    """The first wake-ups of the first seed."""

    wake_ups: Annotated[list[Woken], "In the order in which tasks began to run."] = derived(
        lambda found: [_named(one, found.setup) for one in found.wake_ups]
    )
    tasks: Annotated[list[Ran], "By the order of the workload."] = derived(
        lambda found: [_named(one, found.setup) for one in wake_ups.visits(found.wake_ups)]
    )
    sibling_masks: Annotated[list[list[Count]], "Cores as shown: topology_sibling_cpumask."] = (
        derived(lambda found: found.setup.topology.members["core"])
    )
    smallcore_masks: Annotated[list[list[Count]], "Cores as built: cpu_smallcore_map."] = derived(
        lambda found: found.setup.topology.members["small_core"]
    )
    clusters: Annotated[list[Cluster], "By first CPU."] = derived(
        lambda found: list(
            zip(
                found.setup.topology.members["cluster"],
                wake_ups.by_cluster(found.wake_ups, found.setup.topology),
                strict=True,
            )
        )
    )


def _named(one: wake_ups.WakeUp | wake_ups.Visits, setup: Setup) -> With:
    """With names in the place of numbers."""
    names = {"task": printable(setup.task_name(one.task))}
    if isinstance(one, wake_ups.Visits):
        return With(one, **names)
    waker = None if one.waker is None else printable(setup.task_name(one.waker))
    state = None if one.state is None else setup.table.names[one.state]
    return With(one, **names, waker=waker, state=state)


Scope = Literal["thread", "core", "pair", "quad"]
Percentile = Literal["p50", "p90", "p99", "p99.9", "max"]
NearestRank = Annotated[int | None, "Nearest rank."]
LATENCY = (
    "From a wake-up to the first instruction, rounded up by at most one part in 128 but for max; "
    "null without wake-ups."
)


class Counters(Form[counters.Figures]):
    """The kernel's counters, by the state asked for."""

    states: Annotated[list[counters.StateFigures], "In the kernel's order."]


class Time(Form[tuple[str, int]]):
    """One state."""

    name: Annotated[str, "Its name."]
    time_ns: Annotated[Count, "Time."]


class Times(Form[tuple[int, Any]]):
    """Time summed over its instances."""

    awake: Annotated[Count, "Any thread of it awake, in ns."]
    states: Annotated[list[Time], "By the lightest state that any thread of it had asked for."]


class Run(Form[setup.SimulationRun]):
    """One seed's run."""

    seed: Annotated[Count, "The seed."]
    events: Annotated[Count, "Events of the simulation."]
    digest: Annotated[
        str, Limits(pattern="^[0-9a-f]{16}$"), "Digest of all events; equal for equal runs."
    ] = derived(lambda run: f"{run.digest:016x}")
    switches: Annotated[Count, "Tasks that began to run, or went on."]
    counted: Annotated[Count, "Units of work that the workload counts."]
    total: Counters = derived(lambda run: counters.total(list(run.cpus)))
    cpus: Annotated[dict[str, Counters], "CPU -> counters."] = derived(
        lambda run: dict(enumerate(run.cpus))
    )
    reached: Annotated[list[Count], "State -> idle periods that came to it."]
    scopes_ns: Annotated[
        dict[Scope, Times], "How long threads, cores, pairs and quads were how deep."
    ] = GIVEN
    domains: Annotated[list[DomainFigures], "Power domains with states, the innermost first."]
    waited: Annotated[Count, "Wake-ups of CPUs that waited for a power domain."]
    waited_ns: Annotated[Count, "How long in all."]
    wake_latency_ns: Annotated[dict[Percentile, NearestRank], LATENCY] = derived(
        lambda run: {percentile_name(p): run.latency_ns(p) for p in WAKE_PERCENTILES}
    )


class State(Form[Any]):
    """One state."""

    index: Annotated[Count, "Its number."]
    name: Annotated[str, "Its name."]
    disabled: Annotated[bool, "Switched off."]
    exit_ns: Annotated[Count, "The hardware's exit latency."]
    scope: Annotated[Scope, "The CPUs that it acts on."]
    holds_core: Annotated[bool, "Its thread keeps its share of the core."]
    usage: Annotated[RunSpread, "Idle periods."]
    per_s: Annotated[RunSpread, "Idle periods in a second."]
    interval_per_s: Annotated[
        list[float] | None,
        "Least and greatest rate of a state used fewer than 100 times: 95 % Poisson interval "
        "(Garwood), as if they came independently; null for other states.",
    ]
    time_us: Annotated[RunSpread, "Their time."]
    share: Annotated[RunSpread, "Share of all CPUs' time, in percent."]
    above: Annotated[RunSpread, "Too deep."]
    below: Annotated[RunSpread, "Too shallow."]
    reached: Annotated[RunSpread, "Idle periods that came to it, whatever was asked for."]


class DomainState(Form[summary.StateSummary]):
    """One state."""

    name: Annotated[str, "Its name."]
    usage: Annotated[RunSpread, "Times that ended."]
    time_us: Annotated[RunSpread, "Until a CPU of the domain was awake."]
    share: Annotated[RunSpread, "Share of the time, in percent."]
    above: Annotated[RunSpread, "Too deep."]
    below: Annotated[RunSpread, "Too shallow."]


class Domain(Form[summary.DomainSummary]):
    """A power domain."""

    name: Annotated[str, "Its node's."]
    level: Annotated[Literal["CPU", "cluster", "system"], "The part that the domain powers."]
    cpus: Annotated[list[Count], "Numbers of its CPUs, the tree's first being 0."]
    stayed_on: Annotated[
        RunSpread, "Times that all its CPUs were in their last state, and it stayed on."
    ]
    states: Annotated[list[DomainState], "The shallowest first."]


class Placement(Form[Policy]):
    recent_used_cpu: Annotated[bool, "The recently used CPU is a candidate."] = derived("recent")
    smt: Annotated[Literal["small", "big"], "The scheduler's core mask."]
    cluster: Annotated[Literal["off", "spread", "pack"], "Cluster scheduling."]


class Table(Form[summary.SimulationSummary]):
    """A table's runs."""

    table: Annotated[str, "The table, with the governor where there are several."] = derived(
        "setup.name"
    )
    governor: Annotated[str, "The governor."] = derived("setup.governor")
    too_deep: Annotated[RunSpread, "Idle periods of all CPUs."]
    too_shallow: Annotated[RunSpread, "Idle periods of all CPUs."]
    states: Annotated[list[State], "In the kernel's order."] = derived(lambda found: _states(found))
    wake_latency_ns: Annotated[
        dict[Percentile, Annotated[RunSpread | None, "Nearest rank."]], LATENCY
    ] = derived("latency_ns")
    wake_latency_mean_ns: Annotated[
        RunSpread | None, "The mean, rounded up by at most one part in 128; null: no wake-ups."
    ] = derived("mean_ns")
    switches_per_s: Annotated[RunSpread, "Tasks that began to run, or went on."]
    counted_per_s: Annotated[RunSpread, "Units of work that the workload counts."]
    bistable: Annotated[
        list[str] | None,
        "States whose share 1 us of jitter changes by more than 10 points; null: not tried.",
    ]
    domains: Annotated[list[Domain], "Power domains with states, the innermost first."]
    domain_notes: Annotated[list[str], "Assumptions on domains."] = derived("setup.domain_notes")
    hindsight: Annotated[
        HindsightForm | None, "null where one governor, or none, was asked for."
    ] = GIVEN
    placement: Annotated[Placement, "The wake-up policy."] = derived("setup.policy")
    sequence: Annotated[Wakes | None, "null without --sequence."] = derived(
        lambda found: found if found.wake_ups else None
    )
    runs: Annotated[list[Run], "Seed by seed."] = derived(
        lambda found: [With(run, scopes_ns=_scopes(found.setup, run)) for run in found.runs]
    )


class Workload(Form[Setup]):
    name: Annotated[str, "Its name."] = derived("workload.name")
    tasks: Annotated[Count, "Tasks."] = derived(lambda setup: len(setup.workload.tasks))
    counts: Annotated[str, "The unit that it counts; empty: nothing."] = derived("workload.counts")


def _groups(name: str) -> Any:
    """A key: how many groups of CPUs of a kind there are."""
    return derived(lambda topology: topology.count(name))


class Machine(Form[Topology]):
    name: Annotated[str, "The name given."]
    cpus: Annotated[Count, "How many."]
    cores: Annotated[Count, "How many."] = _groups("core")
    small_cores: Annotated[Count, "How many."] = _groups("small_core")
    pairs: Annotated[Count, "How many."] = _groups("pair")
    quads: Annotated[Count, "How many."] = _groups("quad")
    clusters: Annotated[Count, "How many."] = _groups("cluster")
    last_level_caches: Annotated[Count, "How many."] = _groups("llc")


class Simulated(Form[Setup]):
    workload: Annotated[Workload, "The workload simulated."] = derived(lambda setup: setup)
    topology: Annotated[Machine, "The machine."]
    placement: Annotated[Placement, "The first table's."] = derived("policy")
    kernel: Annotated[str, "The Linux release."] = derived("release.name")
    known: Annotated[Known, INLINE] = derived(lambda setup: Kernel(setup.release, setup.governor))
    governor: Annotated[str, "The governor, the first of several."]
    hz: Annotated[Count, "The kernel's HZ."]
    duration_ns: Annotated[Count, "Simulated, each run."]
    parameters: Annotated[
        costs.Costs, "Values that no table or kernel gives; in ns, or in thousandths."
    ] = derived("costs")
    tables: Annotated[list[Table], "One for each table."] = GIVEN
    energy: Costs = GIVEN
    consumption: Annotated[
        Consumption | None,
        "The machine's energy with each table, in J or in seconds of a CPU in snooze, with all it "
        'rests on: CPUs that run (the state "running"), then by the state that all CPUs it acts '
        "on had asked for; null without figures, and where cores, pairs or quads differ in size.",
    ] = GIVEN


class Prepared(Form[tuple[str, Experiment]]):
    """A workload with options under which a published effect shows."""

    name: Annotated[str, "The WORKLOAD of the command line."]
    text: Annotated[str, "The effect that it shows."] = derived(lambda of: of[1].text)
    words: Annotated[list[str], "The same as words of a command line."] = derived(
        lambda of: of[1].words
    )


class Listed(Form[Any]):
    """The workloads and experiments that --list lists."""

    workloads: Annotated[list[Described], "The workloads that come with the tool."]
    experiments: Annotated[list[Prepared], "The experiments."]


Simulate = Simulated | Listed


def listed() -> With:
    """Returns the values that Listed writes."""
    return With(None, workloads=described(), experiments=EXPERIMENTS.items())


def simulated(found: Sequence[summary.SimulationSummary], power: PowerModel | None) -> With:
    """Returns the values that Simulated writes. power: None where the states' power is unknown."""
    names = [each.setup.name for each in found]
    spents = [(each.setup.name, spent(each.figures, power)) for each in found] if power else []
    return With(
        found[0].setup,
        tables=[With(each, hindsight=hindsight_of(each, power)) for each in found],
        energy=power and (power, spents),
        consumption=consumption_of(names, of_runs(found, power)),
    )


def _states(found: summary.SimulationSummary) -> Iterable[With]:
    of = found.setup
    for number, (state, effect) in enumerate(zip(found.states, of.effects, strict=True)):
        yield With(
            state,
            index=number,
            disabled=number in of.table.disabled,
            exit_ns=effect.exit_ns,
            scope=SCOPES[effect.scope],
            holds_core=effect.holds,
        )


def _scopes(of: Setup, run: setup.SimulationRun) -> dict[str, Any]:
    """Scope -> (time awake, name and time of each state)."""
    return {
        scope: (awake, zip(of.table.names, idle, strict=True))
        for scope, (awake, *idle) in zip(SCOPES, run.scope_ns, strict=True)
    }
