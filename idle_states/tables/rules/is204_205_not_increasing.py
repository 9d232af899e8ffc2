"""IS204 residency-not-increasing: a state's target residency is lower than its predecessor's.

What it does
    Compares each target residency with that of the row before, of the same CPUs' list or power
    domain in an Arm or RISC-V tree. Equal ones are IS203.

Why is this bad
    Governors stop at the first state whose residency is too long for the predicted idle time, so
    that the figure of a shorter one behind it never decides. Of a power domain's states genpd takes
    the deepest that fits, and passes over the one before.

Example
    extends: power9
    override:
      stop2: {residency: 40us}

Use instead
    -   stop2: {residency: 40us}
    +   stop2: {residency: 60us}

Ground
    Linux drivers/cpuidle/governors/menu.c menu_select() and teo.c take ascending tables for
    granted; op-test DeviceTreeValidation.py "Non monotonicity observed for residency values".

IS205 latency-not-increasing: a state's exit latency is not above its predecessor's.

What it does
    Compares each exit latency with that of the row before, of the same CPUs' list or power domain
    in an Arm or RISC-V tree; equal counts.

Why is this bad
    A deeper state that wakes no slower makes the one before it pointless, so one of the figures
    is wrong or the rows are in the wrong order. Of a CPU's states, menu stops at the first that
    exceeds the latency limit and does not look at faster ones behind it. op-test fails the tree.

Example
    extends: power9
    override:
      stop2: {latency: 5us}

Use instead
    -   stop2: {latency: 5us}
    +   stop2: {latency: 6us}

Ground
    Linux drivers/cpuidle/governors/menu.c menu_select(); op-test DeviceTreeValidation.py
    "Non monotonicity observed for latency values".
"""

from functools import partial

from .competing import neighbours
from .is2_times import Time
from .rule import FORMS, Rule, Severity, Verdicts

RESIDENCY = Rule(
    "IS204",
    "residency-not-increasing",
    Severity.ERROR,
    aliases=("op-test:Non monotonicity observed for residency values",),
    forms=FORMS,
    requires=("IS202", "IS211", "IS215"),
)
LATENCY = Rule(
    "IS205",
    "latency-not-increasing",
    Severity.WARNING,
    aliases=("op-test:Non monotonicity observed for latency values",),
    forms=FORMS,
    requires=("IS201", "IS211", "IS215"),
)
RULES = (RESIDENCY, LATENCY)


@RESIDENCY.of_each(partial(neighbours, field="residency"))
def check_residency(pair: tuple[Time, Time]) -> Verdicts:
    before, after = pair
    if after.ns < before.ns:
        yield from _against(before, after, f"one of {before}", "the longer one")


@LATENCY.of_each(partial(neighbours, field="latency"))
def check_latency(pair: tuple[Time, Time]) -> Verdicts:
    before, after = pair
    if after.ns <= before.ns:
        other = "the same" if after.ns == before.ns else f"one of {before}"
        yield from _against(before, after, other, "the latency before it")


def _against(before: Time, after: Time, other: str, remark: str) -> Verdicts:
    yield after.row.verdict(
        after.field,
        f"{after.row.name} has {after.kind} of {after}, {before.row.name} before it {other}",
        related=[(before.row.at(before.field), remark)],
    )
