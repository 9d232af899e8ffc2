"""IS605 bad-suspend-parameter: an idle-state node has no parameter that firmware could take.

What it does
    Looks for arm,psci-suspend-param where the CPUs' enable-method is psci, for
    riscv,sbi-suspend-param on RISC-V, and whether the value is one of the interface's; of states
    of CPUs and of power domains.

Why is this bad
    The driver cannot enter the state, and gives up on all CPUs; at a state of a power domain, on
    the power domains, without which CPUs get no driver either since 5.9.

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
            compatible = "arm,idle-state";
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
    Linux drivers/cpuidle/cpuidle-psci.c psci_dt_parse_state_node();
    drivers/cpuidle/cpuidle-riscv-sbi.c sbi_dt_parse_state_node(); Arm DEN0022, CPU_SUSPEND; RISC-V
    SBI, HSM extension.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.dt_domains import is_domain_state
from ..linux.suspend_parameter import parameter_name, parameter_problem
from ..pipeline import Subject
from .is6_nodes import domain_nodes, listed_by, own_nodes
from .rule import Rule

RULE = Rule("IS605", "bad-suspend-parameter", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    listed = listed_by(subject)
    domains = (node for _, node in domain_nodes(subject) if is_domain_state(node))
    for node in (*(node for _, node in own_nodes(subject)), *domains):
        problem = parameter_problem(listed, node) if node.available else ""
        if problem:
            where = node.at(parameter_name(listed) or "")
            yield RULE.finding(subject, f"{node.name} {problem}", where)
