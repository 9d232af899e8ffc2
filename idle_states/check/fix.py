"""Mends what has one right answer: a PSSCR mask that does not cover the five fields of its value.

A value outside of those fields may be the value's fault, and a residency tie has no one answer:
both are left. In a spec the list or number changes, in C what the patch engine changes; nothing
else does, and the result has been read again.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..dataclass import dataclass, replace
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

    places  where the mended masks stand
    """

    file: str
    before: str
    after: str
    places: tuple[Location, ...]


def fixes(sources: Iterable[Source], findings: Iterable[Finding]) -> list[Fix]:
    """The files that can be mended, in order. Findings that are suppressed are left, and so is what
    the engine cannot edit for sure. Raises OSError."""
    places = {f.location for f in findings if f.rule in RULES and f.counts}
    texts: dict[str, str] = {}
    befores: dict[str, str] = {}
    mended: dict[str, list[Location]] = {}
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
        edited = edit(texts[source.file], source, wanted)
        if edited is not None:
            texts[source.file], reached = edited
            rows = zip(source.table.states, reached, strict=True)
            where = (a.where["mask"] for a, b in rows if a.mask != b.mask)
            mended.setdefault(source.file, []).extend(where)
    return [Fix(file, befores[file], texts[file], tuple(at)) for file, at in mended.items()]


def left(findings: Iterable[Finding], made: Iterable[Fix]) -> list[Location]:
    """Where the masks stand that have a finding and are not mended, each place once, in order."""
    mended = {_spot(place) for fix in made for place in fix.places}
    places = (f.location for f in findings if f.rule in RULES and f.counts)
    return list({_spot(at): at for at in places if _spot(at) not in mended}.values())


def _spot(place: Location) -> Location:
    """The place in a file, whichever table has it."""
    return place if place.line is None else place.at("")


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


_Edited = tuple[str, Sequence[IdleState]]
"""A text and the rows it now has."""


def _in_c(text: str, source: Source, wanted: Sequence[IdleState]) -> _Edited | None:
    assert source.table is not None
    try:
        code = SourceText(text, source.file)
        table = code.tables.get(source.name)
        if table is None or _values(table.table.states) != _values(source.table.states):
            # what its headers define differs from what is usual
            return None
        return edit_table(code, source.name, wanted), wanted
    except (EditRefused, Unreadable):
        return None


def _in_spec(text: str, source: Source, wanted: Sequence[IdleState]) -> _Edited | None:
    """Mends the masks that stand on one line; others stay as they are."""
    assert source.table is not None
    lines = text.splitlines(keepends=True)
    reached = list(source.table.states)
    for index, (state, target) in enumerate(zip(source.table.states, wanted, strict=True)):
        if state.mask == target.mask:
            continue
        where = state.where["mask"]
        if where.line is None or where.column is None:
            continue
        line, at = lines[where.line - 1], where.column - 1
        new = _covering(line[at:], target.mask, target.mask & ~state.mask)
        if new is not None:
            lines[where.line - 1] = line[:at] + new
            reached[index] = target
    if not differing(source.table.states, reached):
        return None
    after = "".join(lines)
    try:
        (found,) = read_file(File(Path(source.file), after.encode("utf-8", "surrogateescape")))
    except Unreadable:
        return None
    if found.table is None or _values(found.table.states) != _values(reached):
        return None
    return after, reached


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
