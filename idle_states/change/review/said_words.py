"""A review in words that its plain text, its reply by mail and its Markdown have in common."""

from collections.abc import Iterable, Iterator, Sequence

from ...base.model.findings import Confidence, Finding, Severity
from ...base.reading.git import Commit
from ...base.report.escapes.text import printable
from ...base.report.tables import wrapped as paragraph
from ...base.wording import joined, plural
from ...tables.diff.tables import Difference
from ...tables.linux.grounds import driver_of, remarks
from ...tables.linux.kernel_ranges import kernel_ranges
from ...tables.linux.releases import release
from .claims.claim import MessageClaim
from .processors import in_words
from .result import PerKernel, Review, Reviewed, TableChange
from .said_machines import is_shown

WIDTH = 72
SHOWN = 12
"""Lines of one kind for one table; the rest is counted."""
_SIBLINGS = ("IS502", "IS503")
_SURE = list(Confidence)


def verdict(review: Review) -> str:
    every = [table for change in review.changes for table in change.tables]
    tables = {_identity(table) for table in every}
    new = [finding for finding in review.new if finding.counts]
    cpus = {cpu.name for change in review.changes for cpu in change.processors}
    if not tables and not new and not review.fixed and not cpus:
        if review.unread_lines:
            return f"No change of a table is read: {unread_lines(review)}."
        unread = any(change.unread for change in review.changes)
        return "No table is compared." if unread else "No table changes."
    counts = [
        plural(number, str(severity))
        for severity in reversed(Severity)
        if (number := sum(finding.severity is severity for finding in new))
    ]
    brought = (
        f"{plural(len(new), 'new finding')} ({', '.join(counts)})" if new else "no new finding"
    )
    changed = {_identity(table) for table in every if table.is_changed}
    exported = {_identity(table) for table in every if table.differences} - changed
    beside = len(tables - changed - exported)
    what = f"{plural(len(changed), 'table') if tables else 'no table'} changed"
    what += f", {len(exported)} exported otherwise" if exported else ""
    what += f", which concerns {plural(beside, 'other')}" if beside else ""
    what += f", {plural(len(cpus), 'processor')} treated otherwise" if cpus else ""
    rest = f"; {unread_lines(review)}" if review.unread_lines else ""
    return f"{what}: {brought}, {len(review.fixed)} fixed{rest}."


def unread_lines(review: Review) -> str:
    """How many changed lines of a diff without its tree tell nothing."""
    verb = "was" if review.unread_lines == 1 else "were"
    return f"{plural(review.unread_lines, 'changed line')} {verb} not read"


def _identity(table: TableChange) -> tuple[str, str]:
    """CPUs have the same names on every board."""
    source = table.source
    return source.name, source.file if source.boards else ""


def worst(review: Review) -> Finding | None:
    """The worst of the new findings, the surest of these; None without an error or a warning."""
    found = [f for f in review.new if f.counts and f.severity > Severity.NOTE]
    return max(found, key=lambda f: (f.severity, _SURE.index(f.confidence)), default=None)


def siblings(review: Review) -> list[Finding]:
    """The new findings about tables that the change should have changed as well."""
    found = (f for f in review.new if f.counts and f.severity > Severity.NOTE)
    return [finding for finding in found if finding.rule in _SIBLINGS]


def looked_at(review: Review) -> str:
    """What was reviewed, and for which kernels."""
    if review.is_mailed:
        what = f"{review.commits} mailed patch{'es' if review.commits != 1 else ''}"
    else:
        ends = f"{review.base[:9] or 'nothing'}..{review.head[:9]}"
        what = f"{ends}, {plural(review.commits, 'commit')}"
    return f"{what}, Linux {', '.join(review.kernels)}"


def said(finding: Finding, review: Review, *, place: bool = True) -> str:
    """A finding in a sentence. place: whether it says where."""
    where = finding.location
    at = f"{where.file}:{where.line}: " if place and where.line is not None else ""
    on = f" (on Linux {kernel_ranges(finding.kernels, review.kernels)})" if finding.kernels else ""
    return f"{tag(finding)}: {at}{finding.message}{on}"


def tag(finding: Finding) -> str:
    return f"{finding.severity} {finding.rule} {finding.name}"


