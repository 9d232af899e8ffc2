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
    -   stop2: {residency: 2ms}
    +   stop2: {residency: 1ms}

Ground
    Break-even of two states with tau = 2 * exit latency. skiboot 87f33f499 raised stop4 and
    stop5 from 10 to 100 because DGEMM lost 5 to 9 %: a note is no verdict, the figure may be
    chosen for performance. The bounds are ours.
"""

from .is2_times import Cost, costs
from .rule import OPAL_FORMS, Confidence, Rule, Severity, Verdicts

RULE = Rule(
    "IS210",
    "implausible-residency-ratio",
    Severity.NOTE,
    Confidence.LOW,
    forms=(*OPAL_FORMS, "sysfs"),
    requires=("IS204", "IS206", "IS211", "IS215", "IS216", "IS217"),
    varies=True,
)
LOWEST = RULE.threshold("lowest", 2, "residency in exit latencies below which it is a warning")
HIGHEST = RULE.threshold("highest", 50, "residency in exit latencies above which it is a note")


@RULE.of_each(costs)
def check(cost: Cost) -> Verdicts:
    row, latency, residency = cost.row, cost.latency, cost.residency
    impossible = residency.ns < LOWEST.of(row.subject) * latency.ns
    much = residency.ns > HIGHEST.of(row.subject) * latency.ns
    if residency.ns > latency.ns and (impossible or much):
        yield row.verdict(
            "residency",
            f"{row.name} has a target residency of {residency}, "
            f"{_number(residency.ns / latency.ns)} times its exit latency of {latency}, as if it "
            f"added {_percent(200 * latency.ns / residency.ns)} % to what idling saves",
            severity=Severity.WARNING if impossible else None,
            confidence=Confidence.MEDIUM if impossible else None,
        )


def _number(ratio: float) -> str:
    return f"{ratio:.1f}".removesuffix(".0")


def _percent(share: float) -> str:
    return f"{share:.0f}" if share >= 10 else f"{share:.2g}"
