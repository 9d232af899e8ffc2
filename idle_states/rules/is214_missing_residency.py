"""IS214 missing-residency: a table gives no target residency.

What it does
    Reports rows without one: `residency: none` in a spec, a C table of the days before the
    struct had the field. In a device tree the missing property is IS102.

Why is this bad
    Linux since 4.19 takes no state at all from a tree without residencies, on POWER8 too,
    whatever the binding says. Older kernels put in 100 us for nap and 300 ms for sleep.

Example
    extends: power8
    override:
      nap: {residency: none}

Use instead
    extends: power8
    override:
      nap: {residency: 100us}

Ground
    skiboot 0d7b1161a added the field; Linux pnv_parse_cpuidle_dt() requires the property since
    9c7b185ab2fe.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .rule import Rule

RULE = Rule("IS214", "missing-residency", Severity.WARNING, forms=("spec", "c"))


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in enumerate(subject.table.states):
        if state.residency_ns is None:
            yield RULE.finding(
                subject,
                f"expected a target residency for {state.name}, found none; Linux from 4.19 on "
                "takes no state of the table",
                subject.at(index, "residency"),
            )
