"""The result of audit: each input's machine, stages and findings; what a fleet has in common."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...base.dataclass import replace
from ...base.model.findings import Location, Severity
from ...base.model.table import IdleTable
from ...base.report.escapes.text import printable
from ...base.report.sheet import (
    NO_NUMBERS,
    Cell,
    Either,
    FindingsPart,
    Line,
    Lines,
    Marked,
    Part,
    Rows,
    Section,
    SourcePlace,
    indented,
)
from ...base.wording import few, joined, plural
from ..linux.grounds import driver_of, remarks
from ..linux.releases import running
from ..selection.idle_lengths import lengths
from ..show.stages import StageColumn, stages
from . import drawn
from .audited import Audited, Registered, Selected
from .groups import TableGroup
from .since import EarlierAudit, by_severity
from .summary import MOST_NAMED, FleetSummary
from .trees import TreeDifference

_IN_HEADLINE = 3
"""Rules of a severity that the headline names."""
_SHOWN, _ON_PAGES = 12, 40
"""Number of groups of equal tables that are listed for a fleet."""


_FOUND = "Findings, by inputs that have them"


def title(summary: FleetSummary) -> str:
    return f"Audit of {plural(summary.inputs, 'input')}, {plural(summary.tables, 'table')}"


def headline(summary: FleetSummary) -> tuple[Line, ...]:
    """For each severity how many inputs have findings of it, the worst first; how many tables are
    unlike others."""
    lines: list[Line] = list(_by_severity(summary))
    lines += _likeness(summary) if summary.tables else ()
    if summary.unreadable_count:
        lines.append(f"{plural(summary.unreadable_count, 'input')} unreadable")
    return tuple(lines)


def _by_severity(summary: FleetSummary) -> Iterator[Line]:
    inputs, found = plural(summary.inputs, "input"), summary.found_worst_first()
    if not found:
        yield f"No findings in {inputs}"
    for severity in dict.fromkeys(severity for (_, _, severity), _ in found):
        rules = [f"{rule} {name}" for (rule, name, each), _ in found if each == severity]
        count, named = summary.having[severity], few(rules, _IN_HEADLINE)
        has = f"{count} of {inputs} {'has' if count == 1 else 'have'} "
        yield (has if summary.inputs > 1 else "", Marked(severity, f"{severity}s"), f": {named}")


def _likeness(summary: FleetSummary) -> Iterator[str]:
    groups = summary.groups
    count, outliers = groups.numbers()
    if count > 1:
        different = f"{plural(summary.tables, 'table')}, {count} different"
        verb = "stands" if outliers == 1 else "stand"
        yield f"{different}, {outliers} that {verb} out" if outliers else different
        return
    (group,) = groups
    yield f"{plural(len(group.states), 'state')}: {joined(group.states)}"
    if group.nearest:
        count = len(group.differences)
        yield f"As {group.nearest}" + (f" but for {plural(count, 'difference')}" if count else "")


def sections(
    audited: Audited, *, notes: bool, against: tuple[str, Sequence[TreeDifference]] | None = None
) -> Iterator[Section]:
    """Yields everything about one table of an input. against: another tree, and what differs from
    it."""
    title = f"{audited.file}: {audited.table}" if audited.table else audited.file
    digest = (Marked("faint", f"  sha256 {audited.sha256}"),) if audited.sha256 else ()
    about = [f"{name:<9} {words}" for name, words in heading(audited)]
    parts = (Lines(digest), *indented("", about).parts)
    yield Section(title, parts if digest or about else ())
    source = audited.source
    table = source.table if source else None
    if source is not None and table is not None and table.states:
        tree = source.node is not None
        columns = [_column(table, tree, audited, group) for group in audited.registered]
        yield Section("", (replace(stages(table, columns), text=stages(table).text),))
    yield indented(f"Differs from {audited.nearest}", audited.differences)
    missing = (f"{state}: {reason}" for state, reason in audited.missing)
    yield indented("Not exported by firmware", missing)
    registered = [part for group in audited.registered for part in _registered(group)]
    known = indented("", _known(audited)).parts
    yield Section("What kernels register", (*registered, *known))
    if audited.selected:
        selected = indented("", (printable(_selected(group)) for group in audited.selected))
        both = Either(selected.parts, (drawn.selected(audited),))
        yield Section("What is selected for steady idles that an interrupt ends", (both,))
    if audited.running is not None:
        running = audited.running
        head = f"Linux {running.kernel}, modelled as {running.modelled_as} ({running.ground})"
        count = len(running.differences)
        other = f"not as predicted: {plural(count, 'finding')} of IS507" if count else ""
        yield indented(f"The running kernel: {head}", [other or "as predicted"])
    if audited.verdicts:
        yield indented("Other tools", (_verdicts(audited, tool) for tool in ("fwts", "op-test")))
    texts = source.texts if source else {}
    yield Section("Findings", (FindingsPart(audited.findings, texts, notes),))
    if against is not None:
        yield _against(*against)


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


def _column(table: IdleTable, tree: bool, audited: Audited, group: Registered) -> StageColumn:
    """Returns what some kernels register for each row. tree: the table is a device tree's."""
    name2state = {state.name: state for state in group.states}
    row2state = {state.source: state for state in group.states}
    cells = []
    for number, row in enumerate(table.states):
        state = row2state.get(number) if tree else name2state.get(row.name)
        times = state and f"{state.exit_latency_us}/{state.target_residency_us} us"
        cells.append("-" if state is None else f"{state.index}: {times}")
    return StageColumn(f"Linux {drawn.kernels(audited, group.kernels)}", tuple(cells))


