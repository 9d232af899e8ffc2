"""Numbers in benchmark output, and errors for those that cannot be used."""

import re

from .summary import LARGEST

_PLAIN = re.compile(r"[+-]?(?:[0-9]++(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?")


def is_number(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None


def sample(text: str, smallest: float = 0.0, signed: bool = False) -> float:
    """Parses a measured value. Raises ValueError, with what was expected, for text that is no
    number, and for a value that is not finite, negative unless signed, too large, or too small (but
    not 0) to be squared and added up."""
    if not is_number(text):
        raise ValueError(f"expected a number, found {shown(text)}")
    value = float(text)
    if value < 0 and not signed:
        more = "--ministat takes negative samples, too"
        raise ValueError(f"expected a sample of 0 or more, found {shown(text)}; {more}")
    if abs(value) > LARGEST:
        raise ValueError(f"expected a sample of at most {LARGEST:g}, found {shown(text)}")
    if 0 < value < smallest:
        raise ValueError(f"expected a sample of 0 or at least {smallest:g}, found {shown(text)}")
    return value


def half_unit(text: str) -> float:
    """Returns half a unit in the last printed place of a number; 0 for a 0 without a point."""
    found = _PLAIN.fullmatch(text)
    assert found is not None
    if text == "0":
        return 0.0
    exponent = int(found[3] or 0) - len(found[1] or found[2] or "")
    return 0.5 * 10.0 ** max(-400, min(exponent, 100))


def shown(text: str, most: int = 40) -> str:
    """Returns text of unknown origin shortened and made safe for a message."""
    return f"{text[:most]!a}{'...' if len(text) > most else ''}"
