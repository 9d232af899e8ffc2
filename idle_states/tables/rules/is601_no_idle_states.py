"""IS601 no-idle-states: an Arm or RISC-V tree, or ACPI tables, list no idle state.

What it does
    Raised when such a tree is read and no CPU has cpu-idle-states or a power domain with
    domain-idle-states, or when ACPI tables give no processor _CST or _LPI, so that there is no
    table to look at.

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
    ONE_STATE of trees.py

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml; drivers/cpuidle/cpuidle-psci.c
    psci_idle_init_cpu() registers nothing for WFI alone. drivers/acpi/processor_idle.c
    acpi_processor_get_power_info() takes the FADT's C2 and C3 where there is no _CST.
"""

from .rule import Rule, Severity

RULE = Rule("IS601", "no-idle-states", Severity.NOTE, forms=("nodes",))
