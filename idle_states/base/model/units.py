"""Times and powers as people write them: exact, in the shortest spelling."""

import re

from ..patterns import pattern

_TIME = pattern(r"(\d{1,13})(ns|us|ms|s)|(-?\d{1,13})", re.ASCII)
_FRACTION = pattern(r"(-?\d{1,13}(?:\.\d{1,9})?)(ns|us|ms|s)?", re.ASCII)
UNITS_NS: dict[str, int] = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def format_time(nanoseconds: int) -> str:
    """The shortest exact spelling: 2050000 -> "2050us", 20000000 -> "20ms". Of a time that is yet
    to be told, a place for it."""
    if not isinstance(nanoseconds, (int, float)):
        return f"{nanoseconds:time}"
    for unit in ("s", "ms", "us"):
        if nanoseconds and nanoseconds % UNITS_NS[unit] == 0:
            return f"{nanoseconds // UNITS_NS[unit]}{unit}"
    return f"{nanoseconds}ns"


def nanoseconds(text: str, bare: str = "") -> int:
    """Returns the ns of a time such as 200ns or 10us. bare: the unit of a number without one; "":
    it needs one. Raises ValueError."""
    match = _TIME.fullmatch(text)
    if match is None or not (match[2] or bare):
        raise ValueError(f"expected a time with its unit, such as 200ns or 10us, found {text!r}")
    return int(match[1] or match[3]) * UNITS_NS[match[2] or bare]


def whole_number(text: str) -> int:
    """Returns a number of up to four digits. Raises ValueError."""
    if re.fullmatch(r"\d{1,4}", text, re.ASCII) is None:
        raise ValueError(f"expected a number, found {text!r}")
    return int(text)


def bare_ns(text: str) -> int:
    """Returns the ns of a time; a bare number is of ns. Raises ValueError."""
    return nanoseconds(text, "ns")


def bare_us(text: str) -> int:
    """Returns the ns of a time; a bare number is of us. Raises ValueError."""
    return nanoseconds(text, "us")


def whole_us(text: str) -> int:
    """Returns the us of a time; a bare number is of us. Raises ValueError."""
    found, rest = divmod(nanoseconds(text, "us"), 1000)
    if rest:
        raise ValueError(f"expected a time of whole us, found {text!r}")
    return found


def fractional(text: str, bare: str) -> float:
    """Returns the ns of a time that may have decimals, such as 7.5us. bare: the unit of a number
    without one. Raises ValueError."""
    from decimal import Decimal

    match = _FRACTION.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a time such as 7.5us, found {text!r}")
    return float(Decimal(match[1]) * UNITS_NS[match[2] or bare])


def fractional_us(text: str) -> float:
    """Returns the ns of a time; a bare number is of us. Raises ValueError."""
    return fractional(text, "us")


def fractional_s(text: str) -> float:
    """Returns the seconds of a time; a bare number is of s. Raises ValueError."""
    return fractional(text, "s") / UNITS_NS["s"]


def format_power(value: int, unit: str) -> str:
    """The shortest exact spelling: 850000 of "relative" -> "85%"."""
    scale, sign = (10_000, "%") if unit == "relative" else (1_000_000, "W")
    whole, rest = divmod(value, scale)
    digits = f"{rest:0{len(str(scale)) - 1}}".rstrip("0")
    return f"{whole}{'.' if digits else ''}{digits}{sign}"
