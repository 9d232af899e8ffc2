"""The tables that a change takes out of sight: what their file becomes is read no more.

A table whose file is text as before is removed, and shown as that.
"""

import posixpath
from collections.abc import Sequence

from ...base.dataclass import dataclass
from ...base.model.findings import Finding, Location, Severity
from ...base.patterns import pattern
from ...base.reading import limits
from ...base.reading.git.commits import FILE, LINK, CommitReader, TreeEntry
from ...base.wording import few
from .match import is_same, pairs
from .tree import End

_CONTROLS = pattern(rb"[\x00-\x08\x0e-\x1f]")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class OutOfSight:
    """findings  about the files, an error for each that is unread, a warning for one that is gone
    unread       those whose tables may be there, and are not read
    """

    findings: tuple[Finding, ...] = ()
    unread: frozenset[str] = frozenset()


def out_of_sight(repository: CommitReader, before: End, after: End, head: str) -> OutOfSight:
    """Returns what a change to a commit leaves unread of the tables before."""
    known = before.unread | after.unread
    file2tables: dict[str, list[str]] = {}
    matched = pairs(before.sources, after.sources)
    added = [new for old, new in matched if old is None and new is not None]
    for old, new in matched:
        if old is None or new is not None or old.file in known:
            continue
        # on boards, tables have the same names everywhere: one that moves is not paired
        if not any(is_same(old, each) for each in added):
            file2tables.setdefault(old.file, []).append(old.name)
    found = {file: _becomes(repository, head, file) for file in file2tables}
    return OutOfSight(
        tuple(
            _finding(file, file2tables[file], *verdict)
            for file, verdict in found.items()
            if verdict is not None
        ),
        frozenset(f for f, verdict in found.items() if verdict and verdict[0] is Severity.ERROR),
    )


def _becomes(repository: CommitReader, commit: str, file: str) -> tuple[Severity, str, str] | None:
    """Returns the severity, the file's kind in words, and what to do; None for text."""
    entry = repository.at(commit, file)
    if entry is None:
        do = "check that its tables are meant to be removed, and that no other file used them"
        return Severity.WARNING, "no such file after the change", do
    if entry.kind != FILE:
        return (
            Severity.ERROR,
            _described(repository, entry, file),
            "review the text behind the link",
        )
    content = repository.content(entry)
    if not content.strip():
        return Severity.WARNING, "an empty file", "check that its tables are meant to be removed"
    if content.startswith(_UTF_16):
        return Severity.ERROR, "UTF-16", "convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"
    if _CONTROLS.search(content):
        return Severity.ERROR, "binary content", "review the text that it was made from"
    return None


def _described(repository: CommitReader, entry: TreeEntry, file: str) -> str:
    what = f"a {entry.kind}"
    if entry.kind == LINK:
        target = repository.content(entry, limits.GIT_PATH).decode("utf-8", "surrogateescape")
        what += f" to {target!r}"
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(entry.path), target))
        if resolved.startswith(("/", "..")):
            what += ", out of the repository"
    return what if entry.path == file else f"{what} at {entry.path}"


def _finding(
    file: str, tables: Sequence[str], severity: Severity, becomes: str, advice: str
) -> Finding:
    names = few(tables, _SHOWN)
    what = "is not compared" if len(tables) == 1 else "are not compared"
    end = f"{names} {what}" if severity is Severity.ERROR else f"removed with it: {names}"
    message = f"expected text with tables, as before the change, found {becomes}; {end}: {advice}"
    return Finding("IS930", "unreadable-input", severity, message, Location(file=file))
