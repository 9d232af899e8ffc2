"""IS210 implausible-residency-ratio: latency and residency imply an odd saving of energy.

What it does
    Divides target residency by exit latency. 2 to 50 pass; above is a note; below 2 (but above
    1, see IS206) is a warning.

Why is this bad
    Entering and leaving a state costs full power for about twice the exit latency, and at the
    target residency the saving has paid for that. So a ratio of k means that this state adds 2/k
    of all that idling saves: 20 % at 10, the common figure; 2 % for stop4 and stop5 of POWER9
    (100); 0.03 % for fastsleep (7500). Below 2 it would save more than there is.

Example
    extends: power10
    override:
      stop2: {residency: 2ms}

Use instead
    extends: power10
    override:
      stop2: {residency: 1ms}

Ground
    Break-even of two states with tau = 2 * exit latency. skiboot 87f33f499 raised stop4 and
    stop5 from 10 to 100 because DGEMM lost 5 to 9 %: a note is no verdict, the figure may be
    chosen for performance. The bounds are ours.
"""

from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .is2_times import rows
from .rule import OPAL_FORMS, Rule

RULE = Rule(
    "IS210",
    "implausible-residency-ratio",
    Severity.NOTE,
    Confidence.LOW,
    forms=(*OPAL_FORMS, "sysfs"),
    requires=("IS204", "IS206", "IS211", "IS215", "IS216", "IS217"),
)

LOWEST, HIGHEST = 2, 50


def check(subject: Subject) -> Iterator[Finding]:
    for index, latency, residency in rows(subject):
        if residency <= latency or LOWEST * latency <= residency <= HIGHEST * latency:
            continue
        impossible = residency < LOWEST * latency
        yield RULE.finding(
            subject,
            f"{subject.table.states[index].name} has a target residency of "
            f"{format_time(residency)}, {_number(residency / latency)} times its exit latency of "
            f"{format_time(latency)}, as if it added {_percent(200 * latency / residency)} % to "
            "what idling saves",
            subject.at(index, "residency"),
            severity=Severity.WARNING if impossible else None,
            confidence=Confidence.MEDIUM if impossible else None,
        )


def _number(ratio: float) -> str:
    return f"{ratio:.1f}".removesuffix(".0")


def _percent(share: float) -> str:
    return f"{share:.0f}" if share >= 10 else f"{share:.2g}"
