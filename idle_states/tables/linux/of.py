"""The kernel's reading of device-tree properties: counts, arrays, string lists and its errors.

Model of drivers/of/property.c: a property that is too short is an error, one that is too long
is not; a length that is no multiple of the element size is an error only when counting.
"""

from ...base.model.power_mgt import CELL_BYTES, NAMES, NODE, PowerMgt
from .journal import Journal, ParseFailure
from .stop_choice import Boot


def count(node: PowerMgt, name: str, boot: Boot) -> int:
    """of_property_count_elems_of_size(): entries, or -1 if absent or ragged (which is logged)."""
    data = node.properties.get(name)
    if data is None:
        return -1
    size = CELL_BYTES[name]
    if len(data) % size:
        prefix = "OF: " if boot.features.of_prefix else ""
        boot.say("error", f"{prefix}size of {name} in node {NODE} is not a multiple of {size}")
        return -1
    return len(data) // size


def array(node: PowerMgt, name: str, entries: int) -> tuple[int, ...] | None:
    """of_property_read_u32_array() or u64: None if absent or shorter than asked for."""
    cells = node.cells(name)
    if name not in node.properties or len(cells) < entries:
        return None
    return cells[:entries]


def shortage(node: PowerMgt, name: str, entries: int) -> str:
    """Returns the reason why `array` gave None, for people."""
    data = node.properties.get(name)
    if data is None:
        return f"{name} is absent"
    size = CELL_BYTES[name]
    return f"{name} has {len(data)} bytes, {entries} states need {entries * size}"


def strings(node: PowerMgt, entries: int | None) -> tuple[str, ...] | None:
    """of_property_read_string_array() of the names; with None, of_property_count_strings().

    At most `entries` strings, possibly fewer without complaint; None if the property is absent,
    holds none, or a scanned string lacks its NUL.
    """
    data = node.properties.get(NAMES)
    if data is None or entries == 0:
        return None
    found: list[str] = []
    while data and (entries is None or len(found) < entries):
        head, nul, data = data.partition(b"\0")
        if not nul:
            return None
        found.append(head.decode("utf-8", "surrogateescape"))
    return tuple(found) or None


def name_at(node: PowerMgt, index: int, missing: str = "?") -> str:
    """A state's name as it stands in the tree; `missing` where it has none."""
    names = node.names()
    return names[index].decode("utf-8", "surrogateescape") if index < len(names) else missing


def state_names(node: PowerMgt, entries: int, journal: Journal) -> tuple[str, ...]:
    """`strings` as powernv's parsers ask for it. Raises ParseFailure, which is logged, for None."""
    names = strings(node, entries)
    if names is None:
        journal.say("warning", f"cpuidle-powernv: missing {NAMES} in DT")
        raise ParseFailure("bad-names", f"{NAMES} is absent, empty or unterminated")
    return names
