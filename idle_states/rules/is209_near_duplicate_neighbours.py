"""IS209 near-duplicate-neighbours: two neighbouring states cost the same.

What it does
    Reports neighbours whose latencies and residencies both differ by at most 3 % of the larger.

Why is this bad
    A governor's prediction is not that sharp: which of the two it takes is chance, and one is
    never of use. After rounding to microseconds they may even be equal. The *_lite rows of
    2016 to 2018 (4.9 us/49 us beside 5 us/50 us) were such pairs; besides, they did not release
    the SMT resources of the thread.

Example
    extends: power9
    override:
      stop1: {latency: 9900ns, residency: 99us}

Use instead
    extends: power9
    override:
      stop1: {latency: 9us, residency: 90us}

Ground
    skiboot 34e9c3c1e removed stop1_lite and stop2_lite, added by 739063fb7. The bound of 3 % is
    ours; it separates these pairs from every other of skiboot's tables.
"""

from collections.abc import Iterator
from itertools import pairwise

from ..findings import Confidence, Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .competing import competing
from .is2_times import rows
from .rule import FORMS, Rule

RULE = Rule(
    "IS209",
    "near-duplicate-neighbours",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=FORMS,
    requires=("IS111",),
)

PERCENT = 3


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    row2costs = {row: costs for row, *costs in rows(subject)}
    for group in competing(subject):
        for first, second in pairwise(row for row in group if row in row2costs):
            costs, next_costs = row2costs[first], row2costs[second]
            if not all(map(_close, costs, next_costs)):
                continue
            one, other = (
                f"{states[index].name} ({format_time(latency)}/{format_time(residency)})"
                for index, (latency, residency) in ((first, costs), (second, next_costs))
            )
            yield RULE.finding(
                subject,
                f"{one} and {other} differ by at most {PERCENT} % in latency and residency",
                subject.at(second),
                related=[(subject.at(first), f"{states[first].name} is here")],
            )


def _close(a: int, b: int) -> bool:
    return abs(a - b) * 100 <= PERCENT * max(a, b)
