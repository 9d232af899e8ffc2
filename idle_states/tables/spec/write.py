"""Writes an IdleTable as a spec in YAML, without inheritance and with provenance.

Reading the result gives the same values (`IdleTable.same_values`) for every table a spec can
hold.
"""

from collections.abc import Iterator

from ...base.dataclass import replace
from ...base.model.findings import CannotGenerate, Location, cannot_generate
from ...base.model.idle_tree import TreeState
from ...base.model.processors import Chip, Known, Processor
from ...base.model.table import (
    PMICR_MASKS,
    PMICR_VALUES,
    PSSCR_MASK,
    Cpu,
    Firmware,
    IdleState,
    IdleTable,
    Measurement,
    Partition,
    Power,
    Provenance,
    Psscr,
    Register,
    flag_names,
)
from ...base.model.units import format_power, format_time
from . import registry

_AS_IT_IS = "; show, select and diff take it as it is"
HELD = (
    "expected what enters each state, found a dump of sysfs, which says it of x86 alone, in desc, "
    "and no packaged table, or more than one, has these states; import the machine's device tree, "
    f"where it has one (/proc/device-tree){_AS_IT_IS}"
)
LISTED = (
    "expected a table that skiboot could export, found one list of an Arm or RISC-V tree, of which "
    "a spec is made as a whole"
)
BUILT_IN = (
    "expected a table that firmware could have, found one of a Linux driver that enters its states "
    f"by its own code; of drivers only intel_idle's tables become a spec, by MWAIT{_AS_IT_IS}"
)


def not_of_opal(table: IdleTable) -> str:
    """Returns the reason why a table is none of OPAL's, nor ACPI's; "" if it is."""
    reasons = {"sysfs": HELD, "nodes": LISTED, "driver": BUILT_IN}
    return reasons.get(table.origin.form, "")


def with_processor(table: IdleTable) -> IdleTable:
    """The table with a processor, which a spec must name: where the source names none, that which
    is assumed for its register; the table's note then says so."""
    if table.cpu is not None:
        return table
    cpu = Cpu(registry.assumed(table.register is not Register.PMICR))
    origin = table.origin
    unknown = origin.unknown if origin.form == "dt" else ""
    why = f"No packaged spec has {unknown}" if unknown else "The source does not name its processor"
    note = f"{why}; {cpu.generation} is assumed."
    return replace(table, cpu=cpu, note=f"{table.note} {note}".lstrip())


def write(table: IdleTable) -> str:
    """Returns the spec's text; of a table without a processor see `with_processor`.

    Raises CannotGenerate (IS933) for a table that lacks a value that a spec must have: firmware
    would take the missing value for 0.
    """
    missing = not_of_opal(table)
    if missing:
        where = table.where.get("table") or Location(path=table.name)
        raise CannotGenerate([cannot_generate(missing, where, table.name)])
    return "\n".join(_lines(with_processor(table))) + "\n"


def _lines(table: IdleTable) -> Iterator[str]:
    yield f"name: {scalar(table.name)}"
    yield from texts("", ("title", table.title), ("note", table.note))
    if table.historical:
        yield "historical: yes"
    assert table.cpu is not None
    yield from _cpu(table.cpu, table)
    yield from _firmware(table.firmware)
    if table.partition:
        yield from _partition(table.partition)
    yield f"register: {table.register}"
    yield "states:" if table.states else "states: []"
    for state in table.states:
        yield from _state(state, table.register)


def texts(indent: str, *key2text: tuple[str, str]) -> Iterator[str]:
    """The entries of a mapping whose text is not empty, one a line."""
    for key, text in key2text:
        if text:
            yield f"{indent}{key}: {scalar(text)}"


def _flow(*entries: str) -> str:
    return "{" + ", ".join(entries) + "}"


