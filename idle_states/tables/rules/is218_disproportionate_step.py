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
    -   stop2: {latency: 10ms}
    +   stop2: {latency: 10us}

Ground
    All tables skiboot ever had: the largest step between stop states is 418 (POWER9 DD1), that
    between nap and fastsleep is 3000. The bounds are ours.
"""

from itertools import pairwise

from ...base.model.units import format_time
from .is2_times import FIELDS, Time, column
from .rule import Confidence, Rule, Severity, Subject, Verdicts

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
    varies=True,
)
STEP = RULE.threshold("step", 1000, "most times that a row may be as long as its neighbour")
NEAR = RULE.threshold("near", 20, "most times that an end row may be as long as its only neighbour")
UNIT = 1000
"""Units of time that are mistaken for each other lie so far apart."""


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    near, step = NEAR.of(subject), STEP.of(subject)
    for field in FIELDS:
        times = [time for time in column(subject, field) if time.ns]
        misplaced = set()
        for position, time in enumerate(times):
            meant = _meant(times, position, near)
            if meant is None:
                continue
            misplaced.add(time.row.number)
            yield time.row.verdict(
                field,
                f"{time.row.name} has {time.kind} of {time}, out of order; {format_time(meant)} "
                "would be in order",
            )
        for before, after in pairwise(times):
            low, high = sorted((before.ns, after.ns))
            if high <= step * low or misplaced & {before.row.number, after.row.number}:
                continue
            yield after.row.verdict(
                field,
                f"{after.row.name} has {after.kind} of {after}, {before.row.name} before it one "
                f"of {before}: a step of {high // low}",
                severity=None if subject.is_stop else Severity.NOTE,
                confidence=None if subject.is_stop else Confidence.LOW,
            )


def _meant(times: list[Time], position: int, most: int) -> int | None:
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
            near = max(other, alone) <= most * min(other, alone)
            return near and (alone < other if after is None else other < alone)
        return before < other < after

    shorter = [ns // UNIT] if ns % UNIT == 0 else []
    return next((other for other in (*shorter, ns * UNIT) if in_order(other)), None)
