"""Logs of the kernel's cpuidle latency test (module, selftest cpuidle.sh), also as mailed.

Dialects differ in rulers around headings, in Average and Avg, in states by index or name, beside
the average or above the table, and in where the baseline stands: in its own table, or in a column.
"Expected IPI latency" is what sysfs says: advertised, so a claim. An expected timeout says nothing:
1 ms is armed whatever is printed.

Source: the series powerpc/selftests of 2020 to 2023 and the patches' scripts.
"""

import re
from collections.abc import Iterable

from ....base.dataclass import dataclass, field
from ....base.model.measured import Claimed, Latency, Measured, Samples, SummaryOnly, WokenBy
from .output import Facts, ToolOutput

TITLE = "a log of the cpuidle latency test"
SAME = "IPIs within a core: it was awake"
EXPECTED = "expected timeouts: the log gives another time than the one armed"
UNMEASURED = "rows without a value"
SHIFTED = "averages under a name without the word State, which that mail shifted against the states"
PIPES = "the test wakes by pipes and alarms: the values include the scheduler's work"

THREADS = (1, 2, 4, 8)
"""Threads of a core, whose CPUs are numbered in a row."""

_MARKS = re.compile(r"(?:>[ ]?)*(?:#[ ]?)?")
_RULER = r"[-.]{2,}\s*"
_END = r"[-.\s]*"
_TEST = re.compile(rf"{_RULER}(IPI|Timeout|Timer) Latency Test{_END}", re.IGNORECASE)
_BASE = re.compile(rf"{_RULER}Baseline .*measurement.*", re.IGNORECASE)
_STATE = re.compile(rf"{_RULER}Enabling state:?\s*(\w.{{0,30}}?){_END}", re.IGNORECASE)
_IPI_HEAD = re.compile(
    r"\s*SRC_CPU\s+DEST_CPU(?:\s+(Base_IPI_Latency\(ns\)))?\s+IPI_Latency\(ns\)\s*"
)
_TIMER_HEAD = re.compile(r"\s*Wakeup_src\s+(?:Baseline_delay|Delay)\(ns\)(?:\s+Delay\(ns\))?\s*")
_MEAN = re.compile(
    r"\s*(Baseline|Observed) (Average|average|Avg) (IPI latency|timeout diff|timeout latency)\(ns\)"
    r"(?:\s*-\s*(State)?\s*(\S.{0,30}?))?\s*:\s*(\S+)\s*"
)
_EXPECTED = re.compile(r"\s*Expected (IPI latency|Latency|timeout)\(ns\)\s*:\s*(\S+)\s*")
_OMITTED = re.compile(r"[.\s]+")
_KNOWN = (_TEST, _IPI_HEAD, _TIMER_HEAD, _MEAN)


def recognises(output: ToolOutput) -> bool:
    return any(
        pattern.fullmatch(_MARKS.sub("", line, count=1))
        for line in output.head.split("\n")
        for pattern in _KNOWN
    )


def read(output: ToolOutput, facts: Facts) -> Measured:
    return _Reader(output).read()


@dataclass(slots=True)
class _Block:
    """One state of one test, or a baseline. rows: source, destination, ns; of timers alike."""

    woken_by: WokenBy
    line: int
    state: str | None = None
    busy: bool = False
    rows: list[tuple[int, int, float]] = field(default_factory=list)
    mean: float | None = None
    expected: float | None = None


