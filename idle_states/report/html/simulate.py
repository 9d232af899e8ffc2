"""simulate: where the CPUs' time went, what wake-ups waited for, table by table."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ...linux.grounds import remarks
from ...replay.consumption import MachineEnergy
from ...replay.counters import percentile_name
from ...replay.energy import PowerModel
from ...simulation.consumption import of_runs
from ...simulation.placement import Policy
from ...simulation.setup import Costs, bucket_top
from ...simulation.summary import BISTABLE_POINTS, RunSpread, SimulationSummary
from ...units import format_time
from ...wording import joined, plural
from .. import energy_output
from ..domain_counters import named
from ..simulate_text import domain_rows
from . import domain_counters, energies, fits, pictures, sequence, svg
from .energies import Priced
from .fits import Misfits
from .headlines import Measure, compared
from .page import Lines, PageTable, Part, Picture, Section
from .shares import Share, bar, distribution, legend

_AWAKE = "awake"
_WOKEN = "wake-up to first instruction"


def title(found: Sequence[SimulationSummary]) -> str:
    setup = found[0].setup
    return f"{setup.workload.name}: {setup.governor} of Linux {setup.release.name}, HZ {setup.hz}"


def headline(
    found: Sequence[SimulationSummary], power: PowerModel | None = None
) -> tuple[str, ...]:
    """What differs between the tables, or one table's figures."""
    p99 = percentile_name(99.0)
    waited = tuple(_written(each.latency_ns[p99], _us) for each in found)
    measures = [Measure(f"p99 {_WOKEN}", waited), *fits.measures(_misfits(found))]
    if (energy := of_runs(found, power)) is not None:
        unit = energy_output.unit_of(energy.model, machine=True)
        said = tuple(energies.written(cost, unit) for cost in energy.spents)
        measures.insert(0, Measure("energy", said))
    if counts := found[0].setup.workload.counts:
        rates = tuple(_written(each.counted_per_s, _whole) for each in found)
        measures.append(Measure(f"{counts}/s", rates))
    return compared([each.setup.name for each in found], measures)


def sections(found: Sequence[SimulationSummary], power: PowerModel | None = None) -> list[Section]:
    """One simulation, a Summary for each table. power: what states draw; None: nothing says."""
    said = [line for each in found if (line := _bistable(each))]
    energy = of_runs(found, power)
    policies = [each.setup.policy for each in found]
    return [
        Section("How selections fit", (_fitting(found),)),
        Section("What wake-ups waited for", (_latencies(found),)),
        *([_energies(found, energy)] if energy is not None else []),
        Section("Where the time of the CPUs went", (_times(found),)),
        *sequence.sections(found),
        *_domains(found),
        Section("Beside this", (_rates(found), *_scopes(found))),
        *([Section("How stable it is", (Lines(tuple(said)),))] if said else []),
        Section("What was simulated", (_about(found[0], policies), _costs(found[0].setup.costs))),
    ]


def _domains(found: Sequence[SimulationSummary]) -> Iterator[Section]:
    rows = [
        (each.setup.name, named(domain), domain_rows(domain))
        for each in found
        for domain in each.domains
    ]
    if rows:
        yield domain_counters.of_rows(rows)
    notes = dict.fromkeys(note for each in found for note in each.setup.domain_notes)
    if notes:
        yield Section("What power domains rest on", (Lines(tuple(notes)),))


def _misfits(found: Sequence[SimulationSummary]) -> list[Misfits]:
    return [
        Misfits(
            each.setup.name,
            sum(state.usage.mean for state in each.states),
            tuple(
                (number, state.name, state.above.mean, state.below.mean)
                for number, state in enumerate(each.states)
            ),
        )
        for each in found
    ]


def _fitting(found: Sequence[SimulationSummary]) -> Picture:
    lines = tuple(
        (
            state.name,
            _written(state.usage, _whole),
            _written(state.above, _whole),
            _written(state.below, _whole),
            each.setup.name,
        )
        for each in found
        for state in each.states
    )
    head = ("state", "idle periods", fits.DEEP, fits.SHALLOW, "table")
    caption = "Idle periods that ended, as the kernel counts them"
    table = PageTable(caption, head, lines, frozenset({1, 2, 3}), unbroken=True)
    return fits.picture(_misfits(found), table)


def _about(found: SimulationSummary, policies: Sequence[Policy]) -> Lines:
    setup = found.setup
    first, last = found.runs[0].seed, found.runs[-1].seed
    seeds = f"seed {first}" if first == last else f"seeds {first} to {last}: mean (least to most)"
    tasks, cpus = len(setup.workload.tasks), setup.topology.cpus
    return Lines(
        (
            f"{plural(tasks, 'task')} on {plural(cpus, 'CPU')} ({setup.topology.name})",
            *dict.fromkeys(f"placement: {policy}" for policy in policies),
            f"{format_time(setup.duration_ns)} each, {seeds}",
            *remarks([setup.release], setup.governor),
        )
    )


def _costs(costs: Costs) -> PageTable:
    rows = []
    for name in Costs.__dataclass_fields__:
        value = getattr(costs, name)
        written = str(value) if name.endswith("_permille") else format_time(value)
        rows.append((name.replace("_", "-"), written))
    return PageTable(
        "Given, by no table or kernel", ("parameter", "value"), tuple(rows), frozenset({1})
    )


