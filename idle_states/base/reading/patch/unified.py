"""Reads unified diffs, as git and diff -u print them.

Form: git-diff(1) "Generating patch text with -p"; POSIX diff -u.
"""

import re
from collections.abc import Sequence

from ...dataclass import dataclass, replace
from ...model.findings import unreadable
from ...patterns import pattern
from .. import limits
from .wrapped import Line, hunk_lines

NO_BREAK = "\u00a0"
_GIT = pattern(r"diff --git (.+)")
_HUNK = pattern(
    r"@@ -(?P<old>[0-9]{1,9})(?:,(?P<olds>[0-9]{1,9}))? "
    r"\+(?P<new>[0-9]{1,9})(?:,(?P<news>[0-9]{1,9}))? @@ ?(?P<section>.*)"
)
_INDEX = pattern(r"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: [0-7]{6})?$")
_NOTHING = "/dev/null"
_KINDS = {"120000": "symbolic link", "160000": "submodule"}
_ESCAPE = pattern(rb"\\([0-7]{3}|.)")
_ESCAPED = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13}


@dataclass(frozen=True, slots=True)
class HunkLine:
    """mark: " " for context, "-" for what goes, "+" for what comes. text: without the line's end.
    ends: whether the line has an end; False after "\\ No newline at end of file"."""

    mark: str
    text: str
    ends: bool = True


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """old, new  numbers of its first line before and after, as it says
    section   what follows the second @@: the line that opens the part of the file it lies in
    line      its line in the mail
    """

    old: int
    new: int
    section: str
    lines: tuple[HunkLine, ...]
    line: int

    @property
    def before(self) -> list[HunkLine]:
        return [line for line in self.lines if line.mark != "+"]

    @property
    def after(self) -> list[HunkLine]:
        return [line for line in self.lines if line.mark != "-"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """The change that a diff makes to one file.

    before, after  its paths, parted by "/", from the repository's top; None where there is no file
    old_blob, new_blob  beginnings of the hashes that git gives its contents, or ""
    is_copy    whether the file before stays
    is_opaque  whether its new content is not in the diff as text
    becomes    in words, what it is made that is not read as text; "" for text
    is_rewrite whether its hunks show all of it, before and after
    """

    before: str | None
    after: str | None
    old_blob: str = ""
    new_blob: str = ""
    hunks: tuple[PatchHunk, ...] = ()
    is_copy: bool = False
    is_opaque: bool = False
    becomes: str = ""
    is_rewrite: bool = False

    @property
    def path(self) -> str:
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def changed_lines(self) -> int:
        """The number of lines that go or come."""
        return sum(line.mark in ("-", "+") for hunk in self.hunks for line in hunk.lines)

    @property
    def inverse(self) -> "FileChange":
        """The change that undoes this one, without hashes."""
        marks = {" ": " ", "-": "+", "+": "-"}
        hunks = []
        for hunk in self.hunks:
            lines = tuple(replace(line, mark=marks[line.mark]) for line in hunk.lines)
            hunks.append(replace(hunk, old=hunk.new, new=hunk.old, lines=lines))
        return FileChange(self.after, self.before, hunks=tuple(hunks))


def read_diff(
    text: str, shown: str, *, first: int = 1
) -> tuple[tuple[FileChange, ...], tuple[str, ...]]:
    """The changes that a text's diffs make, and what had to be repaired to read them. Text between
    the diffs is left out.

    first: the number of the text's first line in what `shown` names
    Raises Unreadable (IS930) for hunks that do not have the lines they announce, paths that lead
    out of a tree, and more than limits allow.
    """
    remarks = []
    if NO_BREAK in text:
        count = text.count(NO_BREAK)
        remarks.append(f"{count} no-break space{'s' * (count != 1)} in the diff read as spaces")
        text = text.replace(NO_BREAK, " ")
    reader = _Reader(text.split("\n"), shown, first)
    changes = reader.changes()
    if reader.rejoined:
        many = reader.rejoined != 1
        remarks.append(
            f"{reader.rejoined} line{'s' * many} of the diff broken by a mailer "
            f"{('are' if many else 'is')} joined again, to match the line counts of the hunks"
        )
    return changes, tuple(remarks)


class _Reader:
    def __init__(self, lines: Sequence[str], shown: str, first: int) -> None:
        self.lines = lines
        self.shown = shown
        self.first = first
        self.at = 0
        self.rejoined = 0
        self.hunks = 0

    def changes(self) -> tuple[FileChange, ...]:
        found = []
        while self.at < len(self.lines):
            line = self._line(self.at)
            if _GIT.match(line):
                found.append(self._of_git())
            elif line.startswith("--- ") and self._line(self.at + 1).startswith("+++ "):
                found.append(self._plain())
            else:
                self.at += 1
            if len(found) > limits.DIFF_FILES:
                raise self._wrong(f"expected at most {limits.DIFF_FILES} files in a diff")
        return tuple(found)

    def _line(self, at: int) -> str:
        return self.lines[at].rstrip("\r") if at < len(self.lines) else ""

    def _of_git(self) -> FileChange:
        """From a line diff --git to its last hunk."""
        match = _GIT.match(self._line(self.at))
        assert match is not None
        start = self.at
        named = match[1]
        self.at += 1
        if self._joins_header(named):
            named = f"{named} {self._line(self.at).strip()}"
            self.at += 1
            self.rejoined += 1
        before, after = self._both(named, start)
        blobs = ("", "")
        is_copy = is_opaque = is_rewrite = False
        becomes = ""
        while self.at < len(self.lines):
            line = self._line(self.at)
            if line.startswith("new file mode "):
                before = None
                becomes = _KINDS.get(line.removeprefix("new file mode ").strip(), "")
            elif line.startswith("deleted file mode "):
                after = None
            elif line.startswith(("rename from ", "copy from ")):
                is_copy = line.startswith("copy")
                before = self._path(line.split(" ", 2)[2], self.at)
            elif line.startswith(("rename to ", "copy to ")):
                after = self._path(line.split(" ", 2)[2], self.at)
            elif match := _INDEX.match(line):
                blobs = match[1], match[2]
            elif line.startswith(("GIT binary patch", "Binary files ")):
                is_opaque = True
                becomes = "binary file"
            elif line.startswith("--- ") and self._line(self.at + 1).startswith("+++ "):
                self.at += 2
                hunks = self._hunks()
                return FileChange(
                    before, after, *blobs, hunks, is_copy, is_opaque, becomes, is_rewrite
                )
            elif line.startswith("dissimilarity index "):
                is_rewrite = True
            elif not line.startswith(("old mode", "new mode", "similarity")):
                break
            self.at += 1
        return FileChange(before, after, *blobs, (), is_copy, is_opaque, becomes)

    def _joins_header(self, named: str) -> bool:
        """Tells whether the names of diff --git go on in the next line."""
        follows = self._line(self.at)
        return len(named.split()) == 1 and not named.startswith('"') and follows.startswith("b/")

    def _both(self, named: str, at: int) -> tuple[str | None, str | None]:
        """The names of diff --git a/X b/X; of X X nothing is stripped (--no-prefix). Where they
        hold spaces, both are taken to be the same: a renaming says its names again."""
        if named.startswith('"'):
            end = re.match(r'"(?:[^"\\]|\\.)*"', named)
            if end is None:
                raise self._wrong(f"expected a path, found {named!r:.80}", at)
            first, second = end[0], named[end.end() :].strip()
        elif named.endswith('"') and ' "' in named:
            first, second = named.split(" ", 1)
        elif len(named) % 2 and named[len(named) // 2] == " " and _same(named):
            first, second = named[: len(named) // 2], named[len(named) // 2 + 1 :]
        else:
            first, _, second = named.partition(" ")
        strip = first != second
        return self._path(_bare(first), at, strip=strip), self._path(_bare(second), at, strip=strip)

    def _plain(self) -> FileChange:
        """From lines --- and +++ without git's."""
        start = self.at
        old = _bare(self._line(self.at)[4:].partition("\t")[0].strip())
        new = _bare(self._line(self.at + 1)[4:].partition("\t")[0].strip())
        self.at += 2
        # a/X and b/X, or two directories' names; X and X have nothing to strip
        strip = old != new
        before = None if old == _NOTHING else self._path(old, start, strip=strip)
        after = None if new == _NOTHING else self._path(new, start, strip=strip)
        if before is not None and after is not None and before != after:
            # diff -u X.orig X
            before = after
        hunks = self._hunks()
        if not hunks:
            raise self._wrong("expected hunks (@@ -1,2 +1,2 @@), found none", start)
        return FileChange(before, after, "", "", hunks)

    def _path(self, raw: str, at: int, *, strip: bool = False) -> str:
        """A path within a tree. Raises Unreadable for one that leads elsewhere."""
        text = _bare(raw)
        path = text.partition("/")[2] if strip and "/" in text else text
        words = path.split("/")
        wrong = text.startswith("/") or any(w in ("", ".", "..", ".git") for w in words)
        if wrong or "\0" in path or len(path) > limits.GIT_PATH:
            raise self._wrong(f"expected the path of a file within a tree, found {text!r:.80}", at)
        return path

    def _hunks(self) -> tuple[PatchHunk, ...]:
        found = []
        while self.at < len(self.lines) and (match := _HUNK.match(self._line(self.at))):
            self.hunks += 1
            if self.hunks > limits.DIFF_HUNKS:
                raise self._wrong(f"expected at most {limits.DIFF_HUNKS} hunks in a diff")
            start = self.at
            olds, news = int(match["olds"] or 1), int(match["news"] or 1)
            if max(olds, news) > limits.DIFF_LINES:
                raise self._wrong(f"expected at most {limits.DIFF_LINES} lines in a hunk")
            read = hunk_lines(self.lines, self.at + 1, olds, news)
            if isinstance(read, str):
                message = f"expected {olds} lines before and {news} after, {read}"
                raise self._wrong(message, start)
            self.rejoined += read.rejoined
            self.at = read.end
            found.append(
                PatchHunk(
                    int(match["old"]),
                    int(match["new"]),
                    match["section"],
                    _marked(read.lines),
                    self.first + start,
                )
            )
        return tuple(found)

    def _wrong(self, message: str, at: int | None = None) -> Exception:
        return unreadable(self.shown, message, self.first + (self.at if at is None else at))


def _marked(lines: Sequence[Line]) -> tuple[HunkLine, ...]:
    found: list[HunkLine] = []
    for mark, text in lines:
        if mark == "\\":
            found[-1] = HunkLine(found[-1].mark, found[-1].text, False)
        else:
            found.append(HunkLine(mark, text))
    return tuple(found)


def _same(named: str) -> bool:
    half = len(named) // 2
    return named[:half].partition("/")[2] == named[half + 1 :].partition("/")[2]


def _bare(text: str) -> str:
    """A path without the quotes that git puts around one with odd characters."""
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return text

    def plain(match: re.Match[bytes]) -> bytes:
        escape = match[1]
        code = int(escape, 8) & 255 if len(escape) == 3 else _ESCAPED.get(escape, escape[0])
        return bytes([code])

    inner = text[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(plain, inner).decode("utf-8", "surrogateescape")
