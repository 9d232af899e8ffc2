"""IS401 zero-microseconds: a time of a physical state is 0 us to the kernel.

What it does
    Takes the states each kernel registers and looks for an exit latency or target residency of
    0 us, after the kernel's own conversion from nanoseconds.

Why is this bad
    cpuidle works in microseconds. Linux before 4.15 truncates, so 200 ns are nothing; later ones
    round up in 32 bits, so times above 4294966296 ns wrap to nothing. A state that costs
    nothing and pays off at once is taken for every idle period, and a first state with residency
    0 makes snooze give up at once.

Example
    # kernel: 4.11
    extends: power9
    override:
      stop0_lite: {latency: 200ns, residency: 2us}

Use instead
    -   stop0_lite: {latency: 200ns, residency: 2us}
    +   stop0_lite: {latency: 1us, residency: 10us}

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(); 8d4e10e9ed94 rounds up
    since 4.15. skiboot 51974cab7 raised stop0_lite from 200 ns to 1 us for this.
"""

from ...base.model.units import format_time
from .is4_kernels import registered
from .rule import OPAL_FORMS, KernelView, Rule, Severity, Verdicts

RULE = Rule(
    "IS401",
    "zero-microseconds",
    Severity.ERROR,
    forms=(*OPAL_FORMS, "sysfs", "nodes"),
    requires=("IS201", "IS202", "IS215", "IS216"),
)


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    for row, state in registered(view):
        for field, what, ns, us in (
            ("latency", "exit latency", row.state.latency_ns, state.exit_latency_us),
            ("residency", "target residency", row.state.residency_ns, state.target_residency_us),
        ):
            if us == 0:
                found = "no " + what if ns is None else f"{what} {format_time(ns)}"
                yield row.verdict(field, f"{row.name} has {found}, which is 0 us to this kernel")
