"""Dumps of cpuidle sysfs: the states of a running kernel. CPUs with equal states share a table.

The kernel's driver has made these states from firmware's, so only their names and times are known.
State 0 is left out of the table if it is the kernel's own (snooze, POLL, WFI).
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.model.findings import unreadable
from ...base.patterns import pattern
from ...base.reading import limits
from .source import File, Source

if TYPE_CHECKING:
    from ...base.model.beyond_opal import Dump, SysfsState
    from ...base.model.findings import Location
    from ...base.model.table import IdleTable

_LINE = pattern(
    rb"\s*[^\s:]*(?:\bcpu\d+/cpuidle/(?:state\d+|driver)/[\w/]+|\bcpu\d+/power/\w+"
    rb"|/cpuidle/(?:current|available)_\w+|/proc/(?:version|cmdline)):"
)
_SEVERAL = 2
_TOP = pattern(
    rb"^([^\s:]*?)/?(?:sys/)?(?:devices/system/cpu/)?cpu0/cpuidle/state0/name:", re.MULTILINE
)
_FIELDS = {
    "state": "name",
    **{each: each for each in ("name", "latency", "residency", "disable", "usage")},
}


def recognises(head: bytes, path: Path) -> bool:
    if head.startswith(b"\x1f\x8b"):
        from ...base.reading.compressed import beginning

        head = beginning(head)
    return bool(_LINE.match(head[:4096]))


def machines(file: File) -> list[File]:
    """Returns the dumps in one file, of machines whose paths begin differently: hostA/sys."""
    data = file.data
    several = data.count(b"cpu0/cpuidle/state0/name:") > 1
    tops = sorted(set(_TOP.findall(data))) if several else []
    if len(tops) < _SEVERAL:
        return [file]
    lines = data.splitlines(keepends=True)
    parts = (b"".join(line for line in lines if line.startswith(top)) for top in tops)
    names = (f"{file.shown}:{top.decode('utf-8', 'replace').strip('/')}" for top in tops)
    return [File(file.path, part, name) for part, name in zip(parts, names, strict=True)]


def read(file: File, kernel: str = "") -> list[Source]:
    """The tables of a dump, or of several. kernel: as the machine calls it, where no dump says."""
    if len(parts := machines(file)) > 1:
        return [source for part in parts for source in read(part, kernel)]
    from contextlib import closing

    from ...base.reading import sysfs
    from ...base.reading.inputs import Input

    with closing(Input(file.shown, held=file.data)) as source:
        dump = sysfs.read(source)
    groups: dict[tuple[object, ...], list[int]] = {}
    for cpu, states in dump.cpus.items():
        rows = tuple((*state.row, state.disabled, state.default_disabled) for state in states)
        key = rows, dump.drivers.get(cpu, ""), dump.limit_us(cpu)
        groups.setdefault(key, []).append(cpu)
        if len(groups) > limits.SYSFS_TABLES:
            message = (
                f"expected CPUs with at most {limits.SYSFS_TABLES} different tables of idle states"
            )
            raise unreadable(file.shown, message)
    texts = {} if source.packed else {file.shown: file.text}
    tables = [_table(dump, cpus, kernel, file) for cpus in groups.values()]
    return [
        Source(table.name, file.shown, file.sha256, table, texts=dict(texts)) for table in tables
    ]


def _table(dump: "Dump", cpus: Sequence[int], kernel: str, file: File) -> "IdleTable":
    """The table of CPUs whose states are equal but for counters."""
    from ...base.model.findings import Location
    from ...base.model.table import IdleState, IdleTable, ReadFrom, Register
    from ..linux.held import held_of

    name, held, states = f"cpu{cpus[0]}", held_of(dump, cpus, kernel), dump.cpus[cpus[0]]
    rows = tuple(
        IdleState(
            state.name,
            state.latency_us * 1000,
            state.residency_us * 1000,
            flags=0,
            note=state.description if state.description != state.name else "",
            where=_places(state, f"{name}/cpuidle/state{number}", file.shown),
        )
        for number, state in enumerate(states)
        if number >= held.first_row
    )
    where = Location(name, file.shown, min(states[0].lines.values()), 1)
    count = f"{len(cpus)} CPUs, cpu{cpus[0]} to cpu{cpus[-1]}" if len(cpus) > 1 else "1 CPU"
    return IdleTable(
        name,
        rows,
        Register.NONE,
        origin=held,
        title=f"{count}{f', driver {held.driver}' if held.driver else ''}",
        read_from=ReadFrom("sysfs", file.shown, file.sha256, where),
        where={"table": where},
    )


def _places(state: "SysfsState", path: str, file: str) -> "dict[str, Location]":
    from ...base.model.findings import Location

    return {
        field: Location(f"{path}/{attribute}", file, state.lines[attribute], 1)
        for field, attribute in _FIELDS.items()
        if attribute in state.lines
    }
