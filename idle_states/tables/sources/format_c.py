"""C source with arrays of skiboot's struct cpu_idle_states."""

import re
from pathlib import Path

from ...base.model.findings import unreadable
from ...base.reading import limits
from .source import File, Source, with_findings

_NAME = re.compile(rb"\bcpu_idle_states\b")
_NEXT = re.compile(rb"[;{\[]")
_LOOKED_AT = 4 * limits.C_CHARACTERS
"""In bytes: what lies behind belongs to no file that can be read as C."""


def recognises(head: bytes, path: Path) -> bool:
    return not path.suffix.startswith(".y") and _has_array(head)


def _has_array(head: bytes) -> bool:
    """Tells whether, after the struct's name, a "[" comes before a semicolon and a brace."""
    at = 0
    while name := _NAME.search(head, at, _LOOKED_AT):
        found = _NEXT.search(head, name.end(), _LOOKED_AT)
        if found is None:
            return False
        if found[0] == b"[":
            return True
        at = found.end()
    return False


def read(file: File) -> list[Source]:
    from ..skiboot import c_table
    from ..skiboot.export_code import placed, read_export_code

    tables = c_table.read(file.text, file.shown, sha256=file.sha256)
    if not tables:
        raise unreadable(file.shown, "expected an array of struct cpu_idle_states, found none")
    if any(table.cpu is None for table in tables):
        code = read_export_code({file.shown: file.text})
        tables = [placed(table, code) for table in tables]
    names = {table.name for table in tables}
    return with_findings(file.sources(tables), c_table.unmodelled(file.text, file.shown, {}, names))
