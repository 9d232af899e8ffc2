"""IS114 missing-node: the device tree has no /ibm,opal/power-mgt.

What it does
    Raised when a device tree is read and the node is not there, so that there is no table to
    look at.

Why is this bad
    Linux logs "opal: PowerMgmt Node not found" and has no idle state but snooze. Trees of
    simulators, of partitions (no OPAL) and of machines other than OpenPOWER look like this; on
    an OpenPOWER machine, skiboot failed to create the node.

Example
    / {
        ibm,opal {
        };
    };

Use instead
    / {
        ibm,opal {
            power-mgt {
                ibm,enabled-stop-levels = <0xec000000>;
            };
        };
    };

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt(); skiboot hw/slw.c
    add_cpu_idle_state_properties(), label CreateDTPowerMgtNodeFail; fwts power_mgmt label
    DTNodeMissing.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule(
    "IS114",
    "missing-node",
    Severity.ERROR,
    aliases=("fwts:DTNodeMissing",),
    forms=("dt",),
)