def scalar(text: str) -> str:
    """The text as a YAML scalar: plain if YAML reads that back unchanged, else in double quotes."""
    plain = text.replace("-", "a").replace("_", "a").replace(".", "a").replace("@", "a")
    if plain.isascii() and plain.isalnum() and text[0].isalpha() and text not in ("none", "null"):
        return text
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    """The escape of a character in YAML's double quotes (which, unlike JSON's, do not allow
    surrogate pairs)."""
    if char in '"\\':
        return f"\\{char}"
    if " " <= char <= "~":
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def _cpu(cpu: Cpu, table: IdleTable) -> Iterator[str]:
    yield "cpu:"
    yield f"  generation: {cpu.generation}"
    processor, usual = cpu.processor, Cpu.of(cpu.processor)
    if registry.find(processor.name) != processor:
        if (cpu.pvr, cpu.chips, cpu.levels) != (usual.pvr, usual.chips, usual.levels):
            message = (
                f"expected a table for all of {cpu.generation}, found one for fewer PVRs, chips or "
                f"levels; write {cpu.generation}'s own table and extend that"
            )
            where = table.where.get("cpu") or Location(path=table.name)
            raise CannotGenerate([cannot_generate(message, where, table.name)])
        yield from _processor(processor)
    else:
        if cpu.pvr:
            yield f"  pvr: {cpu.pvr:#06x}"
        if cpu.chips:
            yield f"  chips: [{', '.join(scalar(chip) for chip in cpu.chips)}]"
        if cpu.levels:
            yield f"  levels: [{', '.join(map(str, cpu.levels))}]"
    if not cpu.supported:
        yield "  supported: no"
    if cpu.kernels and cpu.kernels != usual.kernels:
        yield _kernels(cpu.kernels)


def _kernels(releases: tuple[str, ...]) -> str:
    return "  kernels: [" + ", ".join(f'"{release}"' for release in releases) + "]"


def _processor(processor: Processor) -> Iterator[str]:
    """The definition of a processor that no packaged spec defines."""
    yield f"  isa: {'.'.join(map(str, processor.isa))}"
    if processor.pvr != processor.versions[0].pvr:
        yield f"  pvr: {processor.pvr:#06x}"
    if processor.levels:
        yield f"  levels: [{', '.join(map(str, processor.levels))}]"
    for key, has in (
        ("grouped-levels", processor.grouped_levels),
        ("fast-sleep", processor.fast_sleep),
        ("linux-restores", processor.linux_restores),
    ):
        if has:
            yield f"  {key}: yes"
    if processor.timebase_stops_from is not None:
        yield f"  timebase-stops-from: {processor.timebase_stops_from}"
    yield from texts("  ", ("machine", processor.machine), ("boost-state", processor.boost_state))
    if processor.kernels:
        yield _kernels(processor.kernels)
    yield "  versions:"
    for version in processor.versions:
        yield f"    - pvr: {version.pvr:#06x}"
        yield f"      linux: {_known(version.linux)}"
        yield "      chips:"
        yield from (f"        - {_chip(chip)}" for chip in version.chips)
        if version.testers:
            yield f"      testers: [{', '.join(version.testers)}]"


def _chip(chip: Chip) -> str:
    parts = [f"name: {scalar(chip.name)}"]
    if chip.cfam_id is not None:
        parts.append(f"cfam-id: {chip.cfam_id:#04x}")
    parts.append(f"skiboot: {_known(chip.skiboot)}")
    if chip.sleeps_from_ec:
        parts.append(f"sleeps-from-ec: {chip.sleeps_from_ec:#04x}")
    return _flow(*parts)


def _known(known: Known | None) -> str:
    if known is None:
        return "none"
    return f"{known.release} {known.commit}".rstrip() if known.release else "always"


def _firmware(firmware: Firmware) -> Iterator[str]:
    if firmware == Firmware():
        return
    yield "firmware:"
    array = "" if firmware.shares else firmware.array
    yield from texts(
        "  ",
        ("array", array),
        ("file", "" if firmware.shares else firmware.file),
        ("quirk", firmware.quirk),
        ("copy-of", firmware.copy_of),
        ("shares", firmware.shares),
    )
    if firmware.fused_core:
        yield "  fused-core: yes"
    if firmware.ec is not None:
        least, most = (f"{ec:#04x}" for ec in firmware.ec)
        yield f"  ec: {least if least == most else f'{least}..{most}'}"
    if firmware.skiboot is not None:
        yield f"  skiboot: {_known(firmware.skiboot)}"


