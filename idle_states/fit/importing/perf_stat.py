"""`perf stat -x`: energy by RAPL's counters. run_ns is summed over sockets, so power is energy by
the time on the wall: of -I, of the event duration_time, of one socket alone, or as the caller says.

    [time,][S0,1,]value,unit,event,run_ns,percent,[variance,]metric,unit

Where a locale writes 9,75, commas cannot part fields; perf stat -x\\; is read with either.

Source: tools/perf/util/stat-display.c of Linux 6.1 to 7.1.
"""

import re

from ...measured import Energy, Measured
from .collected import counted
from .output import Told, ToolOutput
from .powercap import RAPL

NOT_COUNTED = "events that perf could not count"
CYCLES = "cycles of cstate events: the rate of their clock is not in the file"
UNTIMED = "energy over an unknown time: use perf stat -I, or the event duration_time"
_ENERGY = re.compile(r"(?:power/)?energy-(pkg|cores|ram|gpu|psys)/?(?::u)?")
_CSTATE = re.compile(r"cstate_(?:core|pkg)/\S+/(?::u)?")
_DURATION = "duration_time"
_DOMAINS = {"pkg": "package", "cores": "core", "ram": "ram", "gpu": "graphics", "psys": "system"}
_TIME = re.compile(r"\s*[0-9]{1,9}\.[0-9]{6,9}")
_UNIT = re.compile(
    r"S([0-9]{1,3})(?:-D[0-9]{1,3})?|(?:CPU|S[0-9]+-D[0-9]+-C)[0-9]{1,5}|N[0-9]{1,3}"
)
_DELIMITERS = (";", "|", "\t", ",")


def recognises(output: ToolOutput) -> bool:
    return any(_split(line) is not None for line in output.head.split("\n"))


def _split(line: str) -> tuple[str, list[str], int] | None:
    """Delimiter, fields and the event's place; None for a line without an event of interest."""
    for delimiter in _DELIMITERS:
        fields = [field.strip() for field in line.split(delimiter)]
        for at, name in enumerate(fields):
            if at >= 2 and (
                _ENERGY.fullmatch(name) or _CSTATE.fullmatch(name) or name == _DURATION
            ):
                return delimiter, fields, at
    return None


class _Row:
    """One line. time_s: at the end of an interval of -I; socket: of --per-socket, with the number
    of counters that were added up."""

    def __init__(self, output: ToolOutput, line: str, number: int) -> None:
        split = _split(line)
        if split is None:
            raise output.unexpected("fields with an event's name", line, number)
        self.delimiter, fields, at = split
        self.number = number
        self.event = fields[at]
        self.unit = fields[at - 1]
        self.value = fields[at - 2]
        self.run_ns = fields[at + 1] if at + 1 < len(fields) else ""
        before = fields[: at - 2]
        self.time_s: float | None = None
        self.socket: str | None = None
        self.counters = 0
        if before and _TIME.fullmatch(self._point(before[0])):
            self.time_s = output.number(self._point(before.pop(0)), number, "the time")
        if before and _UNIT.fullmatch(before[0]):
            self.socket = before.pop(0)
            if before:
                self.counters = output.count(before.pop(0), number, "a number of counters")
        if before:
            message = "expected [time,][socket,number,]value,unit,event, found other fields before"
            hint = "; where the locale writes 9,75, perf stat -x\\; is needed"
            raise output.refused(message + (hint if self.delimiter == "," else ""), number)

    def _point(self, text: str) -> str:
        """A number with a decimal point for the locale's comma; with commas between fields, as it
        is."""
        return text if self.delimiter == "," else text.replace(",", ".", 1)

    def number_of(self, output: ToolOutput) -> float:
        return output.number(self._point(self.value), self.number, self.event)


def read(output: ToolOutput, told: Told) -> Measured:
    state, period_ns = told.forced(output.shown, "perf stat")
    left_out: dict[str, int] = {}
    rows: list[_Row] = []
    durations: dict[float | None, float] = {}
    for number, line in output.numbered():
        if not line.strip() or line.startswith("#"):
            continue
        if _split(line) is None:
            # another event, counted beside
            continue
        row = _Row(output, line, number)
        if row.value.startswith("<not "):
            counted(left_out, NOT_COUNTED)
        elif _CSTATE.fullmatch(row.event):
            counted(left_out, CYCLES)
        elif row.event == _DURATION:
            durations[row.time_s] = row.number_of(output) / 1e9
        elif row.unit != "Joules":
            raise output.unexpected("Joules", row.unit, number)
        else:
            rows.append(row)
    times = sorted({row.time_s for row in rows if row.time_s is not None})
    spans = {end: end - start for start, end in zip([0.0, *times], times, strict=False)}
    energies = []
    for row in rows:
        seconds = durations.get(row.time_s) or _seconds(output, row, spans, told)
        if not seconds:
            counted(left_out, UNTIMED)
            continue
        match = _ENERGY.fullmatch(row.event)
        assert match is not None
        domain = _DOMAINS[match[1]] + (f" {row.socket}" if row.socket else "")
        watts = row.number_of(output) / seconds
        place = output.place(row.number)
        energies.append(Energy(state, period_ns, watts, seconds, domain=domain, where=place))
    if not energies and not left_out:
        raise output.refused("expected energies of RAPL's events, found none")
    return output.measured("perf stat", RAPL, energies=energies, left_out=left_out)


def _seconds(output: ToolOutput, row: _Row, spans: dict[float, float], told: Told) -> float | None:
    if row.time_s is not None:
        return spans[row.time_s]
    if row.socket is not None and row.counters == 1 and row.run_ns:
        return output.number(row.run_ns, row.number, "run_ns") / 1e9
    return told.seconds
