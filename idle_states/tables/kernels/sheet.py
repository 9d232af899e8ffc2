"""kernels: the releases there are, what two differ in, and where a table's selection changes."""

from collections.abc import Iterator, Sequence

from ...base.report.escapes.text import printable
from ...base.report.sheet import (
    NO_NUMBERS,
    Line,
    Lines,
    Marked,
    Part,
    Rows,
    Section,
    Sheet,
    Worded,
    as_is,
)
from ...base.report.tables import wrapped
from ...base.wording import joined, plural
from ..linux.grounds import Ground, remarks
from ..selection.sheet import moved, reach
from .behaviour import Brought, FeatureChange, KernelComparison
from .drawn import time_line
from .moves import Cause, Move, Moves, Still
from .series import ReleaseLine, Subsystem

_NO_COMMIT = "a change whose commit is not known"
_NAMED = 3
"""Up to so many changes are named in the headline, those of the most maps first."""


# Releases


def series(lines: Sequence[ReleaseLine]) -> Sheet:
    """Returns a section for each series: its releases, and a line for each subsystem: which of them
    do the same, and how they are known. Subsystems that say the same share a line."""
    found = []
    for line in lines:
        grouped: dict[tuple[str, str], list[str]] = {}
        for subsystem in line.subsystems:
            grouped.setdefault((ranges(subsystem), known(subsystem)), []).append(subsystem.name)
        shown = (
            _hanging(f"  {joined(names)}: ", f"{alike}; {how}" if alike else how)
            for (alike, how), names in grouped.items()
        )
        found.append(Section(heading(line), (Lines(tuple(shown)),)))
    return Sheet("Kernels", (), tuple(found))


def overview(lines: Sequence[ReleaseLine]) -> Sheet:
    """Returns a row for each series: how its subsystems are known, and where each changes within
    it."""
    rows = []
    for line in lines:
        kinds: dict[str, list[str]] = {}
        for subsystem in line.subsystems:
            words = [found.kind for each in subsystem.stretches for _, found in each.grounds]
            kinds.setdefault("/".join(sorted(set(words))), []).append(subsystem.name)
        changed = [
            f"{subsystem.name} {' '.join(_point(each.first) for each in subsystem.stretches[1:])}"
            for subsystem in line.subsystems
            if subsystem.stretches[1:]
        ]
        how = "; ".join(f"{', '.join(names)}: {kind}" for kind, names in kinds.items())
        if len(kinds) == 1:
            how = next(iter(kinds))
        first = line.first if line.first == line.last else f"{line.first} to {line.last}"
        rows.append((first, f"{how}. Changes: {', '.join(changed)}" if changed else how))
    head = ("Releases", as_is("HOW WELL KNOWN, AND WHERE THEY CHANGE"))
    return Sheet("Kernels", (), (Section("", (Rows(head, tuple(rows), numbers=NO_NUMBERS),)),))


def _point(name: str) -> str:
    return f".{name.rpartition('.')[2]}"


def heading(line: ReleaseLine) -> str:
    """6.6 to 6.6.150; of one kernel, what it is taken as."""
    if line.kernel is None:
        return f"{line.first} to {line.last}" if line.first != line.last else line.first
    note = line.kernel.note
    return f"{line.name}, {note}" if note else line.name


def ranges(subsystem: Subsystem) -> str:
    """The releases at which the subsystem's behaviour changes: 6.6.93, 6.6.103; "" if it does
    not."""
    begun = [stretch.first for stretch in subsystem.stretches[1:]]
    return f"changes at {joined(begun)}" if begun else ""


def known(subsystem: Subsystem) -> str:
    """The grounds, each with the releases it holds for, if there are several."""
    held: dict[str, list[str]] = {}
    for stretch in subsystem.stretches:
        for found, first, last in stretch.known():
            of = f"{first} to {last}" if first != last else first
            held.setdefault(_kind(found), []).append(of)
    if len(held) == 1:
        return next(iter(held))
    kinds = sorted(held, key=lambda kind: len(held[kind]))
    return "; ".join(
        [*(f"{kind}: {', '.join(held[kind])}" for kind in kinds[:-1]), f"the rest: {kinds[-1]}"]
    )


def _kind(found: Ground) -> str:
    """A ground without the releases next to each release that lies between two."""
    return "between two that agree" if found.kind == "bracketed" else str(found)


# Two kernels


def comparison(found: KernelComparison) -> Sheet:
    """Returns a section for each subsystem that differs."""
    names = (found.a.name, found.b.name)
    title = (
        (f"{names[0]} compared with itself")
        if found.a == found.b
        else f"From {names[0]} to {names[1]}"
    )
    sections = [Section(title, ())]
    for missing in found.missing:
        only = f"{missing.subsystem} is modelled in {names[missing.side == 'b']} only"
        sections.append(Section("", (Lines((only,)),)))
    for subsystem in found.subsystems:
        changes = [change for change in found.changes if change.subsystem == subsystem]
        lines: list[Line] = []
        for change in changes:
            lines += [f"  {valued(change)}", _hanging("    ", change.meaning)]
            lines += [f"    {origin(each, names)}" for each in change.origins]
        sections.append(Section(subsystem, (Lines(tuple(lines)),)))
    if not found.differs:
        none = f"no difference in {joined(found.subsystems)}"
        sections.append(Section("", (Lines((none,)),)))
    doubts = remarks(dict.fromkeys((found.a, found.b)), *found.subsystems)
    return Sheet(title, (), (*sections, Section("", (Lines(tuple(doubts)),))))


def valued(change: FeatureChange) -> str:
    """typical_maximum: False -> True"""
    return f"{change.feature}: {value(change.a)} -> {value(change.b)}"