def _known(audited: Audited) -> list[str]:
    """Returns the remarks on how well the kernels' drivers are known."""
    table = audited.source.table if audited.source else None
    if table is None:
        return []
    names = [name for group in audited.registered for name in group.kernels]
    known = (running(name.rpartition(" as ")[2]) for name in names)
    return remarks([each for each in known if each is not None], driver_of(table))


def _registered(group: Registered) -> Iterator[Part]:
    names = ", ".join(
        f"{state.name} {state.exit_latency_us}/{state.target_residency_us}"
        + (" polling" if state.polling else "")
        for state in group.states
    )
    yield from indented("", [f"{', '.join(group.kernels)}: {names or 'nothing'} (us)"]).parts
    lost = tuple(f"loses {state}: {reason}" for state, reason in group.lost)
    yield Lines(lost, first="    ", further="        ")


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


def _against(name: str, differences: Sequence[TreeDifference]) -> Section:
    """Returns the differences between two device trees. name: file of the second tree."""
    if not differences:
        return Section(f"Same below /ibm,opal as {name}", ())
    parts = []
    for found in differences:
        if found.a is None or found.b is None:
            only = name if found.a is None else "this"
            parts.append(Lines((f"{found.path}: only in {only}",), first="  "))
        else:
            line = f"{found.path}: {_value(found.a)}, there {_value(found.b)}"
            parts.append(Lines((line,), first="  ", further="      "))
    return Section(f"Differs below /ibm,opal from {name}", tuple(parts))


def _value(data: bytes) -> str:
    """A property's value, as text if it is text, else in hex."""
    text = data.rstrip(b"\0")
    if text and text.isascii() and text.decode().isprintable():
        return f'"{text.decode()[:60]}"'
    shown = f"<{data.hex(' ', 4)}>" if data else "empty"
    return shown if len(shown) <= 80 else f"{shown[:77]}...>"


