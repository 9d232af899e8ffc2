"""show of ACPI tables: the registers and numbers behind the rows."""

from collections.abc import Iterator

from ...base.model.acpi_objects import CstEntry, Malformed
from ...base.model.beyond_opal import AcpiEntry, AcpiIdle
from ...base.report.sheet import Section, indented


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
