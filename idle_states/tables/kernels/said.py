"""kernels, for people."""

from collections.abc import Iterator, Sequence

from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.report.tables import columns, wrapped
from ...base.wording import joined
from ..diff.tables import Difference
from ..linux.grounds import Ground, remarks
from ..selection.idle_lengths import lengths
from ..selection.said import aligned, grouped
from ..selection.said_changes import each, reach
from .behaviour import Brought, FeatureChange, KernelComparison
from .moves import Cause, Different, Move, Moves, Still
from .series import ReleaseLine, Subsystem

_NO_COMMIT = "a change whose commit is not known"


# Releases


def series(lines: Sequence[ReleaseLine], style: Style) -> str:
    """A block for each series: its releases, and a line for each subsystem: which of them do the
    same, and how they are known. Subsystems that say the same share a line."""
    found: list[str] = []
    for line in lines:
        said: dict[tuple[str, str], list[str]] = {}
        for subsystem in line.subsystems:
            said.setdefault((ranges(subsystem), known(subsystem)), []).append(subsystem.name)
        if found:
            found.append("")
        found.append(style("strong", heading(line)))
        for (alike, how), names in said.items():
            found += _hanging(f"  {joined(names)}: ", f"{alike}; {how}" if alike else how)
    return "\n".join(found) + "\n"


def overview(lines: Sequence[ReleaseLine]) -> str:
    """A line for each series: how its subsystems are known, and where each changes within it."""
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
    return columns(("RELEASES", "HOW THEY ARE KNOWN, AND WHERE THEY CHANGE"), rows)


def _point(name: str) -> str:
    return f".{name.rpartition('.')[2]}"


def heading(line: ReleaseLine) -> str:
    """6.6 to 6.6.150; of one kernel, what it is taken as."""
    if line.kernel is None:
        return f"{line.first} to {line.last}" if line.first != line.last else line.first
    note = line.kernel.note
    return printable(f"{line.name}, {note}" if note else line.name)


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


def comparison(found: KernelComparison, style: Style) -> str:
    """A block for each subsystem that differs."""
    a, b = (printable(kernel.name) for kernel in (found.a, found.b))
    title = f"{a} and itself" if found.a == found.b else f"From {a} to {b}"
    lines = [style("strong", title)]
    for missing in found.missing:
        lines += ["", f"{missing.subsystem} is modelled in {(a, b)[missing.side == 'b']} only"]
    for subsystem in found.subsystems:
        changes = [change for change in found.changes if change.subsystem == subsystem]
        if changes:
            lines += ["", style("strong", subsystem)]
        for change in changes:
            lines.append(f"  {valued(change)}")
            lines += _hanging("    ", change.meaning)
            lines += [f"    {origin(each, (a, b))}" for each in change.origins]
    if not found.differs:
        lines += ["", f"nothing differs in {joined(found.subsystems)}"]
    doubts = remarks(dict.fromkeys((found.a, found.b)), *found.subsystems)
    return "\n".join([*lines, *([""] if doubts else []), *map(printable, doubts)]) + "\n"


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


def title(found: Moves) -> str:
    of = found.request.of
    table = f"{printable(found.source.name)}: " if found.source else ""
    return f"{table}{of.governor}, HZ {of.hz}"


def summary(found: Moves) -> list[str]:
    """What was looked at, and what a map is."""
    return [
        f"steps from release to release: {found.steps}; "
        f"of these change what is registered or selected: {len(found.moves)}",
        "(maps of idle periods that are all alike; see idle-states select)",
    ]


def moves(found: Moves, style: Style) -> str:
    """A block for each change, with the releases that have it; then what moved nothing."""
    lines = [style("strong", title(found)), *summary(found)]
    for steps, move in alike(found.moves):
        lines += ["", *(style("strong", line) for line in _hanging("", ", ".join(steps)))]
        lines += [f"  {line}" for line in effects(move)]
        for cause in move.causes:
            lines += [f"  {line}" for line in because(cause, move)]
    if found.still:
        lines += ["", f"Other changes of {found.request.of.governor}, which move no map:"]
        rows = [(", ".join(steps), *words) for steps, words in still(found.still)]
        lines += columns(("AT", "COMMIT", "FEATURES"), rows).splitlines()
    said = [*remarks(found.kernels, found.request.of.governor), *found.assumptions]
    if said:
        lines += ["", *(line for each in said for line in _hanging("", each))]
    return "\n".join(lines) + "\n"


def step_name(move: Move | Still) -> str:
    before, at = move.step
    return f"{printable(at.name)} (from {printable(before.name)})"


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


def effects(move: Move) -> list[str]:
    """What a step from a kernel to the next changes for the table, a line each."""
    lines = [f"registered, {registered(each)}" for each in move.registered]
    if move.begins and move.at is not None:
        lines.append(f"{move.at.governor} begins to select here")
    lines += different(move.maps)
    if move.before is not None and move.at is not None:
        lines += [line for line in reach(move.before, move.at) if line]
    return lines


def registered(each: Difference) -> str:
    return printable(f"{each.path}: {each.a} -> {each.b}")


def different(maps: Different) -> Iterator[str]:
    """The ranges of idle lengths that move, under the circumstances for which they do."""
    for titles, some in grouped(maps):
        yield from titles
        yield from aligned((lengths(c.first_ns, c.last_ns), moved(c.a, c.b)) for c in some)


def moved(a: Sequence[str], b: Sequence[str]) -> str:
    return f"{each(a)} -> {each(b)}"


def because(cause: Cause, move: Move) -> list[str]:
    """The commit, and what it changed."""
    names = (printable(move.step[0].name), printable(move.step[1].name))
    lacked = f", which only {names[0]} has" if cause.origin.side == "a" else ""
    lines = [f"by {cause.origin.commit or _NO_COMMIT}{lacked}"]
    for change in cause.features:
        head = f"  {cause.subsystem}: {valued(change)}"
        lines += _hanging(f"{head}: ", change.meaning, 6) if change.meaning else [head]
    return lines


def still(some: Sequence[Still]) -> list[tuple[list[str], tuple[str, str]]]:
    """Changes that moved nothing: the releases, the commits and the features."""
    found: dict[tuple[str, str], list[str]] = {}
    for step in some:
        by: dict[str, list[str]] = {}
        for change in step.changes:
            for of in change.origins:
                by.setdefault(of.commit or "not known", []).append(valued(change))
        for commit, words in by.items():
            found.setdefault((commit, ", ".join(words)), []).append(printable(step.step[1].name))
    return [(at, words) for words, at in found.items()]


def _hanging(head: str, text: str, indent: int | None = None) -> list[str]:
    """Wrapped to the width, continued under the head's end or at an indent."""
    after = " " * (len(head) if indent is None else indent)
    further = after if len(after) < 40 else " " * 6
    return wrapped(printable(text), head, further) or [head.rstrip()]
