"""show, for people: the stages side by side, then everything that was lost or altered, and why."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from ...base.model.table import IdleTable
from ...base.report.sheet import (
    NO_NUMBERS,
    Lines,
    Marked,
    Rows,
    Section,
    Sheet,
    Worded,
    indented,
)
from ...base.wording import joined
from ..pipeline import Journey
from .kernels import agreeing, change, kernel_column, kernel_sections
from .stages import StageColumn, stages

if TYPE_CHECKING:
    from ...base.model.beyond_opal import Held
    from ..linux.intel_idle.origin import HeldOrigin

_FIELDS = {"psscr": "PSSCR", "pmicr": "PMICR"}
_PLACES_ONLY = ("state", "name", "control")
"""Places of a state that are of no value, or of one that has a place under another name."""

_MOST_HEADLINES = 3
_NO_SPEC = (
    "no packaged spec has it: its levels are unknown, and kernels that check the PVR are assumed "
    "to have no stop driver for it; if you have its spec, add --platform spec=FILE"
)
_MORE = "--provenance adds sources of values and reasons, and kernel log lines"


def sheet(journey: Journey, *, provenance: bool = False) -> Sheet:
    """Returns the whole output of `show`. provenance: with the sources of values and reasons, and
    the kernels' logs."""
    last = _every_value(journey.table) if provenance else Section("", (Lines((_MORE,)),))
    parts = (*sections(journey, full=provenance), last)
    return Sheet(journey.table.name, tuple(_headline(journey)), parts)


def _headline(journey: Journey) -> Iterator[str]:
    """Yields what becomes of the states, of the first few groups of kernels that agree."""
    for group in agreeing(journey)[:_MOST_HEADLINES]:
        names = [state.name for state in group.first.driver.states]
        yield f"Linux {group.kernels} registers {joined(names) if names else 'no state'}"
    if journey.export is not None and (lost := [lost.state for lost in journey.export.lost]):
        yield f"Firmware does not export {joined(lost)}"


def sections(journey: Journey, *, full: bool) -> Iterator[Section]:
    """Yields the stages, then what was lost or changed on the way and what follows from that. full:
    with the sources of values and reasons, and the kernels' logs."""
    table = journey.table
    title = f": {table.title}" if table.title else ""
    note = f"  {table.note}" if table.note else ""
    about = (Worded(note, note), Marked("faint", f"  {whence(journey)}"))
    yield Section((Marked("strong", table.name), Worded(title, title)), (Lines(about),))
    yield Section("", (stages(table, journey_stages(journey)),))
    yield from _consequences(journey, full=full)
    if full:
        yield Section("Where the values come from", tuple(_provenance(table)))


def whence(journey: Journey) -> str:
    """Returns where the table comes from: file, platform and skiboot release."""
    source = journey.source
    digest = f" (sha256 {source.sha256[:12]})" if source.sha256 else ""
    machine = ""
    if journey.export is not None:
        skiboot = journey.platform.skiboot or "master"
        machine = f"; platform {journey.platform.name}, skiboot {skiboot}"
    return f"{source.file}{digest}{machine}"


def journey_stages(journey: Journey) -> list[StageColumn]:
    """Returns the columns after the table's own: what firmware exports, and what kernels
    register."""
    table, found = journey.table, list[StageColumn]()
    if journey.export is not None:
        exported = set(journey.export.indices)
        cells = ("exports" if i in exported else "-" for i in range(len(table.states)))
        reasons = {lost.index: lost.reason for lost in journey.export.lost}
        found.append(StageColumn("Firmware", tuple(cells), reasons=reasons))
    return found + [kernel_column(group, table) for group in agreeing(journey)]


def _consequences(journey: Journey, *, full: bool) -> Iterator[Section]:
    """Yields what was lost or changed on the way, and what follows from that."""
    table = journey.table
    export = journey.export
    if export is not None:
        if export.outcome != "ok":
            what = "an assert stops the boot" if export.outcome == "abort" else "firmware hangs"
            text = f"{what}: too many or too long names, see IS109 and IS110"
            yield indented("Firmware fails", [text])
        if export.chosen != _family(table) and journey.platform.name != "all-levels":
            chosen = export.chosen or "no table at all"
            text = f"on this platform skiboot would choose {chosen}, not this table"
            yield indented("Note", [text])
        if export.lost:
            lines = [f"{x.state}: {x.reason}{f' [{x.ground}]' * full}" for x in export.lost]
            yield indented("Lost in firmware", lines)
        if export.changed:
            yield indented("Changed in firmware", map(change, export.changed))
    if table.origin.form == "dt" and table.origin.unknown:
        yield indented("Unknown processor", [f"{table.origin.unknown}: {_NO_SPEC}"])
    if table.origin.form == "sysfs":
        from ..linux.intel_idle.origin import origin

        yield indented("Note", _held(table.origin))
        found = origin(table.origin)
        if found is not None:
            yield indented("Where these states come from", _origin(found))
    yield indented("Machine", _machine(journey))
    if table.origin.form == "driver":
        from .origins import built_in_sections

        yield from built_in_sections(table.origin, started=journey.machine is not None)
    if table.origin.form == "acpi":
        from .origins import acpi_sections

        yield from acpi_sections(table.origin)
    yield indented("Note", [_table_parameter(journey)])
    for group in agreeing(journey):
        yield from kernel_sections(group, table, full=full)
    yield indented("Break-even points", _energy(table))
    yield indented("Values of the spec without a source", _replaced(table))


