"""A skiboot tree: all tables of its C sources, with the macros of its headers."""

from pathlib import Path

from ...base.model.findings import Unreadable, unreadable
from ...base.reading import opening
from ..skiboot.layout import HEADERS, TABLES
from .source import File, Source, of_skiboot, with_findings


def recognises(head: bytes, path: Path) -> bool:
    if not opening.is_directory(path):
        return False
    try:
        with opening.Tree(path) as tree:
            return is_skiboot(tree)
    except OSError:
        return False


def is_skiboot(tree: opening.Tree, relative: str = ".") -> bool:
    """Tells whether a directory of the tree is skiboot's source."""
    return tree.is_file(f"{relative}/{TABLES[0]}") and tree.is_directory(f"{relative}/include")


def read(file: File) -> list[Source]:
    from ..skiboot import c_table

    macros: dict[str, str] = {}
    sources = []
    texts: dict[str, str] = {}
    try:
        with file.opened() as tree:
            for name in filter(tree.is_file, HEADERS):
                macros |= c_table.definitions_in(File(file.path / name, tree.read(name)).text)
            for name in filter(tree.is_file, TABLES):
                home = File(file.path / name, tree.read(name))
                texts[home.shown] = home.text
                sources += home.sources(
                    c_table.read(home.text, home.shown, defines=macros, sha256=home.sha256)
                )
    except OSError as error:
        message = f"expected a readable file, found: {error.strerror}"
        raise unreadable(file.shown, message) from None
    names = {source.name for source in sources}
    found = [
        each
        for shown, text in texts.items()
        for each in c_table.unmodelled(text, shown, macros, names)
    ]
    if not sources:
        # a check that finds no tables any more would be clean
        none = "expected arrays of struct cpu_idle_states in hw/, found none"
        raise Unreadable([*unreadable(file.shown, none).findings, *found], texts)
    return with_findings(of_skiboot(sources, texts), found)
