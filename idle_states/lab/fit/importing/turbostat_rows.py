"""turbostat's rows, interval by interval, as the tool prints them, and what its columns mean.

Columns are parted by tabs. A head repeats; the row of "-" begins an interval and is of all CPUs
together; a column of a core or package stands in the row of its first CPU only.

Source: tools/power/x86/turbostat of Linux 5.10 to 7.1.
"""

import re
from collections.abc import Iterator, Mapping

from ....base.dataclass import dataclass, field
from .output import ToolOutput

TOPOLOGY = frozenset("Package Node Die L3 Core CPU APIC X2APIC".split())
TIME, DURATION = "Time_Of_Day_Seconds", "usec"
WATTS = {
    "PkgWatt": "package",
    "CorWatt": "core",
    "RAMWatt": "ram",
    "GFXWatt": "graphics",
    "SysWatt": "system",
}
JOULES = {
    "Pkg_J": "package",
    "Cor_J": "core",
    "RAM_J": "ram",
    "GFX_J": "graphics",
    "Sys_J": "system",
}
_NAME = re.compile(r"[A-Za-z][!-~]{0,30}")
_KNOWN = re.compile(
    r"(?:POLL|C[0-9]{1,2}\w*)[%+-]?|CPU%c[0-9]|Mod%c[0-9]|Pkg%pc[0-9]+|Pk%pc10|Busy%|Avg_MHz|Bzy_MHz|"
    rf"TSC_MHz|IRQ|{TIME}|{'|'.join([*WATTS, *JOULES])}"
)
_HARDWARE = re.compile(r"(?:CPU%c|Mod%c|Pkg%pc|Pk%pc)([0-9]{1,2})")
_REQUESTED = re.compile(r"(POLL|C[0-9]{1,2}\w{0,20})%")
_COUNTED = re.compile(r"(POLL|C[0-9]{1,2}\w{0,20}?)([+-]?)")
_PREFIX = {"CPU%c": "CC", "Mod%c": "MC", "Pkg%p": "PC", "Pk%pc": "PC"}
_ELAPSED = re.compile(r"([0-9]{1,9}\.[0-9]{1,9}) sec")
_INTERVAL = re.compile(r"Measurement interval: ([0-9]{1,6}\.[0-9]{1,6}) seconds")
VERSION = re.compile(r"turbostat version (\S{1,40}) - .*")
_UNREADABLE = ("(", "*")


@dataclass(slots=True)
class TurbostatInterval:
    """line: of its first row. rows: (line, CPU or None for all, column -> text).
    elapsed_s: as a run of one command prints it, else the interval that was asked for."""

    line: int
    rows: list[tuple[int, int | None, Mapping[str, str]]] = field(default_factory=list)
    elapsed_s: float | None = None

    @property
    def everything(self) -> Mapping[str, str]:
        """The row of all CPUs together; the first one where there is none."""
        return next((cells for _, cpu, cells in self.rows if cpu is None), self.rows[0][2])


def is_head(line: str) -> bool:
    names = line.split("\t")
    return (
        all(_NAME.fullmatch(name) for name in names)
        and any(_KNOWN.fullmatch(name) for name in names)
        and (len(names) > 1 or names[0] in WATTS)
    )


def intervals(output: ToolOutput) -> Iterator[TurbostatInterval]:
    """Raises Unreadable for rows that are longer than their head."""
    names: list[str] = []
    found: TurbostatInterval | None = None
    elapsed: float | None = None
    interval_s: float | None = None
    for number, raw in output.numbered():
        line = raw.strip("\n ")
        if not names and (match := _ELAPSED.fullmatch(line.strip())):
            elapsed = float(match[1])
        elif not names and (match := _INTERVAL.fullmatch(line)):
            interval_s = float(match[1])
        elif is_head(line):
            if len(set(line.split("\t"))) < len(line.split("\t")):
                raise output.refused("expected columns of different names", number)
            if found is not None:
                yield found
            names, found = line.split("\t"), None
        elif names and line:
            cells = line.split("\t")
            if len(cells) > len(names):
                message = f"expected at most {len(names)} columns, found {len(cells)}"
                raise output.refused(message, number)
            row = {name: cell.strip() for name, cell in zip(names, cells, strict=False)}
            topology = [row[name] for name in names if name in TOPOLOGY and name in row]
            whole = all(cell == "-" for cell in topology)
            if found is None or (whole and found.rows):
                if found is not None:
                    yield found
                found = TurbostatInterval(number, elapsed_s=elapsed or interval_s)
                elapsed = None
            cpu = None if whole else _cpu(output, row, number)
            found.rows.append((number, cpu, row))
    if found is not None:
        yield found


def _cpu(output: ToolOutput, row: Mapping[str, str], number: int) -> int:
    if "CPU" not in row:
        raise output.refused("expected a column CPU beside those of cores, found none", number)
    return output.count(row["CPU"], number, "CPU")


def cell(output: ToolOutput, row: Mapping[str, str], name: str, number: int) -> float | None:
    """The number in a column; None where the row has none, or turbostat says that it is invalid."""
    text = row.get(name, "")
    if not text or text == "-" or text.startswith(_UNREADABLE):
        return None
    return output.number(text, number, name)


def hardware_state(column: str) -> str | None:
    """CC6, MC6, PC10 of a column that says what was reached; None for another."""
    match = _HARDWARE.fullmatch(column)
    return f"{_PREFIX[column[:5]]}{match[1]}" if match else None


def requested_state(column: str) -> str | None:
    """The state of a column of requested time."""
    match = _REQUESTED.fullmatch(column)
    return match[1] if match else None


def counted_state(column: str) -> tuple[str, str] | None:
    """State, and "" for entries, "+" for below, "-" for above."""
    match = _COUNTED.fullmatch(column)
    return (match[1], match[2]) if match else None
