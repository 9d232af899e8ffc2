"""Mends what has one right answer: a PSSCR mask that does not cover the five fields of its value.

A value outside of those fields may be the value's fault, and a residency tie has no one answer:
both are left. In a spec the list or number changes, in C what the patch engine changes; nothing
else does, and the result has been read again.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..findings import Finding, Location, Unreadable
from ..reading import opening
from ..skiboot.patching import EditRefused, SourceText, differing, edit_table
from ..sources import File, Source, read_file
from ..table import PSSCR_MASK, IdleState, Psscr, field_mask

RULES = ("IS307", "IS308")
_LIST = re.compile(r"\[([^\]\[\n]*)\]")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class Fix:
    """A file with its masks mended. Texts are UTF-8 with surrogates for other bytes.

    masks  how many were mended
    """

    file: str
    before: str
    after: str
    masks: int


def fixes(sources: Iterable[Source], findings: Iterable[Finding]) -> list[Fix]:
    """The files that can be mended, in order. Findings that are suppressed are left, and so is what
    the engine cannot edit for sure. Raises OSError."""
    places = {f.location for f in findings if f.rule in RULES and f.counts}
    texts: dict[str, str] = {}
    befores: dict[str, str] = {}
    counts: dict[str, int] = {}
    for source in sources:
        wanted = _wanted(source, places)
        if source.table is None or not wanted or not opening.is_file(source.file):
            continue
        if source.file not in befores:
            data = opening.read(source.file)
            if File(Path(source.file), data).sha256 != source.sha256:
                # another file than the table was read from: a packaged spec's name is short
                continue
            befores[source.file] = texts[source.file] = data.decode("utf-8", "surrogateescape")
        edit = _in_c if source.table.origin.kind == "c" else _in_spec
        after = edit(texts[source.file], source, wanted)
        if after is not None:
            texts[source.file] = after
            masks = sum(a.mask != b.mask for a, b in zip(source.table.states, wanted, strict=True))
            counts[source.file] = counts.get(source.file, 0) + masks
    return [Fix(file, befores[file], texts[file], count) for file, count in counts.items()]


def _wanted(source: Source, places: set[Location]) -> list[IdleState]:
    """The rows with masks mended; none if there is nothing to mend in the source's own file."""
    if source.table is None or source.table.origin.kind not in ("c", "spec"):
        return []
    wanted = [_mended(state, source.file, places) for state in source.table.states]
    return wanted if differing(source.table.states, wanted) else []


def _mended(state: IdleState, file: str, places: set[Location]) -> IdleState:
    where = state.where.get("mask")
    mask = state.mask | PSSCR_MASK
    if where is None or where not in places or where.file != file or state.control & ~mask:
        return state
    return replace(state, mask=mask)


def _in_c(text: str, source: Source, wanted: Sequence[IdleState]) -> str | None:
    assert source.table is not None
    try:
        code = SourceText(text, source.file)
        table = code.tables.get(source.name)
        if table is None or _values(table.table.states) != _values(source.table.states):
            # what its headers define differs from what is usual
            return None
        return edit_table(code, source.name, wanted)
    except (EditRefused, Unreadable):
        return None


def _in_spec(text: str, source: Source, wanted: Sequence[IdleState]) -> str | None:
    assert source.table is not None
    lines = text.splitlines(keepends=True)
    for state, target in zip(source.table.states, wanted, strict=True):
        if state.mask == target.mask:
            continue
        where = state.where["mask"]
        if where.line is None or where.column is None:
            return None
        line, at = lines[where.line - 1], where.column - 1
        new = _covering(line[at:], target.mask, target.mask & ~state.mask)
        if new is None:
            return None
        lines[where.line - 1] = line[:at] + new
    after = "".join(lines)
    try:
        (found,) = read_file(File(Path(source.file), after.encode("utf-8", "surrogateescape")))
    except Unreadable:
        return None
    if found.table is None or _values(found.table.states) != _values(wanted):
        return None
    return after


def _covering(text: str, mask: int, missing: int) -> str | None:
    """A text that begins with a mask, as a list of fields or a number, with the missing bits."""
    if match := _LIST.match(text):
        names = [name for name in Psscr.FIELDS if missing & field_mask([name])]
        listed = [name for name in match[1].split(",") if name.strip()]
        return f"[{', '.join([*(name.strip() for name in listed), *names])}]{text[match.end() :]}"
    if match := _NUMBER.match(text):
        return f"{mask:#x}{text[match.end() :]}"
    return None


def _values(states: Sequence[IdleState]) -> list[object]:
    return [state.values() for state in states]
