"""show of tables in drivers' sources (flags, processors, what the driver does with them), and of
ACPI tables: the registers and numbers behind the rows."""

from collections.abc import Iterator, Sequence

from ...base.model.acpi_objects import CstEntry, Malformed
from ...base.model.beyond_opal import (
    AcpiEntry,
    AcpiIdle,
    BuiltIn,
    BuiltInState,
    MatchedCpu,
    TableUse,
)
from ...base.report.sheet import Section, indented
from ...base.wording import joined


def built_in_sections(found: BuiltIn, *, started: bool) -> Iterator[Section]:
    """Returns the sections of show that only tables of drivers' sources have, with their titles.
    started: whether it is shown what the driver makes of the table on a machine."""
    note = ["compiled into the source; --kernel chooses only the governor"]
    if started:
        note = []
    if found.first_row:
        first = found.states[0]
        name = first.name or "empty, for polling"
        note.append(f"state 0 is {name}, {first.exit_latency_us}/{first.target_residency_us} us")
    if found.count is None and not started:
        note.append("how many states there are is settled when the driver starts")
    if found.archs:
        note.append(f"macros as the headers of {joined(list(found.archs))} define them")
    if found.governor:
        note.append(f"the driver asks for governor {found.governor}")
    if note:
        yield indented("Note", note)
    flagged = [
        f"{state.name}: {joined(_flag_words(state))} ({state.flags:#x})"
        for state in found.states
        if state.flags
    ]
    if flagged:
        yield indented("Flags", flagged)
    if found.cpus:
        yield indented("Processors that have it", _cpus(found.cpus))
    powers = {state.power_usage for state in found.states} - {0, -1}
    if powers:
        drawn = [f"{s.name} {s.power_usage}" for s in found.states if s.power_usage != -1]
        yield indented("power_usage, which no modelled governor reads", [joined(drawn)])
    if found.uses:
        title = "Code that chooses or changes it at run time (not modelled)"
        yield indented(title, map(_use, found.uses))


def _use(use: TableUse) -> str:
    where = f"line {use.where.line}{f', {use.function}()' if use.function else ''}"
    return f"{where}: {' '.join([*(f'[{text}]' for text in use.conditions), use.text])}"


def _flag_words(state: BuiltInState) -> list[str]:
    hint = [] if state.mwait_hint is None else [f"MWAIT {state.mwait_hint:#04x}"]
    return [*hint, *state.flag_names]


def _cpus(cpus: Sequence[MatchedCpu]) -> Iterator[str]:
    """A line for those that are treated alike."""
    entry2cpus: dict[str, list[MatchedCpu]] = {}
    for cpu in cpus:
        entry2cpus.setdefault(cpu.entry, []).append(cpu)
    for entry, alike in entry2cpus.items():
        settings = [
            name if value == 1 else f"{name} {value:#x}" for name, value in alike[0].settings
        ]
        yield f"{joined([f'{cpu.name} ({cpu.family}/{cpu.model:#x})' for cpu in alike])}: " + (
            joined([*([entry] if entry else []), *settings])
        )


def acpi_sections(found: AcpiIdle) -> Iterator[Section]:
    """Returns the sections of show that only ACPI tables have, each with its title."""
    registers = [f"{row.path.rpartition('.')[2]}: {_acpi_entry(row)}" for row in found.rows]
    yield indented("In ACPI", registers)
    if found.cst is not None and found.lpi:
        lines = [f"{row.path}: {_acpi_entry(row)}" for row in found.entries(cst=False)]
        yield indented("_LPI beside it", lines)
    if found.fadt is not None:
        latencies = f"{found.fadt.c2_latency_us} and {found.fadt.c3_latency_us} us"
        yield indented("Note", [f"the FADT's latencies of C2 and C3 are {latencies}"])


def _acpi_entry(row: AcpiEntry) -> str:
    entry = row.entry
    if isinstance(entry, CstEntry):
        return f"type C{entry.kind}, {entry.register}, {entry.power_mw} mW"
    if isinstance(entry, Malformed):
        return str(entry)
    how = f"adds {entry.entry:#x}" if isinstance(entry.entry, int) else str(entry.entry)
    name = f"{entry.name}, " if entry.name else ""
    times = f"{entry.wake_latency_us}/{entry.min_residency_us} us"
    disabled = "" if entry.enabled else ", disabled"
    return f"{name}{times}, {how}, parent up to {entry.enable_parent}{disabled}"
