"""IS616 power-down-keeps-timer: a state powers the CPU down, but is said to keep its timer.

What it does
    Decodes the suspend parameter: a power-down state (SBI: a non-retentive one) without
    local-timer-stop. Silent where the architected timer is always-on. States of power domains are
    left out: Linux does not read the property there.

Why is this bad
    A CPU that is powered down loses the timer it is to be woken by, unless that lies elsewhere.
    Without the property Linux does not let another timer stand in, and the CPU may sleep until some
    other interrupt comes. Firmware that gives a retention state the type of power-down, and
    machines with timers of their own, are why this is a warning.

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
            local-timer-stop;
        };
    };

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, local-timer-stop; Arm DEN0022,
    CPU_SUSPEND, power_state, StateType; RISC-V SBI, HSM extension;
    drivers/clocksource/arm_arch_timer.c, always-on.
"""

from collections.abc import Iterator

from ..devicetree.idle_nodes import TIMER_STOP
from ..findings import Confidence, Finding, Severity
from ..linux.suspend_parameter import parameter_of
from ..pipeline import Subject
from .is6_nodes import listed_by, own_nodes
from .rule import Rule

RULE = Rule(
    "IS616", "power-down-keeps-timer", Severity.WARNING, Confidence.MEDIUM, forms=("nodes",)
)


def check(subject: Subject) -> Iterator[Finding]:
    listed = listed_by(subject)
    for row, node in own_nodes(subject):
        parameter = parameter_of(listed, node)
        if parameter is None or not parameter.power_down or listed.timer_runs:
            continue
        if node.available and TIMER_STOP not in node.properties:
            message = (
                f"expected {TIMER_STOP} in {node.name}, whose parameter {parameter.value:#x} "
                f"powers the CPU down ({parameter}), found none"
            )
            yield RULE.finding(subject, message, subject.at(row, "control"))
