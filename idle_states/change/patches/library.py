"""Reads a SERIES: a patch description, a directory of them, or the name of a packaged one."""

import re
from pathlib import Path

from ...base.model.findings import Unreadable, unreadable
from ...base.model.table import IdleTable, Register
from ...base.reading import opening
from ...base.resources import resource
from ...tables.skiboot.c_table.writer import array_name
from ...tables.sources import NoSuchTable, read_table
from ...tables.sources.source import MAX_BYTES
from .description import Patch, TableEdit, read

DIRECTORY, DTS_DIRECTORY = "skiboot-patches", "linux-patches"
"""Directories of packaged descriptions: of skiboot's tables, and of device-tree source."""

FORMER_NAMES = {
    "power9_ndd1_cpu_idle_states": ("power9_dd1_cpu_idle_states",),
    "power9_dd1_cpu_idle_states": ("power9_ndd1_cpu_idle_states",),
}
"""Arrays that skiboot renamed: the name from 84368bbf8 to 805373b35, and the name since then."""
_SIGNS = re.compile(r"^(?:edits|subject):", re.MULTILINE)
"""Keys of a description that specs lack."""


def packaged(directory: str = DIRECTORY) -> list[Patch]:
    """The packaged descriptions of a directory, by name."""
    return [_read(path) for path in sorted(resource(directory).glob("*.yaml"))]


def series(text: str) -> list[Patch] | None:
    """The descriptions of a SERIES, those of a directory sorted by file name. None if `text` is not
    a SERIES (it may be a TABLE). Raises Unreadable, Faulty."""
    path = Path(text)
    if opening.is_directory(path):
        with opening.Tree(path) as tree:
            names = sorted(e.name for e in tree.entries() if e.name.endswith(".yaml"))
            for name in names:
                if not tree.is_file(name):
                    message = "expected a file, or a link to one, within the directory"
                    raise unreadable(tree.shown(name), message)
        files = [path / name for name in names]
        return [_read(file) for file in files] if any(map(_is_description, files)) else None
    if opening.is_file(path):
        return [_read(path)] if _is_description(path) else None
    files = [path for name in (DIRECTORY, DTS_DIRECTORY) for path in resource(name).glob("*.yaml")]
    return [_read(file) for file in files if file.stem == text] or None


def _is_description(file: Path) -> bool:
    """Tells whether a file is a description, by its content; a directory with one is a series."""
    try:
        return opening.is_file(file) and bool(_SIGNS.search(opening.read_text(file, MAX_BYTES)))
    except Unreadable:
        # too large for a description
        return False
    except OSError as error:
        message = f"expected a readable file, found: {error.strerror}"
        raise unreadable(file.as_posix(), message) from None


def _read(path: Path) -> Patch:
    shown = path.as_posix()
    for name in (DIRECTORY, DTS_DIRECTORY):
        if path.resolve().parent == resource(name):
            shown = f"{name}/{path.name}"
    try:
        return read(path, shown)
    except OSError as error:
        raise unreadable(shown, f"expected a readable file, found: {error.strerror}") from None


def table_of(edit: TableEdit) -> IdleTable:
    """Reads the new table of an edit: a file beside the description, or any TABLE. Raises
    NoSuchTable, Unreadable, Faulty."""
    table = edit.read or _table(edit)
    if table.register is Register.NONE:
        raise NoSuchTable(
            f"expected a table with PSSCR or PMICR, found {edit.becomes}, which firmware does not "
            "export"
        )
    return table


def _table(edit: TableEdit) -> IdleTable:
    beside = edit.directory / edit.becomes
    if opening.is_file(beside):
        found = read_table(str(beside)).table
    else:
        try:
            found = read_table(edit.becomes).table
        except NoSuchTable as error:
            raise NoSuchTable(f"{edit.where}: becomes: {error}{_beside(edit)}") from None
    assert found is not None
    return found


def _beside(edit: TableEdit) -> str:
    """The file that was meant, as the end of a message: names of files have their ending."""
    for ending in (".yaml", ".yml"):
        if opening.is_file(edit.directory / f"{edit.becomes}{ending}"):
            return f"; beside the description lies {edit.becomes}{ending}: say so, with its ending"
    return ""


def patch_for(table: IdleTable, name: str, file: str = "", digest: str = "") -> Patch:
    """A patch that replaces the tree's table by `table`. Raises NoSuchTable."""
    is_spec = table.read_from.kind == "spec" and table.register is not Register.NONE
    array = table.firmware.array or (array_name(table) if is_spec else "")
    if not array:
        raise NoSuchTable(
            f"expected a table of a skiboot array, found {name}, which names none (firmware: "
            "{array: ...} in a spec)"
        )
    return Patch(
        name=table.name,
        subject=f"slw: Bring {array} in line with {table.name}",
        body="",
        edits=(TableEdit(array, name, Path(), read=table, whole=is_spec),),
        aliases=FORMER_NAMES,
        file=file,
        sha256=digest,
    )
