"""Writes the _CST of an x86 machine's ACPI tables as a spec in YAML, without inheritance. Reading
the result gives the same _CST, and a _LPI where that has the same states."""

from collections.abc import Iterator
from itertools import zip_longest

from ...base.dataclass import replace
from ...base.model.acpi_objects import (
    HALT,
    LPI_BESIDE,
    SPACES,
    AcpiRegister,
    CstEntry,
    LpiState,
)
from ...base.model.beyond_opal import AcpiIdle
from ...base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ...base.model.table import U32_MAX, IdleTable
from ...base.model.units import format_time
from .build_acpi import MOST_PORT, TYPES
from .keys import X86
from .write import scalar, state_notes, texts

_ONLY_LPI = (
    "expected a _CST, found _LPI alone: a spec of Arm or RISC-V needs the CPUs' nodes and each "
    "entry and exit latency, of which _LPI has the sum; show, diff and generate --to asl take the "
    "tables as they are"
)


def write_acpi(table: IdleTable) -> str:
    """Returns the spec's text. Raises CannotGenerate (IS933) with all that a spec cannot say."""
    return "\n".join(_lines(table)) + "\n"


def entries_of(table: IdleTable) -> list[CstEntry]:
    """Returns the C-states of a table of ACPI's. Raises CannotGenerate (IS933) for a _CST that a
    spec cannot have."""
    assert table.origin.form == "acpi"
    idle, problems = table.origin, list[Finding]()
    where = table.where.get("table") or Location(path=table.name)
    if idle.cst is None or idle.arch not in (X86, ""):
        message = _ONLY_LPI if idle.cst is None else f"expected x86 processors, found {idle.arch}"
        problems.append(cannot_generate(message, where, table.name))
    found = []
    for each in idle.entries(cst=True):
        entry, message = each.entry, str(each.entry)
        if isinstance(entry, CstEntry):
            found.append(entry)
            message = (
                "" if entry.kind in TYPES else f"expected a type of 1 to 3, found {entry.kind}"
            )
            if (most := max(entry.latency_us, entry.power_mw)) > U32_MAX:
                message = f"expected a latency and power of 32 bits, found {most:#x}"
        if message:
            problems.append(cannot_generate(message, where.at(each.path), table.name))
    if problems:
        raise CannotGenerate(problems)
    return found


def with_same_lpi(table: IdleTable) -> IdleTable:
    """Returns a table of ACPI's with the names of its _LPI, where that says the states of the _CST
    again; else without _LPI, which the note then says. Raises as entries_of()."""
    idle, entries = table.origin, entries_of(table)
    assert idle.form == "acpi"
    table = replace(table, note=table.note.removesuffix(LPI_BESIDE).rstrip())
    given = [each.entry for each in idle.entries(cst=False)]
    lpi = [each for each in given if isinstance(each, LpiState)]
    names, times = [each.name for each in lpi], [each.min_residency_us for each in lpi]
    fits = len({*names, ""}) > len(names) and max(times, default=0) <= U32_MAX
    if given and len(lpi) == len(given) == len(entries) and fits:
        same = AcpiIdle.of_states(idle.processors, entries, names, times)
        if [each.entry for each in same.entries(cst=False)] == given and all(
            map(str.isprintable, names)
        ):
            pairs = zip(table.states, names, strict=True)
            states = tuple(replace(state, name=name) for state, name in pairs)
            return replace(table, states=states, origin=same)
    lost = " Its _LPI, which has other states, is not here." if given else ""
    lost += " Other processors of the machine have other states." if idle.machine else ""
    bare = AcpiIdle.of_states(idle.processors, entries)
    return replace(table, origin=bare, note=f"{table.note}{lost}".lstrip())


def _entered_by(entry: CstEntry) -> tuple[str, str]:
    """Returns the key of a spec that says how a state is entered, and its value; "" twice for
    HLT."""
    found = entry.register
    if found == HALT and entry.kind == 1:
        return "", ""
    if found == AcpiRegister.mwait(found.address) and found.address <= U32_MAX:
        return "mwait", f"{found.address:#04x}"
    if found == AcpiRegister.port(found.address) and found.address <= MOST_PORT:
        return "port", f"{found.address:#x}"
    space = SPACES.get(found.space, f"{found.space:#x}")
    values = f"{found.width}, {found.offset}, {found.address:#x}, {found.access_size}"
    return "register", f"[{space}, {values}]"


def _lines(table: IdleTable) -> Iterator[str]:
    entries, table = entries_of(table), with_same_lpi(table)
    assert table.origin.form == "acpi"
    yield f"name: {scalar(table.name)}"
    yield from texts("", ("title", table.title), ("note", table.note))
    yield f"architecture: {X86}"
    yield "processors:"
    yield from (f"  - {scalar(processor.path)}" for processor in table.origin.processors)
    yield "states:"
    lpi = [each.entry for each in table.origin.entries(cst=False)]
    for state, entry, beside in zip_longest(table.states, entries, lpi):
        yield f"  - name: {scalar(state.name)}"
        yield f"    type: {entry.kind}"
        yield f"    latency: {format_time(entry.latency_us * 1000)}"
        key, value = _entered_by(entry)
        if key:
            yield f"    {key}: {value}"
        if entry.power_mw:
            yield f"    power-mw: {entry.power_mw}"
        if isinstance(beside, LpiState):
            yield f"    lpi-residency: {format_time(beside.min_residency_us * 1000)}"
        is_implied = state.note == f"type C{entry.kind}, {entry.register}"
        yield from state_notes(replace(state, note="") if is_implied else state)
