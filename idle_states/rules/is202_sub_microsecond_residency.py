"""IS202 sub-microsecond-residency: a target residency is below 1 us.

What it does
    Reports target residencies of 1 to 999 ns, which no kernel can represent.

Why is this bad
    At 0 us (Linux before 4.15) every idle period is long enough for the state. The first state's
    residency is also the time-out of snooze: at 0 us snooze is left as soon as it is entered. No
    POWER state breaks even within a microsecond; the usual cause is a unit that slipped.

Example
    extends: power9
    override:
      stop0_lite: {residency: 10ns}

Use instead
    extends: power9
    override:
      stop0_lite: {residency: 10us}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states() (rounding up since 8d4e10e9ed94) and
    get_snooze_timeout().
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .is2_times import column, converting_to_zero
from .rule import Rule

RULE = Rule("IS202", "sub-microsecond-residency", Severity.ERROR)


def check(subject: Subject) -> Iterator[Finding]:
    for index, field, ns in column(subject, "residency"):
        if not 0 < ns < 1000:
            continue
        kernels = converting_to_zero(subject, ns)
        state = subject.table.states[index].name
        outcome = (
            "which these kernels truncate to 0 us"
            if kernels
            else "which no kernel has: 0 us before Linux 4.15 and 1 us since"
        )
        if index == 0:
            outcome += "; it is the time-out of snooze as well"
        yield RULE.finding(
            subject,
            f"{state} has a target residency of {format_time(ns)}, {outcome}",
            subject.at(index, field),
            kernels=kernels,
        )
