"""IS620 cluster-at-cpu-level: a cluster's state asks for the CPU alone.

What it does
    Looks at nodes called cluster-... in a CPU's list, with a parameter in the original format: its
    bits 24 and 25, the highest level that the state is of, are 0.

Why is this bad
    Level 0 is the CPU. Firmware leaves the cluster on, while the times are those of turning it off:
    the state costs what it does not save. Usually the bits were forgotten.

Example
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
        deep: cluster-sleep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10001>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <3000>;
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
        deep: cluster-sleep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x1010001>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <3000>;
        };
    };

Ground
    Arm DEN0022, CPU_SUSPEND, power_state, original format, PowerLevel; Linux
    Documentation/devicetree/bindings/cpu/idle-states.yaml, names of nodes.
"""

from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..linux.suspend_parameter import parameter_of
from ..pipeline import Subject
from .is6_nodes import listed_by, own_nodes
from .rule import Rule

RULE = Rule("IS620", "cluster-at-cpu-level", Severity.WARNING, Confidence.MEDIUM, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    for row, node in own_nodes(subject):
        parameter = parameter_of(listed_by(subject), node)
        if parameter and parameter.level == 0 and node.name.startswith("cluster-"):
            message = f"expected a level above 0 in {node.name}'s parameter {parameter.value:#x}"
            yield RULE.finding(subject, f"{message}, found {parameter}", subject.at(row, "control"))
