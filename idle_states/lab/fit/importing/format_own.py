"""The output of `idle-states collect --measure`; fit/measured_form.py describes the form."""

import re

from ....base.model.measured import Claimed, Measured, Samples, WokenBy
from ..break_even import REACHED
from ..measured_form import COLUMNS, END, FORMAT, WOKEN_BY
from .collected import LatencyKind, LatencySamples
from .output import Facts, ToolOutput, shown

TITLE = "the output of idle-states collect --measure"
CUT = "the file ends without its last line: it was cut short"
_HEAD = re.compile(r"# ([a-z_]{1,30}): ?(.*)")
_STATE = re.compile(
    r"cpu=(\d{1,5}) state=(\d{1,3}) latency=(\d{1,12}) residency=(\d{1,12}) "
    r"disable=\d{1,3} name=(.+)",
    re.ASCII,
)
_REACHED = re.compile(
    r"state=\d{1,3} counter=c(\d{1,2})-residency of_idle=(\d{1,9}\.\d{1,9}) name=(.+)", re.ASCII
)
_C_STATE = re.compile(r"C(\d{1,2})", re.ASCII)
_DEEPEST = 7
_LEFT_OUT = re.compile(r"(\d{1,18}) (\S.{0,200})", re.ASCII)


def recognises(output: ToolOutput) -> bool:
    return output.head.startswith("# idle-states measured ")


def read(output: ToolOutput, facts: Facts) -> Measured:
    return _Reader(output).read()


class _Reader:
    def __init__(self, output: ToolOutput) -> None:
        self.output = output
        self.found = LatencySamples(output)
        self.keys: dict[str, str] = {}
        self.claims: dict[str, Claimed] = {}
        self.notes: list[str] = []
        self.unreached: set[str] = set()
        self.kinds: dict[tuple[str, str, str], LatencyKind] = {}

    def read(self) -> Measured:
        output = self.output
        last = ""
        columns = 0
        for number, line in output.numbered():
            if number == 1:
                if line != FORMAT:
                    raise output.unexpected(repr(FORMAT), line, number)
                continue
            if last == END and line.strip():
                raise output.unexpected(f"nothing after {END!r}", line, number)
            last = line or last
            if line.startswith("#"):
                self._head(line, number)
            elif line and not columns:
                if tuple(line.split(",")) != COLUMNS:
                    raise output.unexpected(f"the columns {','.join(COLUMNS)}", line, number)
                columns = number
            elif number == output.cut_line:
                output.leave_out("the last line, which is cut off")
            elif line:
                self._row(number, line)
        if not columns:
            raise output.refused(f"expected the columns {','.join(COLUMNS)}, found none")
        if last != END:
            self.notes.append(CUT)
        return self._measured()

    def _head(self, line: str, number: int) -> None:
        if line == END:
            return
        match = _HEAD.fullmatch(line)
        if match is None:
            raise self.output.unexpected("'# key: value'", line, number)
        key, value = match[1], match[2].strip()
        if key == "state":
            self._state(value, number)
        elif key == "reached":
            self._reached(value, number)
        elif key == "left_out":
            left = _LEFT_OUT.fullmatch(value)
            if left is None:
                raise self.output.unexpected("a number and a reason", value, number)
            self.output.leave_out(left[2], int(left[1]))
        elif key == "note":
            self.notes.append(value[:1000])
        else:
            self.keys[key] = value[:200]

    def _state(self, value: str, number: int) -> None:
        match = _STATE.fullmatch(value)
        if match is None:
            expected = "cpu=N state=N latency=N residency=N disable=N name=NAME"
            raise self.output.unexpected(expected, value, number)
        name = match[5].strip()
        claim = Claimed(name, int(match[3]) * 1000.0, int(match[4]) * 1000.0)
        if self.claims.setdefault(name, claim) != claim:
            self.notes.append(
                f"CPU {match[1]} advertises other times for {shown(name)} than an earlier CPU: "
                f"latency {match[3]} us, residency {match[4]} us; the first ones are used"
            )

    def _reached(self, value: str, number: int) -> None:
        """Reads the share of a state's own counter; a core counts states deeper than 7 as C7."""
        match = _REACHED.fullmatch(value)
        if match is None:
            expected = "state=N counter=cN-residency of_idle=SHARE name=NAME"
            raise self.output.unexpected(expected, value, number)
        name, share = match[3].strip(), float(match[2])
        own = _C_STATE.match(name)
        if own is None or min(int(own[1]), _DEEPEST) != int(match[1]):
            return
        self.notes.append(
            f"{shown(name)}: hardware was in it for {100 * share:.3g} % of its idle time"
        )
        if share < REACHED:
            self.unreached.add(name)

    def _row(self, number: int, line: str) -> None:
        cells = line.split(",")
        self.output.expect_columns(cells, len(COLUMNS), number)
        state, by, busy, value, idle = cells
        kind = self.kinds.get((state, by, busy))
        if kind is None:
            kind = self._kind(state, by, busy, number)
        if idle:
            self.output.time_ns(idle, number, "idle_ns", "ns")
        self.found.add(kind, self.output.time_ns(value, number, "a latency", "ns"), number)

    def _kind(self, state: str, by: str, busy: str, number: int) -> LatencyKind:
        if by not in WOKEN_BY:
            raise self.output.unexpected(f"one of {', '.join(WOKEN_BY)}", by, number)
        if busy not in ("0", "1"):
            raise self.output.unexpected("busy, 0 or 1", busy, number)
        if not state and busy == "0":
            raise self.output.refused("expected the name of an idle state, found none", number)
        known: dict[str, WokenBy] = {"timer": "timer", "ipi": "ipi", "write": "write"}
        kind = LatencyKind(None if busy == "1" else state, known[by], busy=busy == "1")
        self.kinds[state, by, busy] = kind
        return kind

    def _measured(self) -> Measured:
        keys, latencies = self.keys, []
        for each in self.found.latencies():
            if each.state in self.unreached and isinstance(each.values, Samples):
                why = "hardware was in the state for less than half of its idle time"
                self.output.leave_out(why, len(each.values.values_ns))
            else:
                latencies.append(each)
        if (emulated := keys.get("emulated", "no")) != "no":
            self.notes.insert(0, f"measured under {emulated}: this is not the hardware's latency")
        names = [keys[key] for key in ("machine", "cpu_model") if keys.get(key)]
        for key in ("method_timer", "method_ipi"):
            if keys.get(key):
                self.notes.append(f"{key.removeprefix('method_')}: {keys[key]}")
        if keys.get("resolution_ns", "1") != "1":
            self.notes.append(
                f"times are in steps of {keys['resolution_ns']} ns, as the clock has them"
            )
        if keys.get("frequency_khz"):
            by = f", by {keys['frequency_governor']}" if keys.get("frequency_governor") else ""
            self.notes.append(f"the CPU ran with {keys['frequency_khz']} kHz{by}")
        return self.output.measured(
            keys.get("tool", "idle-states collect --measure"),
            *self.notes,
            machine=", ".join(names) or None,
            kernel=keys.get("release"),
            latencies=latencies,
            claims=self.claims.values(),
        )
