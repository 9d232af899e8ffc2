"""cyclictest's histograms: -h and --histfile, and --json. A value is of a thread that a timer woke,
the scheduler's work in it.

Of the JSON's sysinfo the machine's type and release are kept, never its name (nodename).

Source: rt-tests, src/cyclictest/cyclictest.c and src/lib/rt-utils.c.
"""

import json
import re
from typing import Any

from ....base.model.findings import Unreadable
from ....base.model.measured import Latency, Measured
from .histogram import HistogramColumn
from .output import MOST, Facts, ToolOutput, shown

TITLE = "a histogram of cyclictest"
SCHEDULER = "cyclictest measures until a thread runs: the values include the scheduler's work"
AWAKE = (
    "cyclictest keeps CPUs from idle states (0 in /dev/cpu_dma_latency) unless it is run with "
    "--default-system, --laptop or --latency; the file does not tell how it was run"
)
MICROSECONDS = "read as microseconds: cyclictest -N prints ns without marking it in this form"
_IDLE_ALLOWED = re.compile(r"(?:^|\s)(?:--default-system|--laptop|--latency=[1-9]\S*)(?=\s|$)")
_ROW = re.compile(r"([0-9]{6,12})((?:\s+\S+)+)\s*")
_KEPT = re.compile(
    r"# /dev/cpu_dma_latency set to ([0-9]{1,10})us\s*"
    r"|WARN: not setting cpu_dma_latency from cyclictest\s*"
)
_TAILS = {
    "Min Latencies": "low",
    "Max Latencies": "high",
    "Histogram Overflows": "over",
    "Total": "total",
}
_TAIL = re.compile(rf"# ({'|'.join(_TAILS)}):\s*(.*)")
_THREAD = re.compile(r"[0-9]{1,5}")


def recognises(output: ToolOutput) -> bool:
    if output.head.lstrip().startswith("{"):
        return '"thread"' in output.head and '"resolution_in_ns"' in output.head
    return any(line.rstrip() == "# Histogram" for line in output.head.split("\n"))


def read(output: ToolOutput, facts: Facts) -> Measured:
    if output.head.lstrip().startswith("{"):
        return _of_json(output)
    return _of_text(output)


def _of_text(output: ToolOutput) -> Measured:
    rows: list[tuple[int, int, list[str]]] = []
    tails: dict[str, tuple[int, list[str]]] = {}
    begun = 0
    awake = AWAKE
    for number, line in output.numbered():
        if match := _KEPT.fullmatch(line):
            if match[1] and not int(match[1]):
                raise kept_awake(output, number)
            awake = f"CPUs were limited to idle states of up to {match[1]} us" if match[1] else ""
        elif line.rstrip() == "# Histogram":
            if begun:
                raise output.refused("expected one histogram, found another", number)
            begun = number
        elif begun and (tail := _TAIL.match(line)):
            tails[tail[1]] = number, tail[2].split()
        elif begun and line[:1].isdecimal():
            match = _ROW.fullmatch(line)
            if match is None:
                raise output.unexpected("a value and the counts of threads", line, number)
            rows.append((number, int(match[1]), match[2].split()))
    widths = [len(words) for _, _, words in rows]
    if not rows:
        raise output.refused("expected rows below '# Histogram', found none", begun)
    threads = len(tails["Min Latencies"][1]) if "Min Latencies" in tails else min(widths)
    # -H adds a column with the sum of all threads, in some lines below as well
    summed = threads > 0 and set(widths) == {threads + 1}
    columns = [HistogramColumn(str(thread), begun) for thread in range(threads)]
    last = -1
    for number, value, words in rows:
        if len(words) != threads + summed:
            message = f"expected {threads + summed} counts, found {len(words)}"
            raise output.refused(message, number)
        if value <= last:
            raise output.refused(f"expected values to rise, found {value} after {last}", number)
        last = value
        for column, word in zip(columns, words, strict=False):
            if count := output.count(word, number, "a number of values"):
                column.counts[value] = count
    for key, (number, words) in tails.items():
        if len(words) < threads:
            message = f"expected {key} of {threads} threads, found {len(words)}"
            raise output.refused(message, number)
        for column, word in zip(columns, words, strict=False):
            setattr(column, _TAILS[key], output.count(word, number, key))
    for column in columns:
        # printed without those above the last bucket
        column.total = None if column.total is None else column.total + column.over
    latencies = _latencies(output, columns, 1000)
    return output.measured(
        "cyclictest", SCHEDULER, MICROSECONDS, *([awake] if awake else []), latencies=latencies
    )


