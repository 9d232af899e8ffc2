"""IS609 entry-above-residency: entering a state takes longer than it has to last.

What it does
    Compares entry-latency-us with min-residency-us, which includes it, for states of CPUs and of
    power domains.

Why is this bad
    The least time that is worth the state begins with preparing and entering it: it cannot be over
    before the state is entered. One of the two is wrong, often by a digit or a unit. menu and teo
    then take the state for idles that are over before the CPU sleeps.

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
            entry-latency-us = <2300>;
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
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, min-residency-us and
    entry-latency-us; bindings/power/domain-idle-state.yaml for states of power domains.
"""

from collections.abc import Iterator

from ..devicetree.idle_nodes import ENTRY, RESIDENCY
from ..findings import Finding, Severity
from ..pipeline import Subject
from .is6_nodes import all_nodes, entry_above_residency
from .rule import Rule

RULE = Rule("IS609", "entry-above-residency", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    for row, node in all_nodes(subject):
        if entry_above_residency(subject, row):
            yield RULE.finding(
                subject,
                f"{node.name} has {ENTRY} {node.u32(ENTRY)}, above {RESIDENCY} "
                f"{node.u32(RESIDENCY)}, which includes it",
                node.at(ENTRY),
                related=[(node.at(RESIDENCY), "the residency")],
            )
