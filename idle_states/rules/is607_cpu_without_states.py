"""IS607 cpu-without-states: one CPU lists no idle state, others do.

What it does
    Looks for CPUs without cpu-idle-states, or with an empty list, in a tree where others have one.

Why is this bad
    The driver registers a CPU at a time, and takes all back as soon as one has no states: the whole
    machine then idles in WFI.

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep>;
            };
            cpu@1 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
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
            cpu@1 {
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
    Linux drivers/cpuidle/cpuidle-psci.c psci_idle_init_cpu() returns -ENODEV for no states, and
    psci_cpuidle_probe() then unregisters every CPU; likewise cpuidle-riscv-sbi.c.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is6_nodes import listed_by
from .rule import Rule

RULE = Rule("IS607", "cpu-without-states", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    listed = listed_by(subject)
    if not listed.nodes():
        return
    for other in listed.siblings:
        if not other.nodes() and other.enable_method == listed.enable_method:
            names = [path.rpartition("/")[2] for path in other.cpus]
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            message = f"expected {names[0]}{more} to list idle states as {listed.cpus[0]} does"
            yield RULE.finding(subject, f"{message}, found none", other.where)
