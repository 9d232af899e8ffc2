"""Lists, numbers and suggestions in words, the same in every message."""

from collections.abc import Iterable, Sequence
from itertools import islice


def joined(words: Sequence[str], last: str = "and") -> str:
    """a, b and c"""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def few(names: Sequence[str], most: int) -> str:
    """Returns the first names and the number of the others: "a, b and 3 more"."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def filled(text: str, width: int) -> list[str]:
    """The words of a paragraph in lines no wider than `width`, but for a word that is wider."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def number_ranges(numbers: Iterable[int]) -> str:
    """Such as 0-3, 7."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def percent(part: int, whole: int) -> str:
    """Such as 12.34 %; "-" of nothing."""
    return f"{100 * part / whole:.2f} %" if whole else "-"


def possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def one_edit_apart(word: str, other: str) -> bool:
    """Tells whether one letter added, left out, replaced or swapped with its neighbour turns one
    word into the other, which differs."""
    same = next(
        (at for at, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), None
    )
    at = min(len(word), len(other)) if same is None else same
    left, right = word[at:], other[at:]
    swapped = left[:2] == right[1::-1] and left[2:] == right[2:]
    edited = left[1:] == right[1:] or left[1:] == right or left == right[1:]
    return word != other and (edited or swapped)


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is most like another; "" if none is like it."""
    import difflib

    folded = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """'; did you mean ...?' or nothing."""
    close = nearest(word, known)
    return f"; did you mean {close!r}?" if close else ""


def like(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Returns the known words, up to so many, that one edit makes of another: a letter more, less,
    other, or two that change places; and the word itself; whatever their case."""
    folded = word.lower()
    found = (
        name for name in known if name.lower() == folded or one_edit_apart(folded, name.lower())
    )
    return list(islice(found, most))
