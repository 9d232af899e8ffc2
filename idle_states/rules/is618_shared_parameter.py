"""IS618 shared-parameter: two states of one list are entered with the same parameter.

What it does
    Compares the suspend parameters of the enabled states of one CPU's list, and of one power
    domain.

Why is this bad
    Firmware does the same for both, whatever their times say. Mostly a node was copied and its
    parameter forgotten, so the state that was meant does not exist.

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
        deep: deep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10000>;
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
        deep: deep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10001>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <3000>;
        };
    };

Ground
    Linux drivers/cpuidle/cpuidle-psci.c psci_cpu_suspend_enter(), cpuidle-riscv-sbi.c: the
    parameter is all that reaches firmware.
"""

from collections.abc import Iterator

from ..devicetree.idle_nodes import row_nodes
from ..findings import Finding, Severity
from ..linux.suspend_parameter import parameter_of
from ..pipeline import Subject
from .competing import competing
from .is6_nodes import listed_by
from .rule import Rule

RULE = Rule("IS618", "shared-parameter", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    listed = listed_by(subject)
    nodes = row_nodes(listed)
    for group in competing(subject):
        first: dict[int, int] = {}
        for row in group:
            parameter = parameter_of(listed, nodes[row])
            earlier = first.setdefault(parameter.value, row) if parameter else row
            if parameter and earlier != row:
                yield RULE.finding(
                    subject,
                    f"{nodes[earlier].name} and {nodes[row].name} are both entered with parameter "
                    f"{parameter.value:#x}",
                    subject.at(row, "control"),
                    related=[(subject.at(earlier, "control"), f"{nodes[earlier].name} is here")],
                )
