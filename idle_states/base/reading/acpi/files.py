"""ACPI tables of a file, as a blob or as acpidump prints them, or of a directory such as
/sys/firmware/acpi/tables."""

from collections.abc import Iterator
from pathlib import Path

from ...model.findings import Location, unreadable
from .. import limits, opening
from . import idle, signs, tables
from .idle import Shared
from .signs import AML_FILE
from .tables import AcpiTable

_DYNAMIC = "dynamic"


def of_data(data: bytes, shown: str) -> list[AcpiTable]:
    """The tables of a file. Raises Unreadable."""
    return tables.blobs(data, shown) if signs.is_blob(data) else tables.dumped(data, shown)


def of_directory(tree: opening.Tree, shown: str) -> Iterator[AcpiTable]:
    """The tables of a directory: DSDT, then SSDTs by their numbers, those loaded later last.
    Raises Unreadable."""
    for folder in ("", _DYNAMIC):
        if folder and not tree.is_directory(folder):
            continue
        named = []
        for entry in tree.entries(folder):
            match = AML_FILE.fullmatch(entry.name)
            if match and tree.is_file(f"{folder}/{entry.name}".lstrip("/")):
                named.append((match[1].upper(), int(match[2] or 0), entry.name))
        if len(named) > limits.ACPI_TABLES:
            message = f"expected at most {limits.ACPI_TABLES} tables, found {len(named)}"
            raise unreadable(shown, message)
        for signature, number, name in sorted(named):
            relative = f"{folder}/{name}".lstrip("/")
            file = f"{shown}/{relative}"
            label = f"{folder}/" if folder else ""
            label += f"{signature}{number}" if number else signature
            try:
                data = tree.read(relative, limits.FILE_BYTES, shown=file)
            except OSError as error:
                message = f"expected a readable file, found: {error.strerror}"
                raise unreadable(file, message) from None
            yield from tables.blobs(data, file, label)


def read(path: str) -> tuple[list[Shared], list[tuple[Location, str]]]:
    """Returns the idle states of the processors in a file or directory that the user named; see
    idle.read(). Raises Unreadable."""
    try:
        if opening.is_directory(path):
            with opening.Tree(path) as tree:
                return idle.read(list(of_directory(tree, path)), path)
        data = opening.read(Path(path), limits.FILE_BYTES, shown=path)
    except OSError as error:
        raise unreadable(path, f"expected a readable file, found: {error.strerror}") from None
    if not signs.is_blob(data) and not signs.is_dump(data):
        raise unreadable(path, "expected ACPI tables, or the text of acpidump, found neither")
    return idle.read(of_data(data, path), path)
