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
    -   nap: {residency: none}
    +   nap: {residency: 100us}

Ground
    skiboot 0d7b1161a added the field; Linux pnv_parse_cpuidle_dt() requires the property since
    9c7b185ab2fe.
"""

from .rows import StateRow, every_row
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS214", "missing-residency", Severity.WARNING, forms=("spec", "c"))


@RULE.of_each(every_row)
def check(row: StateRow) -> Verdicts:
    if row.state.residency_ns is None:
        outcome = "Linux from 4.19 on registers no state of the table"
        message = f"expected a target residency for {row.name}, found none; {outcome}"
        yield row.verdict("residency", message)
