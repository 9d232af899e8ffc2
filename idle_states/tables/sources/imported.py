"""import: converts a table as read to one that a spec can express, with the source of every value.

A spec has name, times, flags, control register and mask of each row, and the processor; one of x86
has types, latencies and what enters the states. A source that lacks one of these, and whose table
no other has (`kernel_tables`), cannot become a spec: firmware would take a missing value for 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from ...base.dataclass import replace
from ...base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ...base.model.idle_tree import IdleTree
from ...base.model.power_mgt import FLAGS, LATENCIES, NAMES, PSSCR, PSSCR_MASK, PowerMgt
from ...base.model.table import (
    BeforeExport,
    Firmware,
    IdleState,
    IdleTable,
    Provenance,
    ReadFrom,
    Register,
)
from ..devicetree.machine import machine_of
from ..spec.write import not_of_opal, with_processor, write
from ..spec.write_acpi import with_same_lpi, write_acpi
from ..spec.write_tree import write_tree
from . import Source
from .kernel_tables import as_firmware_has, with_firmware
from .machines import is_machine, machine_behind, valid_name

_MOST_FINDINGS = 100


def spec_of(sources: Sequence[Source], text: str, name: str | None = None) -> str:
    """Returns the text of the spec of all that a TABLE stands for. name: as of imported().

    Raises CannotGenerate (IS933) with every reason why it cannot become one, NoSuchTable where
    there are several tables, and what reading them raises.
    """
    if is_machine(sources):
        machine = machine_behind(sources[0])
        return write_tree(imported_machine(machine, sources, name))
    return written(imported(with_firmware(sources, text), name))


def written(table: IdleTable) -> str:
    """Returns the text of a spec that has the table. Raises CannotGenerate (IS933)."""
    return write_acpi(table) if table.origin.form == "acpi" else write(table)


def imported(source: Source, name: str | None = None) -> IdleTable:
    """Returns the source's table as a spec can express it. Its content does not depend on the time
    or machine of the import.

    name  name of the new table; None: made from that of the source
    Raises CannotGenerate (IS933) with every reason why the table cannot become a spec.
    """
    assert source.table is not None
    table = as_firmware_has(source.table)
    if table.origin.form == "acpi":
        table = with_same_lpi(table)
    problems = list(_problems(table, source.node))
    if problems:
        raise CannotGenerate(problems[:_MOST_FINDINGS], source.texts)
    states = tuple(_state(state, table, source) for state in table.states)
    digest = f" (sha256 {source.sha256})" if source.sha256 else ""
    note = f"Imported from {_shown(source)}{digest}."
    if table.read_from.kind == "spec":
        note = table.note or note
    elif table.note:
        note += f" {table.note}"
    name = name or _name(source.table, source)
    table = replace(table, name=name, states=states, note=note)
    if table.origin.form == "acpi":
        return replace(table, read_from=ReadFrom("spec"), where={})
    noted = with_processor(table)
    notes = [noted.note]
    if table.cpu is not None and table.read_from.kind in ("c", "lid"):
        notes.append("Only the array's name identifies the processor.")
    if table.origin.form == "dt":
        notes.append(
            "These are the states that firmware exported; states that it left out are missing."
        )
    return replace(
        noted,
        note=" ".join(notes),
        firmware=_firmware(source.table),
        origin=BeforeExport(),
        read_from=ReadFrom("spec"),
        where={},
    )


def imported_machine(
    machine: IdleTree, sources: Sequence[Source], name: str | None = None
) -> IdleTree:
    """An Arm or RISC-V machine as a spec of its own, with what it was made of as its note."""
    source = sources[0]
    digest = f" (sha256 {source.sha256})" if source.sha256 else ""
    note = machine.note or f"Imported from {_shown(source)}{digest}."
    title = machine.title or (_ascii(machine_of(source.tree).model) if source.tree else "")
    return replace(machine, name=name or machine.name, title=title, note=note)


def _problems(table: IdleTable, node: PowerMgt | None) -> Iterator[Finding]:
    if reason := not_of_opal(table):
        yield _finding(table, None, reason)
        return
    if node is not None:
        yield from _node_problems(table, node)
    first: dict[str, int] = {}
    for index, state in enumerate(table.states):
        earlier = first.setdefault(state.name, index)
        if earlier != index:
            message = (
                f"expected each name once, found {state.name!a} as state {earlier} and {index}"
            )
            yield _finding(table, index, message)
        if state.macro:
            message = (
                f"expected values that stand in the table, found {state.name!a}, which the macro "
                f"{state.macro} makes; write the row out, or import the table from firmware"
            )
            yield _finding(table, index, message)
        if not state.name.isprintable():
            message = f"expected a name that YAML can hold, found {state.name!a}"
            yield _finding(table, index, message)


def _node_problems(table: IdleTable, node: PowerMgt) -> Iterator[Finding]:
    """Findings for properties that are missing or have fewer entries than others."""
    needed = [NAMES, LATENCIES, FLAGS]
    if table.register is Register.PSSCR:
        needed += [PSSCR, PSSCR_MASK]
    counts = {name: node.count(name) for name in needed}
    most = max((count or 0 for count in counts.values()), default=0)
    for name, count in counts.items():
        if not most:
            continue
        if count is None:
            message = f"expected {name}, found none; a spec needs a value"
            yield cannot_generate(message, node.where, table.name)
        elif count != most:
            message = f"expected {most} entries of {name}, found {count}"
            yield cannot_generate(message, node.at(name), table.name)


def _state(state: IdleState, table: IdleTable, source: Source) -> IdleState:
    """The state with each value's place as its provenance, where the source gives none."""
    fields = ["latency", "residency"]
    if table.origin.form == "acpi":
        fields = [] if table.read_from.kind == "spec" else ["default"]
    if table.register is not Register.NONE:
        fields += ["flags", str(table.register), "mask"]
    provenance = dict(state.provenance)
    for field in fields:
        provenance.setdefault(field, _provenance(_place(state, field), source))
    return replace(state, provenance=provenance, where={})


def _place(state: IdleState, field: str) -> Location:
    key = "control" if field in ("psscr", "pmicr") else field
    return state.where.get(key) or state.where.get("state") or Location(path=state.name)


def _provenance(where: Location, source: Source) -> Provenance:
    line = f":{where.line}" if where.line else ""
    return Provenance("file", f"{_shown(source)}{line}", "medium", _ascii(where.path))


def _shown(source: Source) -> str:
    return _ascii(source.file)


def _ascii(text: str) -> str:
    """The text with all characters that are not ASCII escaped, so that YAML can hold it."""
    return text.encode("ascii", "backslashreplace").decode()


def _name(table: IdleTable, source: Source) -> str:
    """A valid name for a spec, made from the name of the C array, the driver's table or the
    file."""
    text = (
        table.name if table.read_from.kind in ("c", "lid", "driver") else PurePath(source.file).stem
    )
    return valid_name(text.removesuffix("_cpu_idle_states"))


def _firmware(table: IdleTable) -> Firmware:
    if table.read_from.kind == "c":
        return replace(table.firmware, array=table.firmware.array or table.name)
    return table.firmware


def _finding(table: IdleTable, index: int | None, message: str) -> Finding:
    places: Mapping[str, Location] = table.where if index is None else table.states[index].where
    where = places.get("table") or places.get("name") or Location(path=table.path(index))
    return cannot_generate(message, where, table.name)
