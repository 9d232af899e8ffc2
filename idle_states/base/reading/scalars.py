"""Nodes of a YAML document -> values: lists, mappings; of scalars times with units, integers,
yes/no, names from a list. What is of another kind is reported with its place; no node is no value,
as where a mapping has no such key."""

import re
from collections.abc import Iterable, Iterator

from ..model.table import U32_MAX
from ..model.units import UNITS_NS
from ..patterns import pattern
from .complaints import SpecProblems
from .document import Mapping, Node, Scalar, Sequence

_TIME = pattern(r"([0-9]{1,20})(?:\.([0-9]{1,12}))?\s*([^\W0-9]*)")
_POWER = pattern(r"([0-9]{1,6})(?:\.([0-9]{1,6}))?\s*(%|mW|W)")
_MILLIONTHS: dict[str, int] = {"%": 10_000, "mW": 1_000, "W": 1_000_000}
_INTEGER = pattern(r"0[xX]([0-9a-fA-F]{1,20})|(\d{1,20})", re.ASCII)


def mapping(node: Node | None, expected: str, problems: SpecProblems) -> Mapping | None:
    """The node as a mapping; None if there is none, or after reporting."""
    if node is None or isinstance(node, Mapping):
        return node
    problems.wrong_type(expected, node.kind, node.where)
    return None


def items(node: Node | None, expected: str, problems: SpecProblems) -> list[Node]:
    """The items of a list; none if there is no node, or after reporting."""
    if isinstance(node, Sequence):
        return node.items
    if node is not None:
        problems.wrong_type(expected, node.kind, node.where)
    return []


def mappings(nodes: Iterable[Node], expected: str, problems: SpecProblems) -> Iterator[Mapping]:
    """Yields the nodes that are mappings; reports the others."""
    for node in nodes:
        found = mapping(node, expected, problems)
        if found is not None:
            yield found


def text(node: Node | None, expected: str, problems: SpecProblems) -> str | None:
    """Non-empty text; None if there is no node, or after reporting."""
    if node is None:
        return None
    if not isinstance(node, Scalar):
        problems.wrong_type(expected, node.kind, node.where)
        return None
    if node.text == "" and not node.quoted:
        problems.wrong_type(expected, "nothing", node.where)
        return None
    return node.text


def time_us(node: Node | None, problems: SpecProblems, most: int = U32_MAX) -> int:
    """A time in whole microseconds; 0 if there is no node, or after reporting."""
    found = time_ns(node, problems, most * 1000)
    if node is not None and found is not None and found % 1000:
        problems.bad_time(f"expected whole microseconds, found {found} ns", node.where)
    return (found or 0) // 1000


def time_ns(node: Node | None, problems: SpecProblems, most: int = U32_MAX) -> int | None:
    """A time with its unit, exact to the nanosecond, or None after reporting."""
    what = "a time with its unit, such as 200ns, 2us or 10ms"
    if node is None or (raw := text(node, what, problems)) is None:
        return None
    if raw.strip().startswith("-"):
        problems.bad_time(f"expected a time of 0 or more, found {raw!r}", node.where)
        return None
    match = _TIME.fullmatch(raw.strip())
    if not match:
        problems.bad_time(f"expected {what}, found {raw!r}", node.where)
        return None
    whole, fraction, unit = match[1], match[2] or "", match[3]
    if unit not in UNITS_NS:
        found = f"unit {unit!r}" if unit else "none"
        hint = "; did you mean 'us'?" if unit in ("µs", "μs", "u", "usec") else ""
        problems.bad_time(f"expected a unit of ns, us, ms or s, found {found}{hint}", node.where)
        return None
    scaled = int(whole + fraction) * UNITS_NS[unit]
    nanoseconds, rest = divmod(scaled, int(10 ** len(fraction)))
    if rest:
        problems.bad_time(f"expected a whole number of nanoseconds, found {raw!r}", node.where)
        return None
    if nanoseconds > most:
        why = " (u32 in firmware)" if most == U32_MAX else ""
        problems.out_of_range(f"at most {most} ns{why}", f"{raw} = {nanoseconds} ns", node.where)
        return None
    return nanoseconds


def integer(node: Node | None, problems: SpecProblems, *, most: int, what: str) -> int | None:
    """0..most, decimal or 0x hexadecimal, or None after reporting."""
    if node is None or (raw := text(node, what, problems)) is None:
        return None
    match = _INTEGER.fullmatch(raw.strip())
    if not match:
        problems.wrong_type(what, repr(raw), node.where)
        return None
    value = int(match[1], 16) if match[1] else int(match[2])
    if value > most:
        problems.out_of_range(f"at most {most:#x}", raw, node.where)
        return None
    return value


def power(node: Node | None, problems: SpecProblems) -> tuple[int, str] | None:
    """A power: millionths and "relative" of 85%, microwatts and "watts" of 1.44W or 100mW; None
    after reporting."""
    if node is None or (raw := text(node, "a power, such as 85% or 1.44W", problems)) is None:
        return None
    match = _POWER.fullmatch(raw.strip())
    if not match:
        problems.wrong_type("a power, such as 85% or 1.44W", repr(raw), node.where)
        return None
    whole, fraction, unit = match[1], match[2] or "", match[3]
    millionths, rest = divmod(int(whole + fraction) * _MILLIONTHS[unit], 10 ** len(fraction))
    if rest:
        problems.out_of_range("whole millionths", raw, node.where)
        return None
    return millionths, "relative" if unit == "%" else "watts"


def yes_no(node: Node | None, problems: SpecProblems) -> bool | None:
    if node is None or (raw := text(node, "yes or no", problems)) is None:
        return None
    if raw in ("yes", "true"):
        return True
    if raw in ("no", "false"):
        return False
    problems.wrong_type("yes or no", repr(raw), node.where)
    return None


def choice(
    node: Node | None, problems: SpecProblems, known: Iterable[str], what: str
) -> str | None:
    if node is None or (raw := text(node, what, problems)) is None:
        return None
    known = [str(name) for name in known]
    if raw not in known:
        problems.unknown_name(what, raw, node.where, known)
        return None
    return raw
