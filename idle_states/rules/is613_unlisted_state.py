"""IS613 unlisted-state: an idle-state node is listed by nobody.

What it does
    Looks for enabled nodes of idle states that no cpu-idle-states and no domain-idle-states refers
    to, in a tree whose CPUs list others.

Why is this bad
    The state does not exist for Linux. Either a list lacks it, or a board took it out of the lists
    on purpose; then status = "disabled", or deleting the node, says so.

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
            min-residency-us = <2000>;
        };
        deep: deep {
            compatible = "arm,idle-state";
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
                cpu-idle-states = <&sleep &deep>;
            };
        };
        sleep: sleep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
        deep: deep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
    };

Ground
    Linux drivers/of/cpu.c of_get_cpu_state_node() and drivers/pmdomain/core.c
    genpd_iterate_idle_states() follow phandles, and look for no nodes.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is6_nodes import listed_by, speaks_for_tree
from .rule import Rule

RULE = Rule("IS613", "unlisted-state", Severity.NOTE, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    if speaks_for_tree(subject):
        for node in listed_by(subject).unlisted:
            message = f"expected a CPU or power domain to list {node.name}, found none"
            yield RULE.finding(subject, message, node.where)
