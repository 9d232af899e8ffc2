"""IS407 kernel-oops: a kernel crashes over the tree.

What it does
    Reports trees, and tables whose export would be such a tree, that a kernel does not survive:
    fewer names than states, and up to 4.7 more states than the driver has room for.

Why is this bad
    The machine does not boot, or the kernel overwrites what lies behind its array. The tree
    comes from firmware, so no kernel parameter but powersave=off helps.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-names = "stop0_lite";
                ibm,cpu-idle-state-latencies-ns = <1000 2000>;
                ibm,cpu-idle-state-residency-ns = <10000 20000>;
                ibm,cpu-idle-state-flags = <0x100000 0x101000>;
                ibm,cpu-idle-state-psscr = <0x0 0x330 0x0 0x300330>;
                ibm,cpu-idle-state-psscr-mask = <0x0 0x3003ff 0x0 0x3003ff>;
            };
        };
    };

Use instead
    -             ibm,cpu-idle-state-names = "stop0_lite";
    +             ibm,cpu-idle-state-names = "stop0_lite", "stop0";

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt(): a count of names below
    the states passes the test, and the rest are null pointers; cpuidle-powernv.c up to 4.7,
    MAX_POWERNV_IDLE_STATES. Concluded from the code.
"""

from ...base.model.power_mgt import NAMES
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule("IS407", "kernel-oops", Severity.ERROR)


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    fatal, node = view.driver.fatal, view.subject.node
    if fatal is not None:
        about_names = node is not None and fatal.startswith(NAMES)
        where = node.at(NAMES) if about_names and node else view.subject.at(None)
        yield Verdict(where, f"the kernel crashes: {fatal}")
