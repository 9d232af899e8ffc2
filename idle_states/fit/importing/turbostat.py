"""turbostat: shares of time requested and reached, entries, above and below; power.

`C6%` is the time in which Linux asked for the state, `CPU%c6` and its like that in which hardware
was there. `C1+` counts entries that should have been deeper, `C1-` such that should have been
shallower. Which state was forced, and how often CPUs were woken, is the caller's to say.
"""

from ...dataclass import dataclass, field
from ...measured import Energy, Measured, Stay
from .collected import counted
from .output import Told, ToolOutput
from .turbostat_rows import (
    DURATION,
    JOULES,
    TIME,
    VERSION,
    WATTS,
    TurbostatInterval,
    cell,
    counted_state,
    hardware_state,
    intervals,
    is_head,
    requested_state,
)

UNTIMED = (
    "power in an interval of unknown length: turbostat --enable Time_Of_Day_Seconds,usec says it"
)


@dataclass(slots=True)
class _Sum:
    shares: list[float] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


def recognises(output: ToolOutput) -> bool:
    lines = output.head.split("\n")
    return any(VERSION.match(line) or is_head(line.rstrip()) for line in lines)


def read(output: ToolOutput, told: Told) -> Measured:
    found = list(intervals(output))
    if not found:
        raise output.refused("expected rows below turbostat's columns, found none")
    sums: dict[tuple[str, int | None, bool], _Sum] = {}
    for interval in found:
        for number, cpu, row in interval.rows:
            for column in row:
                value = cell(output, row, column, number)
                if value is None:
                    continue
                if state := hardware_state(column):
                    sums.setdefault((state, cpu, True), _Sum()).shares.append(value / 100)
                elif state := requested_state(column):
                    sums.setdefault((state, cpu, False), _Sum()).shares.append(value / 100)
                elif pair := counted_state(column):
                    counts = sums.setdefault((pair[0], cpu, False), _Sum()).counts
                    count = output.count(row[column], number, column)
                    counts[pair[1]] = counts.get(pair[1], 0) + count
    version = VERSION.match(output.head)
    left_out: dict[str, int] = {}
    notes: list[str] = []
    energies = _energies(output, found, told, left_out, notes)
    if not (sums or notes or energies or left_out):
        message = "expected values in columns of idle states or of power, found none"
        raise output.refused(message, found[0].line)
    if len(found) > 1:
        notes.append(f"shares are means over {len(found)} intervals")
    return output.measured(
        f"turbostat {version[1]}" if version else "turbostat",
        *notes,
        energies=energies,
        stays=tuple(
            Stay(
                state,
                cpu,
                hardware,
                share=sum(kept.shares) / len(kept.shares) if kept.shares else None,
                usage=kept.counts.get(""),
                above=kept.counts.get("-"),
                below=kept.counts.get("+"),
            )
            for (state, cpu, hardware), kept in sums.items()
        ),
        left_out=left_out,
    )


def spans(output: ToolOutput, found: list[TurbostatInterval]) -> list[tuple[float | None, float]]:
    """(end, seconds) of each interval: the time of day at its end, None where it is not printed,
    and how long it was, 0 where that is not known."""
    kept: list[tuple[float | None, float]] = []
    before: float | None = None
    for interval in found:
        row, line = interval.everything, interval.line
        end = cell(output, row, TIME, line)
        duration = cell(output, row, DURATION, line)
        seconds = interval.elapsed_s or 0.0
        if duration is not None:
            seconds = duration / 1e6
        elif end is not None and before is not None:
            seconds = end - before
        if seconds < 0 or (end is not None and before is not None and end < before):
            raise output.unexpected("times to rise", row.get(TIME, ""), line)
        before = end
        kept.append((end, seconds))
    return kept


def powers(output: ToolOutput, interval: TurbostatInterval, seconds: float) -> dict[str, float]:
    """Domain -> mean power in W."""
    row, line = interval.everything, interval.line
    kept = {}
    for column, domain in WATTS.items():
        if (value := cell(output, row, column, line)) is not None:
            kept[domain] = value
    for column, domain in JOULES.items():
        value = cell(output, row, column, line)
        if value is not None and seconds:
            kept[domain] = value / seconds
    return kept


def entries(output: ToolOutput, interval: TurbostatInterval) -> float | None:
    """How often a CPU became idle, the mean over CPUs: a count of wake-ups that no tick or
    housekeeping escapes. None where the rows of CPUs have no counters."""
    counts = []
    for number, cpu, row in interval.rows:
        known = [
            output.count(text, number, column)
            for column, text in row.items()
            if (pair := counted_state(column)) and pair[1] == "" and text.isdecimal()
        ]
        if cpu is not None and known:
            counts.append(sum(known))
    return sum(counts) / len(counts) if counts else None


def _energies(
    output: ToolOutput,
    found: list[TurbostatInterval],
    told: Told,
    left_out: dict[str, int],
    notes: list[str],
) -> tuple[Energy, ...]:
    measured = []
    forced = told.state is not None and told.period_ns is not None
    means: dict[str, list[float]] = {}
    for interval, (_, seconds) in zip(found, spans(output, found), strict=True):
        for domain, watts in powers(output, interval, seconds).items():
            means.setdefault(domain, []).append(watts)
            if not forced:
                continue
            if not seconds:
                counted(left_out, UNTIMED)
                continue
            assert told.state is not None
            assert told.period_ns is not None
            place = output.place(interval.line)
            woken = entries(output, interval)
            measured.append(
                Energy(
                    told.state,
                    told.period_ns,
                    watts,
                    seconds,
                    None if woken is None else round(woken),
                    domain,
                    where=place,
                )
            )
    if means and not forced:
        listing = ", ".join(
            f"{domain} {sum(values) / len(values):.2f} W" for domain, values in means.items()
        )
        notes.append(
            f"mean power: {listing}; turbostat does not say which state was forced and how often "
            "CPUs were woken, without which no energy of a state follows"
        )
    return tuple(measured)
