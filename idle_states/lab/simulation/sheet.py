"""The result of simulate: what was simulated, figures by table, and the tables side by side."""

from collections.abc import Iterator, Sequence

from ...base.model.units import format_time
from ...base.report.sheet import Line, Lines, Marked, Rows, Section, Sheet, as_is, bullets
from ...base.report.tables import wrapped
from ...base.wording import joined, plural
from ...tables.linux.genpd import sheet as domains_sheet
from ...tables.linux.grounds import remarks
from ...tables.power.energy import PowerModel, Spent
from ..replay import energy_sheet, fits
from ..replay.consumption import MachineEnergy
from ..replay.counters import PAID, percentile_name
from ..replay.headlines import Measure, compared
from ..replay.rivals import SHOWN
from . import drawn, sequence_sheet
from .consumption import of_runs
from .costs import Costs
from .experiments import EXPERIMENTS
from .hindsight import BY_COST, Hindsight, hindsight_of
from .summary import (
    BISTABLE_POINTS,
    UNNOTICED_NS,
    DomainSummary,
    RunSpread,
    SimulationSummary,
    StateSummary,
)
from .workloads import described

_HEAD = ("State", "Asked for", "Time", "Too deep", "Too shallow", "Reached")
_P99 = percentile_name(99.0)

Summaries = Sequence[SimulationSummary]
"""One simulation, a summary for each table."""


def sheet(found: Summaries, power: PowerModel | None = None) -> Sheet:
    """Returns the whole output of `simulate`.

    power  power model of the states; None without figures
    """
    energy = of_runs(found, power)
    judged = [one for each in found if (one := hindsight_of(each, power)) is not None]
    sections = [_rivals(found, energy), _hindsight(judged)] if judged else []
    sections += _pictures(found)
    for each in found:
        sections += _table_sections(each)
    if len(found) > 1:
        sections.append(_comparison(found))
    if energy is not None:
        counts = found[0].setup.workload.counts
        priced = list(zip((each.setup.name for each in found), energy.spents, strict=True))
        sections.append(energy_sheet.machine_section(priced, energy, counts))
    elif power is not None:
        sections.append(energy_sheet.UNLIKE)
    elif len(found) > 1:
        sections.append(energy_sheet.NO_FIGURES)
    setup, names = found[0].setup, ", ".join(_governors(found))
    return Sheet(
        title=f"{setup.workload.name}: {names} of Linux {setup.release.name}, HZ {setup.hz}",
        headline=_headline(found, energy),
        about=_about(found),
        sections=tuple(sections),
    )


def workloads() -> str:
    """Returns what --list prints: the built-in workloads and their parameters, then experiments."""
    parts = []
    for each in described():
        words = ",".join(f"{key}={value}" for key, value in each.parameters.items())
        text = "\n".join(wrapped(each.text, "    ", "    "))
        parts.append(f"{each.name}:{words}\n{text}\n")
    for name, experiment in EXPERIMENTS.items():
        text = "\n".join(wrapped(experiment.text, "    ", "    "))
        words = "\n".join(wrapped(" ".join(experiment.words), "    = ", "      "))
        parts.append(f"{name}, an experiment\n{text}\n{words}\n")
    return "\n".join(parts)


def _headline(found: Summaries, energy: MachineEnergy | None) -> tuple[str, ...]:
    """Returns the differences between the tables, or one table's figures."""
    waited = tuple(_us(each.latency_ns[_P99]) for each in found)
    measures = [Measure(f"p99 {drawn.WOKEN}", waited), *fits.measures(drawn.misfits(found))]
    if energy is not None:
        unit = energy_sheet.unit_of(energy.model, machine=True)
        costs = tuple(energy_sheet.total(cost, unit) for cost in energy.spents)
        measures.insert(0, Measure("energy", costs))
    if counts := found[0].setup.workload.counts:
        measures.append(Measure(f"{counts}/s", tuple(_count(each.counted_per_s) for each in found)))
    return compared([each.setup.name for each in found], measures)


def _about(found: Summaries) -> Section:
    setup, runs = found[0].setup, found[0].runs
    seeds = f"seed {runs[0].seed}"
    if len(runs) > 1:
        seeds = f"seeds {runs[0].seed} to {runs[-1].seed}: mean (least to greatest)"
    policies = dict.fromkeys(str(each.setup.policy) for each in found)
    policy = next(iter(policies)) if len(policies) == 1 else "placement by table"
    tasks, cpus = plural(len(setup.workload.tasks), "task"), plural(setup.topology.cpus, "CPU")
    what = f": {tasks} on {cpus} ({setup.topology.name}), {policy}"
    lines: list[Line] = [
        (Marked("strong", setup.workload.name), what),
        f"{', '.join(_governors(found))} of Linux {setup.release.name}, HZ {setup.hz}; "
        f"{format_time(setup.duration_ns)} each, {seeds}",
    ]
    given = Lines((f"given: {', '.join(_costs(setup.costs))}",), further="  ")
    known = Lines(tuple(remarks([setup.release], *_governors(found))))
    return Section("What was simulated", (Lines(tuple(lines)), given, known))