def _times(found: Sequence[SimulationSummary]) -> Picture:
    rows, lines = [], []
    for each in found:
        parts = _shares(each)
        rows.append(bar(each.setup.name, parts))
        lines.append((_AWAKE, _percent(100 * parts[0].value), "", "", each.setup.name))
        lines += [
            (
                state.name,
                _percent(100 * part.value),
                _written(state.share, _percent),
                _written(state.reached, _whole),
                each.setup.name,
            )
            for part, state in zip(parts[1:], each.states, strict=True)
        ]
    drawing = pictures.bands(
        "Share of the CPUs' time by state asked for",
        "For each table a bar of the time of all CPUs, divided by states, which are numbered.",
        rows,
        svg.shares("share of the time of all CPUs"),
    )
    head = ("state", "share of time", "in periods that ended", "reached", "table")
    caption = "Time by state asked for; idle periods that reached it"
    table = PageTable(caption, head, tuple(lines), frozenset(range(1, 4)), unbroken=True)
    samples = legend(
        (each.setup.name, [(part.number, part.name) for part in _shares(each)]) for each in found
    )
    return Picture(drawing, table, samples)


def _shares(found: SimulationSummary) -> list[Share]:
    """Of all CPUs' time, awake first; periods that had not ended count, too."""
    # of a thread: so long had it asked for this state or a deeper one
    deeper = [100.0, *(share.mean for share in found.scopes[0].idle), 0.0]
    states = [(svg.AWAKE, _AWAKE), *enumerate(found.setup.table.names)]
    return [
        Share(number, name, max(0.0, this - next_) / 100, "of all CPUs' time")
        for (number, name), (this, next_) in zip(states, pairwise(deeper), strict=True)
    ]


def _latencies(found: Sequence[SimulationSummary]) -> Picture:
    some = []
    for each in found:
        counts: Counter[int] = Counter()
        for run in each.runs:
            counts.update(run.latencies)
        some.append((each.setup.name, [(bucket_top(b), n) for b, n in sorted(counts.items())]))
    drawing, lines = distribution("Share of wake-ups that waited at most so long", _WOKEN, some)
    rows = tuple(
        (name, *(_written(each.latency_ns[name], _us) for each in found))
        for name in found[0].latency_ns
    )
    return Picture(drawing, _compared(_WOKEN.capitalize(), found, rows), lines)


def _energies(found: Sequence[SimulationSummary], energy: MachineEnergy) -> Section:
    """Energies against the times that wake-ups waited in the simulation, which include exit
    latencies."""
    p99 = percentile_name(99.0)
    priced = []
    for each, cost in zip(found, energy.spents, strict=True):
        waited = each.latency_ns[p99]
        written = _written(waited, _us)
        mean_ns = None if waited is None else waited.mean
        priced.append(Priced(each.setup.name, cost, mean_ns, written))
    return energies.section(priced, energy.model, _WOKEN, _WOKEN, machine=True)


def _rates(found: Sequence[SimulationSummary]) -> PageTable:
    rows = [("switches/s", *(_written(each.switches_per_s, _whole) for each in found))]
    counts = found[0].setup.workload.counts
    if counts:
        rows.append((f"{counts}/s", *(_written(each.counted_per_s, _whole) for each in found)))
    return _compared("Rates", found, rows)


def _compared(
    caption: str, found: Sequence[SimulationSummary], rows: Sequence[tuple[str, ...]]
) -> PageTable:
    head = ("", *(each.setup.name for each in found))
    return PageTable(caption, head, tuple(rows), frozenset(range(1, len(head))))


def _scopes(found: Sequence[SimulationSummary]) -> list[Part]:
    """Which share of the time all of a core, pair or quad asked for a state or a deeper one."""
    parts: list[Part] = []
    for each in found:
        names = each.setup.table.names
        rows = tuple(
            (scope.scope, str(scope.instances), *(_percent(share.mean) for share in scope.idle))
            for scope in each.scopes
            if scope.scope == "thread" or scope.instances < each.scopes[0].instances
        )
        head = ("all of a", "of", *(f"{name} or deeper" for name in names))
        caption = f"Time in which all of it had asked for a state: {each.setup.name}"
        parts.append(PageTable(caption, head, rows, frozenset(range(1, len(head)))))
    return parts


def _bistable(found: SimulationSummary) -> str:
    if found.bistable is None:
        return ""
    if not found.bistable:
        return f"{found.setup.name}: stable, jitter changes no share by {BISTABLE_POINTS:g} points"
    return (
        f"{found.setup.name}: bistable, with a little jitter the share of {joined(found.bistable)} "
        f"changes by more than {BISTABLE_POINTS:g} points"
    )


def _written(value: RunSpread | None, form: Callable[[float], str]) -> str:
    if value is None:
        return "-"
    mean, least, most = (form(each) for each in (value.mean, value.least, value.greatest))
    return mean if value.least == value.greatest else f"{mean} ({least} to {most})"


def _whole(value: float) -> str:
    return f"{value:.0f}"


def _percent(value: float) -> str:
    return f"{value:.2f} %"


def _us(value: float) -> str:
    return f"{value / 1000:.3g} us"
