"""audit, for people: a page per input, or what a fleet has in common."""

import os
from collections.abc import Iterable, Iterator, Sequence

from ...base.model.findings import Severity
from ...base.report.escapes.text import printable
from ...base.report.findings_text import render as render_findings
from ...base.report.sheet import Section
from ...base.report.sheet_text import block
from ...base.report.style import Style
from ...base.report.tables import columns, folded
from ...base.wording import plural
from ..linux.grounds import driver_of, remarks
from ..linux.releases import release
from ..selection.idle_lengths import lengths
from ..show.stages import stages
from .audited import Audited, Registered, Selected
from .summary import FleetSummary, TableGroup
from .trees import TreeDifference

_SHOWN = 12
"""Number of groups, and of rules, that are listed for a fleet."""


def page(audited: Audited, style: Style, *, notes: bool) -> str:
    """Everything about one table of an input."""
    title = audited.file if not audited.table else f"{audited.file}: {audited.table}"
    lines = [style("strong", printable(title))]
    if audited.sha256:
        lines.append(style("faint", f"  sha256 {audited.sha256}"))
    for name, text in heading(audited):
        lines += folded(f"  {name:<9} {printable(text)}")
    source = audited.source
    if source is not None and source.table is not None and source.table.states:
        lines += ["", block(Section("", (stages(source.table),)), style).rstrip("\n")]
    for title, body in sections(audited):
        lines += ["", style("strong", title)]
        lines += [line for text in body for line in folded(f"  {printable(text)}")]
    texts = source.texts if source else {}
    found = render_findings(audited.findings, texts, style, notes=notes)
    if found:
        lines += ["", style("strong", "Findings"), found.rstrip("\n")]
    return "\n".join(lines) + "\n"


def heading(audited: Audited) -> Iterator[tuple[str, str]]:
    """(what, text): the machine, its firmware, the nearest table."""
    machine = audited.machine
    if machine is not None:
        if machine.model or machine.serial:
            serial = f", serial {machine.serial}" if machine.serial else ""
            yield "machine", f"{machine.model or 'unnamed'}{serial}"
        pvr = "" if machine.pvr is None else f" {machine.revision} (PVR {machine.pvr:#010x})"
        threads = f" of {plural(machine.threads, 'thread')}" if machine.threads else ""
        cores = f", {plural(machine.cpus, 'core')}{threads}" if machine.cpus else ""
        yield "processor", f"{audited.cpu or machine.processor or 'unknown'}{pvr}{cores}"
    if machine is not None and (machine.pvr is not None or machine.skiboot):
        versions = [f"{name} {text}" for name, text in machine.versions.items() if text]
        skiboot = f"skiboot {machine.skiboot}" if machine.skiboot else "version not in the tree"
        git = f" ({machine.git_id})" if machine.git_id else ""
        yield "firmware", "; ".join([f"{skiboot}{git}", *versions])
    yield from audited.facts
    if audited.nearest:
        count = len(audited.differences)
        what = plural(count, "difference") if count else "no difference"
        yield "nearest", f"{audited.nearest}, {what}"


def sections(audited: Audited) -> Iterator[tuple[str, list[str]]]:
    """(title, lines)."""
    if audited.differences:
        yield f"Differs from {audited.nearest}", list(audited.differences)
    if audited.missing:
        lines = [f"{state}: {reason}" for state, reason in audited.missing]
        yield "Not exported by firmware", lines
    if audited.registered:
        lines = [line for group in audited.registered for line in _registered(group)]
        yield "What kernels register", [*lines, *_known(audited)]
    if audited.selected:
        lines = [_selected(group) for group in audited.selected]
        yield "What is selected for steady idles that an interrupt ends", lines
    if audited.running is not None:
        running = audited.running
        head = f"Linux {running.kernel}, modelled as {running.modelled_as} ({running.ground})"
        body = list(running.differences) or ["as predicted"]
        yield f"The running kernel: {head}", body
    if audited.verdicts:
        yield "Other tools", [_verdicts(audited, tool) for tool in ("fwts", "op-test")]


def _known(audited: Audited) -> list[str]:
    """How well the kernels' drivers are known."""
    table = audited.source.table if audited.source else None
    if table is None:
        return []
    names = [name for group in audited.registered for name in group.kernels]
    return remarks([release(name) for name in names], driver_of(table))


def _registered(group: Registered) -> Iterator[str]:
    names = ", ".join(
        f"{state.name} {state.exit_latency_us}/{state.target_residency_us}"
        + (" polling" if state.polling else "")
        for state in group.states
    )
    yield f"{', '.join(group.kernels)}: {names or 'nothing'} (us)"
    yield from (f"  loses {state}: {reason}" for state, reason in group.lost)


def _selected(group: Selected) -> str:
    ranges = [
        f"{lengths(first, last)} {' and '.join(names)}" for first, last, names in group.ranges
    ]
    return f"{', '.join(group.kernels)}: {'; '.join(ranges)}"


def _verdicts(audited: Audited, tool: str) -> str:
    parts = []
    for verdict in audited.verdicts:
        if verdict.tool != tool:
            continue
        if verdict.skipped:
            parts.append(f"{verdict.test} not tested ({verdict.skipped})")
        elif verdict.failures:
            label, detail = verdict.failures[0]
            more = f" and {len(verdict.failures) - 1} more" if len(verdict.failures) > 1 else ""
            parts.append(f"{verdict.test} fail: {label} ({detail}){more}")
        else:
            parts.append(f"{verdict.test} pass")
    return f"{tool}: {'; '.join(parts)}"


