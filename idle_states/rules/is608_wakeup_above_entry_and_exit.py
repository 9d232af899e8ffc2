"""IS608 wakeup-above-entry-and-exit: a wake-up latency is above entry plus exit.

What it does
    Compares wakeup-latency-us with the sum of entry-latency-us and exit-latency-us.

Why is this bad
    The property is there to say that waking takes less than entering and leaving in full, because
    entering can be aborted. Linux takes it in place of the sum, so a greater one makes the state
    look dearer than it can be: usually the sum is out of date.

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
            wakeup-latency-us = <1000>;
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

from ..devicetree.idle_nodes import ENTRY, EXIT, WAKEUP
from ..findings import Finding, Severity
from ..pipeline import Subject
from .is6_nodes import own_nodes
from .rule import Rule

RULE = Rule("IS608", "wakeup-above-entry-and-exit", Severity.WARNING, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    for _, node in own_nodes(subject):
        wakeup, entry, leave = (node.u32(name) for name in (WAKEUP, ENTRY, EXIT))
        if wakeup is None or entry is None or leave is None or wakeup <= entry + leave:
            continue
        yield RULE.finding(
            subject,
            f"{node.name} has {WAKEUP} {wakeup}, above the {entry + leave} of entry and exit",
            node.at(WAKEUP),
            related=[(node.at(EXIT), "the exit latency")],
        )
