"""audit: each input's machine, stages and findings; what a fleet has in common."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ...base.dataclass import replace
from ...base.model.findings import Finding, Severity
from ...base.model.table import IdleTable
from ...base.report.findings_text import shown as shown_findings
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.html.shares import legend
from ...base.report.sheet import NO_NUMBERS, Drawing, Lines, Part, Picture, Rows, Section
from ...base.wording import joined, plural
from ..linux.kernel_ranges import kernel_ranges
from ..selection.idle_lengths import lengths
from ..show.stages import StageColumn, stages
from .audited import Audited, Registered, Selected
from .said import heading, told, value
from .said import sections as text_sections
from .summary import FleetSummary, TableGroup
from .trees import TreeDifference

_SHOWN = 40
"""Number of groups of equal tables that are listed for a fleet."""


def title(summary: FleetSummary) -> str:
    return f"Audit of {plural(summary.inputs, 'input')}, {plural(summary.tables, 'table')}"


def headline(summary: FleetSummary) -> tuple[str, ...]:
    """The most severe finding and how many inputs have it; how many tables are unlike others."""
    found = summary.found_worst_first()
    inputs = plural(summary.inputs, "input")
    if not found:
        said = f"No findings in {inputs}"
    else:
        (rule, name, severity), count = found[0]
        said = f"{severity} {rule} {name} in {count} of {inputs}"
        if others := len(found) - 1:
            said += f", and {plural(others, 'other finding')}, as severe or less"
    lines = [said, *(_likeness(summary) if summary.groups else ())]
    if summary.unreadable_count:
        lines.append(f"{plural(summary.unreadable_count, 'input')} unreadable")
    return tuple(lines)


def _likeness(summary: FleetSummary) -> Iterator[str]:
    groups, outliers = summary.sorted_groups(), len(summary.outliers())
    if len(groups) > 1:
        different = f"{plural(summary.tables, 'table')}, {len(groups)} different"
        yield f"{different}, {outliers} that stand out" if outliers else different
        return
    (group,) = groups
    yield f"{plural(len(group.states), 'state')}: {joined(group.states)}"
    if group.nearest:
        count = len(group.differences)
        yield f"As {group.nearest}" + (f" but for {plural(count, 'difference')}" if count else "")


def sections(
    audited: Audited, *, notes: bool, against: tuple[str, Sequence[TreeDifference]] | None = None
) -> list[Section]:
    """Everything about one table of an input. against: another tree, and what differs from it."""
    name = f"{audited.file}: {audited.table}" if audited.table else audited.file
    about = Lines(tuple(f"{what}: {words}" for what, words in heading(audited)))
    parts: list[Part] = [about] if about.lines else []
    source = audited.source
    if source is not None and source.table is not None and source.table.states:
        tree = source.node is not None
        columns = [
            _column(source.table, tree, group, _kernels(audited, group.kernels))
            for group in audited.registered
        ]
        parts.append(stages(source.table, columns))
    if audited.selected:
        parts.append(_selected(audited))
    found = [Section(name, tuple(parts))]
    found += [
        Section(title, (Lines(tuple(line.strip() for line in lines)),))
        for title, lines in text_sections(replace(audited, selected=()))
    ]
    if against is not None:
        found.append(_against(*against))
    if findings := shown_findings(audited.findings, notes=notes):
        found.append(Section("Findings", (_findings(findings),)))
    return found


def _kernels(audited: Audited, some: Sequence[str]) -> str:
    asked = [kernel for group in audited.registered for kernel in group.kernels]
    return kernel_ranges(some, asked)


def _column(table: IdleTable, tree: bool, group: Registered, kernels: str) -> StageColumn:
    """A column: what some kernels register for each row. tree: the table is a device tree's."""
    name2state = {state.name: state for state in group.states}
    row2state = {state.source: state for state in group.states}
    cells = []
    for number, row in enumerate(table.states):
        state = row2state.get(number) if tree else name2state.get(row.name)
        times = state and f"{state.exit_latency_us}/{state.target_residency_us} us"
        cells.append("-" if state is None else f"{state.index}: {times}")
    return StageColumn(f"Linux {kernels}", tuple(cells))


def _selected(audited: Audited) -> Picture:
    rows, lines, named = [], [], []
    for group, name2number in _numbered(audited):
        label = f"Linux {_kernels(audited, group.kernels)}"
        named.append((label, [(number, name) for name, number in name2number.items()]))
        bands = []
        for first, last, some in group.ranges:
            series = tuple(sorted(name2number[name] for name in some if name in name2number))
            short = "+".join(map(str, series))
            what = " and ".join(some)
            end = float("inf") if last is None else last + 1
            where, beginning = lengths(first, last), pictures.edge(first)
            bands.append(
                Band(first, end, series, short, f"{short} {what}", f"{where}: {what}", beginning)
            )
            lines.append((label if len(bands) == 1 else "", where, what))
        rows.append(BandRow(label, tuple(bands)))
    starts = [first for group in audited.selected for first, _, _ in group.ranges]
    caption = "What is selected for steady idles that an interrupt ends"
    drawing = pictures.bands(
        caption,
        "A row for kernels that select the same; bands along a logarithmic scale of the idle "
        "length carry the number of the state that is selected.",
        rows,
        svg.times(starts, "idle length, every idle period alike"),
    )
    table = Rows(("kernels", "idle length", "selected"), tuple(lines), caption, NO_NUMBERS)
    return Picture(partial(Drawing, drawing, legend(named)), table)


