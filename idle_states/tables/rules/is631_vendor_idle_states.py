"""IS631 vendor-idle-states: a tree has its idle states in qcom,lpm-levels alone.

What it does
    Raised when a tree is read whose CPUs list no idle state, and which has a node compatible with
    qcom,lpm-levels. Its levels are then shown and judged as they are in Linux's bindings: CPUs'
    levels as arm,idle-state, clusters' as domain-idle-state, PSCI's parameters put together as
    Qualcomm's driver does. Properties that Linux has no equivalent of are named.

Why is this bad
    Linux itself does not read the node: with this tree its CPUs wait in WFI. Qualcomm's kernels
    select by a governor of their own, which is not modelled.

Example
    / {
        soc {
            qcom,lpm-levels {
                compatible = "qcom,lpm-levels";
                qcom,pm-cluster@0 { };
            };
        };
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
    drivers/cpuidle/lpm-levels-of.c and lpm-levels.c of Qualcomm's kernels; Linux
    drivers/cpuidle/cpuidle-psci.c asks for cpu-idle-states and power domains alone.
"""

from .rule import Rule, Severity

RULE = Rule("IS631", "vendor-idle-states", Severity.NOTE, forms=("nodes",))
