"""IS201 sub-microsecond-latency: an exit latency is below 1 us.

What it does
    Reports exit latencies of 1 to 999 ns, which no kernel can represent.

Why is this bad
    cpuidle counts in microseconds. Linux before 4.15 truncates, so 200 ns is 0 us: the state
    looks as cheap as snooze, passes any latency limit, and the governor takes it instead of
    snooze nearly every time. On POWER9 DD1 that cost context_switch2 24 % of its throughput. From
    4.15 on the kernel rounds up to 1 us, which is not what the table says either.

Example
    extends: power9
    override:
      stop0_lite: {latency: 200ns, residency: 2us}

Use instead
    extends: power9
    override:
      stop0_lite: {latency: 1us, residency: 10us}

Ground
    skiboot 51974cab7 corrected 200 ns to 1 us; Linux cpuidle-powernv.c
    powernv_add_idle_states() divides by 1000, rounding up since 8d4e10e9ed94.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .is2_times import column, converting_to_zero
from .rule import Rule

RULE = Rule("IS201", "sub-microsecond-latency", Severity.ERROR)


def check(subject: Subject) -> Iterator[Finding]:
    for index, field, ns in column(subject, "latency"):
        if not 0 < ns < 1000:
            continue
        kernels = converting_to_zero(subject, ns)
        state = subject.table.states[index].name
        outcome = (
            "which these kernels truncate to 0 us, level with snooze"
            if kernels
            else "which no kernel has: 0 us, level with snooze, before Linux 4.15 and 1 us since"
        )
        yield RULE.finding(
            subject,
            f"{state} has an exit latency of {format_time(ns)}, {outcome}",
            subject.at(index, field),
            kernels=kernels,
        )
