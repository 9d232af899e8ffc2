"""ACPI tables: a DSDT or SSDT, what acpidump prints, or a directory like /sys/firmware/acpi/tables.

Processors with equal _CST and _LPI share a table, whose rows are the C-states of _CST, else the
states of _LPI, the processors' own before those of the containers around them.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..findings import Finding, Location, Severity, unreadable
from ..reading import limits, opening
from .source import File, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..acpi_objects import LpiState
    from ..beyond_opal import AcpiIdle
    from ..reading.acpi.tables import AcpiTable
    from ..table import IdleState, IdleTable

KIND = "acpi"
_RULE = "IS122", "irregular-acpi-object"
_DYNAMIC = "dynamic"
_AML_FILE = re.compile(r"(?i)(dsdt|ssdt|psdt|facp|apic)(\d*)(\.(aml|dat|bin))?")


def recognises(head: bytes, path: Path) -> bool:
    from ..reading.acpi import tables

    if head:
        return tables.is_blob(head) or tables.is_dump(head)
    try:
        with opening.Tree(path) as tree:
            return is_whole(tree, "")
    except OSError:
        return False


def is_whole(tree: opening.Tree, relative: str) -> bool:
    """Whether a directory holds tables with AML under their names."""
    try:
        names = [entry.name for entry in tree.entries(relative)]
    except OSError:
        return False
    return any((m := _AML_FILE.fullmatch(name)) and m[1].lower().endswith("sdt") for name in names)


def speaks_of_it(data: bytes) -> bool:
    """Whether tables that recognises() took have a word of idle states; of text all are taken."""
    from ..reading.acpi import tables

    return not tables.is_blob(data) or b"_CST" in data or b"_LPI" in data


def read(file: File) -> list[Source]:
    from ..reading.acpi import idle, tables

    if not file.data:
        given = list(_of_directory(file))
    elif tables.is_blob(file.data):
        given = tables.blobs(file.data, file.shown)
    else:
        given = tables.dumped(file.data, file.shown)
    found, problems = idle.read(given, file.shown)
    sha256 = file.sha256 if file.data else ""
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
        for processor in (table.acpi.processors if table.acpi else ())
    ]
    for where, message in problems:
        name = next((name for path, name in paths if where.path.startswith(f"{path}.")), None)
        name = name or made[0].name
        finding = Finding(*_RULE, Severity.WARNING, message, where, table=name)
        own[name].append(finding)
    for table in made:
        assert table.acpi is not None
        at = table.where["table"]
        own[table.name] += [
            Finding(*_RULE, Severity.WARNING, str(each.entry), at.at(each.path), table=table.name)
            for each in table.acpi.malformed
        ]
    return [Source(table.name, file.shown, sha256, table, tuple(own[table.name])) for table in made]


def _of_directory(file: File) -> "Iterator[AcpiTable]":
    """The tables of a directory: DSDT, then SSDTs by their numbers, those loaded later last."""
    from ..reading.acpi import tables

    with file.opened() as tree:
        for folder in ("", _DYNAMIC):
            if folder and not tree.is_directory(folder):
                continue
            named = []
            for entry in tree.entries(folder):
                match = _AML_FILE.fullmatch(entry.name)
                if match and tree.is_file(f"{folder}/{entry.name}".lstrip("/")):
                    named.append((match[1].upper(), int(match[2] or 0), entry.name))
            if len(named) > limits.ACPI_TABLES:
                message = f"expected at most {limits.ACPI_TABLES} tables, found {len(named)}"
                raise unreadable(file.shown, message)
            for signature, number, name in sorted(named):
                relative = f"{folder}/{name}".lstrip("/")
                shown = f"{file.shown}/{relative}"
                label = f"{folder}/" if folder else ""
                label += f"{signature}{number}" if number else signature
                try:
                    data = tree.read(relative, limits.FILE_BYTES, shown=shown)
                except OSError as error:
                    message = f"expected a readable file, found: {error.strerror}"
                    raise unreadable(shown, message) from None
                yield from tables.blobs(data, shown, label)


def table_of(
    idle: "AcpiIdle",
    where: "dict[str, Location]",
    file: str,
    sha256: str = "",
    name: str = "",
) -> "IdleTable":
    """The table of some processors. where: places of _CST and _LPI by their paths; name: "" for the
    path of the first processor."""
    from ..table import IdleTable, Origin, Register
    from ..wording import plural

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
            "Evaluated by acpiexec with all ports and memory 0, on which it depends: what the "
            "machine has may be otherwise, see check."
        )
    elif idle.evaluated:
        notes.append("Evaluated by acpiexec; it does not depend on ports or memory.")
    if idle.cst and idle.lpi:
        notes.append("The rows are those of _CST; _LPI is kept beside them.")
    return IdleTable(
        name,
        tuple(_rows(idle, where)),
        Register.NONE,
        acpi=idle,
        title=title,
        note=" ".join(notes),
        exported=True,
        origin=Origin(KIND, file, sha256, place),
        where={"table": place, "name": place},
    )


def _rows(idle: "AcpiIdle", where: "dict[str, Location]") -> "Iterator[IdleState]":
    from ..acpi_objects import CstEntry, LpiState
    from ..table import IdleState

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
