"""The firmware image of a boot: a given image or one built from a tree, with the machine's table
replaced if asked for. Files given are never changed: only copies are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..files import naming
from ..findings import unreadable
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
    """The firmware that is booted.

    lid    the image; a copy if its table was replaced
    table  the table in the image that the machine is expected to use: the TABLE given, else the
           one read from the image
    place  revision whose array in the image holds this table
    """

    lid: Path
    table: IdleTable
    place: str


def in_lid(lid: Path, machine: str, table: IdleTable | None, directory: Path) -> BootedFirmware:
    """Returns `lid`, or a copy of it in `directory` in which `table` replaces the machine's table.

    Raises Unreadable if `lid` is not an image with tables, CannotGenerate if the table does not
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
    """Builds the image from a copy of a skiboot tree, in which the table `given`, if any, replaces
    the machine's table.

    say  called with what is being done
    Raises Unreadable if `tree` is not a skiboot tree, Faulty if the tree lacks the machine's table
    or cannot hold the given one, NoSuchTable, build.BuildFailure, debian.Unavailable, OSError.
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
    """The table of the image that is the revision `place`: by name, else the nearest to it."""
    spec = find(place)
    for exactly in (True, False):
        for each in tables:
            table = each.table
            near = table.firmware.array == spec.firmware.array
            if table.name == place if exactly else near:
                return table
    known = ", ".join(each.table.name for each in tables)
    message = f"expected a table in the place of {place}, found {known}"
    raise unreadable(file, message)
