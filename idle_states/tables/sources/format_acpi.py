"""ACPI tables: a DSDT or SSDT, what acpidump prints, or a directory like /sys/firmware/acpi/tables.

Processors with equal _CST and _LPI share a table, whose rows are the C-states of _CST, else the
states of _LPI, the processors' own before those of the containers around them.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from ...base.model.findings import Finding, Location, Severity
from ...base.reading import opening
from .source import File, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...base.model.acpi_objects import LpiState
    from ...base.model.beyond_opal import AcpiIdle
    from ...base.model.table import IdleState, IdleTable

KIND = "acpi"
_RULE = "IS122", "irregular-acpi-object"
_LOADS = (b"\x5b\x20", b"\x5b\x1f")
"""Operators of AML, Load and LoadTable."""
_NONE = "IS601", "no-idle-states"


def recognises(head: bytes, path: Path) -> bool:
    from ...base.reading.acpi import signs

    if head:
        return signs.is_blob(head) or signs.is_dump(head)
    try:
        with opening.Tree(path) as tree:
            return signs.is_whole(tree, "")
    except OSError:
        return False


def speaks_of_it(data: bytes) -> bool:
    """Tells whether tables that recognises() took have a word of idle states; of text all are
    taken."""
    from ...base.reading.acpi import signs

    return not signs.is_blob(data) or b"_CST" in data or b"_LPI" in data


def read(file: File, *, bare: bool = False) -> list[Source]:
    """The tables of a file or directory. bare: of processors that certainly have no _CST and _LPI,
    too, one without rows."""
    from ...base.reading.acpi import files, idle

    if file.data:
        given = files.of_data(file.data, file.shown)
    else:
        with file.opened() as tree:
            given = list(files.of_directory(tree, file.shown))
    sha256 = file.sha256 if file.data else ""
    try:
        found, problems = idle.read(given, file.shown)
    except idle.NoStates as none:
        message = f"{none.message}; Linux has only C1, and what the FADT describes"
        noted = Finding(*_NONE, Severity.NOTE, message, Location(file=file.shown), table=file.shown)
        # what they load, or refer to, may be in a table that is not given
        partial = any(word in each.data for each in given for word in (b"_CST", *_LOADS))
        bare = bare and not partial
        table = table_of(none.idle, {}, file.shown, sha256) if bare and none.idle else None
        return [Source(file.shown, file.shown, sha256, table, (noted,))]
    names = [each.idle.processors[0].path.rpartition(".")[2].lstrip("\\") for each in found]
    made = [
        table_of(each.idle, each.where, file.shown, sha256, name if names.count(name) == 1 else "")
        for each, name in zip(found, names, strict=True)
    ]
    # findings are of the table that they stand in, or of the first
    own: dict[str, list[Finding]] = {table.name: [] for table in made}
    paths = [
        (processor.path, table.name)
        for table in made
        for processor in (table.origin.processors if table.origin.form == "acpi" else ())
    ]
    for where, message in problems:
        name = next((name for path, name in paths if where.path.startswith(f"{path}.")), None)
        name = name or made[0].name
        finding = Finding(*_RULE, Severity.WARNING, message, where, table=name)
        own[name].append(finding)
    for table in made:
        assert table.origin.form == "acpi"
        at = table.where["table"]
        own[table.name] += [
            Finding(*_RULE, Severity.WARNING, str(each.entry), at.at(each.path), table=table.name)
            for each in table.origin.malformed
        ]
    return [Source(table.name, file.shown, sha256, table, tuple(own[table.name])) for table in made]


def table_of(
    idle: "AcpiIdle",
    where: "dict[str, Location]",
    file: str,
    sha256: str = "",
    name: str = "",
) -> "IdleTable":
    """The table of some processors. where: places of _CST and _LPI by their paths; name: "" for the
    path of the first processor."""
    from ...base.model.acpi_objects import LPI_BESIDE
    from ...base.model.table import IdleTable, ReadFrom, Register
    from ...base.wording import plural

    first, last = idle.processors[0], idle.processors[-1]
    name = name or first.path
    place = next(iter(where.values()), Location(name, file))
    objects = [
        word
        for word, given in (("_CST", idle.cst), ("_LPI", idle.lpi or None))
        if given is not None
    ]
    title = f"ACPI {' and '.join(objects)} of {plural(len(idle.processors), 'processor')}"
    title += f", {first.path} to {last.path}" if last != first else f", {first.path}"
    notes = []
    if idle.depends:
        notes.append(
            "Evaluated by acpiexec with all ports and memory 0, on which the result depends: the "
            "real machine may differ, see check."
        )
    elif idle.evaluated:
        notes.append("Evaluated by acpiexec; it does not depend on ports or memory.")
    if idle.cst and idle.lpi:
        notes.append(LPI_BESIDE)
    return IdleTable(
        name,
        tuple(_rows(idle, where)),
        Register.NONE,
        origin=idle,
        title=title,
        note=" ".join(notes),
        read_from=ReadFrom(KIND, file, sha256, place),
        where={"table": place, "name": place},
    )


def _rows(idle: "AcpiIdle", where: "dict[str, Location]") -> "Iterator[IdleState]":
    from ...base.model.acpi_objects import CstEntry, LpiState
    from ...base.model.table import IdleState

    for number, row in enumerate(idle.rows, 1):
        place = {"state": where[row.object].at(row.path)} if row.object in where else {}
        entry = row.entry
        if isinstance(entry, CstEntry):
            yield IdleState(
                f"C{number}",
                entry.latency_us * 1000,
                None,
                flags=0,
                note=f"type C{entry.kind}, {entry.register}",
                where=place,
            )
        elif isinstance(entry, LpiState):
            container = row.object.rpartition(".")[0]
            yield IdleState(
                entry.name or f"LPI-{number - 1}",
                entry.wake_latency_us * 1000,
                entry.min_residency_us * 1000,
                flags=0,
                note=_lpi_note(entry, container if container != idle.lpi[0].path else ""),
                where=place,
            )


def _lpi_note(state: "LpiState", container: str) -> str:
    parts = [
        *([f"of {container}"] if container else []),
        *([] if state.enabled else ["disabled"]),
        str(state.entry) if not isinstance(state.entry, int) else f"adds {state.entry:#x}",
    ]
    return ", ".join(parts)
