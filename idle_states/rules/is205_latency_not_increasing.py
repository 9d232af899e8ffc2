"""IS205 latency-not-increasing: a state's exit latency is not above its predecessor's.

What it does
    Compares each exit latency with that of the row before, of the same CPUs' list or power domain
    in an Arm or RISC-V tree; equal counts.

Why is this bad
    A deeper state that wakes no slower makes the one before it pointless, so one of the figures
    is wrong or the rows are in the wrong order. menu stops at the first state that exceeds the
    latency limit and does not look at faster ones behind it. op-test fails the tree.

Example
    extends: power9
    override:
      stop2: {latency: 5us}

Use instead
    extends: power9
    override:
      stop2: {latency: 6us}

Ground
    Linux drivers/cpuidle/governors/menu.c menu_select(); op-test DeviceTreeValidation.py
    "Non monotonicity observed for latency values".
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .competing import neighbours
from .rule import FORMS, Rule

RULE = Rule(
    "IS205",
    "latency-not-increasing",
    Severity.WARNING,
    aliases=("op-test:Non monotonicity observed for latency values",),
    forms=FORMS,
    requires=("IS201", "IS211", "IS215"),
)


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    for before, after in neighbours(subject, "latency"):
        if after.ns <= before.ns:
            other = "the same" if after.ns == before.ns else f"one of {format_time(before.ns)}"
            yield RULE.finding(
                subject,
                f"{states[after.row].name} has an exit latency of {format_time(after.ns)}, "
                f"{states[before.row].name} before it {other}",
                subject.at(after.row, "latency"),
                related=[(subject.at(before.row, "latency"), "the latency before it")],
            )
