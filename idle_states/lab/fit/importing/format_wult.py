"""wult's results: datapoints.csv, and info.yml where the result's directory is given.

A row is one wake-up. What counts as its latency is the time from the event until the first code
that ran: with interrupts off that is the code behind the idle instruction (WakeLatency), with
interrupts on it is the interrupt's handler (IntrLatency). wult has taken its own share off both.

Source: wult e4094be, wultlibs/ and docs; columns are matched by name, for their order differs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from ....base.dataclass import dataclass
from ....base.model.findings import Unreadable
from ....base.model.measured import Measured, WokenBy
from .collected import LatencyKind, LatencySamples
from .columns import Column, ColumnLayout, Row
from .output import Facts, ToolOutput, shown

TITLE = "wult's datapoints"
REACHED_PERCENT = 50.0
"""A wake-up belongs to the state that was asked for if the core was in it for more than this share
of the idle period; otherwise the CPU was demoted to another one."""
SMI = "a system management interrupt came in between (SMICnt)"
NMI = "another interrupt came in between (NMICnt, SWIRQCnt)"
DEMOTED = f"the core was in {{}} for at most {REACHED_PERCENT:.0f} % of the idle period"
CUT = "the last line is cut off"
PACKAGE, NO_PACKAGE = "package idle state reached", "no package idle state reached"

LATENCIES = ("WakeLatency", "IntrLatency")
COLUMNS = (
    Column("ReqCState", "text"),
    Column("WakeLatency", "us", optional=True),
    Column("IntrLatency", "us", optional=True),
    Column("IntrOff", "text", optional=True),
    Column("NMICnt", "count", optional=True),
    Column("SWIRQCnt", "count", optional=True),
    Column("SMICnt", "count", optional=True),
    Column("CPUFreq", "number", optional=True),
)
"""Beside them, a column for each idle state of a core (CC6%) and of a package (PC6%)."""
DISTURBED = {"NMICnt": NMI, "SWIRQCnt": NMI, "SMICnt": SMI}
"""Column -> why wake-ups with a count in it are left out."""

_PCI = re.compile(r"(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_CORE = re.compile(r"CC([0-9]{1,2})(Derived)?%")
_DEEP_PACKAGE = re.compile(r"PC(?:[6-9]|10)%")
_REQUESTED = re.compile(r"C([0-9]{1,2})[A-Z]{0,2}")
_TIMERS = ("tdt", "hrt")


def recognises(output: ToolOutput) -> bool:
    names = _names(output.head.split("\n", 1)[0])
    return "RTD" in names or ("ReqCState" in names and not names.isdisjoint(LATENCIES))


def read(output: ToolOutput, facts: Facts, info: Mapping[str, str] | None = None) -> Measured:
    """info: what info.yml says, None where the CSV is alone."""
    names = _names(output.head.split("\n", 1)[0])
    if "RTD" in names or (info or {}).get("toolname") == "ndl":
        raise not_latency(output)
    info = info or {}
    return _Reader(output, facts, info).read()


def not_latency(output: ToolOutput) -> Unreadable:
    """ndl's results measure something else."""
    return output.refused(
        "expected wake-up latencies, found ndl's RTD: the longest time that a network card's read "
        "of memory took. That is how long memory's path takes to wake up, no CPU's exit latency",
        1,
    )


def woken_by(info: Mapping[str, str], names: frozenset[str], facts: Facts) -> tuple[WokenBy, str]:
    """Returns the CPU's wake-up source, and a note on it."""
    device = info.get("devid", "").lower()
    if device.startswith(_TIMERS):
        return "timer", (
            f"woken by the CPU's own timer ({device}): if hardware wakes up ahead of a timer, "
            "latencies of other interrupts are longer"
        )
    if _PCI.fullmatch(device):
        return "nic", ""
    if device:
        note = f"devid {shown(device)} is no device known here; "
    else:
        note = "the file does not tell what woke the CPU (devid of info.yml); "
    if facts.woken_by is not None:
        return facts.woken_by, ""
    if "LatchDelay" in names or "WarmupDelay" in names:
        return "nic", f"{note}read as a network card, because there is a column of its delays"
    return "timer", f"{note}read as its timer"


