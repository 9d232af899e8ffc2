"""IS603 broken-state-reference: a list of idle states refers to no node.

What it does
    Follows every phandle of cpu-idle-states and domain-idle-states.

Why is this bad
    Linux takes a phandle that leads nowhere for the end of the list: the states after it are not
    registered, and nothing is logged. Bytes that are no whole phandle are dropped likewise.

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep 0x77>;
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
    Linux drivers/of/base.c of_parse_phandle(); drivers/cpuidle/dt_idle_states.c
    dt_init_idle_driver() ends its loop at the first NULL.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is6_nodes import listed_by
from .rule import Rule

RULE = Rule("IS603", "broken-state-reference", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    listed = listed_by(subject)
    for broken in listed.broken:
        ends = broken.index == len(listed.nodes())
        yield RULE.finding(
            subject,
            f"expected entry {broken.index} of {broken.property} to refer to an idle state, found "
            f"{broken.reason}{'; Linux ends the list there' if ends else ''}",
            broken.where,
        )
