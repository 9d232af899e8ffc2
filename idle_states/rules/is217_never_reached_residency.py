"""IS217 never-reached-residency: a residency of 0xffffffff does not mean "never".

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

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import U32_MAX
from .is2_times import column
from .rule import Rule

RULE = Rule("IS217", "never-reached-residency", Severity.WARNING, requires=("IS216",))


def check(subject: Subject) -> Iterator[Finding]:
    for index, field, ns in column(subject, "residency"):
        if ns == U32_MAX:
            yield RULE.finding(
                subject,
                f"{subject.table.states[index].name} has a target residency of 0xffffffff ns; "
                "Linux knows no 'never' and takes it as a time",
                subject.at(index, field),
            )
