"""Tables of Linux's as firmware's: what enters the states that a kernel holds in sysfs, or that
intel_idle has in its source. What these do not say comes from a table that is named, or is refused.
"""

from collections.abc import Sequence

from ...base.dataclass import replace
from ...base.model.table import IdleState, IdleTable, Provenance, Register
from ...base.reading import opening
from ...base.wording import joined
from ..linux.acpi_draft import PROCESSORS, TLB_FLUSHED, acpi_of, entered
from ..linux.intel_idle.origin import origin as origin_of
from ..spec.library import is_main, packaged
from ..spec.registry import assumed
from . import format_tar, one_table
from .source import Source
from .told import opened

_GUESSED = Provenance("estimate", "hint and order of the states", "low", "no kernel shows it")
_PLACEHOLDER = (
    f"The path of the processor, below {PROCESSORS}, is a placeholder, and types are estimates: "
    "the kernel shows neither."
)


def with_firmware(sources: Sequence[Source], text: str) -> Source:
    """The one table of a TABLE; where a kernel made the states of a collection from _CST, that of
    firmware there. Raises as one_table()."""
    source = one_table(list(sources), text)
    if source.table and _is_of_cst(source.table):
        file = opened(opening.longest_file(text)[0])
        if found := format_tar.acpi_of(file, format_tar.collected(file)):
            return one_table(found, f"{file.shown}:{format_tar.ACPI_NAME}")
    return source


def as_firmware_has(table: IdleTable) -> IdleTable:
    """Returns the table that firmware would have for a kernel's; others as they are, also where
    nothing tells what enters the states. Raises CannotGenerate (IS933) where that is so of some."""
    origin = table.origin
    if origin.form == "sysfs" and (found := _nearest(table)):
        return _of_power(table, *found)
    rows = range(len(table.states)) if origin.form in ("sysfs", "driver") else ()
    if not any(entered(table, row) for row in rows):
        return table
    idle, states = acpi_of(table), tuple(_noted(table, row) for row in rows)
    if _is_of_cst(table):
        idle = replace(idle, lpi=())  # the kernel made residencies of _CST's latencies
    return replace(table, states=states, origin=idle, note=_PLACEHOLDER)


def _is_of_cst(table: IdleTable) -> bool:
    """Tells whether acpi_idle, or intel_idle, made the states that sysfs shows from _CST."""
    made = origin_of(table.origin) if table.origin.form == "sysfs" else None
    return made is not None and made.kind in ("cst", "acpi_idle")


def _noted(table: IdleTable, row: int) -> IdleState:
    """A state of x86 with what _CST has no place for."""
    state, origin, note = table.states[row], table.origin, ""
    if origin.form == "driver":
        flags = [name for name in origin.of_row(row).flag_names if name != TLB_FLUSHED]
        note = f"_CST has no place for {joined(flags)}." if flags else ""
    if origin.form == "sysfs" and origin.of_row(row).disabled:
        note = "It was switched off when the dump was made."
    return replace(state, flags=0, note=note, provenance={"type": _GUESSED})


def _nearest(table: IdleTable) -> tuple[IdleTable, Sequence[IdleState], str] | None:
    """The packaged table that has all states of a kernel of POWER and differs least in times, those
    states of it, and a note; None where none has them, or flags of equally near ones differ."""
    names = [_key(state.name) for state in table.states]
    found = list[tuple[int, bool, IdleTable, list[IdleState]]]()
    for near in packaged(lambda revision: not revision.historical):
        named = {_key(state.name): state for state in near.states}
        if names and is_main(near) and near.cpu and named.keys() >= set(names):
            rows = [named[name] for name in names]
            unusual = near.cpu.processor != assumed(near.register is not Register.PMICR)
            pairs = zip(table.states, rows, strict=True)
            least = sum(
                (held.latency_ns // 1000, (held.residency_ns or 0) // 1000)
                != (row.latency_ns // 1000, (row.residency_ns or 0) // 1000)
                for held, row in pairs
            )
            found.append((least, unusual, near, rows))
    found.sort(key=lambda each: each[:2])
    equals = [each for each in found if each[0] == found[0][0]]
    if len({tuple((row.flags, row.control, row.mask) for row in each[3]) for each in equals}) != 1:
        return None
    least, _, near, rows = equals[0]
    others = [each[2].name for each in equals[1:]]
    times = f"{least} of {len(rows)} states differ in times" if least else "the times agree"
    equally = f", which agree with {joined(others)}, too" if others else ""
    note = f"sysfs shows names and times; everything else comes from {near.name}: {times}{equally}."
    return near, rows, note


def _of_power(table: IdleTable, near: IdleTable, rows: Sequence[IdleState], note: str) -> IdleTable:
    """A kernel's table with all that sysfs does not show from a packaged one."""
    provenance = Provenance("file", f"packaged spec {near.name}", "low", "sysfs does not show it")
    fields = () if near.register is Register.NONE else ("flags", str(near.register), "mask")
    states = tuple(
        replace(
            row,
            latency_ns=held.latency_ns,
            residency_ns=held.residency_ns,
            note="",
            measured=(),
            power=None,
            provenance=dict.fromkeys(fields, provenance),
            where=held.where,
        )
        for held, row in zip(table.states, rows, strict=True)
    )
    title, where, read_from = table.title, table.where, table.read_from
    return replace(near, title=title, note=note, states=states, where=where, read_from=read_from)


def _key(name: str) -> str:
    """A state's name for comparison: Linux calls nap Nap, and fastsleep_ FastSleep."""
    return name.rstrip("_").lower()
