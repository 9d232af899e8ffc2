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

    def holds(self, times: int, plus: int) -> None:
        """Narrows the range to lengths with times * length + plus >= 0, as it is at `at`."""
        if times > 0:
            self.first = max(self.first, -(plus // times))
        elif times < 0:
            self.last = min(self.last, plus // -times)


class WatchedLength(int):
    """(times * length + plus) // parts, for the lengths of a range; as an int, for length `at`.

    What it is compared with narrows the range. What is computed of it is watched, too, if it can be
    written like this. For anything else, the range is narrowed to the lengths with its value.
    """

    alike: LengthsAlike
    form: tuple[int, int, int]

    def __new__(
        cls, alike: LengthsAlike, times: int = 1, plus: int = 0, parts: int = 1
    ) -> "WatchedLength":
        made = super().__new__(cls, (times * alike.at + plus) // parts)
        made.alike, made.form = alike, (times, plus, parts)
        return made

    @property
    def exact(self) -> int:
        """Its value, to which the range is narrowed."""
        times, plus, parts = self.form
        value = int.__index__(self)
        self.alike.holds(times, plus - value * parts)
        self.alike.holds(-times, (value + 1) * parts - 1 - plus)
        return value

    def __lt__(self, other: int) -> bool:
        times, plus, parts = self.form
        less = int.__lt__(self, other)
        if isinstance(other, WatchedLength):
            if parts == other.form[2] == 1:
                times, plus, other = times - other.form[0], plus - other.form[1], 0
            else:
                other = other.exact
        if less:
            self.alike.holds(-times, other * parts - plus - 1)
        else:
            self.alike.holds(times, plus - other * parts)
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
        times, plus, parts = self.form
        if isinstance(other, WatchedLength):
            if parts != 1 or other.form[2] != 1:
                return self + other.exact
            times, other = times + other.form[0], other.form[1]
        if times == 0:
            return plus + other
        return WatchedLength(self.alike, times, plus + other * parts, parts)

    __radd__ = __add__

    def __neg__(self) -> int:
        times, plus, parts = self.form
        return WatchedLength(self.alike, -times, -plus) if parts == 1 else -self.exact

    def __sub__(self, other: int) -> int:
        return self + -other

    def __rsub__(self, other: int) -> int:
        return -self + other

    def __mul__(self, other: int) -> int:
        times, plus, parts = self.form
        if parts != 1 or isinstance(other, WatchedLength) or other == 0:
            return self.exact * other
        return WatchedLength(self.alike, times * other, plus * other)

    __rmul__ = __mul__

    def __floordiv__(self, other: int) -> int:
        times, plus, parts = self.form
        if isinstance(other, WatchedLength) or other <= 0:
            return self.exact // other
        return WatchedLength(self.alike, times, plus, parts * other)

    def __rshift__(self, other: int) -> int:
        return self // (1 << other)

    def __and__(self, other: int) -> int:
        wide = other & (other + 1) == 0
        return self if wide and self >= 0 and self <= other else self.exact & other

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
