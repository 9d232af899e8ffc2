"""rtla's histograms: `rtla timerlat hist`; those of osnoise are refused.

A row is a bucket's lower bound and a count for each column; columns of silent CPUs are missing. The
latency of the interrupt is how long the CPU took to wake up; that of a thread has the scheduler's
work in it.

Source: tools/tracing/rtla of Linux 6.1 to 7.1.
"""

import math
import re

from ....base.model.measured import Latency, Measured
from .histogram import HistogramColumn
from .output import Facts, ToolOutput, Unit

TITLE = "a histogram of rtla timerlat"
THREAD = "values of threads, which include the scheduler's work"
UNSAID = "timerlat output does not tell which idle state was entered"
_COLUMN = re.compile(r"(IRQ|Thr|Usr)-([0-9]{1,4})")
_TITLE = re.compile(r"#\s*RTLA (timerlat|osnoise) histogram", re.IGNORECASE)
_UNIT = re.compile(r"#\s*Time unit is (microseconds|nanoseconds)\b")
_TAIL = re.compile(r"(over|count|min|avg|max):")
_COUNTS = {"over": "over", "count": "total"}
_ENDS = {"min": "low", "max": "high"}
_INDEX = re.compile(r"\s*Index\s+\S")


def recognises(output: ToolOutput) -> bool:
    lines = output.head.split("\n")
    if any(_TITLE.match(line) for line in lines):
        return True
    return any(_INDEX.match(line) and _COLUMN.fullmatch(line.split()[1]) for line in lines)


def read(output: ToolOutput, facts: Facts) -> Measured:
    return _Reader(output).read()


class _Reader:
    def __init__(self, output: ToolOutput) -> None:
        self.output = output
        self.unit: Unit | None = None
        self.columns: list[HistogramColumn] = []
        self.bounds: list[int] = []

    def read(self) -> Measured:
        ended = tailed = False
        for number, line in self.output.numbered():
            words = line.split()
            if not words or ended:
                continue
            if line.startswith("#"):
                self._comment(line, number)
            elif words[0] == "Index":
                self._head(words[1:], number)
            elif words[0].startswith("ALL"):
                # the same again for all CPUs together
                ended = True
            elif not self.columns:
                raise self.output.unexpected("the columns Index IRQ-000 ...", line, number)
            elif tail := _TAIL.fullmatch(words[0]):
                self._tail(tail[1], words[1:], number)
                tailed = True
            elif not tailed:
                # below may stand what stopped tracing, and how many events were missed
                self._row(words, number)
        if not self.columns:
            raise self.output.refused("expected the columns Index IRQ-000 ..., found none")
        return self._measured()

    def _comment(self, line: str, number: int) -> None:
        title = _TITLE.match(line)
        if title and title[1].lower() == "osnoise":
            raise self.output.refused(
                "expected a histogram of timerlat, found osnoise's: what takes a CPU away from a "
                "running thread is no wake-up from idle",
                number,
            )
        if unit := _UNIT.match(line):
            self.unit = "us" if unit[1] == "microseconds" else "ns"

    def _head(self, names: list[str], number: int) -> None:
        if self.columns:
            raise self.output.refused("expected one histogram, found another", number)
        for name in names:
            if not _COLUMN.fullmatch(name):
                raise self.output.unexpected("a column such as IRQ-000 or Thr-000", name, number)
        if not names or len(set(names)) < len(names):
            raise self.output.refused("expected columns of different names", number)
        self.columns = [HistogramColumn(name, number) for name in names]

    def _row(self, words: list[str], number: int) -> None:
        low = self.output.count(words[0], number, "the lower bound of a bucket")
        if self.bounds and low <= self.bounds[-1]:
            raise self.output.unexpected("buckets to rise", words[0], number)
        self.output.expect_columns(words[1:], len(self.columns), number)
        self.bounds.append(low)
        for column, word in zip(self.columns, words[1:], strict=True):
            if count := self.output.count(word, number, "a number of values"):
                column.counts[low] = count

    def _tail(self, key: str, words: list[str], number: int) -> None:
        self.output.expect_columns(words, len(self.columns), number)
        for column, word in zip(self.columns, words, strict=True):
            if key in _COUNTS:
                setattr(column, _COUNTS[key], self.output.count(word, number, key))
            elif key in _ENDS and word != "-":
                setattr(column, _ENDS[key], self.output.number(word, number, key))

    def _measured(self) -> Measured:
        if self.unit is None:
            message = "expected '# Time unit is microseconds (us)' or nanoseconds, found none"
            raise self.output.refused(message, self.columns[0].line)
        scale = 1000 if self.unit == "us" else 1
        # the widest that buckets can be: files do not say it, and leave out what is empty
        width = math.gcd(*self.bounds) or 1
        notes = [UNSAID]
        if width > 1:
            notes.append(
                f"the width of a bucket is not in the file; all bounds are multiples of {width} "
                f"{self.unit}, which is the widest possible and is assumed: quantiles are upper "
                "bounds"
            )
        interrupts = [column for column in self.columns if column.name.startswith("IRQ")]
        if not interrupts:
            notes.append(
                "there are no columns of interrupts; the values include the scheduler's work"
            )
        latencies = []
        for column in self.columns:
            kind, _, cpu = column.name.partition("-")
            if interrupts and kind != "IRQ":
                self.output.leave_out(THREAD, column.n)
                continue
            bins = column.bins(self.output, width, scale)
            if not column.n:
                continue
            group = f"CPU {int(cpu)}" + ("" if kind == "IRQ" else f", {kind}")
            place = self.output.place(column.line)
            latencies.append(Latency(None, "timer", bins, group=group, where=place))
        if not latencies:
            raise self.output.refused("expected values in the histogram, found none")
        return self.output.measured("rtla timerlat hist", *notes, latencies=latencies)
