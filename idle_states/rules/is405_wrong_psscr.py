"""IS405 wrong-psscr: a kernel enters a state with the PSSCR of another one.

What it does
    Compares the PSSCR that each registered state is entered with to the one in its row, as the
    kernel completes it for old formats.

Why is this bad
    Linux 4.8 to 4.12 leaves a hole where it takes no state of a row (a deep state that keeps the
    timebase, say), and later looks the PSSCR up by the number after closing the holes. The
    states behind the hole go to another level than they say, with the wrong context saved.

Example
    # kernel: 4.11
    extends: power9
    override:
      stop5:
        flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
                LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Use instead
    # kernel: 4.14
    extends: power9
    override:
      stop5:
        flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
                LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c before 4.13, stop_psscr_table[] indexed by the
    number of the state in drv->states[].
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from .is4_kernels import registered, written_psscr
from .rule import Judged, Rule, per_kernel

RULE = Rule("IS405", "wrong-psscr", Severity.ERROR)


def check(subject: Subject) -> Iterator[Finding]:
    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        for row, state in registered(subject, driver):
            source = subject.table.states[row]
            expected = written_psscr(source, release)
            if state.psscr is not None and state.psscr != expected:
                yield (
                    subject.at(row, "control"),
                    f"{source.name} is entered with PSSCR {state.psscr:#x} instead of "
                    f"{expected:#x}: a state lost before it shifts the kernel's table",
                )

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
