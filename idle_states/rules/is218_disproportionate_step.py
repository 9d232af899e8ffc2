"""IS218 disproportionate-step: a time looks a thousand times too long or too short.

What it does
    Reports a latency or residency that is out of order with its neighbours and would be in order
    if it were 1000 times as long or as short (at the ends of the table also within a factor of
    20 of its one neighbour); and otherwise a step of more than 1000 from one row to the next. On
    POWER8 and before such a step is a note: nap to fastsleep is one.

Why is this bad
    Nearly always a unit slipped: us for ms, a value in microseconds in a field of nanoseconds.

Example
    extends: power9
    override:
      stop2: {latency: 10ms}

Use instead
    extends: power9
    override:
      stop2: {latency: 10us}

Ground
    All tables skiboot ever had: the largest step between stop states is 418 (POWER9 DD1), that
    between nap and fastsleep is 3000. The bounds are ours.
"""

from collections.abc import Iterator
from itertools import pairwise

from ..findings import Confidence, Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .is2_times import FIELDS, WORDS, Time, column
from .rule import Rule

RULE = Rule(
    "IS218",
    "disproportionate-step",
    Severity.WARNING,
    Confidence.MEDIUM,
    requires=(
        "IS201",
        "IS202",
        "IS204",
        "IS205",
        "IS206",
        "IS208",
        "IS211",
        "IS215",
        "IS216",
        "IS217",
    ),
)

UNIT = 1000
NEAR = 20
"""How far from its only neighbour a first or last row may be to count as being in order."""


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    for field in FIELDS:
        times = [time for time in column(subject, field) if time.ns]
        misplaced = set()
        for position, time in enumerate(times):
            meant = _meant(times, position)
            if meant is None:
                continue
            misplaced.add(time.row)
            yield RULE.finding(
                subject,
                f"{states[time.row].name} has {WORDS[field]} of {format_time(time.ns)}, out "
                f"of order; {format_time(meant)} would be in order",
                subject.at(time.row, field),
            )
        for before, after in pairwise(times):
            low, high = sorted((before.ns, after.ns))
            if high <= UNIT * low or misplaced & {before.row, after.row}:
                continue
            yield RULE.finding(
                subject,
                f"{states[after.row].name} has {WORDS[field]} of {format_time(after.ns)}, "
                f"{states[before.row].name} before it one of {format_time(before.ns)}: a "
                f"step of {high // low}",
                subject.at(after.row, field),
                severity=None if subject.is_stop else Severity.NOTE,
                confidence=None if subject.is_stop else Confidence.LOW,
            )


def _meant(times: list[Time], position: int) -> int | None:
    """The value 1000 times as short or long, if that and only that is in order."""
    before = times[position - 1].ns if position else None
    after = times[position + 1].ns if position + 1 < len(times) else None
    ns = times[position].ns
    if before is None and after is None:
        return None
    if (before is None or before < ns) and (after is None or ns < after):
        return None

    def in_order(other: int) -> bool:
        if before is None or after is None:
            alone = before or after or 0
            near = max(other, alone) <= NEAR * min(other, alone)
            return near and (alone < other if after is None else other < alone)
        return before < other < after

    shorter = [ns // UNIT] if ns % UNIT == 0 else []
    return next((other for other in (*shorter, ns * UNIT) if in_order(other)), None)
