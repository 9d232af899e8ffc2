"""Specs: YAML, and any text that no other format recognises: the YAML parser then reports what is
wrong with it."""

import hashlib
from pathlib import Path

from ..reading import opening
from ..spec.library import LoadedSpec, load
from .source import File, Source


def recognises(head: bytes, path: Path) -> bool:
    return bool(head or opening.is_file(path)) and b"\0" not in head


def read(file: File) -> list[Source]:
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
