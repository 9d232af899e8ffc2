"""replay, for people: what was read and assumed, figures in total and CPU by CPU, problems."""

from collections.abc import Sequence

from ..findings import Severity
from ..linux.grounds import LOOP, remarks
from ..linux.releases import Release
from ..replay.consumption import of_accounts
from ..replay.counters import PERCENTILES, Figures, percentile_name
from ..replay.dumps import COMPARED
from ..replay.energy import PowerModel, spent
from ..replay.replay import Settings
from ..replay.results import Account, Read, ReplayResult
from ..wording import percent, plural
from . import agreement_output, domain_counters, energy_output
from .escapes.text import printable
from .style import Style
from .tables import right_aligned

_HEAD = ("STATE", "USAGE", "TIME", "SHARE", "TOO DEEP", "TOO SHALLOW", "REFUSED")


def render(
    result: ReplayResult,
    name: str,
    release: Release,
    settings: Settings | None,
    style: Style,
    power: PowerModel | None = None,
    *,
    per_cpu: bool = False,
) -> str:
    """Returns the whole output of `replay` for people.

    settings  what the governor was replayed with; None: the trace's own states were judged
    power     power model of the states; None without figures
    per_cpu   each CPU's figures too, not those of all together alone
    """
    parts = [_head(result, name, release, settings, style)]
    if result.agreement is not None:
        parts.append(
            agreement_output.section(result.agreement, result.calibration, style, per_cpu=per_cpu)
        )
    parts.append(_rests(result, release, settings))
    for account in result.accounts:
        parts.append(_account(account, style, per_cpu))
        if any(each.least < each.most for each in account.bounds):
            parts.append(agreement_output.bounds(account.bounds, style))
        if account.domains:
            span_ns = result.read.span_ns
            whole_us = None if span_ns is None else span_ns // 1000
            parts.append(domain_counters.section(account.domains, whole_us, style))
    if len(result.accounts) > 1:
        parts.append(_comparison(result.accounts, style))
    if power is not None:
        spents = [spent(account.total, power) for account in result.accounts]
        machines = [account.machine for account in result.accounts]
        parts.append(energy_output.section(machines, spents, power, style))
        energy = of_accounts(result.accounts, result.read.span_ns, power)
        if energy is None:
            parts.append(energy_output.NOT_RUN)
        else:
            parts.append(energy_output.of_machines(machines, energy, "", style))
    elif len(result.accounts) > 1:
        parts.append(energy_output.NO_FIGURES)
    if result.misses is not None:
        parts.append(_misses(result))
    if result.bracketed:
        parts.append(_bracketed(result, style))
    if result.problems:
        parts.append(_problems(result, style))
    return "\n".join(parts)


def _head(
    result: ReplayResult, name: str, release: Release, settings: Settings | None, style: Style
) -> str:
    states = "states as entered" if settings is None else f"{settings.governor}, HZ {settings.hz}"
    lines = [
        f"{printable(name)}: {reading(result.read)}",
        f"{style('strong', result.exactness.upper())}: Linux {release.name}, {states}",
    ]
    return "\n".join(lines) + "\n"


def _rests(result: ReplayResult, release: Release, settings: Settings | None) -> str:
    """What the figures rest on."""
    suspected = [result.suspicion.words] if result.suspicion else []
    said = (*result.assumptions, *suspected, *known(release, settings))
    return "".join(f"  - {words}\n" for words in said)


def known(release: Release, settings: Settings | None) -> list[str]:
    """How well the kernel is known, where it was not compiled."""
    return remarks([release], settings.governor if settings else LOOP)


def reading(read: Read) -> str:
    """Returns in words what was read: its kind, and how many lines, events, idle periods and
    seconds."""
    words = [str(read.kind)]
    if read.lines:
        words.append(plural(read.lines, "line"))
    if read.events:
        words.append(plural(read.events, "event" if read.lines else "decision"))
    words.append(plural(read.periods, "idle period"))
    if read.span_ns is not None:
        words.append(f"{read.span_ns / 1e9:.6f} s")
    return ", ".join(words)


