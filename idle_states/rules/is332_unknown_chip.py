"""IS332 unknown-chip: skiboot takes no table of this kind for the processor's chip.

What it does
    Exports the table as the platform's skiboot would, and notes a chip that this release, or any
    modelled one, does not know. Older releases then export a table with nap alone, newer ones
    nothing.

Why is this bad
    No row of the table reaches a device tree, whatever is in it. It is not the table's mistake,
    hence a note: but whoever tries the table with that firmware tries another, or none.

Example
    # platform: skiboot=7.0
    extends: power11

Use instead
    # platform: skiboot=7.1.1
    extends: power11

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), chip->type; 1cb7b37c9 for POWER10, 8cd82f715
    for POWER11.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .rule import Rule

RULE = Rule("IS332", "unknown-chip", Severity.NOTE, forms=("spec",))


def check(subject: Subject) -> Iterator[Finding]:
    for lost in subject.export.lost[:1] if subject.export else ():
        if lost.cause == "unknown-chip":
            yield RULE.finding(
                subject, f"no state is exported: {lost.reason}", subject.at(None, "cpu")
            )
