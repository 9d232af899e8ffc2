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
    -   stop2: {latency: 9900ns}
    +   stop2: {latency: 10us}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), DIV_ROUND_UP since 8d4e10e9ed94.
"""

from .is2_times import Time, all_times
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS212", "not-whole-microseconds", Severity.NOTE)


@RULE.of_each(all_times)
def check(time: Time) -> Verdicts:
    below, fraction = divmod(time.ns, 1000)
    if below and fraction:
        converted = f"{below + 1} us in Linux, {below} us before 4.15"
        message = f"{time.row.name} has {time.kind} of {time}, {converted}"
        yield time.row.verdict(time.field, message)