def fleet(summary: FleetSummary, passed_over: Mapping[str, int]) -> Iterator[Section]:
    """Yields what many inputs have in common, and which stand out."""
    inputs, tables = plural(summary.inputs, "input"), plural(summary.tables, "table")
    different = plural(len(summary.groups), "different one")
    lines: list[Line] = []
    if summary.without_table:
        lines.append(f"  {plural(summary.without_table, 'tree')} without idle states")
    if summary.unreadable_count:
        lines.append(Marked("error", f"  {plural(summary.unreadable_count, 'input')} unreadable"))
    unreadable = Lines(tuple(_unreadable(summary)), first="    ", further="        ")
    over = (f"skipped: {what}: {count}" for what, count in sorted(passed_over.items()))
    parts = (Lines(tuple(lines)), unreadable, Lines(tuple(over), first="  "))
    shown = any(part.lines for part in parts)
    found = summary.found_worst_first()
    # a page begins with what is wrong, a text ends with it, next to what is typed then
    if found:
        yield Section(_FOUND, (Either((), (drawn.rules(summary), *_where(summary))),))
    yield Section(f"{inputs}, {tables} of idle states, {different}", parts if shown else ())
    if summary.tables:
        both = Either(tuple(_tables(summary, _SHOWN)), tuple(_tables(summary, _ON_PAGES)))
        yield Section("Tables", (both,))
    if summary.since is not None:
        yield _since(summary.since)
    yield from _boards(summary)
    rows: list[Line] = [
        (f"  {count:>7}  ", Marked(severity, f"{severity:<7}"), f"  {rule} {name}")
        for (rule, name, severity), count in found
    ]
    named = _having(summary) if summary.select else ()
    yield Section(_FOUND, (Either((Lines(tuple(rows)), *named)),))
    verdicts = (
        f"{tool}, {test}: {counts['passed']} pass, {counts['failed']} fail, "
        f"{counts['skipped']} not tested"
        for (tool, test), counts in sorted(summary.verdicts.items())
    )
    yield Section("Other tools", (Lines(tuple(verdicts), first="  "),))


def _since(since: EarlierAudit) -> Section:
    """Returns what is new, gone and otherwise since an earlier audit."""
    parts: list[Part] = []
    for what, files in (
        (f"{plural(len(since.new), 'input')} new", since.new),
        (f"{plural(len(since.gone), 'input')} gone", since.gone),
        (f"{plural(len(since.changed), 'input')} with other tables", since.changed),
    ):
        parts.append(Lines((f"{what}{':' if files else ''}",), first="  "))
        parts.append(Lines(_first(files), first="    "))
    for how, findings in (("new", since.appeared), ("no longer there", since.fixed)):
        for (rule, name, severity), files in by_severity(findings):
            head = f"{severity} {rule} {name}, {how} in {plural(len(files), 'input')}:"
            parts += (Lines((head,), first="  "), Lines(_first(files), first="    "))
    return Section(f"Since {since.earlier}", tuple(parts))


def _first(files: Sequence[str]) -> tuple[str, ...]:
    more = len(files) - MOST_NAMED
    return (
        *files[:MOST_NAMED],
        *([f"and {more} more; --format json names them"] if more > 0 else []),
    )


def _having(summary: FleetSummary) -> Iterator[Part]:
    """Yields the inputs that have each of the findings that were asked for, or of the errors."""
    for (rule, name, severity), count in summary.found_worst_first():
        if files := summary.named.get((rule, name, severity)):
            yield Lines(((Marked(severity, severity), f" {rule} {name}:"),), first="  ")
            yield Lines((*files, *_unnamed(summary, rule, count - len(files))), first="    ")


def _unnamed(summary: FleetSummary, rule: str, more: int) -> list[str]:
    named = "--sqlite" if summary.select else f"--select {rule}"
    return [f"and {more} more; {named} has them all"] if more else []


def _where(summary: FleetSummary) -> Iterator[Part]:
    """Yields the same for pages: each input once, with its findings."""
    found: dict[str, list[str]] = {}
    more: list[Line] = []
    for (rule, name, severity), count in summary.found_worst_first():
        files = summary.named.get((rule, name, severity), [])
        for file in files:
            found.setdefault(file, []).append(f"{severity} {rule} {name}")
        left = _unnamed(summary, rule, count - len(files)) if files else []
        more += [f"{rule} {name}: {words}" for words in left]
    top = _common(found)
    rows = tuple(
        (
            SourcePlace(Location(file=file), os.path.relpath(file, top) if top else file),
            ", ".join(some),
        )
        for file, some in found.items()
    )
    caption = f"Inputs to look at, below {top}" if top else "Inputs to look at"
    yield Rows(("Input", "Findings"), rows, caption, NO_NUMBERS)
    yield Lines(tuple(more))


