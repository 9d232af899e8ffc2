"""Numbers as benchmark output has them, and what is wrong with one that cannot be used."""

import re

from .summary import LARGEST

PLAIN = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_PLAIN = re.compile(PLAIN)


def sample(text: str) -> float:
    """A measured value. Raises ValueError, which says what was expected, for what is no number,
    not finite, negative or too large to be squared and added up."""
    if _PLAIN.fullmatch(text) is None:
        raise ValueError(f"expected a number, found {shown(text)}")
    value = float(text)
    if value < 0:
        raise ValueError(f"expected a sample of 0 or more, found {shown(text)}")
    if value > LARGEST:
        raise ValueError(f"expected a sample of at most {LARGEST:g}, found {shown(text)}")
    return value


def shown(text: str, most: int = 40) -> str:
    """Text of unknown origin, short and fit for a message."""
    return f"{text[:most]!a}{'...' if len(text) > most else ''}"
