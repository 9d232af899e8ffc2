"""wult's results: datapoints.csv, and info.yml where the result's directory is given.

A row is one wake-up. What counts as its latency is the time from the event until the first code
that ran: with interrupts off that is the code behind the idle instruction (WakeLatency), with
interrupts on it is the interrupt's handler (IntrLatency). wult has taken its own share off both.

Source: wult e4094be, wultlibs/ and docs; columns are matched by name, for their order differs.
"""

import re
from collections.abc import Mapping, Sequence

from ...dataclass import dataclass
from ...findings import Unreadable
from ...measured import Measured, WokenBy
from .collected import LatencyKind, LatencySamples, counted
from .output import Told, ToolOutput, shown

REACHED_PERCENT = 50.0
"""A wake-up belongs to the state that was asked for if the core was in it for more than this share
of the idle period; otherwise the CPU was demoted to another one."""
SMI = "a system management interrupt came in between (SMICnt)"
NMI = "another interrupt came in between (NMICnt, SWIRQCnt)"
DEMOTED = f"the core was in {{}} for at most {REACHED_PERCENT:.0f} % of the idle period"
CUT = "the last line is cut off"
PACKAGE, NO_PACKAGE = "package idle state reached", "no package idle state reached"

_PCI = re.compile(r"(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_CORE = re.compile(r"CC([0-9]{1,2})(Derived)?%")
_DEEP_PACKAGE = re.compile(r"PC(?:[6-9]|10)%")
_REQUESTED = re.compile(r"C([0-9]{1,2})[A-Z]{0,2}")
_TIMERS = ("tdt", "hrt")


def recognises(output: ToolOutput) -> bool:
    names = _names(output.head.split("\n", 1)[0])
    return "RTD" in names or ("ReqCState" in names and not names.isdisjoint(_LATENCIES))


_LATENCIES = ("WakeLatency", "IntrLatency")


def read(output: ToolOutput, told: Told, info: Mapping[str, str] | None = None) -> Measured:
    """info: what info.yml says, None where the CSV is alone."""
    names = _names(output.head.split("\n", 1)[0])
    if "RTD" in names or (info or {}).get("toolname") == "ndl":
        raise not_latency(output)
    info = info or {}
    return _Reader(output, told, info).read()


def not_latency(output: ToolOutput) -> Unreadable:
    """ndl's results measure something else."""
    return output.refused(
        "expected wake-up latencies, found ndl's RTD: the longest time that a network card's read "
        "of memory took. That is how long memory's path takes to wake up, no CPU's exit latency",
        1,
    )


def woken_by(info: Mapping[str, str], names: frozenset[str], told: Told) -> tuple[WokenBy, str]:
    """What woke the CPU, and a note on it."""
    device = info.get("devid", "").lower()
    if device.startswith(_TIMERS):
        return "timer", (
            f"woken by the CPU's own timer ({device}): where hardware wakes up ahead of a timer, "
            "latencies of other interrupts are longer"
        )
    if _PCI.fullmatch(device):
        return "nic", ""
    if device:
        note = f"devid {shown(device)} is no device known here; "
    else:
        note = "the file does not say what woke the CPU (devid of info.yml); "
    if told.woken_by is not None:
        return told.woken_by, ""
    if "LatchDelay" in names or "WarmupDelay" in names:
        return "nic", f"{note}taken as a network card, for there is a column of its delays"
    return "timer", f"{note}taken as its timer"


@dataclass(frozen=True, slots=True)
class _Residencies:
    """Columns that say where hardware was.

    core     depth -> column, of the core's states
    package  columns of package states from 6 on
    """

    core: Mapping[int, int]
    package: Sequence[int]

    @classmethod
    def of(cls, columns: Mapping[str, int]) -> "_Residencies":
        core: dict[int, int] = {}
        for name, column in columns.items():
            if (match := _CORE.fullmatch(name)) and not (match[2] and f"CC{match[1]}%" in columns):
                core[int(match[1])] = column
        return cls(core, [c for name, c in columns.items() if _DEEP_PACKAGE.fullmatch(name)])

    def of_request(self, state: str) -> tuple[str, int] | None:
        """The core's state in which a CPU is that was asked for `state`, and its column; None
        where that is not known: POLL is none, and ACPI's C2 may be any."""
        match = _REQUESTED.fullmatch(state)
        if not match or int(match[1]) == 0:
            return None
        asked = int(match[1])
        deepest = max((depth for depth in self.core if depth <= asked), default=0)
        if deepest == 0 or (asked > 1 and deepest == 1):
            return None
        return f"CC{deepest}", self.core[deepest]


class _Reader:
    def __init__(self, output: ToolOutput, told: Told, info: Mapping[str, str]) -> None:
        self.output = output
        self.info = info
        self.found = LatencySamples(output)
        self.left_out: dict[str, int] = {}
        self.rows: dict[str, int] = {}
        self.demoted: dict[str, int] = {}
        self.clock: list[float] = []
        self.told = told

    def read(self) -> Measured:
        lines = self.output.numbered()
        names: list[str] = []
        columns: dict[str, int] = {}
        waiting: tuple[int, list[str]] | None = None
        for number, line in lines:
            if not names:
                names = [name.strip() for name in line.split(",")]
                columns = self._columns(names)
                continue
            if waiting is not None:
                self._row(*waiting)
            waiting = (number, line.split(",")) if line.strip() else None
        if waiting is not None:
            if len(waiting[1]) < len(names) and not self.output.whole:
                counted(self.left_out, CUT)
            else:
                self._row(*waiting)
        if not self.rows:
            raise self.output.refused(f"expected rows below the {len(columns)} columns, found none")
        return self._measured()

    def _columns(self, names: list[str]) -> dict[str, int]:
        columns = {name: at for at, name in enumerate(names)}
        if len(columns) < len(names):
            twice = next(name for at, name in enumerate(names) if columns[name] != at)
            raise self.output.unexpected("columns of different names", twice, 1)
        if "ReqCState" not in columns:
            raise self.output.refused("expected a column ReqCState, found none", 1)
        if columns.keys().isdisjoint(_LATENCIES):
            raise self.output.refused("expected a column WakeLatency or IntrLatency, found none", 1)
        self.columns = columns
        self.width = len(names)
        self.residencies = _Residencies.of(columns)
        by, self.device_note = woken_by(self.info, frozenset(columns), self.told)
        self.by: WokenBy = by
        self.disturbed = [
            (reason, name, columns[name])
            for reason, name in ((NMI, "NMICnt"), (NMI, "SWIRQCnt"), (SMI, "SMICnt"))
            if name in columns
        ]
        self.asked: dict[str, tuple[str, int] | None] = {}
        return columns

    def _row(self, number: int, cells: list[str]) -> None:
        if len(cells) != self.width:
            message = f"expected {self.width} columns, found {len(cells)}"
            raise self.output.refused(message, number)
        output, columns = self.output, self.columns
        state = cells[columns["ReqCState"]].strip()
        if not state or len(state) > 64:
            raise output.unexpected("the name of an idle state", state, number)
        self.rows[state] = self.rows.get(state, 0) + 1
        for reason, name, column in self.disturbed:
            if output.count(cells[column].strip(), number, name):
                counted(self.left_out, reason)
                return
        if state not in self.asked:
            self.asked[state] = self.residencies.of_request(state)
        asked = self.asked[state]
        if asked is not None:
            core, column = asked
            if output.number(cells[column].strip(), number, f"{core}%") <= REACHED_PERCENT:
                counted(self.left_out, DEMOTED.format(core))
                self.demoted[state] = self.demoted.get(state, 0) + 1
                return
        name = self._latency_column(cells, number)
        value = output.time_ns(cells[columns[name]].strip(), number, name, "us")
        if "CPUFreq" in columns:
            self.clock.append(output.number(cells[columns["CPUFreq"]].strip(), number, "CPUFreq"))
        kind = LatencyKind(state, self.by, net=True, group=self._group(cells, number))
        self.found.add(kind, value, number)

    def _latency_column(self, cells: list[str], number: int) -> str:
        """The one of the first code that ran, else the one that there is."""
        columns = self.columns
        if "IntrOff" not in columns or "IntrLatency" not in columns:
            return "WakeLatency" if "WakeLatency" in columns else "IntrLatency"
        text = cells[columns["IntrOff"]].strip()
        if text not in ("True", "1", "False", "0"):
            raise self.output.unexpected("IntrOff, True or False", text, number)
        off = text in ("True", "1")
        return "WakeLatency" if off and "WakeLatency" in columns else "IntrLatency"

    def _group(self, cells: list[str], number: int) -> str:
        if not self.residencies.package:
            return ""
        shares = [
            self.output.number(cells[column].strip(), number, "a package state's share")
            for column in self.residencies.package
        ]
        return PACKAGE if any(shares) else NO_PACKAGE

    def _measured(self) -> Measured:
        output, info = self.output, self.info
        notes: list[str] = []
        if self.device_note:
            notes.append(self.device_note)
        for state, count in self.demoted.items():
            share = 100 * count / self.rows[state]
            notes.append(
                f"{state}: in {share:.1f} % of {self.rows[state]} wake-ups the core was not in the "
                "state that was asked for (demotion); they are left out"
            )
        for state, asked in self.asked.items():
            if asked is None:
                notes.append(
                    f"{state}: no column says whether the core was in it; every wake-up counts"
                )
        if self.clock:
            notes.append(
                f"CPU at {min(self.clock):.0f} to {max(self.clock):.0f} MHz when it woke up"
            )
        cpu = info.get("cpunum") or info.get("cpu")
        if cpu and cpu.isdecimal():
            notes.append(f"measured on CPU {cpu}")
        return output.measured(
            " ".join(word for word in ("wult", info.get("toolver", "")[:40]) if word),
            *notes,
            latencies=self.found.latencies(),
            left_out=self.left_out,
        )


def _names(line: str) -> frozenset[str]:
    return frozenset(name.strip() for name in line.rstrip("\r").split(","))
