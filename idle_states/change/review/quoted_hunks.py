"""The hunks of what is reviewed, whose lines a reply quotes."""

from collections.abc import Iterable, Sequence

from ...base.dataclass import dataclass
from ...base.model.findings import Location
from ...base.patterns import pattern
from ...base.reading.patch.unified import FileChange, read_diff
from ...base.report.diff import file_diff
from .result import Letter, Review, Reviewed, TableChange

_LAYOUT = pattern(r"[\s{}]+")
"""The parts of a line that a diff without its tree does not keep."""
_CHANGED = pattern(" {1,6}[-+]+")


@dataclass(frozen=True, slots=True)
class QuotedHunk:
    """head   its line with @@, without what a mail's wrapping may have made of it
    lines  as the diff has them, each with its number after the change; None of one that goes
    letter  that the diff is mailed with; None of one between two commits
    """

    file: str
    head: str
    lines: tuple[tuple[str, int | None], ...]
    letter: Letter | None = None

    def changed_from(self, index: int) -> int:
        """A line, or the last of those that change right below one that does not: of a row, its
        first line is named."""
        marks = "".join(line[:1] for line, _ in self.lines[index:])
        found = _CHANGED.match(marks)
        return index + found.end() - 1 if found else index


def line_in(shown: Sequence[QuotedHunk], where: Location, text: str) -> tuple[int, int] | None:
    """The numbers of the hunk and of its line that a place names; None for one elsewhere.

    text: what stands there where the place was found. A later patch, or a base other than the
    sender's, may have moved it: then it is the only line added with that text. Without a tree it
    may be of a row that the diff does not show: then it is not quoted.
    """
    same = [
        (number, index, line)
        for number, hunk in enumerate(shown)
        if hunk.file == where.file
        for index, line in enumerate(hunk.lines)
        if line[1] is not None and _is_there(line[0][1:], text)
    ]
    named = [one for one in same if one[2][1] == where.line]
    added = [one for one in same if one[2][0][0] == "+"]
    if not named and len(added) != 1:
        return None
    number, index, _ = (named or added)[0]
    return number, shown[number].changed_from(index)


def _is_there(line: str, text: str) -> bool:
    """Tells whether a line of a diff is one of a file, which may have more beside it."""
    shown, known = (_LAYOUT.sub("", one) or one.strip() for one in (line, text))
    return bool(shown and known) and (known.startswith(shown) or shown.startswith(known))


def hunks(change: Reviewed, review: Review) -> list[QuotedHunk]:
    """Returns what the change's diffs show, in order: as mailed, or else between the two ends."""
    mailed: list[tuple[FileChange, Letter | None]] = [
        (one, letter)
        for letter in review.letters
        if change.commit is None or letter.commit == change.commit.hash
        for one in letter.files
    ]
    found = mailed or [(one, None) for one in _compared(change.tables)]
    return [quoted for one, letter in found for quoted in _hunks(one, letter)]


def _compared(tables: Iterable[TableChange]) -> list[FileChange]:
    texts: dict[str, tuple[str, str]] = {}
    for table in tables:
        a, b = table.before, table.after
        if a is not None and b is not None and a.file == b.file:
            texts[b.file] = a.texts.get(a.file, ""), b.texts.get(b.file, "")
    diff = "".join(file_diff(name, *ends) for name, ends in texts.items() if all(ends))
    return list(read_diff(diff, "the change")[0]) if diff else []


def _hunks(change: FileChange, letter: Letter | None) -> Iterable[QuotedHunk]:
    for hunk in change.hunks:
        lines = []
        number = hunk.new
        for line in hunk.lines:
            lines.append((line.mark + line.text, None if line.mark == "-" else number))
            number += line.mark != "-"
        head = f"@@ -{hunk.old},{len(hunk.before)} +{hunk.new},{len(hunk.after)} @@ {hunk.section}"
        yield QuotedHunk(change.path, head.rstrip(), tuple(lines), letter)
