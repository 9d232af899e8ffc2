"""IS121 unknown-processor: a tree names a processor that is not in the registry.

What it does
    Looks at cpu-version, and at the names, of the CPUs in a tree that has a table of OPAL's. If
    none of them is a processor in idle_states/processors.py, the table is taken as POWER9's, or
    POWER8's if its control register is PMICR, and the finding says so.

Why is this bad
    Levels, chips and what Linux makes of the states depend on the processor, so whatever else is
    said of the tree is a guess.

Example
    / {
        cpus { PowerPC,POWER99@0 { cpu-version = <0x00f00100>; }; };
        ibm,opal { power-mgt { ibm,cpu-idle-state-names = "stop0_lite"; }; };
    };

Use instead
    / {
        cpus { PowerPC,POWER9@0 { cpu-version = <0x004e1202>; }; };
        ibm,opal { power-mgt { ibm,cpu-idle-state-names = "stop0_lite"; }; };
    };

Ground
    Linux arch/powerpc/include/asm/reg.h PVR_VER; skiboot hdata/cpu-common.c for names and
    cpu-version.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS121", "unknown-processor", Severity.ERROR, forms=("dt",))
