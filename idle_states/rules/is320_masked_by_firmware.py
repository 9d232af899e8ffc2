"""IS320 masked-by-firmware: OPAL's own mask keeps a state out of every tree.

What it does
    Exports the table as the platform's skiboot would and reports the rows that fall to the
    built-in mask. In today's skiboot it leaves levels 0 to 5.

Why is this bad
    The row looks like a state that the machine offers, and is dead: hostboot may enable its
    level, the tree never has it. Only an NVRAM key meant for debugging brings it back. The
    comment beside the mask ("all but stop11") hides that.

Example
    extends: power9

Use instead
    extends: power9
    drop: [stop8, stop11]

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), opal_disabled_states_mask = ~0xFC000000
    (217e5a4ec, 04a50cf04, 1cb7b37c9).
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .rule import Rule

RULE = Rule(
    "IS320",
    "masked-by-firmware",
    Severity.WARNING,
    forms=("spec", "c"),
    requires=("IS306", "IS319"),
)


def check(subject: Subject) -> Iterator[Finding]:
    for lost in subject.export.lost if subject.export else ():
        if lost.cause == "disabled-by-opal":
            yield RULE.finding(
                subject,
                f"{lost.state} is never exported: {lost.reason}",
                subject.at(lost.index, "control.rl"),
            )