class _Reader:
    def __init__(self, output: ToolOutput) -> None:
        self.output = output
        self.blocks: list[_Block] = []
        self.notes: list[str] = []
        self.woken_by: WokenBy | None = None
        self.block: _Block | None = None
        self.table = False
        self.baseline = False
        """The table has a column of the baseline."""

    def read(self) -> Measured:
        for number, line in self.output.numbered():
            self._line(number, _MARKS.sub("", line, count=1).rstrip())
        latencies = [
            latency for block in self.blocks if (latency := self._latency(block)) is not None
        ]
        if not latencies and not self.output.left_out:
            raise self.output.refused("expected rows or averages of latencies, found none", 1)
        claims = {
            block.state: Claimed(block.state, latency_ns=block.expected)
            for block in self.blocks
            if block.state is not None and block.expected is not None
        }
        return self.output.measured(
            "cpuidle latency test", *self.notes, latencies=latencies, claims=claims.values()
        )

    def _line(self, number: int, line: str) -> None:
        if test := _TEST.fullmatch(line):
            self.woken_by = "ipi" if test[1].upper() == "IPI" else "timer"
            self.block, self.table = None, False
        elif _BASE.fullmatch(line):
            self._begin(number, busy=True)
        elif state := _STATE.fullmatch(line):
            self._begin(number, _named(state[1].strip()))
        elif head := _IPI_HEAD.fullmatch(line):
            self._head("ipi", number)
            self.baseline = head[1] is not None
        elif _TIMER_HEAD.fullmatch(line):
            self._head("timer", number)
        elif mean := _MEAN.fullmatch(line):
            self._mean(mean, number)
        elif expected := _EXPECTED.fullmatch(line):
            self._expected(expected, number)
        elif self.table and line.lstrip()[:1].isdecimal():
            self._row(line.split(), number)
        elif not _OMITTED.fullmatch(line or "."):
            self.table = False

    def _begin(self, number: int, state: str | None = None, busy: bool = False) -> _Block:
        if self.woken_by is None:
            raise self.output.refused("expected the name of a test before this, found none", number)
        self.block = _Block(self.woken_by, number, state, busy)
        self.blocks.append(self.block)
        # not every log has a head above every table
        self.table, self.baseline = True, False
        return self.block

    def _head(self, kind: WokenBy, number: int) -> None:
        block = self.block
        if block is None or block.woken_by != kind or block.mean is not None:
            message = "expected a state or a baseline above its table, found none"
            raise self.output.refused(message, number)
        self.table = True

    def _row(self, words: list[str], number: int) -> None:
        block, output = self.block, self.output
        assert block is not None
        if block.woken_by == "ipi":
            width = 4 if self.baseline else 3
            if len(words) != width:
                message = f"expected SRC_CPU, DEST_CPU and {width - 2} of IPI_Latency, found "
                raise output.refused(f"{message}{len(words)} words", number)
            source, target = (output.count(word, number, "a CPU") for word in words[:2])
            value = output.time_ns(words[-1], number, "IPI_Latency", "ns")
            block.rows.append((source, target, value))
            if width == 4:
                base = output.time_ns(words[2], number, "Base_IPI_Latency", "ns")
                self._based(block, number).rows.append((source, target, base))
            return
        cpu = output.count(words[0], number, "a CPU")
        if len(words) == 1:
            self.output.leave_out(UNMEASURED)
            return
        if len(words) > 3:
            message = f"expected a CPU, its baseline and its delay, found {len(words)} words"
            raise output.refused(message, number)
        # where the baseline's variable is not set, the delay stands in its column
        block.rows.append((-1, cpu, output.time_ns(words[-1], number, "Delay", "ns")))
        if len(words) == 3:
            base = output.time_ns(words[1], number, "Baseline_delay", "ns")
            self._based(block, number).rows.append((-1, cpu, base))

    def _based(self, block: _Block, number: int) -> _Block:
        """The block of a test's baseline, where it is a column beside states."""
        for known in self.blocks:
            if known.busy and known.woken_by == block.woken_by:
                return known
        made = _Block(block.woken_by, number, busy=True)
        self.blocks.insert(self.blocks.index(block), made)
        return made

    def _mean(self, match: re.Match[str], number: int) -> None:
        by: WokenBy = "ipi" if match[3].startswith("IPI") else "timer"
        mean = self.output.time_ns(match[6], number, "an average", "ns")
        busy, block = match[1] == "Baseline", self.block
        self.table = False
        if match[2] == "average":
            self._note(PIPES)
        if match[5] is not None and match[4] is None:
            self.output.leave_out(SHIFTED)
            return
        open_block = block if block and block.woken_by == by and block.mean is None else None
        if busy and open_block and not open_block.busy:
            # beside a column of it: that of one state's rows
            if not self._based(open_block, number).rows:
                self._based(open_block, number).mean = mean
            return
        if open_block is None or open_block.busy != busy:
            # averages alone, as mails give them
            self.woken_by = by
            open_block = self._begin(number, busy=busy)
            self.table = False
        if match[5] is not None:
            open_block.state = _named(match[5])
        if not busy and open_block.state is None:
            raise self.output.refused("expected a state beside the average, found none", number)
        open_block.mean = mean

    def _expected(self, match: re.Match[str], number: int) -> None:
        value = self.output.time_ns(match[2], number, f"an expected {match[1]}", "ns")
        self.table = False
        if match[1] == "Latency":
            self._note(PIPES)
        block = self.block
        if match[1] == "timeout":
            self.output.leave_out(EXPECTED)
        elif block is not None and not block.busy and block.mean is None:
            block.expected = value

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _latency(self, block: _Block) -> Latency | None:
        by = "pipe" if PIPES in self.notes and block.woken_by == "ipi" else block.woken_by
        place = self.output.place(block.line)
        values = self._values(block)
        if values:
            return Latency(block.state, by, Samples(values), block.busy, where=place)
        if block.mean is None:
            return None
        return Latency(block.state, by, SummaryOnly(mean_ns=block.mean), block.busy, where=place)

    def _values(self, block: _Block) -> tuple[float, ...]:
        """Returns the rows' values, without those within a core. Which CPUs share one is not in the
        log, but in its average: it has none of them, or in old logs all."""
        others = [(_apart(block.rows, threads), threads) for threads in THREADS]
        kept = others[0][0]
        if block.mean is not None and kept:
            fits = [apart for apart, _ in others if _agrees(apart, block.mean)]
            if fits:
                kept = fits[0]
            elif not _agrees([value for _, _, value in block.rows], block.mean):
                self.notes.append(
                    f"line {block.line}: the average {block.mean:.0f} ns is not that of the rows, "
                    f"{sum(kept) / len(kept):.0f} ns; the rows count"
                )
        self.output.leave_out(SAME, len(block.rows) - len(kept))
        return tuple(kept)


def _apart(rows: Iterable[tuple[int, int, float]], threads: int) -> list[float]:
    return [value for src, dest, value in rows if src // threads != dest // threads]


def _agrees(values: list[float], mean: float) -> bool:
    return bool(values) and abs(sum(values) / len(values) - mean) <= 1


def _named(name: str) -> str:
    return f"state{name}" if name.isdecimal() else name
