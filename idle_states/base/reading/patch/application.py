"""Applies a diff to the bytes of a file, as git apply does: every line of context must be there,
lines may have moved.

Ground: git's apply.c, find_pos(), match_fragment() and update_image() of 2.47.
"""

from collections.abc import Callable, Iterator, Sequence

from ...model.findings import Unreadable, unreadable
from .unified import FileChange, HunkLine, PatchHunk


class DoesNotApply(Unreadable):
    """A hunk's context is not in the file."""


def applied(change: FileChange, content: bytes, shown: str) -> bytes:
    """Returns a file's content (b"" for a file that is added) after the change.

    shown: what messages call the diff
    Raises DoesNotApply (IS930).
    """
    lines = _split(content)
    patched = [False] * len(lines)
    for hunk in change.hunks:
        before = [_bytes(line) for line in hunk.before]
        at = _position(hunk, before, lines, patched)
        if at is None:
            problem = unreadable(shown, _refusal(hunk, change.path, before, lines), hunk.line)
            raise DoesNotApply(problem.findings)
        kept = iter(lines[at : at + len(before)])
        after = []
        for line in hunk.lines:
            mine = b"" if line.mark == "+" else next(kept)
            if line.mark != "-":
                after.append(_bytes(line) if line.mark == "+" else mine)
        lines[at : at + len(before)] = after
        patched[at : at + len(before)] = [True] * len(after)
    return b"".join(lines)


def _refusal(hunk: PatchHunk, path: str, before: Sequence[bytes], lines: Sequence[bytes]) -> str:
    clean = [False] * len(lines)
    is_bare = all(line.mark != " " for line in hunk.lines)
    if is_bare and any(_fits(before, lines, clean, at) for at in range(len(lines) + 1)):
        return (
            f"expected lines of context in the hunk at line {hunk.old} of {path}, found none (diff "
            "-U0): git apply takes it for the file's end"
        )
    return f"expected the lines of the hunk at line {hunk.old} in {path}, found others"


def changed_files(
    change: FileChange,
    content_of: Callable[[str], bytes | None],
    shown: str,
    where: str,
    *,
    only_once: bool,
) -> Iterator[tuple[str, bytes | None]]:
    """(path, content) of each file that a change leaves otherwise; None for one it removes.

    content_of    path -> a file's content before; None where there is no such file
    shown, where  what messages call the diff, and what it is applied to
    only_once     whether a hunk that is not where it says must have one place only
    Raises DoesNotApply (IS930).
    """
    content = b"" if change.before is None else content_of(change.before)
    line = change.hunks[0].line if change.hunks else None
    if content is None:
        message = f"expected the file {change.before} in {where}, found none"
        raise DoesNotApply(unreadable(shown, message, line).findings)
    if change.before is None and content_of(change.path) is not None:
        message = f"expected no file {change.path} in {where}, found one"
        raise DoesNotApply(unreadable(shown, message, line).findings)
    if only_once:
        _check_places(change, content, shown)
    after = applied(change, content, shown)
    if change.before is not None and change.before != change.after and not change.is_copy:
        yield change.before, None
    if change.after is not None:
        yield change.after, after


def _check_places(change: FileChange, content: bytes, shown: str) -> None:
    for hunk in change.hunks:
        places = positions(hunk, content) if hunk.before else [0]
        if len(places) > 1 and hunk.old - 1 not in places:
            message = (
                f"expected the lines of the hunk at line {hunk.old} once in {change.path}, "
                f"found them {len(places)} times, and not there"
            )
            raise DoesNotApply(unreadable(shown, message, hunk.line).findings)


def positions(hunk: PatchHunk, content: bytes) -> list[int]:
    """Indices of all lines at which a hunk's lines before stand in a file."""
    lines = _split(content)
    before = [_bytes(line) for line in hunk.before]
    clean = [False] * len(lines)
    return [at for at in range(len(lines) + 1) if _fits(before, lines, clean, at)]


def _position(
    hunk: PatchHunk, before: Sequence[bytes], lines: Sequence[bytes], patched: Sequence[bool]
) -> int | None:
    """The place nearest to where the hunk says it belongs, after it before before it."""
    at_start = hunk.old == 0 or hunk.old == 1
    at_end = bool(hunk.lines) and hunk.lines[-1].mark != " "
    wanted = max(0, hunk.new - 1)
    if at_start:
        wanted = 0
    elif at_end:
        wanted = len(lines) - len(before)
    if not 0 <= wanted <= len(lines):
        wanted = len(lines)
    for at in _outwards(wanted, len(lines)):
        if at_start and at:
            continue
        if at_end and at + len(before) != len(lines):
            continue
        if _fits(before, lines, patched, at):
            return at
    return None


def _outwards(middle: int, end: int) -> Iterator[int]:
    yield middle
    for step in range(1, end + 1):
        if middle + step <= end:
            yield middle + step
        if middle - step >= 0:
            yield middle - step


def _fits(
    before: Sequence[bytes], lines: Sequence[bytes], patched: Sequence[bool], at: int
) -> bool:
    if at + len(before) > len(lines):
        return False
    return all(not patched[at + n] and lines[at + n] == line for n, line in enumerate(before))


def _bytes(line: HunkLine) -> bytes:
    text = line.text.encode("utf-8", "surrogateescape")
    return text + b"\n" if line.ends else text


def _split(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    return [*(line + b"\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]
