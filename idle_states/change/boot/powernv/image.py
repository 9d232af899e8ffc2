"""The firmware image of a boot: a given image or one built from a tree, with the machine's table
replaced if asked for. Files given are never changed: only copies are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ....base.dataclass import dataclass
from ....base.files import naming
from ....base.model.findings import unreadable
from ....base.model.table import IdleTable
from ....base.reading import opening
from ....base.reading.c.lexer import UnsupportedC
from ....base.wording import joined
from ....tables.skiboot import c_table
from ....tables.skiboot import lid as lids
from ....tables.skiboot.choosing import read_choosing
from ....tables.skiboot.layout import HEADERS
from ....tables.skiboot.lid.symbols import ELF_MAGIC
from ....tables.skiboot.patching.case import ArrayClaim
from ....tables.sources import Source
from ....tables.spec.library import find
from ...patches.description import Patch, TableEdit
from ...patches.library import FORMER_NAMES, table_of
from ...patches.plan import plan
from ...patches.tree import PatchedTree, has_tables, macros
from ...patches.work_tree import as_bytes
from . import build
from .change import UNCHANGED, TreeChange
from .machines import KINDS
from .predict import MACHINE_TABLE


@dataclass(frozen=True, slots=True)
class BootedFirmware:
    """The firmware that is booted.

    lid      the image; a copy if its table was replaced
    table    the table in the image that the machine is expected to use: the TABLE given, else the
             one read from the image or tree
    place    revision whose array in the image holds this table; the array, where that is of no
             packaged revision
    remarks  how it was built otherwise than its tree says; arrays of an image that no spec has
    """

    lid: Path
    table: IdleTable
    place: str
    remarks: tuple[str, ...] = ()


def in_lid(lid: Path, machine: str, table: IdleTable | None, directory: Path) -> BootedFirmware:
    """Returns `lid`, or a copy of it in `directory` in which `table` replaces the machine's table:
    that of the table's own array, if the image has it and the machine takes it.

    Raises Unreadable if `lid` is not an image with tables, CannotGenerate if the table does not
    fit, OSError.
    """
    place = MACHINE_TABLE[machine]
    data = opening.read(lid)
    if data.startswith(ELF_MAGIC):
        raise unreadable(str(lid), "expected skiboot.lid, which QEMU loads, found an ELF file")
    with opening.Tree(lid.parent) as beside:
        symbols = lids.symbols_in(beside, lid.name)
    held = [each.table for each in lids.read(data, str(lid), symbols)]
    own = _own(held, table, machine) if table is not None else None
    place = own.firmware.array if own else place
    found = own or _named(held, place, str(lid))
    if table is None:
        return BootedFirmware(lid, found, place, tuple(_others(held, lid)))
    changed = lids.replace(data, found.name, table, file=str(lid), symbols=symbols)
    copy = directory / "skiboot.lid"
    with naming(copy):
        copy.write_bytes(changed)
    return BootedFirmware(copy, table, place)


def from_tree(
    tree: PatchedTree,
    machine: str,
    given: Source | None,
    cache: Path,
    say: Callable[[str], None] = lambda line: None,
    change: TreeChange = UNCHANGED,
) -> BootedFirmware:
    """Builds the image from a copy of a skiboot tree, in which the table `given`, if any, replaces
    the machine's table.

    change  what a series of patches makes of the tree; not together with `given`
    say     called with what is being done
    Raises Unreadable, Faulty if the tree lacks the machine's table or cannot hold the given one,
    NoSuchTable, build.BuildFailure, debian.Unavailable, OSError.
    """
    place = MACHINE_TABLE[machine]
    files = dict(change.files)
    usual = find(place).firmware.array
    array = _chosen(_tables(tree, files), machine) or usual
    if array not in (usual, *FORMER_NAMES.get(usual, ())):
        place = array
    if given is not None:
        edit = TableEdit(array, given.name, Path(), read=given.table)
        patch = Patch(f"boot-{place}", "", "", (edit,), aliases=FORMER_NAMES)
        files |= as_bytes(plan(tree, [patch]).files)
    table = _in_c(tree, files, array)
    built = build.lid_of(tree, files, cache, say)
    return BootedFirmware(
        built.lid, table_of(edit) if given is not None else table, place, built.remarks
    )


def _chosen(texts: Mapping[str, str], machine: str) -> str:
    """The array that a tree's code takes on a machine; "" where that is not understood."""
    try:
        choosing = read_choosing(texts)
    except UnsupportedC:
        return ""
    table = choosing.table_for(KINDS[machine]) if choosing else None
    return table.array if table and table.doubt is None else ""


def _content(tree: PatchedTree, files: Mapping[str, bytes | None], name: str) -> bytes:
    return (files[name] if name in files else tree.content(name)) or b""


def _tables(tree: PatchedTree, files: Mapping[str, bytes | None]) -> dict[str, str]:
    """Path -> text of the files with tables."""
    names = dict.fromkeys([*tree.files, *(name for name in files if name.endswith(".c"))])
    return {
        name: data.decode("utf-8", "surrogateescape")
        for name in names
        if has_tables(data := _content(tree, files, name))
    }


def _in_c(tree: PatchedTree, files: Mapping[str, bytes | None], array: str) -> IdleTable:
    texts = _tables(tree, files)
    headers = (_content(tree, files, name) for name in HEADERS)
    defines = macros(headers, texts.values())
    known = []
    for name, text in texts.items():
        for table in c_table.read(text, name, defines=defines):
            known.append(table.name)
            if table.name in (array, *FORMER_NAMES.get(array, ())):
                return table
    raise tree.unreadable(
        f"expected a table {array} in the tree, found {', '.join(known) or 'none'}"
    )


def _own(held: Sequence[IdleTable], table: IdleTable, machine: str) -> IdleTable | None:
    """The table of an image in the array of the TABLE's own, if the machine takes that: its spec
    says so, or it was itself picked from an image, as an array that no spec has."""
    claim = ArrayClaim.of(table)
    usual = find(MACHINE_TABLE[machine]).firmware.array
    picked = table.read_from.kind == "lid" and table.cpu is None
    if claim.array == usual or not (picked or claim.covers(KINDS[machine])):
        return None
    return next((each for each in held if each.firmware.array == claim.array), None)


def _others(held: Sequence[IdleTable], lid: Path) -> Iterator[str]:
    """Yields a remark on arrays of an image that no spec has: its code is not looked into."""
    if arrays := [each.firmware.array for each in held if not each.cpu and each.firmware.array]:
        example = f"TABLE {lid}:{arrays[0]}"
        yield (f"the image also has {joined(arrays)}: if this machine uses it, name it, {example}")


def _named(tables: Sequence[IdleTable], place: str, file: str) -> IdleTable:
    """The table of the image that is the revision `place`: by name, else the nearest to it."""
    array = find(place).firmware.array
    near = [each for each in tables if each.firmware.array == array]
    if found := [each for each in tables if each.name == place] or near:
        return found[0]
    known = ", ".join(each.name for each in tables)
    raise unreadable(file, f"expected a table in the place of {place}, found {known}")
