"""A table put in the place of another inside a skiboot.lid: for an experiment in an emulator.

Only the rows change. They must fit into those compiled in; rows left over have flags of 0, which
no machine supports: skiboot's export skips a row without a flag of its supported_states_mask.
"""

from collections.abc import Iterator

from ....base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ....base.model.table import NAME_BYTES, IdleState, IdleTable
from .container import unwrap
from .identify import UNUSED, is_unused
from .reader import LidTable, tables_in
from .records import RecordLayout
from .symbols import TableSymbols


def replace(
    data: bytes,
    name: str,
    table: IdleTable,
    *,
    file: str = "skiboot.lid",
    symbols: TableSymbols | None = None,
) -> bytes:
    """The image with `table` where `name` was.

    name     of a table as `read` names it: a packaged revision, an array, or table@OFFSET
    file     what messages call the image
    symbols  of the image's build, where they are known
    Raises CannotGenerate (IS933), with all reasons, for what cannot be written in place;
    Unreadable as `read` does.
    """
    image = unwrap(data, file)
    if image.wrapped:
        why = _WHY_COMPRESSED if image.compressed else _WHY_LINKED
        raise CannotGenerate([_finding(file, _WHY_SIGNED if image.signed else why)])
    found = tables_in(image, file, "", symbols)
    old = next((lid for lid in found if lid.table.name == name), None)
    if old is None:
        names = ", ".join(lid.table.name for lid in found)
        raise CannotGenerate([_finding(file, f"expected a table of {names}, found {name!a}")])
    obstacles = list(_obstacles(old, table))
    if obstacles:
        raise CannotGenerate(obstacles)
    rows = [old.layout.encode(state) for state in table.states]
    rows += [old.layout.encode(_unused(old.layout))] * (old.rows - len(rows))
    end = old.offset + old.rows * old.layout.size
    return data[: old.offset] + b"".join(rows) + data[end:]


_WHY_SIGNED = (
    "expected a bare image, found one in a secure-boot container: its signature covers the "
    "tables, and a changed image would not verify"
)
_WHY_LINKED = "expected a bare image, skiboot.lid, found an ELF file"
_WHY_COMPRESSED = "expected a bare image, found an xz stream; unpack it first: xz -d"


def _unused(layout: RecordLayout) -> IdleState:
    return IdleState(UNUSED, 0, 0 if layout.has_residency else None, 0)


def _obstacles(old: LidTable, table: IdleTable) -> Iterator[Finding]:
    count = len(table.states)
    if not 1 <= count <= old.rows:
        message = f"expected 1 to {old.rows} rows, as compiled in, found {count}"
        if count:
            message += "; an image cannot grow: boot --tree DIR builds one with more rows"
        yield _finding(old.table.name, message, table)
    if table.register is not old.table.register:
        message = f"expected a table with {old.table.register}, found one with {table.register}"
        yield _finding(old.table.name, message, table)
    for index, state in enumerate(table.states):
        for field, message in _unfit(state, old.layout):
            yield _finding(old.table.name, message, table, index, field)


def _unfit(state: IdleState, layout: RecordLayout) -> Iterator[tuple[str, str]]:
    name = state.name.encode("utf-8", "surrogateescape")
    if not 1 <= len(name) <= NAME_BYTES or b"\0" in name:
        yield "name", f"expected a name of 1 to {NAME_BYTES} bytes, found {state.name!a}"
    if is_unused(state):
        yield "name", f"expected a state, found {UNUSED!r} and zeros, which mark a row without one"
    if layout.has_residency != (state.residency_ns is not None):
        wanted = "a residency" if layout.has_residency else "no residency"
        found = "none" if state.residency_ns is None else state.residency_ns
        yield "residency", f"expected {wanted} in an image of skiboot {layout.era}, found {found}"
    for field, value, most in state.misfits():
        yield field, f"expected 0 to {most:#x}, found {value:#x}"


def _finding(
    what: str,
    message: str,
    table: IdleTable | None = None,
    index: int | None = None,
    field: str = "state",
) -> Finding:
    where = Location(file=what)
    if table is not None:
        where = table.where.get("table") or Location(table.name)
        if index is not None:
            where = table.states[index].where.get(field) or Location(table.path(index, field))
    return cannot_generate(message, where, table.name if table else "")