def _costs(costs: Costs) -> Iterator[str]:
    for name in Costs.__dataclass_fields__:
        value = getattr(costs, name)
        time = str(value) if name.endswith("_permille") else format_time(value)
        yield f"{name.replace('_', '-')} {time}"


def _pictures(found: Summaries) -> Iterator[Section]:
    """The pages' pictures, what changed first."""
    runs = plural(len(found[0].runs), "run")
    yield Section(f"What changed: mean and range over {runs}", (*drawn.changes(found),))
    yield fits.section(drawn.misfits(found))
    yield Section("Where the time of the CPUs went", (drawn.times(found),))


def _table_sections(found: SimulationSummary) -> Iterator[Section]:
    """A table's figures, then its power domains, with what all rest on behind the last."""
    setup = found.setup
    words = [f"mean {_us(found.mean_ns)}"]
    words += [f"{name} {_us(value)}" for name, value in found.latency_ns.items()]
    rates = f"{_count(found.switches_per_s)} switches/s"
    if setup.workload.counts:
        rates += f", {_count(found.counted_per_s)} {setup.workload.counts}/s"
    lines = [f"wake-up to first instruction: {', '.join(words)}", rates, *_rare(found)]
    text = Lines(tuple(lines), first="  ")
    table = Rows(_HEAD, tuple(_states(found)))
    sections = [Section(setup.name, (table, text, _scopes(found)))]
    for domain in found.domains:
        sections.append(domains_sheet.section(domain, _domain_rows(domain)))
    *before, last = sections
    behind = (*_domains(found), *_bistable(found), *sequence_sheet.parts(found))
    yield from before
    yield Section(last.title, (*last.parts, *behind), folded=not found.wake_ups)


def _rare(found: SimulationSummary) -> Iterator[str]:
    """One line on the states that were used, but rarely, with bounds of their rates."""
    words = []
    for state in found.states:
        if state.interval_per_s is not None and state.usage.mean:
            low, high = state.interval_per_s
            words.append(f"{state.name} {state.per_s.mean:.3g}/s ({low:.3g} to {high:.3g})")
    if words:
        yield f"rare, 95 % interval if independent (Poisson): {', '.join(words)}"


def _states(found: SimulationSummary) -> Iterator[tuple[str, ...]]:
    """Cells of _HEAD for each state."""
    for number, state in enumerate(found.states):
        off = " (off)" if number in found.setup.table.disabled else ""
        yield state.name + off, *_counters(state), _count(state.reached)


def _counters(state: StateSummary) -> tuple[str, ...]:
    return _count(state.usage), _percent(state.share), _count(state.above), _count(state.below)


def _scopes(found: SimulationSummary) -> Rows:
    """Returns the time shares in which a whole core, pair or quad asked for a state or deeper."""
    head = ("Idle as a whole", "Of", *(as_is(f"{name}+") for name in found.setup.table.names))
    rows, last = [], 0
    for each in found.scopes:
        # a pair of one core is that core
        if each.instances != last:
            shares = (f"{share.mean:.2f} %" for share in each.idle)
            rows.append((each.scope, str(each.instances), *shares))
        last = each.instances
    caption = (
        f"Time in which a whole unit had asked for this state or a deeper one: {found.setup.name}"
    )
    return Rows(head, tuple(rows), caption)


def _domains(found: SimulationSummary) -> Iterator[Lines]:
    """Yields the time that wake-ups waited for power domains, and the figures' assumptions."""
    if found.waited_ns is not None:
        words = f"{_count(found.waited)} wake-ups of CPUs, {_us(found.waited_ns)} each"
        yield Lines((f"waited for a power domain: {words}",), first="  ")
    yield Lines(tuple(found.setup.domain_notes), "  - ", "    ")


def _domain_rows(domain: DomainSummary) -> list[tuple[str, ...]]:
    """Cells of domains_sheet.HEAD for each state, and for how often the domain stayed on."""
    rows = [
        (
            state.name,
            _count(state.usage),
            f"{_count(state.time_us)} us",
            _percent(state.share),
            _count(state.above),
            _count(state.below),
        )
        for state in domain.states
    ]
    return [*rows, (domains_sheet.STAYS_ON, _count(domain.stayed_on), "", "", "", "")]


def _bistable(found: SimulationSummary) -> Iterator[Lines]:
    jitter, points = format_time(UNNOTICED_NS), f"{BISTABLE_POINTS:g} points"
    if found.bistable:
        text = f": with {jitter} of jitter, the share of {joined(found.bistable)} changes by more "
        yield Lines(((Marked("warning", "bistable"), f"{text}than {points}"),), first="  ")
    elif found.bistable is not None:
        yield Lines((f"stable: {jitter} of jitter changes no share by {points}",), first="  ")


def _governors(found: Summaries) -> list[str]:
    return list(dict.fromkeys(each.setup.governor for each in found))


