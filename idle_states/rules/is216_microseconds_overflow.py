"""IS216 microseconds-overflow: a residency wraps to 0 us when Linux rounds it up.

What it does
    Reports target residencies of 4294966297 ns and more: as an error if a kernel asked for
    rounds up, as a warning otherwise. Latencies that long are dropped before they are converted.

Why is this bad
    Since 4.15 the kernel adds 999 in 32 bits and then divides by 1000. From 4294966297 ns on the
    sum wraps, and the longest residency of the table becomes 0 us, the shortest.

Example
    extends: power9
    override:
      stop5: {residency: 4294966297ns}

Use instead
    extends: power9
    override:
      stop5: {residency: 4294966296ns}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), DIV_ROUND_UP of a u32 since 8d4e10e9ed94.
    Concluded from the source.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import U32_MAX
from .is2_times import column, converting_to_zero
from .rule import Rule

RULE = Rule("IS216", "microseconds-overflow", Severity.ERROR)

WRAPS_FROM_NS = U32_MAX - 998


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_opal:
        return
    for index, field, ns in column(subject, "residency"):
        if ns < WRAPS_FROM_NS:
            continue
        kernels = converting_to_zero(subject, ns)
        yield RULE.finding(
            subject,
            f"{subject.table.states[index].name} has a target residency of {ns} ns, which wraps "
            f"to 0 us in Linux {'as asked for' if kernels else 'since 4.15'}",
            subject.at(index, field),
            severity=None if kernels else Severity.WARNING,
            kernels=kernels,
        )
