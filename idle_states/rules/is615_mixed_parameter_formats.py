"""IS615 mixed-parameter-formats: suspend parameters of one tree are in two formats.

What it does
    Tells the formats of arm,psci-suspend-param apart by bits that one of them alone has: bit 30, or
    any other above bit 25 or between 17 and 23, of the extended StateID; bit 16 without these, of
    the original format.

Why is this bad
    Firmware takes one format, and says which. Linux holds every parameter against that one's mask
    when it starts, and one that does not fit leaves all CPUs without a driver.

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
            arm,psci-suspend-param = <0x40000003>;
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
            arm,psci-suspend-param = <0x1010000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <3000>;
        };
    };

Ground
    Arm DEN0022, CPU_SUSPEND, power_state; Linux drivers/firmware/psci/psci.c
    psci_power_state_is_valid(), which PSCI_FEATURES decides on.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.suspend_parameter import PSCI_PARAMETER, formats
from ..pipeline import Subject
from .is6_nodes import listed_by, speaks_for_tree
from .rule import Rule

RULE = Rule("IS615", "mixed-parameter-formats", Severity.WARNING, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    found = formats(listed_by(subject))
    if len(found) > 1 and speaks_for_tree(subject):
        (first, node), (second, other) = found.items()
        values = [f"{one.u32(PSCI_PARAMETER) or 0:#x}" for one in (node, other)]
        yield RULE.finding(
            subject,
            f"expected parameters in one format, found {second} in {other.name} ({values[1]}), "
            f"{first} in {node.name} ({values[0]})",
            other.at(PSCI_PARAMETER),
            related=[(node.at(PSCI_PARAMETER), f"the {first} format")],
        )