def _account(account: Account, style: Style, per_cpu: bool) -> str:
    title = f"{printable(account.machine)}: all CPUs" if len(account.cpus) != 1 else ""
    parts = []
    if len(account.cpus) != 1:
        parts.append(style("strong", title) + "\n" + _figures(account.total))
    for cpu, figures in account.cpus.items():
        if not per_cpu and len(account.cpus) != 1:
            parts.append(f"{plural(len(account.cpus), 'CPU')} (--per-cpu shows each)\n")
            break
        alone = f"{printable(account.machine)}: CPU {cpu}" if len(account.cpus) == 1 else ""
        parts.append(style("strong", alone or f"CPU {cpu}") + "\n" + _figures(figures))
    if account.compared:
        parts.append(
            f"the model makes {plural(account.decisions, 'decision')} and selects the state really "
            f"entered in {account.agreed} of {account.compared} periods "
            f"({percent(account.agreed, account.compared)})\n"
        )
    return "\n".join(parts)


def _figures(figures: Figures) -> str:
    time_us = figures.time_us
    rows = [
        (
            printable(state.name),
            str(state.usage),
            f"{state.time_us} us",
            percent(state.time_us, time_us),
            counted(state.above, state.usage),
            counted(state.below, state.usage),
            str(state.rejected),
        )
        for state in figures.states
    ]
    rows.append(
        (
            "total",
            str(figures.usage),
            f"{time_us} us",
            "",
            counted(figures.above, figures.usage),
            counted(figures.below, figures.usage),
            str(sum(state.rejected for state in figures.states)),
        )
    )
    return right_aligned(_HEAD, rows) + _latencies(figures)


def _latencies(figures: Figures) -> str:
    if not figures.usage:
        return ""
    words = [
        f"{percentile_name(percentile)} {microseconds(figures.wake_latency_ns(percentile))}"
        for percentile in PERCENTILES
    ]
    return f"  wake latency (exit latency paid): {', '.join(words)}\n"


def _comparison(accounts: Sequence[Account], style: Style) -> str:
    """Returns the figures of all CPUs, with a column for each table."""
    totals = [account.total for account in accounts]
    rows = [
        ("idle periods", *(str(figures.usage) for figures in totals)),
        ("too deep", *(counted(figures.above, figures.usage) for figures in totals)),
        ("too shallow", *(counted(figures.below, figures.usage) for figures in totals)),
    ]
    for percentile in PERCENTILES:
        latencies = (microseconds(figures.wake_latency_ns(percentile)) for figures in totals)
        rows.append((f"wake latency {percentile_name(percentile)}", *latencies))
    head = ("ALL CPUS", *(printable(account.machine) for account in accounts))
    return style("strong", "Compared") + "\n" + right_aligned(head, rows)


def _misses(result: ReplayResult) -> str:
    total = result.observed.total
    assert result.misses is not None
    words = [
        f"{kind} {count} by cpu_idle_miss, {getattr(total, kind)} recomputed"
        for kind, count in result.misses.items()
    ]
    return "; ".join(words) + "\n"


def _bracketed(result: ReplayResult, style: Style) -> str:
    """Returns the sums over CPUs of the trace's counters and of the dumps' counters, with the
    surplus of the dumps."""
    sums: dict[tuple[int, str], dict[str, list[int]]] = {}
    for row in result.bracketed:
        both = sums.setdefault((row.number, row.name), {}).setdefault(row.counter, [0, 0])
        both[0] += row.trace
        both[1] += row.dumps
    rows = []
    for (_, name), counters in sorted(sums.items()):
        cells = []
        for counter in COMPARED:
            trace, dumps = counters.get(counter, (0, 0))
            cells.append(f"{trace} + {dumps - trace}" if counter in counters else "-")
        rows.append((printable(name), *cells))
    head = ("STATE", *(counter.upper() for counter in COMPARED))
    title = style("strong", "By the trace, and what the dumps around it count more")
    return title + "\n" + right_aligned(head, rows)


def _problems(result: ReplayResult, style: Style) -> str:
    lines = []
    for problem in result.problems:
        severity = str(problem.severity)
        lines.append(f"{style(severity, severity)}: {problem.count} {problem.meaning}")
        if problem.severity is Severity.NOTE and len(problem.examples) > 1:
            # every idle CPU of a machine: the first says enough
            shown = problem.examples[:1]
        else:
            shown = problem.examples
        for example in shown:
            if example.message:
                place = "" if example.line is None else f"line {example.line}: "
                lines.append(f"  {place}{printable(example.message)}")
    return "\n".join(lines) + "\n"


def counted(part: int, whole: int) -> str:
    """Returns a number with its share of the whole: "12 (3.4 %)"."""
    return f"{part} ({percent(part, whole)})" if part else "0"


def microseconds(ns: int | None) -> str:
    if ns is None:
        return "-"
    return f"{ns // 1000} us" if ns % 1000 == 0 else f"{ns / 1000:g} us"
