"""Lists, numbers and suggestions in words, the same in every message."""

from collections.abc import Iterable, Sequence


def joined(words: Sequence[str], last: str = "and") -> str:
    """a, b and c"""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


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