def _partition(partition: Partition) -> Iterator[str]:
    yield "partition:"
    yield f"  processors: {'shared' if partition.shared else 'dedicated'}"
    yield f"  timebase-hz: {partition.timebase_hz}"
    if partition.extended_cede:
        yield "  extended-cede:"
        for record in partition.extended_cede:
            wake = "yes" if record.wake_on_irq else "no"
            yield (
                f"    - {{hint: {record.hint}, latency-ticks: {record.latency_ticks:#x}, "
                f"wake-on-irq: {wake}}}"
            )


def _state(state: IdleState, register: Register) -> Iterator[str]:
    yield f"  - name: {scalar(state.name)}"
    yield f"    latency: {format_time(state.latency_ns)}"
    residency = "none" if state.residency_ns is None else format_time(state.residency_ns)
    yield f"    residency: {residency}"
    if register is not Register.NONE:
        yield f"    flags: [{', '.join(flag_names(state.flags))}]"
        yield f"    {register}: {_control(state, register)}"
        yield f"    mask: {_mask(state.mask, register)}"
    if state.scope:
        yield f"    scope: {state.scope}"
    if not state.cpuidle:
        yield "    cpuidle: no"
    yield from texts("    ", ("reason", state.reason))
    yield from state_notes(state)


def state_notes(state: IdleState | TreeState) -> Iterator[str]:
    """The lines of a state that every kind of spec may have."""
    yield from texts("    ", ("note", state.note))
    if state.measured:
        yield "    measured:"
        for measured in state.measured:
            yield f"      - {_flow(*_measurement(measured))}"
    if state.power:
        yield f"    power: {_power(state.power)}"
    if state.provenance:
        yield "    provenance:"
        for field, provenance in state.provenance.items():
            yield f"      {field}: {_provenance(provenance)}"


def _measurement(measured: Measurement) -> Iterator[str]:
    yield f"kind: {scalar(measured.kind)}"
    for key, ns in (
        ("latency", measured.latency_ns),
        ("base", measured.base_ns),
        ("low", measured.low_ns),
        ("high", measured.high_ns),
    ):
        if ns is not None:
            yield f"{key}: {format_time(ns)}"
    if measured.n is not None:
        yield f"n: {measured.n}"
    yield from texts(
        "",
        ("statistic", measured.statistic),
        ("confidence", measured.confidence),
        ("machine", measured.machine),
        ("kernel", measured.kernel),
    )
    yield f"source: {scalar(measured.source)}"


def _control(state: IdleState, register: Register) -> str:
    if register is Register.PMICR:
        names = {value: name for name, value in PMICR_VALUES.items()}
        return names.get(state.control, f"{state.control:#x}")
    psscr = state.psscr
    parts = [
        f"{name}: {getattr(psscr, name)}"
        for name in Psscr.FIELDS
        if getattr(psscr, name) or name == "rl"
    ]
    if psscr.other:
        parts.append(f"other: {psscr.other:#x}")
    return _flow(*parts)


def _mask(mask: int, register: Register) -> str:
    if register is Register.PMICR:
        names = {value: name for name, value in PMICR_MASKS.items()}
        return names.get(mask, f"{mask:#x}")
    return "[rl, mtl, tr, ec, esl]" if mask == PSSCR_MASK else f"{mask:#x}"


def _power(power: Power) -> str:
    return _flow(
        f"low: {format_power(power.low, power.unit)}",
        f"high: {format_power(power.high, power.unit)}",
        *texts("", ("of", power.of)),
        f"source: {scalar(power.source)}",
        f"confidence: {power.confidence}",
        *texts("", ("note", power.note)),
    )


def _provenance(provenance: Provenance) -> str:
    return _flow(
        f"kind: {provenance.kind}",
        f"source: {scalar(provenance.source)}",
        f"confidence: {provenance.confidence}",
        *texts("", ("note", provenance.note)),
    )
