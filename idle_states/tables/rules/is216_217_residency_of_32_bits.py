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
    -   stop5: {residency: 4294966297ns}
    +   stop5: {residency: 4294966296ns}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), DIV_ROUND_UP of a u32 since 8d4e10e9ed94.
    Concluded from the source.

IS217 never-reached-residency: a residency of 0xffffffff does not mean "never".

What it does
    Reports a target residency of 0xffffffff ns, the largest the field holds.

Why is this bad
    It reads like a marker for "do not choose this state", but there is none: Linux before 4.15
    takes it for 4.3 s, which any idle machine reaches, later ones wrap it to 0 us (IS216), and
    the platform code picks the state with the longest residency for offline CPUs. To keep a
    state from cpuidle, give its true latency if above 200 us, or leave the row out.

Example
    extends: power9
    override:
      stop5: {residency: 4294967295ns}

Use instead
    extends: power9
    drop: [stop5]

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(); pnv_arch300_idle_init() takes the deepest
    stop by residency.
"""

from ...base.model.table import U32_MAX
from .is2_times import Time, converting_to_zero, residencies
from .rule import Rule, Severity, Verdicts

WRAPPING = Rule("IS216", "microseconds-overflow", Severity.ERROR, varies=True)
NEVER = Rule("IS217", "never-reached-residency", Severity.WARNING, requires=("IS216",))
RULES = (WRAPPING, NEVER)

WRAPS_FROM_NS = U32_MAX - 998


@WRAPPING.of_each(residencies)
def check_wrapping(time: Time) -> Verdicts:
    if time.ns < WRAPS_FROM_NS or not time.row.subject.is_opal:
        return
    kernels = converting_to_zero(time)
    yield time.row.verdict(
        "residency",
        f"{time.row.name} has {time.kind} of {time.ns} ns, which wraps to 0 us in Linux "
        f"{'as asked for' if kernels else 'since 4.15'}",
        severity=None if kernels else Severity.WARNING,
        kernels=kernels,
    )


@NEVER.of_each(residencies)
def check_never(time: Time) -> Verdicts:
    if time.ns == U32_MAX:
        reason = "Linux has no 'never' and reads it as a time"
        message = f"{time.row.name} has {time.kind} of 0xffffffff ns; {reason}"
        yield time.row.verdict("residency", message)
