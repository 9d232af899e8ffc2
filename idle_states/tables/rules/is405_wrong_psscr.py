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
    - # kernel: 4.11
    + # kernel: 4.14

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c before 4.13, stop_psscr_table[] indexed by the
    number of the state in drv->states[].
"""

from .is4_kernels import registered, written_mask, written_psscr
from .rule import KernelView, Rule, Severity, Verdicts

RULE = Rule("IS405", "wrong-psscr", Severity.ERROR)


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    for row, state in registered(view):
        expected = written_psscr(row.state, view.release)
        if state.psscr is not None and state.psscr != expected:
            yield row.verdict(
                "control",
                f"{row.name} is entered with PSSCR {state.psscr:#x} instead of {expected:#x}: a "
                "state lost before it shifts the kernel's table",
            )
        elif state.mask is not None and state.mask != written_mask(row.state, view.release):
            yield row.verdict(
                "mask",
                f"{row.name} is entered under mask {state.mask:#x}, another state's: a state lost "
                "before it shifts the kernel's table",
            )
