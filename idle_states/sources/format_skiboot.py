"""A skiboot tree: all tables of its C sources, with the macros of its headers."""

from pathlib import Path

from ..skiboot.layout import HEADERS, TABLES
from .source import File, Source


def recognises(head: bytes, path: Path) -> bool:
    return (path / TABLES[0]).is_file() and (path / "include").is_dir()


def read(file: File) -> list[Source]:
    from ..skiboot import c_table

    macros: dict[str, str] = {}
    for name in HEADERS:
        if (file.path / name).is_file():
            macros |= c_table.definitions_in(File.open(file.path / name).text)
    sources = []
    for name in TABLES:
        if (file.path / name).is_file():
            home = File.open(file.path / name)
            sources += home.sources(
                c_table.read(home.text, home.shown, defines=macros, sha256=home.sha256)
            )
    return sources
