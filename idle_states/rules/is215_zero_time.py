"""IS215 zero-time: an exit latency or a target residency is 0.

What it does
    Reports every 0 among latencies and residencies. (A missing property is IS102.) The only state
    that a driver has beside polling is left out: nothing competes with it.

Why is this bad
    Nothing wakes in no time. A latency of 0 passes every limit, a residency of 0 every
    prediction, and both put the state level with snooze. As the first state's residency it makes
    snooze time out at once, and the platform code never takes a state without residency for
    offline CPUs. In C it is often a field somebody forgot to initialise.

Example
    extends: power9
    override:
      stop1: {latency: 0us}

Use instead
    extends: power9
    override:
      stop1: {latency: 5us}

Ground
    Linux cpuidle-powernv.c get_snooze_timeout(); arch/powerpc/platforms/powernv/idle.c
    pnv_arch300_idle_init() starts its search at a residency of 0.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is2_times import WORDS, all_times
from .rule import FORMS, Rule

RULE = Rule("IS215", "zero-time", Severity.ERROR, forms=FORMS)


def check(subject: Subject) -> Iterator[Finding]:
    if subject.table.built_in is not None and len(subject.table.states) == 1:
        return
    for index, field, ns in all_times(subject):
        if ns == 0:
            yield RULE.finding(
                subject,
                f"{subject.table.states[index].name} has {WORDS[field]} of 0",
                subject.at(index, field),
            )
