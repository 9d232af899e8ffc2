"""IS412 ignored-residency: a kernel puts a residency of its own in place of the tree's.

What it does
    On POWER7 and POWER8, compares the residency each kernel registers with the tree's, converted
    to microseconds.

Why is this bad
    Changing the row has no effect on that kernel, and measuring the change there measures
    nothing. Linux 3.15 to 3.17 has all times built in, 3.18 and 3.19 take ten times the latency,
    4.11 to 4.18 use 100 us for nap and 300 ms for sleep whenever the tree has a value.

Example
    # kernel: 4.11
    extends: power8
    override:
      nap: {residency: 50us}

Use instead
    - # kernel: 4.11
    + # kernel: 4.19

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(): 9e9fc6f00a54 (4.11)
    inverted the test of the property, 9c7b185ab2fe (4.19) ended it.
"""

from ...base.model.units import format_time
from ..linux.convert import to_us
from .is4_kernels import registered
from .rule import KernelView, Rule, Severity, Verdicts

RULE = Rule("IS412", "ignored-residency", Severity.NOTE)


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    for row, state in registered(view):
        ns, us = row.state.residency_ns, state.target_residency_us
        if ns is not None and us != to_us(ns, view.release.features):
            unused = f"{row.name}'s residency of {format_time(ns)} is not used"
            yield row.verdict("residency", f"{unused}; this kernel has {us} us")
