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
          ibm,opal {
    +         power-mgt {
    +             ibm,enabled-stop-levels = <0xec000000>;
    +         };

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt(); skiboot hw/slw.c
    add_cpu_idle_state_properties(), label CreateDTPowerMgtNodeFail; fwts power_mgmt label
    DTNodeMissing.

IS121 unknown-processor: a tree names a processor that is not in the registry.

What it does
    Looks at cpu-version, and at the names, of the CPUs in a tree that has a table of OPAL's. If
    none of them is a processor in idle_states/base/model/processors.py, the table is taken as
    POWER9's, or POWER8's if its control register is PMICR, and the finding says so.

Why is this bad
    Levels, chips and what Linux makes of the states depend on the processor, so whatever else is
    said of the tree is a guess.

Example
    / {
        cpus { PowerPC,POWER99@0 { cpu-version = <0x00f00100>; }; };
        ibm,opal { power-mgt { ibm,cpu-idle-state-names = "stop0_lite"; }; };
    };

Use instead
    -     cpus { PowerPC,POWER99@0 { cpu-version = <0x00f00100>; }; };
    +     cpus { PowerPC,POWER9@0 { cpu-version = <0x004e1202>; }; };

Ground
    Linux arch/powerpc/include/asm/reg.h PVR_VER; skiboot hdata/cpu-common.c for names and
    cpu-version.
"""

from .rule import Rule, Severity

RULES = (
    Rule("IS114", "missing-node", Severity.ERROR, aliases=("fwts:DTNodeMissing",), forms=("dt",)),
    Rule("IS121", "unknown-processor", Severity.ERROR, forms=("dt",)),
)
