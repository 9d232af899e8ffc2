"""Reports without serial numbers and MAC addresses, so that they can be shown to others."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ..devicetree.tree import Node

if TYPE_CHECKING:
    from .audit import Audited

_MAC = re.compile(r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b")
_SERIALS = frozenset({"serial-number", "system-id", "serial#", "board-serial", "chassis-serial"})
_SHORTEST = 4
"""Shorter strings stand for too much else."""
SERIAL, MAC = "[serial]", "[mac]"


def redacted(audited: "Audited") -> "Audited":
    """The same report; serial numbers that its tree names, and all MACs, are replaced.

    The tree itself goes: it has them all.
    """
    tree = audited.source.tree if audited.source else None
    serials = sorted(set(_serials(tree)) if tree else set(), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, serials))) if serials else None

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            text = _MAC.sub(MAC, value)
            return pattern.sub(SERIAL, text) if pattern else text
        if isinstance(value, bytes):
            return clean(value.decode("latin-1")).encode("latin-1")
        if isinstance(value, tuple):
            return tuple(clean(item) for item in value)
        if isinstance(value, dict):
            return {clean(key): clean(item) for key, item in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            kept = {field.name: clean(getattr(value, field.name)) for field in fields(value)}
            return replace(value, **kept)
        return value

    bare = replace(audited, source=None)
    values = {
        field.name: clean(getattr(bare, field.name))
        for field in fields(bare)
        if field.name not in ("sha256", "fingerprint", "source")
    }
    machine = values["machine"]
    if machine is not None and machine.serial:
        values["machine"] = replace(machine, serial=SERIAL)
    return replace(bare, **values)


def _serials(root: Node) -> Iterator[str]:
    for _, node in root.walk():
        for name in _SERIALS & node.properties.keys():
            for text in node.strings(name):
                if len(text) >= _SHORTEST:
                    yield text
