"""IS601 no-idle-states: an Arm or RISC-V tree lists no idle state.

What it does
    Raised when such a tree is read and no CPU has cpu-idle-states or a power domain with
    domain-idle-states, so that there is no table to look at.

Why is this bad
    Linux then has no cpuidle driver from the tree; CPUs wait in WFI. On machines whose firmware
    describes its states in ACPI, or that have none, this is as it should be.

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
            };
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
        };
    };

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml; drivers/cpuidle/cpuidle-psci.c
    psci_idle_init_cpu() registers nothing for WFI alone.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS601", "no-idle-states", Severity.NOTE, forms=("nodes",))
