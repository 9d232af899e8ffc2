"""A table without its times. What can be told of it holds for every table that differs in times
alone, because whoever asks for a time, or compares rows by their values, is refused."""

from typing import Any, NoReturn

from ...base.dataclass import fields, replace
from ...base.model.power_mgt import LATENCIES, RESIDENCIES, PowerMgt
from ...base.model.table import IdleState, IdleTable


class TimeAsked(Exception):
    """A table without times was asked for one."""


def _refuse(*_: object) -> NoReturn:
    raise TimeAsked


class _Untold:
    """The value of a property of times, of which only its length is told."""

    __slots__ = ("_length",)

    def __init__(self, value: bytes) -> None:
        self._length = len(value)

    def __len__(self) -> int:
        return self._length

    __eq__ = __hash__ = __repr__ = __format__ = _refuse


class _Untimed(IdleState):
    """A state whose times nobody may ask for."""

    __slots__ = ()
    latency_ns = residency_ns = property(_refuse)
    __eq__ = __hash__ = _refuse

    @classmethod
    def of(cls, state: IdleState) -> IdleState:
        bare = object.__new__(cls)
        for each in fields(IdleState):
            if each.name not in ("latency_ns", "residency_ns"):
                object.__setattr__(bare, each.name, getattr(state, each.name))
        return bare


def untimed(table: IdleTable, node: PowerMgt) -> tuple[IdleTable, PowerMgt]:
    """Returns a device tree's table and its node without times."""
    properties: dict[str, Any] = {
        name: _Untold(value) if name in (LATENCIES, RESIDENCIES) else value
        for name, value in node.properties.items()
    }
    states = tuple(map(_Untimed.of, table.states))
    return replace(table, states=states), replace(node, properties=properties)
