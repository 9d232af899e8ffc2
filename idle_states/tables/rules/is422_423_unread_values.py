"""IS422 ignored-latency: a kernel puts an exit latency of its own in place of the tree's.

What it does
    On POWER7 and POWER8, compares the exit latency each kernel registers with the tree's, converted
    to microseconds.

Why is this bad
    Changing the row has no effect on that kernel, and measuring the change there measures
    nothing. Linux 3.15 to 3.17 has 10 us for nap and 300 us for fast sleep built in.

Example
    # kernel: 3.17
    extends: power8

Use instead
    - # kernel: 3.17
    + # kernel: 3.18

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states() of 3.15 to 3.17, which reads
    the flags alone. IS412 is the same of residencies.

IS423 unread-mask: a kernel enters a state with PSSCR fields that its row does not ask for.

What it does
    Compares the PSSCR and the mask that Linux 4.8 to 4.10 enters a state with and those of its row.
    These kernels take all of PSSCR's fields but RL for firmware of 2016 that gives none: they set
    every bit of ESL, EC, PSLL, TR and MTL beside the row's, and read no masks.

Why is this bad
    A lite state (ESL and EC clear) loses its context as the full one does: stop0_lite becomes
    stop0, with stop0's exit latency and without what stop0_lite is for. MTL becomes 15, so that the
    core may go to any level that its threads ask for.

Example
    # kernel: 4.10
    extends: power9

Use instead
    - # kernel: 4.10
    + # kernel: 4.11

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c stop_loop() and arch/powerpc/kernel/idle_book3s.S of 4.8
    to 4.10: PSSCR_HV_TEMPLATE; 09206b600c76 (4.11) reads masks.
"""

from ...base.model.units import format_time
from ..linux.convert import to_us
from ..linux.stop_choice import HV_DEFAULT_MASK, HV_DEFAULT_VAL
from .is4_kernels import registered
from .rule import KernelView, Rule, Severity, Verdicts

LATENCY = Rule("IS422", "ignored-latency", Severity.NOTE)
MASK = Rule("IS423", "unread-mask", Severity.WARNING, requires=("IS309",))
RULES = (LATENCY, MASK)


@LATENCY.of_each_driver
def check_latency(view: KernelView) -> Verdicts:
    for row, state in registered(view):
        ns, us = row.state.latency_ns, state.exit_latency_us
        if us != to_us(ns, view.release.features):
            found = f"{row.name} has an exit latency of {format_time(ns)}"
            yield row.verdict("latency", f"{found}, which this kernel does not use: it has {us} us")


@MASK.of_each_driver
def check_mask(view: KernelView) -> Verdicts:
    if view.release.features.psscr_mask:
        return
    for row, state in registered(view):
        used, wanted = row.state.control | HV_DEFAULT_VAL, row.state.control
        whole = row.state.mask == HV_DEFAULT_MASK
        if state.psscr is not None and not (used == wanted and whole):
            yield row.verdict(
                "control",
                f"{row.name} is entered with PSSCR {used:#x} under mask {HV_DEFAULT_MASK:#x}, "
                f"not {wanted:#x} under {row.state.mask:#x}: this kernel reads no masks",
            )
