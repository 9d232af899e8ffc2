"""IS616 power-down-keeps-timer: a state powers the CPU down, but claims to keep its timer.

What it does
    Decodes the suspend parameter: a power-down state (SBI: a non-retentive one) without
    local-timer-stop. Not reported where the architected timer is always-on. States of power domains
    are left out: Linux does not read the property there.

Why is this bad
    A CPU that is powered down loses the timer it is to be woken by, unless that lies elsewhere.
    Without the property Linux does not let another timer stand in, and the CPU may sleep until some
    other interrupt comes. Firmware that gives a retention state the type of power-down, and
    machines with timers of their own, are why this is a warning.

Example
    ONE_STATE of trees.py

Use instead
              min-residency-us = <2000>;
    +         local-timer-stop;

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, local-timer-stop; Arm DEN0022,
    CPU_SUSPEND, power_state, StateType; RISC-V SBI, HSM extension;
    drivers/clocksource/arm_arch_timer.c, always-on.

IS617 standby-stops-timer: a state keeps the CPU powered, but claims to stop its timer.

What it does
    Decodes the suspend parameter: a standby or retention state (SBI: a retentive one) with
    local-timer-stop.

Why is this bad
    Linux has another CPU's timer, or a global one, stand in for the CPU's each time it enters the
    state. That costs time for nothing if the timer goes on, as it does where the CPU keeps its
    power.

Example
    ONE_STATE of trees.py, but
    -         arm,psci-suspend-param = <0x10000>;
    +         arm,psci-suspend-param = <0x1>;
              min-residency-us = <2000>;
    +         local-timer-stop;

Use instead
    -         local-timer-stop;

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, local-timer-stop; Arm DEN0022,
    CPU_SUSPEND, power_state, StateType; RISC-V SBI, HSM extension; Linux
    kernel/time/tick-broadcast.c.
"""

from ..devicetree.idle_nodes import TIMER_STOP
from ..linux.suspend_parameter import parameter_of
from .is6_nodes import StateNode, own_nodes
from .rule import Confidence, Rule, Severity, Verdict, Verdicts

KEPT = Rule(
    "IS616", "power-down-keeps-timer", Severity.WARNING, Confidence.MEDIUM, forms=("nodes",)
)
STOPPED = Rule("IS617", "standby-stops-timer", Severity.NOTE, Confidence.LOW, forms=("nodes",))
RULES = (KEPT, STOPPED)


@KEPT.of_each(own_nodes)
def check_power_down(each: StateNode) -> Verdicts:
    node, parameter = each.node, parameter_of(each.listed, each.node)
    if parameter is None or not parameter.power_down or each.listed.timer_runs:
        return
    if node.available and TIMER_STOP not in node.properties:
        yield Verdict(
            each.at_row("control"),
            f"expected {TIMER_STOP} in {node.name}, whose parameter {parameter.value:#x} powers "
            f"the CPU down ({parameter}), found none",
        )


@STOPPED.of_each(own_nodes)
def check_standby(each: StateNode) -> Verdicts:
    node, parameter = each.node, parameter_of(each.listed, each.node)
    if parameter and not parameter.power_down and TIMER_STOP in node.properties:
        keeps = f"its parameter {parameter.value:#x} keeps the CPU powered ({parameter})"
        yield Verdict(node.at(TIMER_STOP), f"{node.name} has {TIMER_STOP}, but {keeps}")
