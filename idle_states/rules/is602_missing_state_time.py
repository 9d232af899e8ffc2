"""IS602 missing-state-time: an idle-state node lacks a time that Linux needs.

What it does
    Looks for entry-latency-us, exit-latency-us and min-residency-us of every enabled node, as one
    cell. wakeup-latency-us stands in for the first two, except for states of a power domain.

Why is this bad
    Linux gives up at the first node that lacks one, and because the driver wants all CPUs or none,
    no CPU of the machine gets a driver. The log has it at debug level only.

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
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
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
    Linux drivers/cpuidle/dt_idle_states.c init_state_node(); drivers/pmdomain/core.c
    genpd_parse_state() for power domains; bindings cpu/idle-states.yaml, "required".
"""

from collections.abc import Iterator

from ..devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY, missing_times
from ..findings import Finding, Severity
from ..pipeline import Subject
from .is6_nodes import domain_nodes, own_nodes
from .rule import Rule

RULE = Rule("IS602", "missing-state-time", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    for row, node in own_nodes(subject):
        if node.available:
            for name in missing_times(node):
                yield _finding(subject, row, node.name, name)
    for row, node in domain_nodes(subject):
        for name in (ENTRY, EXIT, RESIDENCY):
            if node.u32(name) is None:
                yield _finding(subject, row, node.name, name)


def _finding(subject: Subject, row: int, node: str, name: str) -> Finding:
    message = f"expected {node} to have {name} as one cell, found none"
    return RULE.finding(subject, message, subject.at(row))