def _unreadable(summary: FleetSummary) -> Iterator[str]:
    """Yields each input that cannot be read, those together that have one cause."""
    for cause, files in summary.unreadable.items():
        if len(files) == 1:
            yield f"{files[0]}: {cause}"
        else:
            yield f"{plural(len(files), 'input')}: {cause}"
            yield from (f"  {file}" for file in files)
    if (more := summary.unreadable_count - MOST_NAMED) > 0:
        yield f"and {more} more; --format jsonl names them"


def _tables(summary: FleetSummary, most: int) -> Iterator[Part]:
    count, outliers = summary.groups.numbers()
    outliers = min(most, outliers)
    # groups that stand out must not be cut off the list
    others, apart = list[TableGroup](), list[TableGroup]()
    for group in summary.groups:
        if group.outlier and len(apart) < outliers:
            apart.append(group)
        elif len(others) < most:
            others.append(group)
        elif len(apart) == outliers:
            break
    shown = [*others, *apart]
    top = _common(group.examples[0] for group in shown)
    if top:
        yield Lines((f"examples are below {top}",), first="  ")
    rows = tuple(_group(group, top) for group in shown)
    head = ("Count", "CPU", "Table", "Nearest", "States", "For example")
    yield Rows(head, rows, "Different tables", NO_NUMBERS, first="  ")
    if more := count - len(shown):
        yield Lines((f"and {more} more; --format json lists all",), first="  ")


def _boards(summary: FleetSummary) -> Iterator[Section]:
    """Yields each table of trees of sources once, with its boards and what is to be edited."""
    if not summary.groups.of_boards:
        return
    groups = [group for group in summary.groups if group.boards]
    top = _common(file for group in groups for file in group.boards)
    parts = [Lines((f"below {top}",) if top else (), first="  ")]
    for group in groups:
        names = " ".join(file.removeprefix(top).lstrip("/") for file in group.boards)
        parts.append(Lines((f"{group.fingerprint}: {' '.join(group.states)}",), first="  "))
        boards = f"{plural(len(group.boards), 'board')}: {names}"
        parts.append(Lines((boards,), first="    ", further="        "))
    yield Section("Boards, by table", tuple(parts))
    rows = list[tuple[Cell, ...]]()
    order = [str(severity) for severity in sorted(Severity, reverse=True)]
    for (severity, file, line, rule, message), count in sorted(
        summary.placed.items(), key=lambda item: (order.index(item[0][0]), item[0][1:])
    ):
        place = SourcePlace(Location(file=file), f"{file}:{line}" if line else file)
        rows.append((Marked(severity, severity), place, str(count), f"{rule} {message}"))
    if rows:
        head = ("Severity", "Place", "Boards", "Finding")
        table = Rows(head, tuple(rows), "Worst first", NO_NUMBERS, first="  ")
        yield Section("Findings, by the place that is to be edited", (table,))


def _common(files: Iterable[str]) -> str:
    """The directory that contains all files; "" if there is none or it is not worth a line."""
    directories = [os.path.dirname(file) for file in files]
    try:
        return os.path.commonpath(directories).rstrip("/") if directories else ""
    except ValueError:
        return ""


def _group(group: TableGroup, top: str) -> tuple[str, ...]:
    count = len(group.differences)
    nearest = f"{group.nearest or '-'}{f' +{count}' if count else ''}"
    file = group.examples[0]
    example = os.path.relpath(file, top) if top else file
    states = str(len(group.states))
    note = " (stands out)" if group.outlier else ""
    cpu = group.cpu or "?"
    return str(group.count), cpu, group.fingerprint, nearest, states, example + note
