"""simulate, for people: what was simulated, figures by table, and the tables side by side."""

from collections.abc import Sequence

from ..linux.grounds import remarks
from ..replay.energy import PowerModel
from ..simulation.consumption import of_runs
from ..simulation.experiments import EXPERIMENTS
from ..simulation.setup import Costs
from ..simulation.summary import (
    BISTABLE_POINTS,
    UNNOTICED_NS,
    DomainSummary,
    RunSpread,
    SimulationSummary,
)
from ..simulation.workloads import described
from ..units import format_time
from ..wording import joined, plural
from . import domain_counters, energy_output, sequence_text
from .escapes.text import printable
from .style import Style
from .tables import right_aligned, wrapped

_HEAD = ("STATE", "ASKED FOR", "TIME", "TOO DEEP", "TOO SHALLOW", "REACHED")


def render(
    found: Sequence[SimulationSummary], style: Style, power: PowerModel | None = None
) -> str:
    """Returns the whole output of `simulate` for people.

    power  power model of the states; None without figures
    """
    parts = [_head(found, style)]
    parts += [_table_part(each, style) for each in found]
    if len(found) > 1:
        parts.append(_comparison(found, style))
    if power is not None:
        energy = of_runs(found, power)
        names = [each.setup.name for each in found]
        if energy is None:
            parts.append("Energy: not reckoned, as cores, pairs or quads differ in size\n")
        else:
            counts = found[0].setup.workload.counts
            parts.append(energy_output.of_machines(names, energy, counts, style))
    elif len(found) > 1:
        parts.append(energy_output.NO_FIGURES)
    return "\n".join(parts)


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


def _head(found: Sequence[SimulationSummary], style: Style) -> str:
    setup, runs = found[0].setup, found[0].runs
    seeds = f"seed {runs[0].seed}"
    if len(runs) > 1:
        seeds = f"seeds {runs[0].seed} to {runs[-1].seed}: mean (least to greatest)"
    policies = dict.fromkeys(str(each.setup.policy) for each in found)
    policy = next(iter(policies)) if len(policies) == 1 else "placement by table"
    lines = [
        f"{style('strong', printable(setup.workload.name))}: "
        f"{plural(len(setup.workload.tasks), 'task')} on {plural(setup.topology.cpus, 'CPU')} "
        f"({printable(setup.topology.name)}), {policy}",
        f"{setup.governor} of Linux {setup.release.name}, HZ {setup.hz}; "
        f"{format_time(setup.duration_ns)} each, {seeds}",
        *wrapped("given: " + ", ".join(_costs(setup.costs)), further="  "),
        *remarks([setup.release], setup.governor),
    ]
    return "\n".join(lines) + "\n"


def _costs(costs: Costs) -> list[str]:
    words = []
    for name in Costs.__dataclass_fields__:
        value = getattr(costs, name)
        time = str(value) if name.endswith("_permille") else format_time(value)
        words.append(f"{name.replace('_', '-')} {time}")
    return words


def _table_part(found: SimulationSummary, style: Style) -> str:
    setup = found.setup
    rows = []
    for number, state in enumerate(found.states):
        off = " (off)" if number in setup.table.disabled else ""
        rows.append(
            (
                printable(state.name) + off,
                _count(state.usage),
                _percent(state.share),
                _count(state.above),
                _count(state.below),
                _count(state.reached),
            )
        )
    text = style("strong", printable(setup.name)) + "\n" + right_aligned(_HEAD, rows)
    words = [f"{name} {_us(value)}" for name, value in found.latency_ns.items()]
    text += f"  wake-up to first instruction: {', '.join(words)}\n"
    text += f"  {_count(found.switches_per_s)} switches/s"
    if setup.workload.counts:
        text += f", {_count(found.counted_per_s)} {printable(setup.workload.counts)}/s"
    return (
        text
        + "\n"
        + _scopes(found)
        + _domains(found, style)
        + _bistable(found, style)
        + sequence_text.section(found, style)
    )


def _scopes(found: SimulationSummary) -> str:
    """Which share of the time all of a core, pair or quad asked for a state or a deeper one."""
    head = ("ALL OF A", "OF", *(f"{printable(name)}+" for name in found.setup.table.names))
    rows, last = [], 0
    for each in found.scopes:
        # a pair of one core is that core
        if each.instances != last:
            shares = (f"{share.mean:.2f} %" for share in each.idle)
            rows.append((each.scope, str(each.instances), *shares))
        last = each.instances
    return right_aligned(head, rows)


def _domains(found: SimulationSummary, style: Style) -> str:
    """A block for each power domain, and what all rest on."""
    parts = [
        "\n"
        + style("strong", printable(domain_counters.named(domain)))
        + "\n"
        + right_aligned(domain_counters.HEAD, domain_rows(domain))
        for domain in found.domains
    ]
    if found.waited_ns is not None:
        words = f"{_count(found.waited)} wake-ups of CPUs, {_us(found.waited_ns)} each"
        parts.append(f"  waited for a power domain: {words}\n")
    for note in found.setup.domain_notes:
        parts.append("\n".join(wrapped(note, "  - ", "    ")) + "\n")
    return "".join(parts)


def domain_rows(domain: DomainSummary) -> list[tuple[str, ...]]:
    """Cells of domain_counters.HEAD for each state, and for how often the domain stayed on."""
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
    return [*rows, (domain_counters.STAYS_ON, _count(domain.stayed_on), "", "", "", "")]


def _bistable(found: SimulationSummary, style: Style) -> str:
    if found.bistable is None:
        return ""
    jitter = format_time(UNNOTICED_NS)
    if not found.bistable:
        return f"  stable: {jitter} of jitter changes no share by {BISTABLE_POINTS:g} points\n"
    names = joined([printable(name) for name in found.bistable])
    return (
        f"  {style('warning', 'bistable')}: with {jitter} of jitter, the share of {names} changes "
        f"by more than {BISTABLE_POINTS:g} points\n"
    )


def _comparison(found: Sequence[SimulationSummary], style: Style) -> str:
    head = ("", *(printable(each.setup.name) for each in found))
    rows = [
        ("switches/s", *(_count(each.switches_per_s) for each in found)),
        ("too deep", *(_count(_sum([s.above for s in each.states])) for each in found)),
        ("too shallow", *(_count(_sum([s.below for s in each.states])) for each in found)),
        *(
            (f"wake-up {name}", *(_us(each.latency_ns[name]) for each in found))
            for name in found[0].latency_ns
        ),
    ]
    if found[0].setup.workload.counts:
        name = f"{printable(found[0].setup.workload.counts)}/s"
        rows.insert(1, (name, *(_count(each.counted_per_s) for each in found)))
    return style("strong", "Compared") + "\n" + right_aligned(head, rows)


def _sum(spreads: Sequence[RunSpread]) -> RunSpread:
    """Of means only; least and greatest do not add up."""
    mean = sum(each.mean for each in spreads)
    return RunSpread(mean, mean, mean)


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


def _us(value: RunSpread | None) -> str:
    if value is None:
        return "-"
    us = RunSpread(value.mean / 1000, value.least / 1000, value.greatest / 1000)
    return _spread(us, "{:.3g} us")
