"""The fields of a row that an edit may name: parsing, reading and setting their values."""

from types import MappingProxyType
from typing import Any

from ...base.dataclass import replace
from ...base.model.table import NAME_BYTES, U32_MAX, U64_MAX, Flag, IdleState, Psscr, flag_names
from ...base.model.units import format_time
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Node, Sequence

Value = str | int

_FLAGS = {str(flag.name): int(flag) for flag in Flag}
FIELDS = (
    "name",
    "latency",
    "residency",
    "flags",
    *(f"flags.{name}" for name in _FLAGS),
    "control",
    *(f"psscr.{name}" for name in Psscr.FIELDS),
    "mask",
)
"""flags.NAME is a single flag, 0 or 1; psscr.NAME a field of the control register."""
_TIMES = {"latency": "latency_ns", "residency": "residency_ns"}
"""Field -> the row's attribute."""
_WHOLE = MappingProxyType({"flags": U32_MAX, "control": U64_MAX, "mask": U64_MAX})


def parsed_value(node: Node, field: str, problems: SpecProblems) -> Value:
    """A value as a description writes it: 200ns, 0x300331, [LOSE_USER_CONTEXT], 1."""
    if field == "name":
        found = scalars.text(node, "a name", problems) or ""
        if len(found.encode()) >= NAME_BYTES:
            problems.out_of_range(f"a name of at most {NAME_BYTES - 1} bytes", found, node.where)
        return found
    if field in _TIMES:
        return scalars.time_ns(node, problems) or 0
    if field == "flags" and isinstance(node, Sequence):
        value = 0
        for item in node.items:
            name = scalars.choice(item, problems, _FLAGS, "a flag")
            value |= _FLAGS[name] if name else 0
        return value
    most = _WHOLE.get(field, 1)
    if field.startswith("psscr."):
        most = (1 << Psscr.FIELDS[field.removeprefix("psscr.")][1]) - 1
    what = "a list of flags or a number" if field == "flags" else "a number"
    return scalars.integer(node, problems, most=most, what=what) or 0


def value_in(state: IdleState, field: str) -> Value | None:
    """The value of a row's field; None for the residency of a row without one."""
    group, _, part = field.partition(".")
    if group == "psscr":
        return int(getattr(state.psscr, part))
    if part:
        return int(bool(state.flags & _FLAGS[part]))
    value: Value | None = getattr(state, _TIMES.get(field, field))
    return value


def with_value(state: IdleState, field: str, value: Value) -> IdleState:
    """The row with the field changed."""
    group, _, part = field.partition(".")
    if group == "psscr":
        return replace(state, control=int(replace(state.psscr, **{part: int(value)})))
    if part:
        others = state.flags & ~_FLAGS[part]
        return replace(state, flags=others | _FLAGS[part] if value else others)
    changed: dict[str, Any] = {_TIMES.get(field, field): value}
    return replace(state, **changed)


def shown(field: str, value: Value | None) -> str:
    """A value as a person writes it."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if field in _TIMES:
        return format_time(value)
    if field == "flags":
        return " ".join(flag_names(value)) or "none"
    return hex(value) if field in _WHOLE else str(value)