def _held(held: "Held") -> Iterator[str]:
    yield "read from a running kernel: it already reflects firmware and driver; flags and control"
    yield "register are unknown; --kernel chooses only the governor"
    from ...base.reading.acpi.signs import OBTAINED
    from ..why.answer import explained_of

    for _, each in explained_of(held):
        yield from (f"{each.title}: {reason.because}" for reason in each.reasons)
    if held.driver == "acpi_idle":
        yield "acpi_idle made these states from ACPI's tables: show ACPI.txt explains how, or show"
        yield f"COLLECTION:acpi; get the tables {OBTAINED}"
    yield "idle-states why explains the use of each state, and what to do next"


def _table_parameter(journey: Journey) -> str:
    """Says whether intel_idle.table= can change this table at all; "" for tables of others."""
    table = journey.table
    if table.origin.form not in ("driver", "sysfs"):
        return ""
    from ..linux.intel_idle.origin import ACPI, origin
    from ..linux.intel_idle.table_parameter import SINCE, unfit

    by_mwait = table.origin.form == "driver" and table.origin.is_intel_idle
    found = origin(table.origin) if table.origin.form == "sysfs" else None
    if not journey.arrivals or not (by_mwait or (found and found.kind != ACPI)):
        return ""
    states = journey.arrivals[0].driver.states
    bad = unfit(states)
    if not bad:
        return f"intel_idle.table= (Linux {SINCE} on) may change any of these states"
    return (
        f"intel_idle.table= (Linux {SINCE} on) is refused here unless it also changes "
        f"{joined(bad)}: every state's times must be above those of the one before, and within the "
        "driver's limits"
    )


def _origin(found: "HeldOrigin") -> Iterator[str]:
    yield f"{found.name}"
    for table in found.tables:
        yield f"{table.name} has these figures in Linux {table.releases}"
    if found.cpus:
        yield f"which is for {joined(list(found.cpus))}"
    yield from found.differences


def _machine(journey: Journey) -> Iterator[str]:
    """Yields the machine that the driver starts on: as named, and as assumed."""
    machine = journey.machine
    if machine is not None:
        model = f"model {machine.machine.model:#x}"
        known = f"{machine.processor}, {model}" if machine.processor else model
        yield f"{machine.name}: {known}, as intel_idle finds it when it starts"
    assumed = dict.fromkeys(text for each in journey.arrivals for text in each.driver.assumptions)
    yield from (f"assumed: {text}" for text in assumed)


def _family(table: IdleTable) -> str:
    return table.name.partition("@")[0]


def _provenance(table: IdleTable) -> Iterator[Lines]:
    """Yields lines, by source: which values of which states rest on it."""
    groups: dict[str, dict[str, list[str]]] = {}
    for state in table.states:
        by_source: dict[str, list[str]] = {}
        for field, source in state.provenance.items():
            note = f"; {source.note}" if source.note else ""
            key = f"{source.source} ({source.kind}, {source.confidence} confidence{note})"
            by_source.setdefault(key, []).append(_FIELDS.get(field, field))
        for key, fields in by_source.items():
            groups.setdefault(key, {}).setdefault(joined(fields), []).append(state.name)
    for key, uses in groups.items():
        yield Lines((key,), first="  ", further="      ")
        lines = tuple(f"{fields} of {joined(names)}" for fields, names in uses.items())
        yield Lines(lines, first="      ", further="          ")


def _every_value(table: IdleTable) -> Section:
    """Returns a row for each value of each state: where it stands, in which spec, its source, and
    what it replaced, the last first."""
    rows = []
    for state in table.states:
        for field, where in state.where.items():
            if field in _PLACES_ONLY or "." in field:
                continue
            source = state.provenance.get(field)
            text = f"{source.source} ({source.kind})" if source else ""
            if not source and field in state.unsourced:
                text = "none given"
            replaced = "; ".join(
                f"{was.text} at {was.where}" for was in state.replaced.get(field, ())
            )
            spec = PurePath(where.file or "").stem
            rows.append((state.name, _FIELDS.get(field, field), str(where), spec, text, replaced))
    head = ("State", "Value", "Place", "Spec", "Source", "Replaces")
    return Section("Every value", (Rows(head, tuple(rows), numbers=NO_NUMBERS),), folded=True)


def _replaced(table: IdleTable) -> Iterator[str]:
    """Yields each value that an override gives without a source, and what it replaced."""
    for state in table.states:
        for field in state.unsourced:
            where = state.where.get(field)
            chain = "; replaces ".join(
                f"{was.text} at {was.where}"
                + (f", {was.provenance.source} ({was.provenance.kind})" if was.provenance else "")
                for was in state.replaced[field]
            )
            yield f"{_FIELDS.get(field, field)} of {state.name} at {where}: replaces {chain}"


def _energy(table: IdleTable) -> list[str]:
    if all(state.power is None for state in table.states):
        return []
    from ..power import sheet as power_sheet

    return power_sheet.of_table(table)
