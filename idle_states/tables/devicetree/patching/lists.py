"""Lists of references to nodes, each with its arguments, as a source writes them: <&A &B>, <&C 0>.

What goes is cut out, what comes stands behind the one it follows, and comments stay.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ....base.dataclass import dataclass
from ....base.patterns import pattern
from .source import COMMENT

_ARGUMENT = r"\w+(?:\((?:[^()<>]|\([^()<>]*\))*\))?|\((?:[^()<>]|\([^()<>]*\))*\)"
_TOKEN = pattern(
    rf"\s*(?:(?P<reference>&(?:\{{[^{{}};\n]*\}}|\w+))|(?P<argument>{_ARGUMENT})|(?P<mark>[<>,]))",
    re.ASCII,
)
_NUMBER = pattern(r"0[xX][0-9a-fA-F]+|[0-9]+")


@dataclass(slots=True)
class ListEntry:
    """A reference with its arguments. start, end: in the list's text."""

    reference: str
    arguments: list[str]
    start: int
    end: int

    @property
    def plain(self) -> str:
        """Without what is only style; "?" for an argument that is no number as it stands."""
        values = (str(int(a, 0)) if _NUMBER.fullmatch(a) else "?" for a in self.arguments)
        return " ".join([self.reference, *values])


def entries_in(code: str) -> list[ListEntry] | None:
    """The entries of a list; None if the text is no list of references. code: with comments as
    blanks."""
    found: list[ListEntry] = []
    at = 0
    end = len(code.rstrip())
    while at < end:
        token = _TOKEN.match(code, at)
        if token is None:
            return None
        at = token.end()
        if token["reference"]:
            found.append(ListEntry(token["reference"], [], token.start("reference"), at))
        elif token["argument"]:
            if not found:
                return None
            found[-1].arguments.append(token["argument"])
            found[-1].end = at
    return found


def written(wanted: Sequence[str | int]) -> list[str]:
    """The entries of a value, labels and numbers, as texts: ("A", "B", 0) is &A, &B 0."""
    found: list[str] = []
    for item in wanted:
        if isinstance(item, str):
            found.append(f"&{item}")
        elif found:
            found[-1] += f" {item}"
    return found


def joined(entries: Sequence[str], like: str = "") -> str:
    """A new list. like: one whose style it takes, each reference in <> or all together."""
    together = re.search(r"<[^<>]*&[^<>]*&", like) and not any(" " in one for one in entries)
    return f"<{(' ' if together else '>, <').join(entries)}>"


def with_entries(text: str, code: str, wanted: Sequence[str]) -> str:
    """A list's text with other entries, as `written` has them: those that go are cut out, those
    that come stand behind the one they follow, one is put in the place of another; in another order
    the list is written anew, with its comments behind."""
    present = entries_in(code) or []
    keys = list(_keys(present, wanted))
    if wanted and _is_within(wanted, keys):
        waiting = list(wanted)
        gone = []
        for key, entry in zip(keys, present, strict=True):
            if waiting and key == waiting[0]:
                waiting.pop(0)
            else:
                gone.append((entry.start, entry.end))
        return cut(text, code, gone)
    if keys and _is_within(keys, wanted):
        return _extended(text, code, present, keys, wanted)
    own = {key: text[one.start : one.end] for key, one in zip(keys, present, strict=True)}
    if len(keys) == len(wanted) and Counter(keys) != Counter(wanted):
        made = text
        for key, entry, new in reversed(list(zip(keys, present, wanted, strict=True))):
            if key != new:
                made = made[: entry.start] + own.get(new, new) + made[entry.end :]
        return made
    comments = "".join(f" {match[0]}" for match in COMMENT.finditer(text))
    return joined([own.get(one, one) for one in wanted], code) + comments


def _keys(present: Sequence[ListEntry], wanted: Sequence[str]) -> Iterator[str]:
    """The plain text of each entry. One with a macro is taken for the wanted one that it may be:
    what it is, the boards tell."""
    left = Counter(wanted)
    for entry in present:
        found = entry.plain
        if "?" in found:
            count = len(entry.arguments)
            alike = (
                one
                for one in left
                if left[one] and one.split(" ")[0] == entry.reference and one.count(" ") == count
            )
            found = next(alike, found)
        left[found] -= 1
        yield found


def _is_within(some: Sequence[str], others: Sequence[str]) -> bool:
    """Tells whether the first list is the second with items left out."""
    rest = iter(others)
    return all(item in rest for item in some)


def cut(text: str, code: str, gone: Sequence[tuple[int, int]]) -> str:
    """A list's text without what stands at these places, each cut out with the blanks before it; a
    group that is left empty goes with its comma. Comments stay."""
    made, plain = text, code
    for start, end in reversed(gone):
        before = plain[:start]
        if before.rstrip().endswith("<"):
            # what follows takes its place
            end += len(made[end:]) - len(made[end:].lstrip())
        else:
            kept = made[:start].rstrip()
            # what ends a line as a comment does not take in what follows
            start = start if "//" in kept.rpartition("\n")[2] else len(kept)
        made, plain = made[:start] + made[end:], plain[:start] + plain[end:]
    while empty := re.search(r"<\s*>\s*,\s*|,\s*<\s*>", plain):
        start, end = empty.span()
        comments = [match[0] for match in COMMENT.finditer(made[start:end])]
        left = "".join(f" {one}\n" if one.startswith("//") else f" {one}" for one in comments)
        made = made[:start] + left + made[end:]
        plain = plain[:start] + " " * len(left) + plain[end:]
    return made


def _extended(
    text: str, code: str, present: Sequence[ListEntry], keys: Sequence[str], wanted: Sequence[str]
) -> str:
    """With the entries that come put behind the one they follow, or before the first."""
    joint = ">, <"
    if len(present) > 1:
        between = slice(present[-2].end, present[-1].start)
        joint = code[between]
        if joint != text[between]:
            # a comment is of one place
            joint = ">, <" if ">" in joint else " "
    if joint.isspace() and any(" " in one for one in (*keys, *wanted)):
        joint = ">, <"
    number = 0
    pieces: list[str] = []
    done = 0
    ahead: list[str] = []
    for entry in wanted:
        if number < len(present) and entry == keys[number]:
            at = present[number]
            number += 1
            pieces.append(text[done : at.start])
            pieces += [f"{one}{joint}" for one in ahead]
            ahead = []
            pieces.append(text[at.start : at.end])
            done = at.end
        elif number:
            pieces.append(f"{joint}{entry}")
        else:
            ahead.append(entry)
    return "".join([*pieces, text[done:]])
