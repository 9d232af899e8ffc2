"""pbe's results: the power of a machine whose CPUs are woken at a period that grows in steps.

datapoints.csv has the periods (LDist, in ns), stats/ the power: turbostat.raw.txt with the time of
day, or acpower.raw.txt of a wall meter. labels.txt says when which period began. pbe forces no
state: unless the caller names it, a span belongs to the state in which Linux asked for DOMINANT of
all idle time, by turbostat.

Source: intel/wult e4094be, pbe; intel/stats-collect 32905d4.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter

from ....base.dataclass import dataclass, field
from ....base.model.findings import Location, unreadable
from ....base.model.measured import Energy, Measured
from ....base.reading import limits, opening
from .columns import Column, csv_rows
from .format_turbostat import entries, powers
from .format_turbostat import spans as turbostat_spans
from .output import MOST, Facts, ToolOutput, output_of
from .turbostat_rows import TurbostatInterval, cell, hardware_state, intervals, requested_state

DOMINANT = 0.95
MIXED = "spans in which no state had 95 % of the idle time that Linux asked for"
STOPPED = "spans that datapoints.csv has no row of: the run was stopped"
UNMEASURED = "spans without a reading of power"
POINTS = (Column("Time", "number"), Column("LDist", "ns"))
METER = (Column("T", "number"), Column("P", "number"))
"""Columns of a wall meter: s of the day's clock, and W."""
_CORE_STATE = re.compile(r"C([0-9]{1,2})[A-Z]{0,2}")
_LABELS = ("labels.txt", "stats/labels.txt")
_TURBOSTAT = ("stats/turbostat.raw.txt", "stats/turbostat/turbostat.raw.txt")
_METER = ("stats/acpower.raw.txt", "stats/acpower/acpower.raw.txt")


@dataclass(frozen=True, slots=True)
class _Span:
    """One period of wake-ups, from start to end in s of the day's clock."""

    line: int
    period_ns: float
    start: float
    end: float


@dataclass(slots=True)
class _Reading:
    """A mean over some time that ends at `end`."""

    end: float
    seconds: float
    watts: dict[str, float]
    requested: dict[str, float] = field(default_factory=dict)
    reached: dict[str, float] = field(default_factory=dict)
    entries: float | None = None


def read(tree: opening.Tree, output: ToolOutput, facts: Facts, tool: str) -> Measured:
    """output: datapoints.csv. tool: pbe with its version. Raises Unreadable."""
    periods_ns = _periods_ns(output)
    sources = {"turbostat": _opened(tree, _TURBOSTAT), "acpower": _opened(tree, _METER)}
    readings = {
        "turbostat": _of_turbostat(sources["turbostat"]),
        "acpower": _of_meter(sources["acpower"]),
    }
    if not any(readings.values()):
        message = "expected stats/turbostat.raw.txt or stats/acpower.raw.txt, found neither"
        raise unreadable(tree.shown(""), message)
    stopped: set[float] = set()
    spans: dict[float, tuple[Location, list[_Reading]]] = {}
    for name, kept in readings.items():
        if not kept:
            continue
        labels = _labels(tree, name)
        for span in _spans(labels, kept[-1].end):
            if span.period_ns not in periods_ns:
                stopped.add(span.period_ns)
                continue
            _, chosen = spans.setdefault(span.period_ns, (labels.place(span.line), []))
            chosen += _inside(span, kept)
    output.leave_out(STOPPED, len(stopped))
    energies: list[Energy] = []
    for period_ns, (place, chosen) in spans.items():
        energies += _energies(output, period_ns, place, chosen, facts)
    used = [name for name, kept in readings.items() if kept]
    return output.measured(
        tool,
        f"power by {' and '.join(used)}",
        "wake-ups are counted as entries into idle states, the mean over CPUs"
        if any(reading.entries is not None for reading in readings["turbostat"])
        else "wake-ups were not counted: the requested period is used",
        energies=energies,
    )


def _labels(tree: opening.Tree, collector: str) -> ToolOutput:
    """The labels by the clock of the machine that ran a collector of statistics: there may be two,
    and the first line of each names its collectors."""
    agents = []
    if tree.is_directory("stats"):
        agents = sorted(e.name for e in tree.entries("stats") if e.name.startswith("stc-agent-"))
    names = [*_LABELS, *(f"stats/{agent}/labels.txt" for agent in agents)]
    found = [labels for name in names if (labels := _opened(tree, [name])) is not None]
    for labels in found:
        head = labels.head.split("\n", 1)[0]
        if not head.startswith("#") or collector in head.strip("# ").split(","):
            return labels
    message = f"expected labels.txt of {collector}, which tells when each period began, found none"
    raise unreadable(tree.shown("stats"), message)


def _opened(tree: opening.Tree, names: Sequence[str]) -> ToolOutput | None:
    for name in names:
        if tree.is_file(name):
            return output_of(tree.shown(name), tree.read(name, limits.MEASURED_BYTES))
    return None


def _periods_ns(output: ToolOutput) -> set[float]:
    """The periods that the rows of datapoints.csv name."""
    found = set()
    for row in csv_rows(output, POINTS, "the columns Time,LDist"):
        row.value("Time")
        found.add(row.value("LDist"))
    return found


