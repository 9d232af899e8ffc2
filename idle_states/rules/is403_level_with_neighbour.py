"""IS403 level-with-neighbour: two registered states are alike in microseconds.

What it does
    Compares each state a kernel registers with the one before it. The same exit latency and
    target residency are a warning; one of them the same, where the nanoseconds differ, is a note.

Why is this bad
    What the table tells apart, the kernel cannot. Of two states with the same times the menu and
    teo governors always end at one, so the other is dead. A tie in latency alone means that no
    QoS limit can allow the one and forbid the other.

Example
    extends: power9
    override:
      stop1: {latency: 9100ns, residency: 99500ns}

Use instead
    extends: power9
    override:
      stop1: {latency: 5us, residency: 50us}

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(), conversion to us. 739063fb7
    had stop0_lite and stop0 at 0 us for kernels before 4.15, 1 us for later ones.
"""

from collections.abc import Iterator
from itertools import pairwise

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from .competing import competing
from .is4_kernels import registered
from .rule import OPAL_FORMS, Judged, Rule, per_kernel

RULE = Rule(
    "IS403",
    "level-with-neighbour",
    Severity.WARNING,
    # ACPI says whole microseconds, of which a kernel makes none equal that were not
    forms=(*OPAL_FORMS, "sysfs", "nodes", "driver"),
    requires=("IS203", "IS204", "IS205"),
)


def check(subject: Subject) -> Iterator[Finding]:
    warnings: set[Judged] = set()

    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        rows = {row for group in competing(subject) for row in group}
        states = ((row, state) for row, state in registered(subject, driver) if row in rows)
        for (row_a, a), (row_b, b) in pairwise(states):
            one, other = subject.table.states[row_a], subject.table.states[row_b]
            latency, residency = b.exit_latency_us, b.target_residency_us
            same_latency = a.exit_latency_us == latency
            same_residency = a.target_residency_us == residency
            both = f"{one.name} and {other.name} both have "
            if same_latency and same_residency:
                times = f"an exit latency of {latency} us and a target residency of {residency} us"
                verdict = (subject.at(row_b, "latency"), both + times)
                warnings.add(verdict)
                yield verdict
            elif same_latency and one.latency_ns != other.latency_ns:
                yield subject.at(row_b, "latency"), f"{both}an exit latency of {latency} us"
            elif same_residency and one.residency_ns != other.residency_ns:
                yield subject.at(row_b, "residency"), f"{both}a target residency of {residency} us"

    for where, message, kernels in per_kernel(subject, judge):
        severity = Severity.WARNING if (where, message) in warnings else Severity.NOTE
        yield RULE.finding(subject, message, where, severity=severity, kernels=kernels)