def _rivals(found: Summaries, energy: MachineEnergy | None) -> Section:
    """The table of several governors, a row for each table and governor."""
    counts = found[0].setup.workload.counts
    head = ["Table", f"{counts or 'switches'}/s", "Too deep", "Too shallow"]
    head += ["Wake-up p50", f"Wake-up {_P99}"]
    costs: Sequence[Spent | None] = [None] * len(found)
    if energy is not None:
        unit = energy_sheet.unit_of(energy.model, machine=True)
        head += [f"Energy, {unit}", *([f"Energy each, u{unit}"] if counts else [])]
        costs = energy.spents
    rows = []
    for each, cost in zip(found, costs, strict=True):
        done = each.counted_per_s if counts else each.switches_per_s
        cells = [each.setup.name, _count(done), _count(each.too_deep), _count(each.too_shallow)]
        cells += [_us(each.latency_ns["p50"]), _us(each.latency_ns[_P99])]
        if cost is not None:
            cells.append(energy_sheet.shown(cost.total))
            cells += [energy_sheet.each_of(cost.each_unit)] if counts else []
        rows.append(tuple(cells))
    notes = ["wake-up: to the first instruction, exit latency paid included"]
    if len(found[0].runs) > 1:
        notes.append("mean (least to greatest) over the seeds")
        if energy is not None:
            notes[-1] += "; energy is of all seeds together, with the range that the figures allow"
    table = Rows(tuple(map(as_is, head)), tuple(rows), "Governors", unbroken=True)
    return Section("Governors compared", (table, bullets(notes)))


NO_ORACLE = (
    "hindsight is not a governor: with its states, wake-ups would pay other exit latencies and "
    "later stretches would differ; where CPUs share a core or a power domain, a stretch itself "
    "may end at another time"
)


def _hindsight(found: Sequence[Hindsight]) -> Section:
    """The table of each governor's distance to hindsight."""
    priced = any(each.by == BY_COST for each in found)
    head = ["Table", "Stretches", *(f"Paid {percentile_name(p)}" for p in SHOWN), "+Misjudged"]
    head += [f"+P{p:g}" for p in SHOWN] + ["+Energy"] * priced
    rows = []
    for each in found:
        share = each.misjudged_beyond
        cells = [each.setup.name, _count(each.stretches), *(_us(each.paid_ns(p)) for p in SHOWN)]
        cells.append("-" if share is None else _points(share))
        cells += [_us(each.paid_beyond_ns(p), "+") for p in SHOWN]
        if priced:
            beyond = each.whole.beyond
            cells.append("-" if beyond is None else energy_sheet.in_percent(beyond))
        rows.append(tuple(cells))
    what = "costs least" if priced else "is deepest of those whose target residency it reaches"
    notes = bullets(
        [
            "a stretch of idle time lasts from a task's end until there is work for the CPU, "
            "through ticks and time limits of polling; hindsight knows how long each lasted, and "
            f"selects the enabled state that {what}, within the latency limit",
            NO_ORACLE,
            f"paid: {PAID}; columns with + are the distance to hindsight (misjudged: "
            "idle periods too deep or too shallow by the target residencies, in points)"
            + ("; energy is that of idle time, over all seeds" if priced else ""),
        ]
    )
    table = Rows(tuple(map(as_is, head)), tuple(rows), "Distance to hindsight", unbroken=True)
    return Section("Distance to hindsight", (table, notes))


def _comparison(found: Summaries) -> Section:
    rows = [
        ("switches/s", *(_count(each.switches_per_s) for each in found)),
        ("too deep", *(f"{each.too_deep.mean:.0f}" for each in found)),
        ("too shallow", *(f"{each.too_shallow.mean:.0f}" for each in found)),
        ("wake-up mean", *(_us(each.mean_ns) for each in found)),
        *(
            (f"wake-up {name}", *(_us(each.latency_ns[name]) for each in found))
            for name in found[0].latency_ns
        ),
    ]
    if counts := found[0].setup.workload.counts:
        rows.insert(1, (f"{counts}/s", *(_count(each.counted_per_s) for each in found)))
    head = ("", *(as_is(each.setup.name) for each in found))
    return Section("Compared", (Rows(head, tuple(rows)),), folded=True)


def _spread(value: RunSpread, form: str) -> str:
    """The mean, with the least and the greatest where they differ. form: of each, as of format."""
    shown = form.format(value.mean)
    if value.least == value.greatest:
        return shown
    return f"{shown} ({form.format(value.least)} to {form.format(value.greatest)})"


def _count(value: RunSpread) -> str:
    return _spread(value, "{:.0f}")


def _percent(value: RunSpread) -> str:
    return _spread(value, "{:.2f} %")


def _points(share: RunSpread) -> str:
    points = RunSpread(100 * share.mean, 100 * share.least, 100 * share.greatest)
    return _spread(points, "{:+.2f}")


def _us(value: RunSpread | None, sign: str = "") -> str:
    if value is None:
        return "-"
    us = RunSpread(value.mean / 1000, value.least / 1000, value.greatest / 1000)
    return _spread(us, f"{{:{sign}.3g}} us")