def _spans(labels: ToolOutput, last: float) -> Iterator[_Span]:
    """Between labels; the last one ends with the last reading."""
    begun: tuple[int, float, float] | None = None
    before = 0.0
    for number, line in labels.numbered():
        if not line.strip() or line.startswith("#"):
            continue
        try:
            label = json.loads(line)
        except (ValueError, RecursionError):
            raise labels.unexpected("a JSON object", line, number) from None
        stamp = label.get("ts") if isinstance(label, dict) else None
        if isinstance(stamp, bool) or not isinstance(stamp, int | float) or not 0 < stamp < MOST:
            raise labels.unexpected("a label with its time, ts", line, number)
        if stamp < before:
            raise labels.unexpected("labels in the order of their times", line, number)
        before = stamp
        if begun is not None and begun[2] < stamp:
            yield _Span(*begun, stamp)
        begun = None
        metrics = label.get("metrics")
        period = metrics.get("LDist") if isinstance(metrics, dict) else None
        if label.get("name") == "start" and period is not None:
            if isinstance(period, bool) or not isinstance(period, int) or not 0 < period < MOST:
                raise labels.unexpected("LDist, a whole number of ns", line, number)
            begun = number, float(period), stamp
    if begun is not None and begun[2] < last:
        yield _Span(*begun, last)


def _of_turbostat(output: ToolOutput | None) -> list[_Reading]:
    if output is None:
        return []
    rows = list(intervals(output))
    kept = []
    for interval, (end, seconds) in zip(rows, turbostat_spans(output, rows), strict=True):
        if end is None:
            message = "expected the column Time_Of_Day_Seconds, found none"
            raise output.refused(message, interval.line)
        if seconds:
            watts = powers(output, interval, seconds)
            states = _states(output, interval)
            kept.append(_Reading(end, seconds, watts, *states, entries(output, interval)))
    return kept


def _states(
    output: ToolOutput, interval: TurbostatInterval
) -> tuple[dict[str, float], dict[str, float]]:
    requested: dict[str, float] = {}
    reached: dict[str, float] = {}
    row = interval.everything
    for column in row:
        if name := requested_state(column):
            requested[name] = cell(output, row, column, interval.line) or 0.0
        elif name := hardware_state(column):
            value = cell(output, row, column, interval.line)
            if value is not None:
                reached[name] = value / 100
    return requested, reached


def _of_meter(output: ToolOutput | None) -> list[_Reading]:
    kept: list[_Reading] = []
    if output is None:
        return kept
    before: float | None = None
    for row in csv_rows(output, METER, "columns with T and P"):
        end, watts = row.value("T"), row.value("P")
        if before is not None:
            if end < before:
                raise output.unexpected("times to rise", row.text("T"), row.line)
            kept.append(_Reading(end, end - before, {"wall": watts}))
        before = end
    return kept


def _inside(span: _Span, kept: list[_Reading]) -> list[_Reading]:
    """Readings that began and ended within a span."""
    by = attrgetter("end")
    ended = kept[bisect_left(kept, span.start, key=by) : bisect_right(kept, span.end, key=by)]
    return [reading for reading in ended if reading.end - reading.seconds >= span.start]


def _energies(
    output: ToolOutput, period_ns: float, place: Location, chosen: Sequence[_Reading], facts: Facts
) -> list[Energy]:
    if not chosen:
        output.leave_out(UNMEASURED)
        return []
    state = facts.state or _dominant(chosen)
    if state is None:
        output.leave_out(MIXED)
        return []
    made = []
    for domain in dict.fromkeys(name for reading in chosen for name in reading.watts):
        of_domain = [reading for reading in chosen if domain in reading.watts]
        seconds = sum(reading.seconds for reading in of_domain)
        joules = sum(reading.watts[domain] * reading.seconds for reading in of_domain)
        if seconds:
            made.append(
                Energy(
                    state,
                    period_ns,
                    joules / seconds,
                    seconds,
                    _wakeups(chosen, seconds),
                    domain,
                    _reached(state, chosen),
                    place,
                )
            )
    return made


def _wakeups(readings: Sequence[_Reading], seconds: float) -> int | None:
    """Returns the number of wake-ups in so many seconds, at the rate of a CPU's idle entries."""
    counted_in = [(r.entries, r.seconds) for r in readings if r.entries is not None]
    time = sum(part for _, part in counted_in)
    return round(sum(count for count, _ in counted_in) / time * seconds) if time else None


def _dominant(readings: Sequence[_Reading]) -> str | None:
    """The state in which Linux asked for most idle time, if that is enough."""
    totals: dict[str, float] = {}
    for reading in readings:
        for state, share in reading.requested.items():
            totals[state] = totals.get(state, 0.0) + share * reading.seconds
    whole = sum(totals.values())
    return next((state for state, part in totals.items() if part > DOMINANT * whole), None)


def _reached(state: str, readings: Sequence[_Reading]) -> float | None:
    """The mean share in which hardware was in the core's state of that name; None where no column
    says it."""
    match = _CORE_STATE.fullmatch(state)
    name = f"CC{match[1]}" if match else ""
    shares = [(r.reached[name], r.seconds) for r in readings if name in r.reached]
    seconds = sum(part for _, part in shares)
    return sum(share * part for share, part in shares) / seconds if seconds else None