def against(name: str, differences: Sequence[TreeDifference], style: Style) -> str:
    """The differences between two device trees, side by side. name: file of the second tree."""
    name = printable(name)
    if not differences:
        return style("strong", f"Same below /ibm,opal as {name}") + "\n"
    lines = [style("strong", f"Differs below /ibm,opal from {name}")]
    for found in differences:
        if found.a is None or found.b is None:
            lines.append(
                f"  {printable(found.path)}: only in {name if found.a is None else 'this'}"
            )
        else:
            lines += folded(f"  {printable(found.path)}: {value(found.a)}, there {value(found.b)}")
    return "\n".join(lines) + "\n"


def value(data: bytes) -> str:
    """A property's value, as text if it is text, else in hex."""
    text = data.rstrip(b"\0")
    if text and text.isascii() and text.decode().isprintable():
        return f'"{text.decode()[:60]}"'
    shown = f"<{data.hex(' ', 4)}>" if data else "empty"
    return shown if len(shown) <= 80 else f"{shown[:77]}...>"


def fleet(summary: FleetSummary, passed_over: Iterable[tuple[str, int]], style: Style) -> str:
    """What many inputs have in common, and which stand out."""
    lines = [
        style(
            "strong",
            f"{plural(summary.inputs, 'input')}, {plural(summary.tables, 'table')} of idle states, "
            f"{plural(len(summary.groups), 'different one')}",
        )
    ]
    if summary.without_table:
        lines.append(f"  {plural(summary.without_table, 'tree')} without idle states")
    if summary.unreadable_count:
        lines.append(style("error", f"  {plural(summary.unreadable_count, 'input')} unreadable"))
        lines += [line for text in summary.unreadable for line in folded(f"    {printable(text)}")]
    lines += [f"  passed over: {what}: {count}" for what, count in passed_over]
    outliers = {group.fingerprint for group in summary.outliers()}
    if summary.groups:
        lines += ["", style("strong", "Tables"), *_groups(summary, outliers)]
    lines += _boards(summary, style)
    if summary.found:
        lines += ["", style("strong", "Findings, by inputs that have them")]
        lines += _rules(summary, style)
    if summary.verdicts:
        lines += ["", style("strong", "Other tools")]
        for (tool, test), counts in sorted(summary.verdicts.items()):
            lines.append(
                f"  {tool}, {test}: {counts['passed']} pass, {counts['failed']} fail, "
                f"{counts['skipped']} not tested"
            )
    return "\n".join(lines) + "\n"


def _boards(summary: FleetSummary, style: Style) -> Iterator[str]:
    """Of trees of sources: each table once with its boards, and what is to be edited."""
    groups = [group for group in summary.sorted_groups() if group.boards]
    if not groups:
        return
    yield from ("", style("strong", "Boards, by table"))
    top = _common(file for group in groups for file in group.boards)
    if top:
        yield f"  below {printable(top)}"
    for group in groups:
        names = " ".join(printable(file.removeprefix(top).lstrip("/")) for file in group.boards)
        yield f"  {group.fingerprint}: {' '.join(printable(state) for state in group.states)}"
        yield from folded(f"    {plural(len(group.boards), 'board')}: {names}")
    if summary.placed:
        yield from ("", style("strong", "Findings, by the place that is to be edited"))
    order = [str(severity) for severity in sorted(Severity, reverse=True)]
    for (severity, file, line, rule, message), count in sorted(
        summary.placed.items(), key=lambda item: (order.index(item[0][0]), item[0][1:])
    ):
        place = f"{file}:{line}" if line else file
        yield printable(f"  {place}: {severity} {rule}, {plural(count, 'board')}")
        yield from folded(printable(f"    {message}"))


def _groups(summary: FleetSummary, outliers: set[str]) -> Iterator[str]:
    groups = summary.sorted_groups()
    # groups that stand out must not be cut off the list
    shown = [g for g in groups if g.fingerprint in outliers][:_SHOWN]
    shown = [*[g for g in groups if g not in shown][:_SHOWN], *shown]
    top = _common(group.examples[0] for group in shown)
    rows = [_group(group, top, group.fingerprint in outliers) for group in shown]
    if top:
        yield f"  examples are below {printable(top)}"
    text = columns(("COUNT", "CPU", "TABLE", "NEAREST", "STATES", "FOR EXAMPLE"), rows)
    yield from (f"  {line}".rstrip() for line in text.splitlines())
    if len(groups) > len(shown):
        yield f"  and {len(groups) - len(shown)} more; --format json lists all"


def _common(files: Iterable[str]) -> str:
    """The directory that contains all files; "" if there is none or it is not worth a line."""
    directories = [os.path.dirname(file) for file in files]
    try:
        return os.path.commonpath(directories).rstrip("/") if directories else ""
    except ValueError:
        return ""


def _group(group: TableGroup, top: str, outlier: bool) -> tuple[str, ...]:
    file = group.examples[0]
    example = os.path.relpath(file, top) if top else file
    note = " (stands out)" if outlier else ""
    count, cpu, *rest = told(group)
    return count, cpu, group.fingerprint, *rest, example + note


def told(group: TableGroup) -> tuple[str, str, str, str]:
    """Returns the number of inputs, the processor, the nearest table with the number of
    differences from it, and the number of states."""
    count = len(group.differences)
    nearest = f"{group.nearest or '-'}{f' +{count}' if count else ''}"
    return str(group.count), group.cpu or "?", nearest, str(len(group.states))


def _rules(summary: FleetSummary, style: Style) -> Iterator[str]:
    for (rule, name, severity), count in summary.found_worst_first():
        yield f"  {count:>7}  {style(severity, f'{severity:<7}')}  {rule} {name}"
