"""The lines of a change that a reply quotes: what the diff shows, and where tables lie in it."""

from collections.abc import Iterable, Sequence

from ...base.dataclass import dataclass
from ...base.model.findings import Location
from ...base.reading.patch import FileChange, read_diff
from ...base.report.diff import file_diff
from .result import Review, Reviewed, TableChange


@dataclass(frozen=True, slots=True)
class Quotable:
    """One line of a hunk, as the diff has it. number: after the change; None of one that goes."""

    text: str
    number: int | None

    @property
    def is_changed(self) -> bool:
        return not self.text.startswith(" ")


@dataclass(frozen=True, slots=True)
class QuotedHunk:
    """head: its line with @@, without what a mail's wrapping may have made of it."""

    file: str
    head: str
    lines: tuple[Quotable, ...]

    def line_of(self, where: Location, text: str) -> int | None:
        """The index of the line that a place names; None for one elsewhere.

        text: what stands there where the place was found. A later patch may have moved it, and
        without a tree it may be of a row that the diff does not show: then it is not quoted.
        """
        wanted = text.strip()
        for index, line in enumerate(self.lines):
            if where.file == self.file and line.number is not None and line.number == where.line:
                is_there = wanted and line.text[1:].strip().startswith(wanted)
                return index if is_there else None
        return None

    def last_of(self, table: TableChange) -> int | None:
        """The index of the last line that changes within a table; None where none does."""
        rows = _rows(table)
        at = 0
        found = None
        for index, line in enumerate(self.lines):
            at = line.number or at
            if line.is_changed and self.file == table.source.file and at in rows:
                found = index
        return found


def hunks(change: Reviewed, review: Review) -> list[QuotedHunk]:
    """What the change's diffs show, in order: as mailed, or else between the two ends."""
    mailed = [
        one
        for letter in review.letters
        if change.commit is None or letter.commit == change.commit.hash
        for one in letter.files
    ]
    return [quoted for one in mailed or _compared(change.tables) for quoted in _hunks(one)]


def _compared(tables: Iterable[TableChange]) -> list[FileChange]:
    texts: dict[str, tuple[str, str]] = {}
    for table in tables:
        a, b = table.before, table.after
        if a is not None and b is not None and a.file == b.file:
            texts[b.file] = a.texts.get(a.file, ""), b.texts.get(b.file, "")
    diff = "".join(file_diff(name, *ends) for name, ends in texts.items() if all(ends))
    return list(read_diff(diff, "the change")[0]) if diff else []


def _hunks(change: FileChange) -> Iterable[QuotedHunk]:
    for hunk in change.hunks:
        lines = []
        number = hunk.new
        for line in hunk.lines:
            lines.append(Quotable(line.mark + line.text, None if line.mark == "-" else number))
            number += line.mark != "-"
        head = f"@@ -{hunk.old},{len(hunk.before)} +{hunk.new},{len(hunk.after)} @@ {hunk.section}"
        yield QuotedHunk(change.path, head.rstrip(), tuple(lines))


def _rows(table: TableChange) -> Sequence[int]:
    """The numbers of the lines that a table's rows take after the change."""
    known = table.source.table
    if known is None:
        return ()
    places = [*known.where.values(), *(p for state in known.states for p in state.where.values())]
    lines = [place.line for place in places if place.line is not None]
    # the brace that ends the last row
    return range(min(lines), max(lines) + 3) if lines else ()
