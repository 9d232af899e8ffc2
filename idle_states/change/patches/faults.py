"""Findings of edits that a source does not take."""

from collections.abc import Sequence

from ...base.model.findings import Finding, Location, Severity
from ...tables.skiboot.patching import EditRefused, SourceText


def cannot_patch(
    message: str, where: Location, table: str = "", related: Sequence[tuple[Location, str]] = ()
) -> Finding:
    """The finding IS934: an edit that the source does not take. table: its name."""
    return Finding(
        "IS934", "cannot-patch", Severity.ERROR, message, where, related=tuple(related), table=table
    )


def refusal(source: SourceText, array: str, refused: EditRefused) -> Finding:
    """The finding of an edit that a C file does not take, at its place there."""
    line = source.text.count("\n", 0, refused.start) + 1
    column = refused.start - (source.text.rfind("\n", 0, refused.start) + 1) + 1
    length = max(1, len(source.text[refused.start : refused.end].split("\n")[0]))
    where = Location(array, source.file, line, column, length)
    return cannot_patch(refused.message, where, array)
