"""Idle lengths that a governor cannot tell apart, found by watching what it does with one of them.

A governor that only compares times takes the same way for all lengths between two thresholds. Run
with a `WatchedLength`, it leaves in `LengthsAlike` the range of lengths with which each comparison
comes out the same, and so every decision, and everything that is remembered.
"""

from collections.abc import Callable
from typing import Any

from .interface import KTIME_MAX


class LengthsAlike:
    """The range first..last, in ns, of lengths that so far went the same way as length `at`."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.first, self.last = 0, KTIME_MAX

    def holds(self, times: int, plus: int, unit: int) -> None:
        """Narrows the range to lengths with times * (length // unit) + plus >= 0, as it is at
        `at`."""
        if times > 0:
            self.first = max(self.first, -(plus // times) * unit)
        elif times < 0:
            self.last = min(self.last, plus // -times * unit + unit - 1)


class WatchedLength(int):
    """(times * (length // unit) + plus) // parts, for the lengths of a range; as an int, for length
    `at`. form: times, plus, parts, unit.

    What it is compared with narrows the range. What is computed of it is watched, too, if it can be
    written like this. For anything else, the range is narrowed to the lengths with its value.
    """

    alike: LengthsAlike
    form: tuple[int, int, int, int]

    def __new__(
        cls, alike: LengthsAlike, times: int = 1, plus: int = 0, parts: int = 1, unit: int = 1
    ) -> "WatchedLength":
        made = super().__new__(cls, (times * (alike.at // unit) + plus) // parts)
        made.alike, made.form = alike, (times, plus, parts, unit)
        return made

    @property
    def exact(self) -> int:
        """Its value, to which the range is narrowed."""
        times, plus, parts, unit = self.form
        value = int.__index__(self)
        self.alike.holds(times, plus - value * parts, unit)
        self.alike.holds(-times, (value + 1) * parts - 1 - plus, unit)
        return value

    def _combines(self, other: "WatchedLength") -> bool:
        """Tells whether sums of both can be written in the same way."""
        return self.form[2] == other.form[2] == 1 and self.form[3] == other.form[3]

    def __lt__(self, other: int) -> bool:
        times, plus, parts, unit = self.form
        less = int.__lt__(self, other)
        if isinstance(other, WatchedLength):
            if self._combines(other):
                times, plus, other = times - other.form[0], plus - other.form[1], 0
            else:
                other = other.exact
        if less:
            self.alike.holds(-times, other * parts - plus - 1, unit)
        else:
            self.alike.holds(times, plus - other * parts, unit)
        return less

    def __le__(self, other: int) -> bool:
        return self < other + 1

    def __gt__(self, other: int) -> bool:
        return not self < other + 1

    def __ge__(self, other: int) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int):
            return False
        return not self < other and not self > other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.exact)

    def __bool__(self) -> bool:
        return self != 0

    def __add__(self, other: int) -> int:
        times, plus, parts, unit = self.form
        if isinstance(other, WatchedLength):
            if not self._combines(other):
                return self + other.exact
            times, other = times + other.form[0], other.form[1]
        if times == 0:
            return plus + other
        return WatchedLength(self.alike, times, plus + other * parts, parts, unit)

    __radd__ = __add__

    def __neg__(self) -> int:
        times, plus, parts, unit = self.form
        if parts != 1:
            return -self.exact
        return WatchedLength(self.alike, -times, -plus, unit=unit)

    def __sub__(self, other: int) -> int:
        return self + -other

    def __rsub__(self, other: int) -> int:
        return -self + other

    def __mul__(self, other: int) -> int:
        times, plus, parts, unit = self.form
        if parts != 1 or isinstance(other, WatchedLength) or other == 0:
            return self.exact * other
        return WatchedLength(self.alike, times * other, plus * other, unit=unit)

    __rmul__ = __mul__

    def __floordiv__(self, other: int) -> int:
        times, plus, parts, unit = self.form
        if isinstance(other, WatchedLength) or other <= 0:
            return self.exact // other
        if times == parts == 1 and plus % other == 0:
            # Sums of what is floored like this need not be exact.
            return WatchedLength(self.alike, 1, plus // other, unit=unit * other)
        return WatchedLength(self.alike, times, plus, parts * other, unit)

    def __rshift__(self, other: int) -> int:
        return self // (1 << other)

    def __and__(self, other: int) -> int:
        size = other + 1
        if other < 0 or other & size or self < -size or self > other:
            return self.exact & other
        return self if self >= 0 else self + size

    def __abs__(self) -> int:
        return self if self >= 0 else -self


def _of_value(name: str) -> Callable[..., Any]:
    operation = getattr(int, name)

    def of_value(self: WatchedLength, *others: Any) -> Any:
        return operation(self.exact, *others)

    return of_value


for _name in (
    "__divmod__", "__float__", "__format__", "__index__", "__int__", "__invert__", "__lshift__",
    "__mod__", "__or__", "__pow__", "__rand__", "__rdivmod__", "__repr__", "__rfloordiv__",
    "__rlshift__", "__rmod__", "__ror__", "__round__", "__rpow__", "__rrshift__", "__rtruediv__",
    "__rxor__", "__str__", "__truediv__", "__trunc__", "__xor__", "bit_length", "to_bytes",
):  # fmt: skip
    setattr(WatchedLength, _name, _of_value(_name))
