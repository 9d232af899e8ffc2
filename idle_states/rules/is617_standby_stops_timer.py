"""IS617 standby-stops-timer: a state keeps the CPU powered, but is said to stop its timer.

What it does
    Decodes the suspend parameter: a standby or retention state (SBI: a retentive one) with
    local-timer-stop.

Why is this bad
    Linux has another CPU's timer, or a global one, stand in for the CPU's each time it enters the
    state. That costs time for nothing if the timer goes on, as it does where the CPU keeps its
    power.

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
            arm,psci-suspend-param = <0x1>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
            local-timer-stop;
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
            arm,psci-suspend-param = <0x1>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
    };

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, local-timer-stop; Arm DEN0022,
    CPU_SUSPEND, power_state, StateType; RISC-V SBI, HSM extension; Linux
    kernel/time/tick-broadcast.c.
"""

from collections.abc import Iterator

from ..devicetree.idle_nodes import TIMER_STOP
from ..findings import Confidence, Finding, Severity
from ..linux.suspend_parameter import parameter_of
from ..pipeline import Subject
from .is6_nodes import listed_by, own_nodes
from .rule import Rule

RULE = Rule("IS617", "standby-stops-timer", Severity.NOTE, Confidence.LOW, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    for _, node in own_nodes(subject):
        parameter = parameter_of(listed_by(subject), node)
        if parameter is None or parameter.power_down or TIMER_STOP not in node.properties:
            continue
        message = (
            f"{node.name} has {TIMER_STOP}, but its parameter {parameter.value:#x} keeps the CPU "
            f"powered ({parameter})"
        )
        yield RULE.finding(subject, message, node.at(TIMER_STOP))
