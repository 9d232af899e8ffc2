"""IS610 wakeup-below-exit: a wake-up latency is below the exit latency.

What it does
    Compares wakeup-latency-us with exit-latency-us.

Why is this bad
    The wake-up latency is how long it takes at most from the event that wakes the CPU until it runs
    code: the exit, and what may be left of the entry. Linux takes it in place of both, so with a
    lower one a latency limit admits a state that breaks it.

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
            wakeup-latency-us = <500>;
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
            wakeup-latency-us = <700>;
        };
    };

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, wakeup-latency-us;
    drivers/cpuidle/dt_idle_states.c init_state_node().
"""

from collections.abc import Iterator

from ..devicetree.idle_nodes import EXIT, WAKEUP
from ..findings import Finding, Severity
from ..pipeline import Subject
from .is6_nodes import own_nodes
from .rule import Rule

RULE = Rule("IS610", "wakeup-below-exit", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    for _, node in own_nodes(subject):
        wakeup, leave = node.u32(WAKEUP), node.u32(EXIT)
        if wakeup is not None and leave is not None and wakeup < leave:
            yield RULE.finding(
                subject,
                f"{node.name} has {WAKEUP} {wakeup}, below its {EXIT} {leave}",
                node.at(WAKEUP),
                related=[(node.at(EXIT), "the exit latency")],
            )