@dataclass(frozen=True, slots=True)
class _Residencies:
    """Columns that say where hardware was.

    core     depth -> column, of the core's states
    package  columns of package states from 6 on
    """

    core: Mapping[int, str]
    package: Sequence[str]

    @classmethod
    def of(cls, names: Sequence[str]) -> "_Residencies":
        core: dict[int, str] = {}
        for name in names:
            if (match := _CORE.fullmatch(name)) and not (match[2] and f"CC{match[1]}%" in names):
                core[int(match[1])] = name
        return cls(core, [name for name in names if _DEEP_PACKAGE.fullmatch(name)])

    def columns(self) -> Iterator[Column]:
        for depth, name in self.core.items():
            yield Column(name, "number", shown=f"CC{depth}%")
        for name in self.package:
            yield Column(name, "number", shown="a package state's share")

    def of_request(self, state: str) -> int | None:
        """The depth of the core's state in which a CPU is that was asked for `state`; None where
        that is not known: POLL is none, and ACPI's C2 may be any."""
        match = _REQUESTED.fullmatch(state)
        if not match or int(match[1]) == 0:
            return None
        wanted = int(match[1])
        deepest = max((depth for depth in self.core if depth <= wanted), default=0)
        if deepest == 0 or (wanted > 1 and deepest == 1):
            return None
        return deepest


class _Reader:
    def __init__(self, output: ToolOutput, facts: Facts, info: Mapping[str, str]) -> None:
        self.output = output
        self.info = info
        head = next((line for _, line in output.numbered()), "")
        self.names = [name.strip() for name in head.split(",")]
        self.residencies = _Residencies.of(self.names)
        self.layout = self._layout()
        self.by, self.device_note = woken_by(info, frozenset(self.names), facts)
        self.disturbed = [name for name in DISTURBED if name in self.layout]
        self.found = LatencySamples(output)
        self.rows: dict[str, int] = {}
        self.depths: dict[str, int | None] = {}
        self.demoted: dict[str, int] = {}
        self.clock: list[float] = []

    def _layout(self) -> ColumnLayout:
        columns = (*COLUMNS, *self.residencies.columns())
        layout = ColumnLayout.of(self.output, columns, self.names, 1)
        if not any(name in layout for name in LATENCIES):
            raise self.output.refused("expected a column WakeLatency or IntrLatency, found none", 1)
        return layout

    def read(self) -> Measured:
        for number, line in self.output.numbered():
            if number == 1 or not line.strip():
                continue
            cells = line.split(",")
            if number == self.output.cut_line and len(cells) < self.layout.width:
                self.output.leave_out(CUT)
            else:
                self._row(self.layout.row(cells, number))
        if not self.rows:
            message = f"expected rows below the {self.layout.width} columns, found none"
            raise self.output.refused(message)
        return self._measured()

    def _row(self, row: Row) -> None:
        state = row.text("ReqCState")
        if not state or len(state) > 64:
            raise self.output.unexpected("the name of an idle state", state, row.line)
        self.rows[state] = self.rows.get(state, 0) + 1
        for name in self.disturbed:
            if row.value(name):
                self.output.leave_out(DISTURBED[name])
                return
        if state not in self.depths:
            self.depths[state] = self.residencies.of_request(state)
        depth = self.depths[state]
        if depth is not None and row.value(self.residencies.core[depth]) <= REACHED_PERCENT:
            self.output.leave_out(DEMOTED.format(f"CC{depth}"))
            self.demoted[state] = self.demoted.get(state, 0) + 1
            return
        value = row.value(self._latency_column(row))
        if "CPUFreq" in self.layout:
            self.clock.append(row.value("CPUFreq"))
        kind = LatencyKind(state, self.by, net=True, group=self._group(row))
        self.found.add(kind, value, row.line)

    def _latency_column(self, row: Row) -> str:
        """The one of the first code that ran, else the one that there is."""
        if "IntrOff" not in self.layout or "IntrLatency" not in self.layout:
            return next(name for name in LATENCIES if name in self.layout)
        text = row.text("IntrOff")
        if text not in ("True", "1", "False", "0"):
            raise self.output.unexpected("IntrOff, True or False", text, row.line)
        off = text in ("True", "1")
        return "WakeLatency" if off and "WakeLatency" in self.layout else "IntrLatency"

    def _group(self, row: Row) -> str:
        if not self.residencies.package:
            return ""
        shares = [row.value(name) for name in self.residencies.package]
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
        for state, depth in self.depths.items():
            if depth is None:
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
        )


def _names(line: str) -> frozenset[str]:
    return frozenset(name.strip() for name in line.rstrip("\r").split(","))
