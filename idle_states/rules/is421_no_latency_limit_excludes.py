"""IS421 no-latency-limit-excludes: a state counts as costing nothing to leave.

What it does
    Looks for physical states whose exit latency is 0 us to a kernel in which menu holds the exit
    latency against a limit made of PM QoS, I/O wait and load.

Why is this bad
    That limit is what keeps menu out of a state while the CPU is busy waking up. An exit latency
    of 0 us is within any limit, so only the target residency is left to decide, and the time the
    wake-up takes is not deducted from the idle times menu learns from: once selected, the state
    goes on selecting itself. POWER9 DD1's stop0_lite of 200 ns and 2 us was entered 3.2 million
    times where the corrected one was entered 3 times.

Example
    # kernels: 4.11
    extends: power9
    override:
      stop0_lite: {latency: 200ns, residency: 2us}

Use instead
    # kernels: 4.11
    extends: power9
    override:
      stop0_lite: {latency: 1us, residency: 10us}

Ground
    Linux drivers/cpuidle/governors/menu.c menu_select() and menu_update(); skiboot 51974cab7.
"""

from collections.abc import Iterable, Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.governors.menu_features import features
from ..linux.releases import Release
from .rule import Judged, Rule, per_kernel
from .subject import Subject

RULE = Rule("IS421", "no-latency-limit-excludes", Severity.ERROR)


def check(subject: Subject) -> Iterator[Finding]:
    def judge(driver: DriverTable, release: Release) -> Iterable[Judged]:
        if not features(release).predicted_limit:
            return
        for state in driver.states[1:]:
            if state.exit_latency_us == 0 and state.source is not None:
                yield (
                    subject.at(subject.row(state.source), "latency"),
                    f"menu takes {state.name} for every idle it predicts at "
                    f"{state.target_residency_us} us or more, under any latency limit and any "
                    "load, because leaving it counts as 0 us",
                )

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
