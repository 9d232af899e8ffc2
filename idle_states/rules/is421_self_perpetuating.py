"""IS421 self-perpetuating: waking alone lasts as long as the target residency.

What it does
    Compares the shortest wake-up measured for a state, less the exit latency that the kernel
    deducts, with the target residency the kernel holds.

Why is this bad
    A governor measures how long the CPU was idle, wake-up included, and deducts the advertised
    exit latency only. What is left of the wake-up counts as idle time. If that alone reaches the
    target residency, then a state that was selected once is selected again, however short the idle
    periods become.

Example
    extends: power9
    override:
      stop0: {latency: 2us, residency: 1us, measured: [{kind: ipi, latency: 4us, source: example}]}

Use instead
    extends: power9

Ground
    Linux drivers/cpuidle/governors/menu.c menu_update(), teo.c teo_update(); the range of idle
    lengths that lock in is T + wake >= residency > T.
"""

from collections.abc import Iterable, Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from .is4_kernels import row_of
from .rule import Judged, Rule, per_kernel

RULE = Rule("IS421", "self-perpetuating", Severity.WARNING, forms=("spec",))


def check(subject: Subject) -> Iterator[Finding]:
    def judge(driver: DriverTable, release: Release) -> Iterable[Judged]:
        for state in driver.states[1:]:
            row = row_of(subject, state.source)
            measured = subject.table.states[row].measured if row is not None else ()
            if row is None or not measured or not state.target_residency_us:
                continue
            wake_ns = min(one.latency_ns for one in measured)
            left_ns = wake_ns - state.exit_latency_us * 1000
            if left_ns >= state.target_residency_us * 1000:
                yield (
                    subject.at(row, "residency"),
                    f"{state.name} keeps itself selected: of a wake-up of {wake_ns} ns, {left_ns} "
                    f"ns count as idle time, its target residency is {state.target_residency_us} "
                    "us",
                )

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
