"""Logs of the kernel's cpuidle latency test (module, selftest cpuidle.sh), also as mailed.

Dialects differ in the rulers around headings, in Average and Avg, and in states by index or name.
"Expected IPI latency" is what sysfs says: advertised, so a claim. An expected timeout says nothing:
1 ms is armed whatever is printed.

Source: the series powerpc/selftests of 2020 to 2023 and the patches' scripts.
"""

import re
from dataclasses import dataclass, field

from ...measured import Claimed, Latency, Measured, Samples, SummaryOnly, WokenBy
from .collected import counted
from .output import Told, ToolOutput

SAME = "IPIs of a CPU to itself: the CPU was awake"
EXPECTED = "expected timeouts: another time is armed than the log says"
UNMEASURED = "rows without a value"

_MARKS = re.compile(r"(?:>[ ]?)*(?:#[ ]?)?")
_RULER = r"[-.\s]*"
_TEST = re.compile(rf"{_RULER}(IPI|Timeout|Timer) Latency Test{_RULER}", re.IGNORECASE)
_BASE = re.compile(rf"{_RULER}Baseline .*measurement.*", re.IGNORECASE)
_STATE = re.compile(rf"{_RULER}Enabling state:?\s*(\w.{{0,30}}?){_RULER}", re.IGNORECASE)
_IPI_HEAD = re.compile(r"\s*SRC_CPU\s+DEST_CPU\s+IPI_Latency\(ns\)\s*")
_TIMER_HEAD = re.compile(r"\s*Wakeup_src\s+(?:Baseline_delay|Delay)\(ns\)(?:\s+Delay\(ns\))?\s*")
_MEAN = re.compile(
    r"\s*(Baseline|Observed) (?:Average|Avg) (IPI latency|timeout diff|timeout latency)\(ns\)"
    r"(?:\s*-\s*State\s*(\S.{0,30}?))?\s*:\s*(\S+)\s*"
)
_EXPECTED = re.compile(r"\s*Expected (IPI latency|timeout)\(ns\)\s*:\s*(\S+)\s*")
_ROW = re.compile(r"\s*\S+(?:\s+\S+){1,2}\s*")
_KNOWN = (_TEST, _IPI_HEAD, _TIMER_HEAD, _MEAN)


def recognises(output: ToolOutput) -> bool:
    return any(
        pattern.fullmatch(_MARKS.sub("", line, count=1))
        for line in output.head.split("\n")
        for pattern in _KNOWN
    )


@dataclass(slots=True)
class _Block:
    """One state of one test, or a baseline."""

    woken_by: WokenBy
    line: int
    state: str | None = None
    busy: bool = False
    values: list[float] = field(default_factory=list)
    same: list[float] = field(default_factory=list)
    mean: float | None = None
    expected: float | None = None


