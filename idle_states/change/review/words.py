"""A review in words that its plain text, its page, its reply and its Markdown have in common."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...base.dataclass import replace
from ...base.model.findings import Confidence, Finding, Severity
from ...base.reading.git.commits import Commit
from ...base.report.escapes.text import printable
from ...base.report.findings_text import shown
from ...base.report.tables import wrapped as paragraph
from ...base.wording import joined, plural
from ...tables.diff.tables import Difference
from ...tables.linux.grounds import driver_of, remarks
from ...tables.linux.kernel_ranges import kernel_ranges
from ...tables.linux.releases import release
from ...tables.selection.idle_lengths import lengths
from . import choices, governors_text
from .claims.claim import MessageClaim
from .machines import OnKernels, OnMachines
from .processors import in_words
from .result import PerKernel, Review, Reviewed, TableChange

if TYPE_CHECKING:
    from ...lab.replay.consumption import Change
    from .workloads import OnWorkload, Performed

WIDTH = 72
SIMULATED = "Assumptions of the simulated figures"
SHOWN = 12
"""Lines of one kind for one table; the rest is counted."""
_SIBLINGS = ("IS502", "IS503")
_SURE = list(Confidence)


PROCESSORS = "Processors of intel_idle's list"
CHOICES = "Machines for which another table is chosen"
GOVERNORS = "Governors"


def verdict(review: Review) -> str:
    every = [table for change in review.changes for table in change.tables]
    tables = {_identity(table) for table in every}
    new = [finding for finding in review.new if finding.counts]
    cpus = {cpu.name for change in review.changes for cpu in change.processors}
    chosen = any(change.choices for change in review.changes)
    run = [governors_text.verdict(one) for change in review.changes for one in change.governors]
    decided = "".join(f"; {decision}" for decision in dict.fromkeys(run))
    if not tables and not new and not review.fixed and not cpus and not chosen:
        if review.unread_lines:
            return f"No change of a table is read: {unread_lines(review)}{decided}."
        unread = any(change.unread for change in review.changes)
        return f"{'No table is compared' if unread else 'No table changes'}{decided}."
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
    what += f", {len(exported)} exported differently" if exported else ""
    what += f", which affects {plural(beside, 'other')}" if beside else ""
    what += f", {plural(len(cpus), 'processor')} treated differently" if cpus else ""
    what += ", another table chosen for some machines" if chosen else ""
    rest = f"; {unread_lines(review)}" if review.unread_lines else ""
    return f"{what}: {brought}, {len(review.fixed)} fixed{decided}{rest}."


def unread_lines(review: Review) -> str:
    """Returns the number of changed lines that were not read in a diff without its tree."""
    verb = "was" if review.unread_lines == 1 else "were"
    return f"{plural(review.unread_lines, 'changed line')} {verb} not read"


def _identity(table: TableChange) -> tuple[str, str]:
    """CPUs have the same names on every board."""
    source = table.source
    return source.name, source.file if source.boards else ""


def worst(review: Review) -> Finding | None:
    """The worst of the new findings, the surest of these; None without an error or a warning."""
    found = shown(review.new, notes=False)
    return max(found, key=lambda f: (f.severity, _SURE.index(f.confidence)), default=None)


def siblings(review: Review) -> list[Finding]:
    """The new findings about tables that the change should have changed as well."""
    return [f for f in shown(review.new, notes=False) if f.rule in _SIBLINGS]


def since(review: Review) -> list[str]:
    """Returns what became of the findings of the version before."""
    earlier = review.earlier
    if earlier is None:
        return []
    of = f"of v{earlier.number}'s errors and warnings"
    return [
        f"{of}, {verb}: {sentence(finding, review, place=verb == 'still there')}"
        for verb, some in (("gone", earlier.gone), ("still there", earlier.kept))
        for finding in some
    ]


def looked_at(review: Review) -> str:
    """Returns the commits or patches that were reviewed, and the kernels, in words."""
    if review.is_mailed:
        what = f"{review.commits} mailed patch{'es' if review.commits != 1 else ''}"
    else:
        ends = f"{review.base[:9] or 'nothing'}..{review.head[:9]}"
        what = f"{ends}, {plural(review.commits, 'commit')}"
    return f"{what}, Linux {', '.join(review.kernels)}"


def sentence(finding: Finding, review: Review, *, place: bool = True) -> str:
    """A finding in a sentence. place: whether it says where."""
    where = finding.location
    at = f"{where.file}:{where.line}: " if place and where.line is not None else ""
    on = f" (on Linux {kernel_ranges(finding.kernels, review.kernels)})" if finding.kernels else ""
    return f"{tag(finding)}: {at}{finding.message}{on}"


def tag(finding: Finding) -> str:
    return f"{finding.severity} {finding.tag}"


def claimed(claim: MessageClaim) -> str:
    """A number of a message, and what became of it."""
    where = f"{claim.answer}, line" if claim.answer else "line"
    return f"{where} {claim.line}, {claim.verdict}: {claim.text!r}: {claim.against}"


def title(table: TableChange) -> str:
    before, after = table.before, table.after
    source = table.source
    name = f"{source.name} ({source.file}{_others(source.boards)})"
    if before is None:
        return f"{name}, added"
    if after is None:
        return f"{name}, removed"
    notes = []
    if before.name != after.name:
        notes.append(f"was {before.name}")
    if before.file != after.file:
        notes.append(f"moved from {before.file}")
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
            name, _, field = path.removeprefix("states.").rpartition(".")
            if not name or field[:1].isdigit():
                # all of a row such as C0.2
                name, field = path.removeprefix("states."), ""
            label = f"{field} " if field else ""
        else:
            on_machine = stage == "export" and path.startswith("on ")
            name = "firmware exports" if stage == "export" else path
            name += f" {path}" if on_machine else ""
            label = f"{path} " if stage == "export" and not on_machine and path != "states" else ""
        by_state.setdefault(name, []).append(f"{label}{difference.a} -> {difference.b}")
    for name, parts in by_state.items():
        yield f"{name}: {', '.join(parts)}"


def per_kernel(
    groups: Iterable[PerKernel], what: str, review: Review, when: str = ""
) -> Iterator[str]:
    """One entry for kernels with the same differences. when: their circumstances."""
    for group in groups:
        # a driver's tables are built into kernels that were not asked for
        kernels = kernel_ranges(
            group.kernels, list(dict.fromkeys((*review.kernels, *group.kernels)))
        )
        changes = [f"{d.path.removeprefix('states.')}: {d.a} -> {d.b}" for d in group.differences]
        more = len(changes) - SHOWN
        rest = [f"and {more} more, see --format json"] if more > 0 else []
        yield f"{what} {kernels}{when}: {'; '.join([*changes[:SHOWN], *rest])}"


def beside(changes: Sequence[Reviewed]) -> Iterator[tuple[str, list[str]]]:
    """Yields (head, entries) of what changes beside tables, where anything does."""
    for head, entries_of in (
        (PROCESSORS, processors),
        (CHOICES, lambda change: map(choices.in_words, change.choices)),
        (GOVERNORS, governors),
    ):
        if some := [entry for change in changes for entry in entries_of(change)]:
            yield head, some


def processors(change: Reviewed) -> Iterator[str]:
    """One entry for processors that are treated otherwise in the same way."""
    alike: dict[str, list[str]] = {}
    for one in change.processors:
        alike.setdefault(in_words(one), []).append(one.name)
    for effect, names in alike.items():
        yield f"{joined(names)}: {effect}"


def grounds(review: Review) -> list[str]:
    """Returns the assumptions of the simulated figures that are shown, each once."""
    seen = [
        *(table.machines for change in review.changes for table in change.tables),
        *(governor for change in review.changes for governor in change.governors),
    ]
    shown = (m for m in seen if m is not None and any(map(is_shown, m.workloads)))
    return list(dict.fromkeys(ground for machines in shown for ground in machines.grounds))


def sources_of_kernels(review: Review) -> list[str]:
    """Returns remarks on the sources of the kernels' drivers and governors, where needed."""
    drivers = {
        driver_of(table.source.table) if table.source.table else "powernv"
        for change in review.changes
        for table in change.tables
    } or {"powernv"}
    kernels = [release(name) for name in review.kernels]
    return remarks(kernels, *sorted(drivers), review.governor)


