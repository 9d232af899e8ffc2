"""The formats of a TABLE: one module each, asked in this order whether a file is theirs.

A module format_NAME.py has
    recognises(head: bytes, path: Path) -> bool    head: a file's content; of a directory nothing
    read(file: File) -> list[Source]
and imports its reader inside `read`, so that a command pays for one format only.
"""

import importlib
from pathlib import Path
from types import ModuleType

from ...base.dataclass import replace
from ...base.model.findings import Unreadable, advised, next_step, unreadable
from ...base.model.table_formats import FORMATS, STEPS
from ...base.reading import limits, opening
from ...base.reading.unexpected import on_input
from ...base.wording import joined
from .source import File, Source


def read_path(path: Path) -> list[Source]:
    """All tables of a file or directory. Raises Unreadable if no format recognises it."""
    return read_file(File.open(path))


def read_file(file: File) -> list[Source]:
    """All tables of a file. Raises Unreadable, with the text of a file that has lines."""
    with on_input(file.shown, len(file.data)):
        return _read(file)


def _read(file: File) -> list[Source]:
    name = format_of(file)
    if name:
        try:
            with next_step(STEPS[name]):
                found: list[Source] = format_module(name).read(file)
        except Unreadable as error:
            here = any(f.location.file == file.shown and f.location.line for f in error.findings)
            if error.texts or not here or len(file.data) > limits.SHOWN_BYTES:
                raise
            raise Unreadable(error.findings, {file.shown: file.text}) from None
        return [
            replace(each, findings=advised(each.findings, STEPS[name])) if each.findings else each
            for each in found
        ]
    opening.expect_utf8(file.data, file.shown)
    known = joined(list(FORMATS.values()), "or")
    raise unreadable(file.shown, f"expected {known}, found an unknown binary format")


def format_of(file: File) -> str | None:
    """Name of the format that recognises a file; None if none does."""
    for name in FORMATS:
        if format_module(name).recognises(file.data, file.path):
            return name
    return None


def format_module(name: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.format_{name}")