class _Reader:
    def __init__(self, output: ToolOutput) -> None:
        self.output = output
        self.blocks: list[_Block] = []
        self.left_out: dict[str, int] = {}
        self.notes = list(output.remarks)
        self.woken_by: WokenBy | None = None
        self.block: _Block | None = None
        self.table: WokenBy | None = None

    def read(self) -> Measured:
        for number, line in self.output.numbered():
            self._line(number, _MARKS.sub("", line, count=1).rstrip())
        latencies = [self._latency(b) for b in self.blocks if b.values or b.mean is not None]
        if not latencies:
            raise self.output.refused("expected rows or averages of latencies, found none", 1)
        claims = {
            block.state: Claimed(block.state, latency_ns=block.expected)
            for block in self.blocks
            if block.state is not None and block.expected is not None
        }
        return Measured(
            self.output.shown,
            self.output.sha256,
            "cpuidle latency test",
            latencies=tuple(latencies),
            claims=tuple(claims.values()),
            left_out=self.left_out,
            notes=tuple(self.notes),
        )

    def _line(self, number: int, line: str) -> None:
        if test := _TEST.fullmatch(line):
            self.woken_by = "ipi" if test[1].upper() == "IPI" else "timer"
            self.block = self.table = None
        elif _BASE.fullmatch(line):
            self._begin(number, busy=True)
        elif state := _STATE.fullmatch(line):
            name = state[1].strip()
            self._begin(number, f"state{name}" if name.isdecimal() else name)
        elif _IPI_HEAD.fullmatch(line):
            self._head("ipi", number)
        elif _TIMER_HEAD.fullmatch(line):
            self._head("timer", number)
        elif mean := _MEAN.fullmatch(line):
            self._mean(mean, number)
        elif expected := _EXPECTED.fullmatch(line):
            self._expected(expected, number)
        elif self.table and line[:1].strip().isdecimal():
            self._row(line.split(), number)
        elif line.strip():
            self.table = None

    def _begin(self, number: int, state: str | None = None, busy: bool = False) -> _Block:
        if self.woken_by is None:
            raise self.output.refused("expected the name of a test before this, found none", number)
        self.block = _Block(self.woken_by, number, state, busy)
        self.blocks.append(self.block)
        self.table = None
        return self.block

    def _head(self, kind: WokenBy, number: int) -> None:
        if self.woken_by is None:
            self.woken_by = kind
        if self.block is None or self.block.woken_by != kind or self.block.mean is not None:
            self.woken_by = kind
            message = "expected a state or a baseline above its table, found none"
            raise self.output.refused(message, number)
        self.table = kind

    def _row(self, words: list[str], number: int) -> None:
        block, output = self.block, self.output
        assert block is not None
        if self.table == "ipi":
            if len(words) != 3:
                message = f"expected SRC_CPU, DEST_CPU and IPI_Latency, found {len(words)} words"
                raise output.refused(message, number)
            source, target = (output.count(word, number, "a CPU") for word in words[:2])
            value = output.time_ns(words[2], number, "IPI_Latency", "ns")
            (block.same if source == target else block.values).append(value)
            return
        output.count(words[0], number, "a CPU")
        if len(words) == 1:
            counted(self.left_out, UNMEASURED)
        elif len(words) > 3:
            message = f"expected a CPU, its baseline and its delay, found {len(words)} words"
            raise output.refused(message, number)
        else:
            # where the baseline's variable is not set, the delay stands in its column
            block.values.append(output.time_ns(words[-1], number, "Delay", "ns"))

    def _mean(self, match: re.Match[str], number: int) -> None:
        by: WokenBy = "ipi" if match[2].startswith("IPI") else "timer"
        mean = self.output.time_ns(match[4], number, "an average", "ns")
        busy = match[1] == "Baseline"
        name = None
        if match[3] is not None:
            name = f"state{match[3]}" if match[3].isdecimal() else match[3]
        if not busy and name is None:
            raise self.output.refused("expected a state beside the average, found none", number)
        block = self.block
        if block is None or block.woken_by != by or block.busy != busy or block.mean is not None:
            # averages alone, as mails give them
            self.woken_by = by
            block = self._begin(number, busy=busy)
        block.state, block.mean = name, mean
        self.table = None

    def _expected(self, match: re.Match[str], number: int) -> None:
        value = self.output.time_ns(match[2], number, f"an expected {match[1]}", "ns")
        if match[1] == "timeout":
            counted(self.left_out, EXPECTED)
            return
        block = self.block
        if block is None or block.mean is not None or block.busy:
            block = self._begin(number) if self.woken_by else None
        if block is not None:
            block.expected = value
        self.table = None

    def _latency(self, block: _Block) -> Latency:
        counted(self.left_out, SAME, len(block.same))
        place = self.output.place(block.line)
        if not block.values:
            return Latency(
                block.state,
                block.woken_by,
                SummaryOnly(mean_ns=block.mean),
                block.busy,
                where=place,
            )
        if block.mean is not None and not self._agrees(block):
            self.notes.append(
                f"line {block.line}: the average {block.mean:.0f} ns is not that of the rows, "
                f"{sum(block.values) / len(block.values):.0f} ns; the rows count"
            )
        return Latency(
            block.state, block.woken_by, Samples(tuple(block.values)), block.busy, where=place
        )

    def _agrees(self, block: _Block) -> bool:
        """Whether the average is that of the rows, with the CPU's IPI to itself or without."""
        assert block.mean is not None
        for values in (block.values, block.values + block.same):
            if abs(sum(values) / len(values) - block.mean) <= 1:
                return True
        return False


def read(output: ToolOutput, told: Told) -> Measured:
    return _Reader(output).read()
