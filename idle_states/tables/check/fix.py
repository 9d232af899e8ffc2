"""Mends what has one right answer: what the remedies of rules change, and nothing else.

In a spec a value on one line changes, in C what the patch engine changes, and the result has been
read again.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.model.findings import Finding, Location, Unreadable
from ...base.model.table import IdleState
from ...base.reading import opening
from ...base.resources import is_packaged
from ..rules.catalogue import rule_of
from ..rules.rule import Remedy
from ..skiboot.patching import EditRefused, SourceText, differing, edit_table
from ..sources import File, Source, read_file


@dataclass(frozen=True, slots=True)
class Fix:
    """A file that is mended. Texts are UTF-8 with surrogates for other bytes.

    places  where the mended values stand
    """

    file: str
    before: str
    after: str
    places: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """A row before and after a remedy."""

    row: int
    before: IdleState
    after: IdleState
    remedy: Remedy

    @property
    def where(self) -> Location:
        return self.before.where[self.remedy.field]


_Edited = tuple[str, Sequence[_Change]]
"""A text and the changes that were made to it."""


def fixes(sources: Iterable[Source], findings: Iterable[Finding]) -> list[Fix]:
    """The files that can be mended, in order. Findings that are suppressed are left, and so is what
    the engine cannot edit for sure. Raises OSError."""
    place2remedy = dict(_remedies(findings))
    texts: dict[str, str] = {}
    befores: dict[str, str] = {}
    mended: dict[str, list[Location]] = {}
    for source in sources:
        changes = list(_changes(source, place2remedy))
        here = opening.is_file(source.file) and not is_packaged(source.file)
        if source.table is None or not changes or not here:
            continue
        if source.file not in befores:
            data = opening.read(source.file)
            if File(Path(source.file), data).text != source.texts.get(source.file):
                # changed since the table was read
                continue
            befores[source.file] = texts[source.file] = data.decode("utf-8", "surrogateescape")
        edit = _in_c if source.table.read_from.kind == "c" else _in_spec
        edited = edit(texts[source.file], source, changes)
        if edited is not None:
            texts[source.file], made = edited
            mended.setdefault(source.file, []).extend(change.where for change in made)
    return [Fix(file, befores[file], texts[file], tuple(at)) for file, at in mended.items()]


def left(
    sources: Iterable[Source], findings: Iterable[Finding], made: Iterable[Fix]
) -> list[tuple[Location, str]]:
    """Returns (place, macro) of each value that has a finding with a remedy and is not mended, each
    place once, in order. macro: the one that makes it; else ""."""
    mended = {_spot(place) for fix in made for place in fix.places}
    spot2macro = {
        _spot(where): state.macro
        for source in sources
        for state in (source.table.states if source.table else ())
        for where in state.where.values()
        if state.macro
    }
    spot2place = {_spot(at): at for at, _ in _remedies(findings) if _spot(at) not in mended}
    return [(at, spot2macro.get(spot, "")) for spot, at in spot2place.items()]


def _remedies(findings: Iterable[Finding]) -> Iterator[tuple[Location, Remedy]]:
    """Yields (place, remedy) of the findings that count and have one."""
    for finding in findings:
        remedy = rule_of(finding.rule).rule.remedy if finding.counts else None
        if remedy is not None:
            yield finding.location, remedy


def _spot(place: Location) -> Location:
    """The place in a file, whichever table has it."""
    return place if place.line is None else place.at("")


def _changes(source: Source, place2remedy: dict[Location, Remedy]) -> Iterator[_Change]:
    """Yields what is to be mended in the source's own file."""
    if source.table is None or source.table.read_from.kind not in ("c", "spec"):
        return
    for row, state in enumerate(source.table.states):
        for field, where in state.where.items():
            remedy = place2remedy.get(where)
            if remedy is None or remedy.field != field or where.file != source.file:
                continue
            after = remedy.mended(state)
            if differing([state], [after]):
                yield _Change(row, state, after, remedy)
                state = after


def _changed(states: Sequence[IdleState], changes: Iterable[_Change]) -> list[IdleState]:
    row2state = {change.row: change.after for change in changes}
    return [row2state.get(row, state) for row, state in enumerate(states)]


def _in_c(text: str, source: Source, changes: Sequence[_Change]) -> _Edited | None:
    assert source.table is not None
    states = source.table.states
    try:
        code = SourceText(text, source.file)
        table = code.tables.get(source.name)
        if table is None or _values(table.table.states) != _values(states):
            # what its headers define differs from what is usual
            return None
        return edit_table(code, source.name, _changed(states, changes)), changes
    except (EditRefused, Unreadable):
        return None


def _in_spec(text: str, source: Source, changes: Sequence[_Change]) -> _Edited | None:
    """Mends the values that stand on one line; others stay as they are."""
    assert source.table is not None
    lines = text.splitlines(keepends=True)
    made = []
    for change in changes:
        where = change.where
        if where.line is None or where.column is None:
            continue
        line, at = lines[where.line - 1], where.column - 1
        new = change.remedy.respelt(line[at:], change.before, change.after)
        if new is not None:
            lines[where.line - 1] = line[:at] + new
            made.append(change)
    if not made:
        return None
    after = "".join(lines)
    try:
        (found,) = read_file(File(Path(source.file), after.encode("utf-8", "surrogateescape")))
    except Unreadable:
        return None
    wanted = _changed(source.table.states, made)
    if found.table is None or _values(found.table.states) != _values(wanted):
        return None
    return after, made


def _values(states: Sequence[IdleState]) -> list[object]:
    return [state.values() for state in states]
