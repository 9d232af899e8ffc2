"""Specs: YAML, and any text that no other format recognises: the YAML parser then reports what is
wrong with it."""

import hashlib
import re
from pathlib import Path

from ..findings import unreadable
from ..reading import limits, opening
from ..spec.library import LoadedSpec, load
from .source import File, Source


def recognises(head: bytes, path: Path) -> bool:
    return bool(head or opening.is_file(path)) and b"\0" not in head


_SIGNIFICANT = re.compile(rb"^[ \t]*(?!#|---|%|\s)(.+)", re.MULTILINE)
_MAPPING = re.compile(rb"[{\"']|[\w.-]+[ \t]*:(?:\s|$)")
_C = re.compile(
    rb"^[ \t]*#[ \t]*include\b|^(?:static|struct|extern|typedef|int|void)\b", re.MULTILINE
)


def other_kind(data: bytes, path: Path) -> str:
    """What is wrong with a text that is surely no spec; "" for what may be one. A text whose name
    ends as YAML's do is taken as a spec: the YAML parser then says what is wrong with it.

    Only as much is looked at as a spec may have.
    """
    data = data[: limits.SPEC_BYTES]
    first = _SIGNIFICANT.search(data)
    if not data and path.suffix not in ("", ".yaml", ".yml"):
        return "expected a spec or another form of a table, found an empty file"
    if path.suffix in (".yaml", ".yml") or first is None or _MAPPING.match(first[1]):
        return ""
    if path.suffix in (".c", ".h") or _C.search(data):
        return "expected an array of struct cpu_idle_states, found C without one"
    return "expected a spec or another form of a table, found a text of another kind"


def read(file: File) -> list[Source]:
    if other := other_kind(file.data, file.path):
        raise unreadable(file.shown, other)
    top = file.found.top if file.found else None
    return [_source(load(file.path, file.shown, file.data, top), file.path)]


def load_spec(path: Path, shown: str | None = None) -> Source:
    """Loads a spec with its ancestors. shown: its name in messages, None for a packaged spec."""
    return _source(load(path, shown), path)


def _source(loaded: LoadedSpec, path: Path) -> Source:
    file = next(iter(loaded.sources))
    digest = hashlib.sha256(loaded.sources[file].encode()).hexdigest()
    name = loaded.table.name if loaded.table else path.stem
    return Source(
        name, file, digest, loaded.table, loaded.findings, None, loaded.suppressions, loaded.sources
    )