def commit_line(commit: Commit) -> str:
    """A commit's hash and subject; of what is mailed, the subject alone."""
    return commit.subject if commit.mailed else f"{commit.short} {commit.subject}"


def wrapped(text: str, indent: str = "") -> list[str]:
    """Lines of 72 columns, fit for a terminal; longer words stay whole."""
    return paragraph(printable(text), indent, f"{indent}    ", room=WIDTH)


def limited(items: Iterable[str], lines_of: Callable[[str], list[str]]) -> Iterator[str]:
    """Lines for the first items; the rest is counted."""
    everything = list(items)
    for item in everything[:SHOWN]:
        yield from lines_of(item)
    if len(everything) > SHOWN:
        yield f"  and {len(everything) - SHOWN} more, see --format json"


class TableEffects(NamedTuple):
    """The effects of a table's change: in its rows and in firmware, in kernels, on machines, and
    on the governor's selections at a sample of idle lengths."""

    rows: list[str]
    linux: list[str]
    machines: list[str]
    selection: list[str]


def effects(table: TableChange, review: Review) -> TableEffects:
    return TableEffects(
        list(rows(table.differences)),
        list(per_kernel(table.linux, "Linux", review)),
        list(entries(table.machines, review)) if table.machines is not None else [],
        list(_sampled(table, review)),
    )


def _sampled(table: TableChange, review: Review) -> Iterator[str]:
    """Yields what the governor selects otherwise at sampled lengths, for kernels without ranges."""
    exact = {
        name
        for group in (table.machines.kernels if table.machines is not None else ())
        if group.interrupted
        for name in _current(group, table.machines)
    }
    groups = (
        replace(group, kernels=tuple(name for name in group.kernels if name not in exact))
        for group in table.selection
    )
    shown = [group for group in groups if group.kernels]
    yield from per_kernel(shown, f"{review.governor} on Linux", review, _when(review, ", sampled"))


