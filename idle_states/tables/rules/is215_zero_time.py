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
    -   stop1: {latency: 0us}
    +   stop1: {latency: 5us}

Ground
    Linux cpuidle-powernv.c get_snooze_timeout(); arch/powerpc/platforms/powernv/idle.c
    pnv_arch300_idle_init() starts its search at a residency of 0.
"""

from .is2_times import Time, all_times
from .rule import FORMS, Rule, Severity, Verdicts

RULE = Rule("IS215", "zero-time", Severity.ERROR, forms=FORMS)


@RULE.of_each(all_times)
def check(time: Time) -> Verdicts:
    table = time.row.subject.table
    if time.ns == 0 and (table.origin.form != "driver" or len(table.states) > 1):
        yield time.row.verdict(time.field, f"{time.row.name} has {time.kind} of 0")
