"""IS604 foreign-state-compatible: an idle-state node is compatible with no driver.

What it does
    Compares the compatible of every node that CPUs list with what the driver for their
    enable-method takes: arm,idle-state, on RISC-V riscv,idle-state.

Why is this bad
    At a node it does not know Linux gives up on the list without a message, and then on all CPUs.
    domain-idle-state belongs to the power domains above a CPU's own, not to the CPU.

Example
    ONE_STATE of is6_trees.py, but
    -         compatible = "arm,idle-state";
    +         compatible = "domain-idle-state";

Use instead
    ONE_STATE of is6_trees.py

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver() returns -ENODEV; match tables of
    cpuidle-psci.c, cpuidle-arm.c, cpuidle-qcom-spm.c, cpuidle-riscv-sbi.c.
"""

from ..linux.dt_idle import compatibles
from .is6_nodes import StateNode, own_nodes
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule("IS604", "foreign-state-compatible", Severity.ERROR, forms=("nodes",))


@RULE.of_each(own_nodes)
def check(each: StateNode) -> Verdicts:
    known, node = compatibles(each.listed), each.node
    found = node.strings("compatible")
    if not set(known) & set(found):
        message = (
            f"expected {node.name} to be compatible with {' or '.join(known)}, found "
            f"{', '.join(f'{text!a}' for text in found) or 'none'}"
        )
        yield Verdict(node.at("compatible"), message)
