"""The firmware image a boot starts: stock or given, with a table put in its place if one is asked
for, and the table that is in effect in it. Files given are never changed: only copies are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..files import naming
from ..findings import Finding, Location, Severity, Unreadable
from ..patches.description import Patch, TableEdit
from ..patches.library import FORMER_NAMES, table_of
from ..patches.plan import plan
from ..patches.tree import PatchedTree
from ..reading import opening
from ..skiboot import c_table
from ..skiboot import lid as lids
from ..sources import Source
from ..spec.library import find
from ..table import IdleTable
from . import build
from .predict import MACHINE_TABLE


@dataclass(frozen=True, slots=True)
class BootedFirmware:
    """What is booted.

    lid    the image, a copy where it is not as given
    table  the one the machine takes in it, as far as models go: a TABLE given, else as read
    place  the revision whose place it has
    """

    lid: Path
    table: IdleTable
    place: str


def in_lid(lid: Path, machine: str, table: IdleTable | None, directory: Path) -> BootedFirmware:
    """`lid`, or a copy of it in `directory` that has `table` in the place of the machine's.

    Raises Unreadable for what is no image with tables, CannotGenerate for a table that does not
    fit, OSError.
    """
    place = MACHINE_TABLE[machine]
    data = opening.read(lid)
    found = _named(lids.read(data, str(lid)), place, str(lid))
    if table is None:
        return BootedFirmware(lid, found, place)
    changed = lids.replace(data, found.name, table, file=str(lid))
    copy = directory / "skiboot.lid"
    with naming(copy):
        copy.write_bytes(changed)
    return BootedFirmware(copy, table, place)


def from_tree(
    tree: Path,
    machine: str,
    given: Source | None,
    cache: Path,
    say: Callable[[str], None] = lambda line: None,
) -> BootedFirmware:
    """The image built from a copy of a skiboot tree, in which the machine's table is made the one
    `given`, if one is.

    say  is called with what is being done
    Raises Unreadable for what is no skiboot tree, Faulty for a table that the tree has not got or
    cannot take, NoSuchTable, build.BuildFailure, debian.Unavailable, OSError.
    """
    place = MACHINE_TABLE[machine]
    array = find(place).firmware.array
    source = PatchedTree(tree)
    texts = dict(source.files)
    if given is not None:
        edit = TableEdit(array, given.name, Path(), read=given.table)
        patch = Patch(f"boot-{place}", "", "", (edit,), aliases=FORMER_NAMES)
        texts |= plan(source, [patch]).files
    table = _in_c(texts, source, array)
    lid = build.lid_of(source, texts, cache, say)
    return BootedFirmware(lid, table_of(edit) if given is not None else table, place)


def _in_c(texts: Mapping[str, str], tree: PatchedTree, array: str) -> IdleTable:
    known = []
    for name, text in texts.items():
        for table in c_table.read(text, name, defines=tree.defines):
            known.append(table.name)
            if table.name in (array, *FORMER_NAMES.get(array, ())):
                return table
    raise tree.unreadable(f"expected a table {array} in the tree, found {', '.join(known)}")


def _named(tables: list[lids.LidTable], place: str, file: str) -> IdleTable:
    """The table in a revision's place: of its name, else the one nearest to it."""
    spec = find(place)
    for exactly in (True, False):
        for each in tables:
            table = each.table
            near = table.firmware.array == spec.firmware.array
            if table.name == place if exactly else near:
                return table
    known = ", ".join(each.table.name for each in tables)
    message = f"expected a table in the place of {place}, found {known}"
    where = Location(file=file)
    raise Unreadable([Finding("IS930", "unreadable-input", Severity.ERROR, message, where)])
