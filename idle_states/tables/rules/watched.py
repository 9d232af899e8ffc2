"""Times that note what is asked about them. A result that was computed from them holds for all
times that give the same answers.

A text that is made of a time has the time's expression in its place: nothing may be decided by
such a text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from ...base.dataclass import replace
from ...base.model.power_mgt import LATENCIES, RESIDENCIES, PowerMgt, cells
from ...base.model.table import IdleState, IdleTable
from ...base.model.units import format_time

_PLACE = re.compile("\2([^\3]*):([^\3:]*)\3")
_TIMES = (LATENCIES, RESIDENCIES)


class TimeAsked(Exception):
    """Something was asked about a time that cannot be noted."""


class Answers:
    """The questions that were asked about times, with their answers.

    times  latencies, then residencies
    known  question, an expression of the times `t` -> its answer, in order
    """

    def __init__(self, times: Sequence[int]) -> None:
        self.times = times
        self.known: dict[str, bool] = {}

    def ask(self, question: str) -> bool:
        """Returns the answer."""
        return self.known.setdefault(question, computed(question)(self.times))


def _refuse(*_: object) -> NoReturn:
    raise TimeAsked


class _Time:
    """A number that follows from times. expression: how, in Python."""

    __slots__ = ("answers", "expression")

    def __init__(self, answers: Answers, expression: str) -> None:
        self.answers, self.expression = answers, expression

    def __bool__(self) -> bool:
        return self.answers.ask(f"{self.expression}!=0")

    def __abs__(self) -> "_Time":
        return _Time(self.answers, f"abs({self.expression})")

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        made: Any = self
        return made // other, made % other

    def __format__(self, form: str) -> str:
        if form not in ("", "time"):
            raise TimeAsked
        return f"\2{self.expression}:{form}\3"

    __hash__ = __str__ = __repr__ = _refuse


def _method(pattern: str) -> Callable[[_Time, object], Any]:
    """Returns a method that asks or computes what a pattern says."""

    def method(self: _Time, other: object) -> Any:
        if type(other) is not int and not isinstance(other, _Time):
            raise TimeAsked
        operand = other.expression if isinstance(other, _Time) else f"({other})"
        expression = pattern.format(self.expression, operand)
        asks = pattern[0] == "{"
        return self.answers.ask(expression) if asks else _Time(self.answers, expression)

    return method


_COMPARED = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_COMPUTED = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "and": "&"}
for _name, _sign in _COMPARED.items():
    setattr(_Time, f"__{_name}__", _method(f"{{}}{_sign}{{}}"))
for _name, _sign in _COMPUTED.items():
    setattr(_Time, f"__{_name}__", _method(f"({{}}{_sign}{{}})"))
    setattr(_Time, f"__r{_name}__", _method(f"({{1}}{_sign}{{0}})"))


class _Column:
    """The value of a property of times. Its length is told, and `cells` reads it."""

    __slots__ = ("length", "numbers")

    def __init__(self, length: int, numbers: tuple[Any, ...]) -> None:
        self.length, self.numbers = length, numbers

    def __len__(self) -> int:
        return self.length

    def __add__(self, filling: bytes) -> "_Column":
        """Makes the last number whole, as it is in `numbers`."""
        return _Column(self.length + len(filling), self.numbers)

    __eq__ = __hash__ = __repr__ = __format__ = _refuse


def times_of(latencies: bytes | None, residencies: bytes | None) -> tuple[int, ...]:
    """Returns the times of both properties, zeros behind a last one that is cut."""
    both = (latencies or b"", residencies or b"")
    first, second = (cells(data + bytes(-len(data) % 4), 4) for data in both)
    return first + second


def watched(table: IdleTable, node: PowerMgt, answers: Answers) -> tuple[IdleTable, PowerMgt]:
    """Returns a device tree's table and its node with times that note what is asked."""
    times = tuple(_Time(answers, f"t[{number}]") for number in range(len(answers.times)))
    properties: dict[str, Any] = dict(node.properties)
    for name in _TIMES:
        if name in properties:
            count = -(-len(properties[name]) // 4)
            properties[name], times = _Column(len(properties[name]), times[:count]), times[count:]
    node = replace(node, properties=properties)
    return with_times(table, node), node


def with_times(table: IdleTable, node: PowerMgt) -> IdleTable:
    """Returns a device tree's table with the times of another node of the same shape."""
    columns: Any = (
        node.cells(name) if name in node.properties else (absent,) * len(table.states)
        for name, absent in ((LATENCIES, 0), (RESIDENCIES, None))
    )
    states = zip(table.states, *columns, strict=False)
    return replace(
        table,
        states=tuple(
            IdleState(s.name, latency, residency, s.flags, s.control, s.mask, where=s.where)
            for s, latency, residency in states
        ),
    )


def filled(texts: Iterable[str]) -> Callable[[Sequence[int]], tuple[str, ...]]:
    """Returns a function of times that has them in texts where these were made of watched ones."""

    def written(text: str) -> str:
        parts = _PLACE.split(text)
        words = [repr(part) for part in parts]
        for at in range(1, len(parts), 3):
            words[at : at + 2] = f"{parts[at + 1] or 'str'}({parts[at]})", "''"
        return "+".join(words)

    return computed(f"({''.join(f'{written(text)},' for text in texts)})")


_NAMES = {"__builtins__": {}, "abs": abs, "str": str, "time": format_time}


@lru_cache(8192)
def computed(expression: str) -> Callable[[Sequence[int]], Any]:
    """Returns the function of times that an expression of them is."""
    made: Callable[[Sequence[int]], Any] = eval(f"lambda t: {expression}", _NAMES)
    return made