def claimed(claim: MessageClaim) -> str:
    """A number of a message, and what became of it."""
    where = f"{claim.answer}, line" if claim.answer else "line"
    return f"{where} {claim.line}, {claim.verdict}: {claim.text!r}: {claim.against}"


def title(table: TableChange) -> str:
    before, after = table.before, table.after
    source = table.source
    name = printable(f"{source.name} ({source.file}{_others(source.boards)})")
    if before is None:
        return f"{name}, added"
    if after is None:
        return f"{name}, removed"
    notes = []
    if before.name != after.name:
        notes.append(f"was {printable(before.name)}")
    if before.file != after.file:
        notes.append(f"moved from {printable(before.file)}")
    return ", ".join([name, *notes])


def _others(boards: Sequence[str]) -> str:
    """The boards that have a table beside the first, by their names."""
    names = [board.rpartition("/")[2].removesuffix(".dts") for board in boards[1:]]
    if len(names) > SHOWN:
        names[SHOWN:] = [f"{len(names) - SHOWN} more"]
    return f" and {joined(names)}" if names else ""


def rows(differences: Sequence[Difference]) -> Iterator[str]:
    """One entry for a state, with all its fields."""
    by_state: dict[str, list[str]] = {}
    for difference in differences:
        stage, path = difference.stage, difference.path
        if stage == "table" and path.startswith("states."):
            name, _, field = path.removeprefix("states.").partition(".")
            label = f"{field} " if field else ""
        else:
            on_machine = stage == "export" and path.startswith("on ")
            name = "firmware exports" if stage == "export" else path
            name += f" {path}" if on_machine else ""
            label = f"{path} " if stage == "export" and not on_machine and path != "states" else ""
        by_state.setdefault(name, []).append(f"{label}{difference.a} -> {difference.b}")
    for name, parts in by_state.items():
        yield f"{name}: {', '.join(parts)}"


def per_kernel(groups: Iterable[PerKernel], what: str, review: Review) -> Iterator[str]:
    """One entry for kernels with the same differences."""
    for group in groups:
        kernels = kernel_ranges(group.kernels, [*review.kernels, *_beyond(group, review)])
        said = [f"{d.path.removeprefix('states.')}: {d.a} -> {d.b}" for d in group.differences]
        more = len(said) - SHOWN
        rest = [f"and {more} more, see --format json"] if more > 0 else []
        yield f"{what} {kernels}: {'; '.join([*said[:SHOWN], *rest])}"


def _beyond(group: PerKernel, review: Review) -> list[str]:
    """The kernels that were not asked for: those that a driver's tables are built into."""
    return [name for name in group.kernels if name not in review.kernels]


def processors(change: Reviewed) -> Iterator[str]:
    """One entry for processors that are treated otherwise in the same way."""
    alike: dict[str, list[str]] = {}
    for one in change.processors:
        alike.setdefault(in_words(one), []).append(one.name)
    for said, names in alike.items():
        yield f"{joined(names)}: {said}"


def grounds(review: Review) -> list[str]:
    """What the simulated figures that are shown rest on, each once."""
    seen = (table.machines for change in review.changes for table in change.tables)
    shown = (m for m in seen if m is not None and any(map(is_shown, m.workloads)))
    return list(dict.fromkeys(ground for machines in shown for ground in machines.grounds))


def sources_of_kernels(review: Review) -> list[str]:
    """How the drivers and governors of the kernels are known, where that is to be said."""
    drivers = {
        driver_of(table.source.table) if table.source.table else "powernv"
        for change in review.changes
        for table in change.tables
    } or {"powernv"}
    kernels = [release(name) for name in review.kernels]
    found = [
        line for driver in sorted(drivers) for line in remarks(kernels, driver, review.governor)
    ]
    return list(dict.fromkeys(found))


def commit_line(commit: Commit) -> str:
    """A commit's hash and subject; of what is mailed, the subject alone."""
    return commit.subject if commit.mailed else f"{commit.short} {commit.subject}"


def wrapped(text: str, indent: str = "") -> list[str]:
    """Lines of 72 columns; longer words stay whole."""
    return paragraph(text, indent, f"{indent}    ", room=WIDTH)
