"""IS415 table-parameter-refused: intel_idle.table= is refused unless it changes this row.

What it does
    From Linux 7.0 on, holds the states that intel_idle registers against what the kernel demands of
    all of them, once intel_idle.table= gives any: latencies from 1 to 5000 us, residencies not
    below the latency and up to 100000 us, both above those of the state before.

Why is this bad
    A value that changes another state alone is refused as a whole, with a line in the log that
    names this state, and nothing changes. The value has to give this state other times as well.

Example
    // kernel: 7.1
    #define MWAIT2flg(eax) ((eax & 0xFF) << 24)
    static struct cpuidle_state own_cstates[] = {
        {.name = "C6", .flags = MWAIT2flg(0x20), .exit_latency = 80, .target_residency = 300,
         .enter = &intel_idle},
        {.name = "C7", .flags = MWAIT2flg(0x30), .exit_latency = 87, .target_residency = 300,
         .enter = &intel_idle},
        {.enter = NULL}
    };

Use instead
    -     {.name = "C7", .flags = MWAIT2flg(0x30), .exit_latency = 87, .target_residency = 300,
    +     {.name = "C7", .flags = MWAIT2flg(0x30), .exit_latency = 87, .target_residency = 320,

Ground
    Linux drivers/idle/intel_idle.c, validate_cmdline_cstate() as cmdline_table_adjust() calls it
    for every registered state: 111f77a23348 and be6a150829b3 (7.0).
"""

from itertools import pairwise

from ..linux.driver_table import DriverState
from .is4_intel import is_intel_idle
from .is4_kernels import place
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule("IS415", "table-parameter-refused", Severity.NOTE, forms=("driver", "sysfs"))


@RULE.of_each_kernel
def check(view: KernelView) -> Verdicts:
    if not is_intel_idle(view.subject.table):
        return
    from ..linux.intel_idle.features import features
    from ..linux.intel_idle.table_parameter import Adjustable, unfit

    if not features(view.release).table_parameter:
        return
    states = [
        Adjustable(state.name, state.exit_latency_us, state.target_residency_us)
        for state in view.driver.states
    ]
    names = unfit(states)
    for before, state in pairwise(view.driver.states):
        if state.name in names:
            field, why = _fault(before, state)
            yield Verdict(
                place(view.subject, state.source, field),
                f"intel_idle.table= is refused unless it changes {state.name}: {why}",
            )


def _fault(before: DriverState, state: DriverState) -> tuple[str, str]:
    """The field at fault, and why."""
    from ..linux.intel_idle.table_parameter import MOST_LATENCY_US, MOST_RESIDENCY_US

    latency, residency = state.exit_latency_us, state.target_residency_us
    if not 0 < latency <= MOST_LATENCY_US:
        return "latency", f"its exit latency of {latency} us is not from 1 to {MOST_LATENCY_US}"
    if latency <= before.exit_latency_us:
        shallower = f"{before.name}'s {before.exit_latency_us}"
        return "latency", f"its exit latency of {latency} us is not above {shallower}"
    if residency > MOST_RESIDENCY_US:
        return "residency", f"its residency of {residency} us is above {MOST_RESIDENCY_US}"
    if residency < latency:
        return "residency", f"its residency of {residency} us is below its latency of {latency}"
    shallower = f"{before.name}'s {before.target_residency_us}"
    return "residency", f"its residency of {residency} us is not above {shallower}"
