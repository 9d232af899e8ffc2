"""IS612 state-listed-twice: a list names an idle state more than once.

What it does
    Counts each node in cpu-idle-states and domain-idle-states.

Why is this bad
    Linux makes a row of each entry, of ten at most. The first of two equal rows is never taken; if
    other states stand between them, the order of the list is not that of depth (IS204, IS205).

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep &sleep>;
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
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver(). The list of mt8516 (deep states
    first, each several times) was booted: rows 1 to 4 were never entered.
"""

from collections import Counter
from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..wording import joined
from .is6_nodes import listed_by, speaks_for_tree
from .rule import Rule

RULE = Rule("IS612", "state-listed-twice", Severity.WARNING, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    listed = listed_by(subject)
    lists = [(listed.cpus[0], listed.where, listed.nodes())]
    if speaks_for_tree(subject):
        for domain in listed.power_domains:
            nodes = tuple(node for node in domain.states if node)
            if nodes and domain.path != listed.first_domain:
                lists.append((domain.path, nodes[0].where.at(domain.path), nodes))
    for path, where, nodes in lists:
        counts = Counter(node.path for node in nodes)
        names = {node.path: node.name for node in nodes}
        twice = [f"{names[one]} {count} times" for one, count in counts.items() if count > 1]
        if twice:
            message = f"expected {path} to list each state once, found {joined(twice)}"
            yield RULE.finding(subject, message, where)
