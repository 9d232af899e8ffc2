"""IS402 level-with-snooze: a physical state's exit latency is 0 us, as snooze's is.

What it does
    Takes the states each kernel registers and compares their exit latency with snooze's 0 us.

Why is this bad
    The exit latency is the limit a governor applies for QoS and load. At 0 us the state is
    admissible whenever snooze is, and only its residency still stands between them. The
    scheduler's choice of an idle CPU, which goes by exit latency too, cannot tell it from
    polling. On POWER9 DD1 in 2017 stop0_lite took 3.2 million of the entries and snooze 7.

Example
    # kernel: 4.11
    extends: power9
    override:
      stop0_lite: {latency: 999ns}

Use instead
    # kernel: 4.11
    extends: power9
    override:
      stop0_lite: {latency: 1000ns}

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c: snooze is 0 us; drivers/cpuidle/governors/menu.c of
    4.x admits every state within the latency limit. Measured in skiboot 51974cab7.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from .is4_kernels import registered
from .rule import Judged, Rule, per_kernel
from .subject import Subject

RULE = Rule("IS402", "level-with-snooze", Severity.ERROR)


def check(subject: Subject) -> Iterator[Finding]:
    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        for row, state in registered(subject, driver):
            if state.exit_latency_us == 0:
                yield (
                    subject.at(row, "latency"),
                    f"{subject.table.states[row].name} is level with snooze: both have an exit "
                    "latency of 0 us, and only the target residency of "
                    f"{state.target_residency_us} us keeps them apart",
                )

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
