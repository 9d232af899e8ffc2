"""Tables of N Min Median Avg 90%ile 99%ile Max Stddev, as mails and commits have them.

What a row is of stands in the lines above: the unit, what woke the CPU, and the state.
"""

import re
from collections.abc import Sequence

from ....base.model.measured import Latency, Measured, SummaryOnly, WokenBy
from .output import Facts, ToolOutput, Unit

TITLE = "a table of N, median, average and percentiles"
ABOVE = 6
"""Lines above a table that may speak of it."""
_COLUMNS: dict[str, str | float] = {
    "n": "n",
    "min": "min",
    "max": "max",
    "median": 0.5,
    "avg": "mean",
    "average": "mean",
    "mean": "mean",
    "stddev": "sd",
    "sd": "sd",
}
_PERCENTILE = re.compile(
    r"(?:p([0-9]{1,2}(?:\.[0-9]{1,4})?)|([0-9]{1,2}(?:\.[0-9]{1,4})?)(?:th)?%ile)"
)
_MARKS = re.compile(r"(?:>[ ]?)*")
_UNIT = re.compile(r"(?<![a-z])(ns|nsec|nanoseconds|us|usec|microseconds)(?![a-z])", re.IGNORECASE)
_WAKER = re.compile(r"\b(timers?|ipis?)\b", re.IGNORECASE)
_STATE = re.compile(
    r"\b(snooze|shared cede|cede(?:\(?\d\)?)?|nap|fastsleep|winkle|stop\d{1,2}(?:_lite)?|poll|wfi|"
    r"c\d{1,2}[a-z]?)(?![\w])",
    re.IGNORECASE | re.ASCII,
)


def recognises(output: ToolOutput) -> bool:
    return any(_head(line) for line in output.head.split("\n"))


def read(output: ToolOutput, facts: Facts) -> Measured:
    latencies: list[Latency] = []
    columns: list[str | float] = []
    head = 0
    above: list[str] = []
    for number, raw in output.numbered():
        line = _MARKS.sub("", raw, count=1).strip()
        if found := _head(line):
            columns, head = found, number
            about = " ".join(above[-ABOVE:])
            unit, by, state = _unit(output, about, head), _waker(output, about, head), _state(about)
            above = []
        elif columns and line[:1].isdecimal():
            words = line.split()
            output.expect_columns(words, len(columns), number)
            values = _values(output, columns, words, number, unit)
            latencies.append(Latency(state, by, values, where=output.place(number)))
        else:
            if line.strip("-= "):
                columns = []
            if line:
                above.append(line)
    if not latencies:
        raise output.refused("expected a row below the table's head, found none", head)
    return output.measured("a table of summaries", latencies=latencies)


def _head(line: str) -> list[str | float]:
    """Returns the columns that a table's head names; none for another line."""
    words = _MARKS.sub("", line, count=1).lower().split()
    if len(words) < 4 or words[0] != "n":
        return []
    found: list[str | float] = []
    for word in words:
        if word in _COLUMNS:
            found.append(_COLUMNS[word])
        elif match := _PERCENTILE.fullmatch(word):
            found.append(float(match[1] or match[2]) / 100)
        else:
            return []
    wanted = len(set(found)) == len(found) and ("mean" in found or 0.5 in found)
    # ministat's, which a benchmark's results have as well
    return found if wanted and any(isinstance(c, float) and c != 0.5 for c in found) else []


def _unit(output: ToolOutput, about: str, line: int) -> Unit:
    units: set[Unit] = {"ns" if u.lower().startswith("n") else "us" for u in _UNIT.findall(about)}
    if len(units) != 1:
        found = "both" if units else "none"
        message = f"expected the unit of the table in the lines above it, ns or us, found {found}"
        raise output.refused(message, line)
    return units.pop()


def _waker(output: ToolOutput, about: str, line: int) -> WokenBy:
    wakers = {word.lower().rstrip("s") for word in _WAKER.findall(about)}
    if len(wakers) != 1:
        found = "both" if wakers else "none"
        message = f"expected timer or IPI in the lines above the table, found {found}"
        raise output.refused(message, line)
    return "ipi" if "ipi" in wakers else "timer"


def _state(about: str) -> str | None:
    """The only state that is named."""
    names = {name.lower(): name for name in _STATE.findall(about)}
    return next(iter(names.values())) if len(names) == 1 else None


def _values(
    output: ToolOutput, columns: Sequence[str | float], words: Sequence[str], line: int, unit: Unit
) -> SummaryOnly:
    times: dict[str, float] = {}
    quantiles: dict[float, float] = {}
    count = None
    for column, word in zip(columns, words, strict=True):
        if column == "n":
            count = output.count(word, line, "N")
        elif isinstance(column, float):
            quantiles[column] = output.time_ns(word, line, f"the {column:.4g} quantile", unit)
        else:
            times[column] = output.time_ns(word, line, column, unit)
    ordered = [quantiles[share] for share in sorted(quantiles)]
    if low := times.get("min"):
        ordered.insert(0, low)
    if "max" in times:
        ordered.append(times["max"])
    if ordered != sorted(ordered):
        raise output.refused(
            "expected minimum, quantiles and maximum to rise, found otherwise", line
        )
    return SummaryOnly(
        count, times.get("mean"), times.get("sd"), times.get("min"), times.get("max"), quantiles
    )
