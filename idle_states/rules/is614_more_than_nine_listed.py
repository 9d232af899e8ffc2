"""IS614 more-than-nine-listed: a CPU lists more idle states than Linux takes.

What it does
    Counts the states that each kernel registers of a list: nine, as WFI is the tenth of cpuidle.
    Disabled ones do not count.

Why is this bad
    The rest is left out with a warning in the kernel's log. As lists are ordered by depth, the
    deepest states are lost.

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&s0 &s1 &s2 &s3 &s4 &s5 &s6 &s7 &s8 &s9>;
            };
        };
        s0: s0 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
        s1: s1 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10001>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <3000>;
        };
        s2: s2 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10002>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <4000>;
        };
        s3: s3 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10003>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <5000>;
        };
        s4: s4 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10004>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <6000>;
        };
        s5: s5 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10005>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <7000>;
        };
        s6: s6 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10006>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <8000>;
        };
        s7: s7 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10007>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <9000>;
        };
        s8: s8 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10008>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <10000>;
        };
        s9: s9 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10009>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <11000>;
        };
    };

Use instead
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&s0 &s1 &s2 &s3 &s4 &s5 &s6 &s7 &s8>;
            };
        };
        s0: s0 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
        s1: s1 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10001>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <3000>;
        };
        s2: s2 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10002>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <4000>;
        };
        s3: s3 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10003>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <5000>;
        };
        s4: s4 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10004>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <6000>;
        };
        s5: s5 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10005>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <7000>;
        };
        s6: s6 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10006>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <8000>;
        };
        s7: s7 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10007>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <9000>;
        };
        s8: s8 {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10008>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <10000>;
        };
    };

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver(), CPUIDLE_STATE_MAX.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.convert import STATE_MAX
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from ..wording import joined
from .rule import Judged, Rule, per_kernel

RULE = Rule("IS614", "more-than-nine-listed", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        beyond = [lost for lost in driver.lost if lost.cause == "beyond-ten"]
        if beyond:
            named = joined([lost.state for lost in beyond])
            message = f"expected at most {STATE_MAX - 1} states in a list; Linux leaves out {named}"
            yield subject.at(beyond[0].index, "name"), message

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
