"""IS212 not-whole-microseconds: a time loses its fraction on the way into Linux.

What it does
    Reports latencies and residencies above 1 us that are no multiple of 1000 ns; shorter ones
    are IS201 and IS202.

Why is this bad
    Linux works in microseconds: before 4.15 it cuts the fraction off, since then it rounds up.
    The figure in the table is in no kernel, and neighbours can become equal (4900 ns and 5000 ns
    are both 5 us).

Example
    extends: power9
    override:
      stop2: {latency: 9900ns}

Use instead
    extends: power9
    override:
      stop2: {latency: 10us}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), DIV_ROUND_UP since 8d4e10e9ed94.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .is2_times import WORDS, all_times
from .rule import Rule

RULE = Rule("IS212", "not-whole-microseconds", Severity.NOTE)


def check(subject: Subject) -> Iterator[Finding]:
    for index, field, ns in all_times(subject):
        below, fraction = divmod(ns, 1000)
        if below and fraction:
            yield RULE.finding(
                subject,
                f"{subject.table.states[index].name} has {WORDS[field]} of {format_time(ns)}, "
                f"{below + 1} us in Linux, {below} us before 4.15",
                subject.at(index, field),
            )
