"""IS321 level-not-enabled: the platform's ibm,enabled-stop-levels leaves out a state's level.

What it does
    Exports the table on the platform asked for and notes the rows whose level hostboot does not
    enable there. The default platform enables all.

Why is this bad
    It need not be: one table serves many machines. But tuning such a row has no effect on this
    one, and a level that should be there is missing because of hostboot, not of the table.

Example
    # platform: op920
    extends: power9

Use instead
    # platform: op920
    extends: power9
    drop: [stop8, stop11]

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), stop_levels (c3ea33f17, 0500d504b);
    hdata/spira.c add_stop_levels().
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .rule import Rule

RULE = Rule(
    "IS321", "level-not-enabled", Severity.NOTE, forms=("spec", "c"), requires=("IS306", "IS319")
)


def check(subject: Subject) -> Iterator[Finding]:
    for lost in subject.export.lost if subject.export else ():
        if lost.cause == "level-not-enabled":
            yield RULE.finding(
                subject,
                f"{lost.state} is not exported on {subject.platform.name}: {lost.reason}",
                subject.at(lost.index, "control.rl"),
            )
