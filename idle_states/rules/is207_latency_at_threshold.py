"""IS207 latency-at-threshold: an exit latency is exactly the limit Linux sets.

What it does
    Reports an exit latency of 200000 ns.

Why is this bad
    cpuidle-powernv drops states above 200 us and keeps one at 200 us. A latency that sits on the
    limit says where the limit is, not how long the state takes: stop5 of POWER9 has 200 us, and
    was measured at about 1 ms. Give the true figure, and `cpuidle: no` if it is above.

Example
    extends: power9
    override:
      stop4: {latency: 200us}

Use instead
    extends: power9
    drop: [stop5]
    override:
      stop4: {latency: 199us}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), POWERNV_THRESHOLD_LATENCY_NS, compared
    with "greater than"; skiboot 1953b41e1; linuxppc-dev 20230828061530.126588-1 (measured).
"""

from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..linux.convert import THRESHOLD_NS
from ..pipeline import Subject
from ..units import format_time
from .is2_times import column
from .rule import Rule

RULE = Rule("IS207", "latency-at-threshold", Severity.NOTE, Confidence.MEDIUM)


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_opal:
        return
    for index, field, ns in column(subject, "latency"):
        if ns == THRESHOLD_NS:
            yield RULE.finding(
                subject,
                f"{subject.table.states[index].name} has an exit latency of {format_time(ns)}, "
                "the most that Linux takes for cpuidle",
                subject.at(index, field),
            )
