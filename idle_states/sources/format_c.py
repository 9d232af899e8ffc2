"""C source with arrays of skiboot's struct cpu_idle_states."""

import re
from pathlib import Path

from ..findings import unreadable
from .source import File, Source

_ARRAY = re.compile(
    # stops at the next such name, so that a file full of them is scanned only once
    rb"\bcpu_idle_states\b(?>(?:(?!\bcpu_idle_states\b)[^;{\[])*)\["
)


def recognises(head: bytes, path: Path) -> bool:
    return bool(_ARRAY.search(head)) and not path.suffix.startswith(".y")


def read(file: File) -> list[Source]:
    from ..skiboot import c_table

    tables = c_table.read(file.text, file.shown, sha256=file.sha256)
    if not tables:
        raise unreadable(file.shown, "expected an array of struct cpu_idle_states, found none")
    return file.sources(tables)