def _numbered(audited: Audited) -> Iterator[tuple[Selected, dict[str, int]]]:
    """Yields kernels that select the same states, with name -> number of their states. Kernels with
    different numbers are listed separately."""
    kernel2numbers = {
        kernel: {state.name: state.index for state in reversed(group.states)}
        for group in audited.registered
        for kernel in group.kernels
    }
    for group in audited.selected:
        numbers2kernels: dict[tuple[tuple[str, int], ...], list[str]] = {}
        for kernel in group.kernels:
            numbers = tuple(kernel2numbers.get(kernel, {}).items())
            numbers2kernels.setdefault(numbers, []).append(kernel)
        for numbers, kernels in numbers2kernels.items():
            yield replace(group, kernels=tuple(kernels)), dict(numbers)


def _against(name: str, differences: Sequence[TreeDifference]) -> Section:
    if not differences:
        return Section(f"Same below /ibm,opal as {name}", ())
    rows = tuple((found.path, _value(found.a), _value(found.b)) for found in differences)
    table = Rows(("path", "here", "there"), rows, "Properties that differ", NO_NUMBERS)
    return Section(f"Differs below /ibm,opal from {name}", (table,))


def _value(data: bytes | None) -> str:
    return "-" if data is None else value(data)


def _findings(findings: Sequence[Finding]) -> Rows:
    rows = tuple(
        (
            f"{finding.rule} {finding.name}",
            str(finding.severity),
            finding.message,
            str(finding.location),
            ", ".join(finding.kernels),
        )
        for finding in sorted(findings, key=lambda finding: -finding.severity)
    )
    return Rows(
        ("rule", "severity", "message", "place", "kernels"), rows, "By severity", NO_NUMBERS
    )


def fleet(summary: FleetSummary, passed_over: Mapping[str, int]) -> list[Section]:
    """What many inputs have in common, and which stand out."""
    groups = summary.sorted_groups()
    outliers = {group.fingerprint for group in summary.outliers()}
    # what stands out must not be cut off
    kept = sorted(groups, key=lambda g: (g.fingerprint not in outliers, -g.count))[:_SHOWN]
    shown = [group for group in groups if group in kept]
    head = ("table", "inputs", "cpu", "nearest", "states", "for example", "")
    rows = tuple(_group(group, group.fingerprint in outliers) for group in shown)
    parts: list[Part] = [Lines(tuple(_counts(summary, passed_over)))]
    if rows:
        parts.append(Rows(head, rows, "Different tables", frozenset({1, 4})))
    if len(groups) > len(shown):
        parts.append(Lines((f"and {plural(len(groups) - len(shown), 'table')} more",)))
    found = [Section("What they have in common", tuple(parts))]
    if summary.found:
        found.append(Section("Findings, by inputs that have them", (_rules(summary),)))
    if summary.verdicts:
        verdicts = tuple(
            (f"{tool}, {test}", *(str(counts[what]) for what in ("passed", "failed", "skipped")))
            for (tool, test), counts in sorted(summary.verdicts.items())
        )
        columns = ("test", "pass", "fail", "not tested")
        table = Rows(columns, verdicts, "Inputs by verdict", frozenset({1, 2, 3}))
        found.append(Section("Other tools", (table,)))
    return found


def _counts(summary: FleetSummary, passed_over: Mapping[str, int]) -> Iterator[str]:
    different = plural(len(summary.groups), "different one")
    inputs, tables = plural(summary.inputs, "input"), plural(summary.tables, "table")
    yield f"{inputs}, {tables} of idle states, {different}"
    if summary.without_table:
        yield f"{plural(summary.without_table, 'tree')} without idle states"
    if summary.unreadable_count:
        yield f"{plural(summary.unreadable_count, 'input')} unreadable"
        yield from summary.unreadable
    yield from (f"passed over: {what}: {count}" for what, count in sorted(passed_over.items()))


def _group(group: TableGroup, outlier: bool) -> tuple[str, ...]:
    return (
        *(group.fingerprint, *told(group)),
        *(group.examples[0], "stands out" if outlier else ""),
    )


def _rules(summary: FleetSummary) -> Picture:
    found = summary.found_worst_first()
    kinds = [str(severity) for severity in reversed(Severity)]
    bars = []
    for (rule, name, severity), count in found:
        number, words = kinds.index(severity), f"{rule} {name}: {count}"
        band = Band(0, count / summary.inputs, (number,), str(count), str(count), words)
        bars.append(BandRow(f"{rule} {name}", (band,)))
    drawing = pictures.bands(
        "Share of inputs with a finding",
        "For each rule a bar: the share of inputs with such a finding.",
        bars,
        svg.shares(f"share of {plural(summary.inputs, 'input')}"),
    )
    rows = tuple((f"{rule} {name}", severity, str(n)) for (rule, name, severity), n in found)
    table = Rows(("rule", "severity", "inputs"), rows, "Inputs by rule", frozenset({2}))
    legend = tuple((svg.swatch_band(number), kind) for number, kind in enumerate(kinds))
    return Picture(partial(Drawing, drawing, legend), table)
