"""import: converts a table as read to one that a spec can express, with the source of every value.

A spec has name, times, flags, control register and mask of each row, and the processor. A source
that lacks one of these cannot become a spec: firmware would take the missing value for 0.
"""

import re
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
from ..spec.write import not_of_opal, with_processor
from . import Source

_FIELDS = ("latency", "residency")
_MOST_FINDINGS = 100


def imported(source: Source, name: str | None = None) -> IdleTable:
    """Returns the source's table as a spec can express it. Its content does not depend on the time
    or machine of the import.

    name  name of the new table; None: made from that of the source
    Raises CannotGenerate (IS933) with every reason why the table cannot become a spec.
    """
    table = source.table
    assert table is not None
    problems = list(_problems(table, source.node))
    if problems:
        raise CannotGenerate(problems[:_MOST_FINDINGS], source.texts)
    states = tuple(_state(state, table, source) for state in table.states)
    digest = f" (sha256 {source.sha256})" if source.sha256 else ""
    noted = with_processor(
        replace(table, note=table.note or f"Imported from {_shown(source)}{digest}.")
    )
    notes = [noted.note]
    if table.cpu is not None and table.read_from.kind in ("c", "lid"):
        notes.append("The processor is told by the array's name alone.")
    if table.origin.form == "dt":
        notes.append("Firmware had exported these states: those it left out are not here.")
    return replace(
        table,
        name=name or _name(table, source),
        states=states,
        note=" ".join(notes),
        cpu=noted.cpu,
        firmware=_firmware(table),
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
        if not state.name.isprintable() or not _encodable(state.name):
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
    fields = [*_FIELDS]
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
    """A valid name for a spec, made from the name of the C array or the file."""
    text = table.name if table.read_from.kind in ("c", "lid") else PurePath(source.file).stem
    made = re.sub(r"[^A-Za-z0-9_.@-]+", "-", text.removesuffix("_cpu_idle_states")).strip("-.@")
    return made if made[:1].isalpha() else f"imported-{made}".rstrip("-")


def _firmware(table: IdleTable) -> Firmware:
    if table.read_from.kind == "c":
        return replace(table.firmware, array=table.firmware.array or table.name)
    return table.firmware


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _finding(table: IdleTable, index: int | None, message: str) -> Finding:
    places: Mapping[str, Location] = table.where if index is None else table.states[index].where
    where = places.get("table") or places.get("name") or Location(path=table.path(index))
    return cannot_generate(message, where, table.name)