def kept_awake(output: ToolOutput, line: int) -> Unreadable:
    return output.refused(
        "expected a run with --default-system, --laptop or --latency=US, found one that kept CPUs "
        "from idle states (0 in /dev/cpu_dma_latency)",
        line,
    )


def _latencies(
    output: ToolOutput, columns: list[HistogramColumn], scale: int
) -> tuple[Latency, ...]:
    found = tuple(
        Latency(
            None,
            "timer",
            column.bins(output, 1, scale),
            group=f"thread {column.name}",
            where=output.place(column.line),
        )
        for column in columns
        if column.n
    )
    if not found:
        raise output.refused("expected values in the histogram, found none")
    return found


def _of_json(output: ToolOutput) -> Measured:
    try:
        document = json.loads(output.data.decode("utf-8", "replace").removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        message = f"expected JSON, found {error.msg}"
        raise output.refused(message, error.lineno) from None
    except (RecursionError, ValueError):
        raise output.refused("expected JSON of cyclictest, found other values", 1) from None
    found = _Json(output)
    top = found.mapping(document, "the document")
    version = top.get("file_version")
    if version != 1:
        raise output.refused(f"expected file_version 1, found {shown(str(version))}", 1)
    # a copy of rt-tests writes a colon into this key
    command = top.get("cmdline", top.get("cmdline:"))
    notes = [SCHEDULER]
    if not isinstance(command, str):
        notes.append(AWAKE)
    elif not _IDLE_ALLOWED.search(command):
        raise kept_awake(output, 1)
    resolution = top.get("resolution_in_ns")
    if resolution not in (0, 1):
        raise output.refused("expected resolution_in_ns, 0 or 1, found neither", 1)
    system = found.mapping(top.get("sysinfo", {}), "sysinfo")
    columns = [
        found.column(name, thread)
        for name, thread in found.mapping(top.get("thread"), "thread").items()
    ]
    return output.measured(
        "cyclictest",
        *notes,
        machine=found.word(system.get("machine")),
        kernel=found.word(system.get("release")),
        latencies=_latencies(output, columns, 1 if resolution else 1000),
    )


class _Json:
    """Values of a JSON document, or Unreadable: there are no lines to name."""

    def __init__(self, output: ToolOutput) -> None:
        self.output = output

    def mapping(self, value: object, what: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.output.refused(f"expected {what} with its keys, found none", 1)
        return value

    def count(self, value: object, what: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
            message = f"expected {what}, a whole number of 0 or more, found {str(value)[:40]!a}"
            raise self.output.refused(message, 1)
        return value

    def word(self, value: object) -> str | None:
        return value[:80] if isinstance(value, str) else None

    def column(self, name: str, value: object) -> HistogramColumn:
        if not _THREAD.fullmatch(name):
            raise self.output.unexpected("the number of a thread", name, 1)
        thread = self.mapping(value, f"thread {name}")
        column = HistogramColumn(name, 1)
        for low, count in self.mapping(thread.get("histogram"), "a histogram").items():
            if number := self.count(count, "a number of values"):
                column.counts[self.output.count(low, 1, "a value")] = number
        if "min" in thread and "max" in thread:
            column.low = self.count(thread["min"], "min")
            column.high = self.count(thread["max"], "max")
        if "cycles" in thread:
            # every value is counted in cycles; what no bucket has lies above the last
            cycles = self.count(thread["cycles"], "cycles")
            if cycles < column.n:
                message = f"expected {cycles} values at most in thread {name}, found {column.n}"
                raise self.output.refused(message, 1)
            column.over = cycles - column.n
        return column