def value(of: object) -> str:
    if isinstance(of, bool):
        return "yes" if of else "no"
    if isinstance(of, tuple):
        return " ".join(f"{each:#x}" for each in of) or "none"
    return '""' if of == "" else "any" if of is None else str(of)


def origin(of: Brought, names: tuple[str, str]) -> str:
    """The commit, and since when which of two kernels has it."""
    side = names[of.side == "b"]
    return f"{of.commit or _NO_COMMIT}: in {side}, since {of.release}"


# A table


def moves(found: Moves) -> Sheet:
    """Returns a section for each change, with the releases that have it; then what moved
    nothing."""
    of = found.request.of
    title = f"{found.source.name + ': ' if found.source else ''}{of.governor}, HZ {of.hz}"
    about = (
        Marked("strong", title),
        f"steps from release to release: {found.steps}; "
        f"of these change what is registered or selected: {len(found.moves)}",
        "(maps for equal idle periods; see idle-states select)",
    )
    still_title = f"Other changes of {of.governor}, without effect on the maps"
    sections: list[Section] = []
    if found.moves or found.still:
        line = time_line(found, still_title)
        sections.append(Section(Worded("", "What changes when"), (line,)))
    sections += [
        Section(_hanging("", ", ".join(steps)), tuple(_move(move)))
        for steps, move in alike(found.moves)
    ]
    if found.still:
        rows = tuple((", ".join(at), *words) for at, words in still(found.still))
        table = Rows(("At", "Commit", "Features"), rows, numbers=NO_NUMBERS)
        sections.append(Section(Worded(f"{still_title}:", still_title), (table,)))
    rests = (*remarks(found.kernels, of.governor), *found.assumptions)
    sections.append(Section(Worded("", "Assumptions"), (Lines(rests, further=""),)))
    looked = Section("What was looked at", (Lines(about),))
    return Sheet(title, tuple(_headline(found)), tuple(sections), looked)


def _headline(found: Moves) -> Iterator[str]:
    """Yields how many steps change something, and which change most."""
    steps = plural(found.steps, "step")
    if not found.moves:
        yield f"None of {steps} from release to release changes anything"
        return
    verb = "changes" if len(found.moves) == 1 else "change"
    what = "what is registered or selected"
    yield f"{len(found.moves)} of {steps} from release to release {verb} {what}"
    most = sorted(alike(found.moves), key=lambda each: -len(each[1].maps))[:_NAMED]
    for names, move in most:
        lines = []
        if move.maps and move.at is not None:
            lines.append(f"{len(move.maps)} of {plural(len(move.at.maps), 'map')}")
        if move.registered:
            lines.append(plural(len(move.registered), "difference") + " in what is registered")
        yield f"{', '.join(names)}: {joined(lines) or 'the governor begins to select'}"


def step_name(move: Move | Still) -> str:
    before, at = move.step
    return f"{at.name} (from {before.name})"


def alike(moves: Sequence[Move]) -> list[tuple[list[str], Move]]:
    """Moves that do the same by the same commits, under all their steps."""
    found: dict[object, tuple[list[str], Move]] = {}
    for move in moves:
        key = (
            tuple((each.path, each.a, each.b) for each in move.registered),
            move.maps,
            move.begins,
            tuple((cause.subsystem, cause.origin.commit, cause.features) for cause in move.causes)
            if not all(cause.origin.commit for cause in move.causes)
            else tuple((cause.subsystem, cause.origin.commit) for cause in move.causes),
        )
        found.setdefault(key, ([], move))[0].append(step_name(move))
    return list(found.values())


def _move(move: Move) -> Iterator[Part]:
    """Yields what a step from a kernel to the next changes for the table: what is registered, which
    ranges of idle lengths move under which circumstances, and the commits that do so."""
    lines = [f"registered, {each.path}: {each.a} -> {each.b}" for each in move.registered]
    if move.begins and move.at is not None:
        lines.append(f"{move.at.governor} begins to select here")
    yield Lines(tuple(lines), first="  ")
    yield moved(move.maps, first="    ", between="")
    if move.before is not None and move.at is not None:
        yield Lines(tuple(reach(move.before, move.at)), first="  ")
    for cause in move.causes:
        yield Lines(tuple(_because(cause, move)))


def _because(cause: Cause, move: Move) -> Iterator[Line]:
    """The commit, and what it changed."""
    lacked = f", which only {move.step[0].name} has" if cause.origin.side == "a" else ""
    yield f"  by {cause.origin.commit or _NO_COMMIT}{lacked}"
    for change in cause.features:
        head = f"  {cause.subsystem}: {valued(change)}"
        prefix = f"{head}: " if change.meaning else head
        yield _hanging(prefix, change.meaning, 6, first="  ")


def still(some: Sequence[Still]) -> list[tuple[list[str], tuple[str, str]]]:
    """Changes that moved nothing: the releases, the commits and the features."""
    found: dict[tuple[str, str], list[str]] = {}
    for step in some:
        by: dict[str, list[str]] = {}
        for change in step.changes:
            for of in change.origins:
                by.setdefault(of.commit or "not known", []).append(valued(change))
        for commit, words in by.items():
            found.setdefault((commit, ", ".join(words)), []).append(step.step[1].name)
    return [(at, words) for words, at in found.items()]


def _hanging(head: str, text: str, indent: int | None = None, first: str = "") -> Worded:
    """Returns a line wrapped to the width, continued under the head's end or at an indent, behind
    what each line begins with; on a page it is whole."""
    after = " " * (len(head) if indent is None else indent)
    further = after if len(after) < 40 else " " * 6
    lines = wrapped(printable(text), printable(head), further) or [printable(head).rstrip()]
    return Worded("\n".join(first + line for line in lines), f"{head}{text}")