def _when(review: Review, how: str = "") -> str:
    """The circumstances of a selection."""
    return f" (interrupt, tick running, HZ {review.hz}{how})"


def _current(group: OnKernels, found: OnMachines | None) -> list[str]:
    """The kernels of a group that are named: the tree's own, and those of the time."""
    assert found is not None
    return [name for name in group.kernels if name == found.own or name in found.then]


def grounds_of_all(review: Review) -> list[tuple[str, Sequence[str]]]:
    """(head, sentences): how the change was read, and the assumptions, as replies end."""
    rest = [*review.assumptions, *sources_of_kernels(review)]
    found = [
        ("How it was read", [*review.remarks, *since(review)]),
        (SIMULATED, grounds(review)),
        ("Assumptions of the selections", rest),
    ]
    return [(head, some) for head, some in found if some]


_LEAST = 1.0
"""Percent below which a change is counted, not shown."""
_USED = 0.01
"""Idle periods for each unit of work, likewise."""


def entries(found: OnMachines, review: Review) -> Iterator[str]:
    """One entry for each group of the time's kernels, and for each workload that changes."""
    for group in found.kernels:
        then = [name for name in _current(group, found) if name != found.own]
        own = [f"{found.own}, the tree's"] if found.own in group.kernels else []
        named = [*own, *([f"{joined(then)}, current on {found.day}"] if then else [])]
        if named and (effects := list(_effects(group))):
            when = _when(review) if group.interrupted else ""
            yield f"{review.governor} on Linux {'; '.join(named)}{when}: {'; '.join(effects)}"
    yield from _simulated(found.workloads, len(found.unchanged))
    yield from found.unsaid


def governors(change: Reviewed) -> Iterator[str]:
    """Yields what differs of each governor that changes."""
    for one in change.governors:
        yield governors_text.headline(one)
        yield from (f"message, {claimed(claim)}" for claim in one.claims)
        yield from governors_text.decisions(one)
        yield from _simulated(one.workloads, len(one.unchanged))
        yield from governors_text.maps(one)


def _simulated(workloads: "Sequence[OnWorkload]", unchanged: int) -> Iterator[str]:
    for one in workloads:
        if is_shown(one):
            yield _workload(one)
    if small := sum(not is_shown(one) for one in workloads) + unchanged:
        yield f"{plural(small, 'simulated workload')} changed by less than {_LEAST:g} %"


def is_shown(found: "OnWorkload") -> bool:
    """Tells whether a change of a workload is large enough to be shown."""
    changes = (found.rate, found.power, found.energy)
    return any(max(abs(c.least), abs(c.most)) >= _LEAST for c in changes if c is not None)


def _effects(group: OnKernels) -> Iterator[str]:
    if group.gained:
        yield f"gains {joined(group.gained)}"
    if group.lost:
        yield f"loses {joined(group.lost)}"
    for moved in group.interrupted:
        states = f"{' or '.join(moved.a)} -> {' or '.join(moved.b)}"
        yield f"idle {lengths(moved.first_ns, moved.last_ns)} {states}"


def _workload(found: "OnWorkload") -> str:
    from ...lab.replay.energy_sheet import in_percent

    each = found.unit.removesuffix("s") or "unit"
    before, after = found.before, found.after
    parts = [f"{before.units_per_s:.0f} -> {after.units_per_s:.0f} {found.unit}/s"]
    parts.append(f"power {in_percent(found.power)} ({_whatever(found.power, found.power_any)})")
    if found.energy is not None and found.energy_any is not None:
        whatever = _whatever(found.energy, found.energy_any, found.turning)
        parts.append(f"energy for each {each} {in_percent(found.energy)} ({whatever})")
    if used := list(_used(before, after)):
        parts.append(f"idle periods for each {each}: {', '.join(used)}")
    return f"{found.workload} on Linux {found.kernel}: {'; '.join(parts)}"


def _whatever(likely: "Change", any_: "Change", turning: tuple[float, float] | None = None) -> str:
    """Tells whether the sign holds whatever states draw."""
    if any_.sign:
        return f"{'rises' if any_.sign > 0 else 'falls'} whatever states draw"
    if turning is not None and likely.sign and round(turning[1]) < 100:
        word = "falls" if likely.sign < 0 else "rises"
        return f"{word} if states draw more than {turning[1]:.0f} % of snooze"
    if any_.least or any_.most:
        return "may rise or fall, depending on the states' power"
    return "as before"


def _used(before: "Performed", after: "Performed") -> Iterator[str]:
    """State by state, how often it is entered for each unit of work, where that changes."""
    a, b = ({use.state: use.per_unit or 0.0 for use in side.states} for side in (before, after))
    for state in dict.fromkeys((*a, *b)):
        old, new = a.get(state, 0.0), b.get(state, 0.0)
        if abs(old - new) >= _USED:
            yield f"{state} {old:.2f} -> {new:.2f}"
