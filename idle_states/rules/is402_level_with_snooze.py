"""IS402 level-with-snooze: a physical state's exit latency is 0 us, as snooze's is.

What it does
    Takes the states each kernel registers and compares their exit latency with snooze's 0 us.

Why is this bad
    menu holds the exit latency against a limit made of PM QoS, I/O wait and load. 0 us is within
    any limit, so only the residency is left to decide; and as nothing is deducted for the wake-up,
    its time counts as idle time, and the state goes on selecting itself. The scheduler's choice of
    an idle CPU, which goes by exit latency too, cannot tell it from polling. On POWER9 DD1 in 2017
    stop0_lite took 3.2 million of the entries and snooze 7.

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
    Linux drivers/cpuidle/cpuidle-powernv.c: snooze is 0 us; drivers/cpuidle/governors/menu.c
    menu_select() and menu_update() of 4.x. Measured in skiboot 51974cab7.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from .is4_kernels import registered
from .rule import OPAL_FORMS, Judged, Rule, per_kernel

RULE = Rule(
    "IS402", "level-with-snooze", Severity.ERROR, forms=(*OPAL_FORMS, "sysfs"), requires=("IS401",)
)


def check(subject: Subject) -> Iterator[Finding]:
    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        for row, state in registered(subject, driver):
            if state.exit_latency_us == 0:
                yield (
                    subject.at(row, "latency"),
                    f"{subject.table.states[row].name} is level with {driver.states[0].name}, "
                    "0 us to leave: menu takes it for every idle it predicts at "
                    f"{state.target_residency_us} us or more, under any latency limit and load",
                )

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
