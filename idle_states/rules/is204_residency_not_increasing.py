"""IS204 residency-not-increasing: a state's target residency is lower than its predecessor's.

What it does
    Compares each target residency with that of the row before, of the same CPUs' list or power
    domain in an Arm or RISC-V tree. Equal ones are IS203.

Why is this bad
    Governors walk the states in table order and stop at the first whose residency is too long
    for the predicted idle time. A later row with a lower residency is then reached only when the
    longer one fits as well, so its own figure never decides anything.

Example
    extends: power9
    override:
      stop2: {residency: 40us}

Use instead
    extends: power9
    override:
      stop2: {residency: 60us}

Ground
    Linux drivers/cpuidle/governors/menu.c menu_select() and teo.c take ascending tables for
    granted; op-test DeviceTreeValidation.py "Non monotonicity observed for residency values".
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .competing import neighbours
from .rule import FORMS, Rule

RULE = Rule(
    "IS204",
    "residency-not-increasing",
    Severity.ERROR,
    aliases=("op-test:Non monotonicity observed for residency values",),
    forms=FORMS,
    requires=("IS202", "IS211", "IS215"),
)


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    for before, after in neighbours(subject, "residency"):
        if after.ns < before.ns:
            yield RULE.finding(
                subject,
                f"{states[after.row].name} has a target residency of {format_time(after.ns)}, "
                f"{states[before.row].name} before it one of {format_time(before.ns)}",
                subject.at(after.row, "residency"),
                related=[(subject.at(before.row, "residency"), "the longer one")],
            )
