"""turbostat: power. The caller has to say which state was forced, and how often CPUs were woken."""

from ....base.model.measured import Energy, Measured
from .output import Facts, ToolOutput
from .turbostat_rows import (
    DURATION,
    JOULES,
    TIME,
    VERSION,
    WATTS,
    TurbostatInterval,
    cell,
    counted_state,
    intervals,
    is_head,
)

TITLE = "turbostat's output"
UNTIMED = (
    "power in an interval of unknown length: turbostat --enable Time_Of_Day_Seconds,usec records it"
)


def recognises(output: ToolOutput) -> bool:
    lines = output.head.split("\n")
    return any(VERSION.match(line) or is_head(line.rstrip()) for line in lines)


def read(output: ToolOutput, facts: Facts) -> Measured:
    found = list(intervals(output))
    if not found:
        raise output.refused("expected rows below turbostat's columns, found none")
    version = VERSION.match(output.head)
    notes: list[str] = []
    energies = _energies(output, found, facts, notes)
    if not (notes or energies or output.left_out):
        message = "expected values in columns of power, found none"
        raise output.refused(message, found[0].line)
    return output.measured(
        f"turbostat {version[1]}" if version else "turbostat", *notes, energies=energies
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
    """Returns the number of idle entries of a CPU, the mean over CPUs: a count of wake-ups that no
    tick or housekeeping escapes. None where the rows of CPUs have no counters."""
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
    output: ToolOutput, found: list[TurbostatInterval], facts: Facts, notes: list[str]
) -> tuple[Energy, ...]:
    measured = []
    state, period_ns = facts.state, facts.period_ns
    means: dict[str, list[float]] = {}
    for interval, (_, seconds) in zip(found, spans(output, found), strict=True):
        for domain, watts in powers(output, interval, seconds).items():
            means.setdefault(domain, []).append(watts)
            if state is None or period_ns is None:
                continue
            if not seconds:
                output.leave_out(UNTIMED)
                continue
            counted = entries(output, interval)
            woken, where = None if counted is None else round(counted), output.place(interval.line)
            measured.append(Energy(state, period_ns, watts, seconds, woken, domain, where=where))
    if means and (state is None or period_ns is None):
        listing = ", ".join(
            f"{domain} {sum(values) / len(values):.2f} W" for domain, values in means.items()
        )
        notes.append(
            f"mean power: {listing}; turbostat does not tell which state was forced and how "
            "often CPUs were woken, so no energy of a state follows"
        )
    return tuple(measured)
