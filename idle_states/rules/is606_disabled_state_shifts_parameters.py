"""IS606 disabled-state-shifts-parameters: a disabled state comes before an enabled one.

What it does
    Compares the parameter each registered state is entered with and the one its node has.

Why is this bad
    Linux leaves disabled nodes out of the states, but takes the suspend parameters of the first
    nodes of the list, disabled or not. An enabled state behind a disabled one is entered with
    another state's parameter: the CPU sleeps deeper or lighter than the governor thinks.

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&retention &sleep>;
            };
        };
        retention: retention {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x1>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
            status = "disabled";
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
        retention: retention {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x1>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
            status = "disabled";
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
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver() against
    drivers/cpuidle/cpuidle-psci.c psci_dt_cpu_init_idle(), which counts by of_get_cpu_state_node();
    likewise cpuidle-riscv-sbi.c. Seen in a boot of Linux 6.1, not in the field.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from .rule import Judged, Rule, per_kernel

RULE = Rule("IS606", "disabled-state-shifts-parameters", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        for changed in driver.changed:
            if changed.field.endswith("suspend-param"):
                yield (
                    subject.at(changed.index, "control"),
                    f"{changed.state} is entered with {changed.field} {changed.after} instead of "
                    f"{changed.before}: {changed.reason}",
                )

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
