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
    -   stop1: {latency: 9900ns, residency: 99us}
    +   stop1: {latency: 9us, residency: 90us}

Ground
    skiboot 34e9c3c1e removed stop1_lite and stop2_lite, added by 739063fb7. The bound of 3 % is
    ours; it separates these pairs from every other of skiboot's tables.
"""

from itertools import pairwise

from .competing import competing
from .is2_times import Cost, costs
from .rule import FORMS, Confidence, Rule, Severity, Subject, Verdicts

RULE = Rule(
    "IS209",
    "near-duplicate-neighbours",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=FORMS,
    requires=("IS111",),
)
PERCENT = RULE.threshold("percent", 3, "most percent by which times differ that count as the same")


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    percent = PERCENT.of(subject)
    row2cost = {cost.row.number: cost for cost in costs(subject)}
    for group in competing(subject):
        having = [row2cost[row.number] for row in group if row.number in row2cost]
        for first, second in pairwise(having):
            if _alike(first, second, percent):
                both = f"{_row(first)} and {_row(second)}"
                yield second.row.verdict(
                    "state",
                    f"{both} differ by at most {percent} % in latency and residency",
                    related=[(first.row.at(), f"{first.row.name} is here")],
                )


def _alike(first: Cost, second: Cost, percent: int) -> bool:
    times = ((first.latency.ns, second.latency.ns), (first.residency.ns, second.residency.ns))
    return all(abs(a - b) * 100 <= percent * max(a, b) for a, b in times)


def _row(cost: Cost) -> str:
    return f"{cost.row.name} ({cost.latency}/{cost.residency})"
