"""IS604 foreign-state-compatible: an idle-state node is compatible with no driver.

What it does
    Compares the compatible of every node that CPUs list with what the driver for their
    enable-method takes: arm,idle-state, on RISC-V riscv,idle-state.

Why is this bad
    At a node it does not know Linux gives up on the list without a message, and then on all CPUs.
    domain-idle-state belongs to the power domains above a CPU's own, not to the CPU.

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep>;
            };
        };
        sleep: sleep {
            compatible = "domain-idle-state";
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
    };

Use instead
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep>;
            };
        };
        sleep: sleep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
    };

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver() returns -ENODEV; match tables of
    cpuidle-psci.c, cpuidle-arm.c, cpuidle-qcom-spm.c, cpuidle-riscv-sbi.c.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.dt_idle import compatibles
from ..pipeline import Subject
from .is6_nodes import listed_by, own_nodes
from .rule import Rule

RULE = Rule("IS604", "foreign-state-compatible", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    known = compatibles(listed_by(subject))
    for _, node in own_nodes(subject):
        found = node.strings("compatible")
        if not set(known) & set(found):
            message = (
                f"expected {node.name} to be compatible with {' or '.join(known)}, found "
                f"{', '.join(f'{text!a}' for text in found) or 'none'}"
            )
            yield RULE.finding(subject, message, node.at("compatible"))
