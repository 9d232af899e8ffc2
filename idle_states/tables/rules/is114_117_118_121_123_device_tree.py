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

IS117 unknown-property: the power-mgt node has a property that skiboot does not make.

What it does
    Holds the node's properties against the binding's list. Raised by `check` where dtschema is
    installed; a property nobody reads changes nothing in the kernel.

Why is this bad
    A property that is almost ibm,cpu-idle-state-flags is not read, and the kernel goes on without
    the one it replaces.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-states-flags = <0x100000>;

Use instead
    -             ibm,cpu-idle-states-flags = <0x100000>;
    +             ibm,cpu-idle-state-flags = <0x100000>;

Ground
    schemas/powerpc/opal-power-mgt.yaml, additionalProperties; skiboot hw/slw.c, hw/occ.c and
    hdata/spira.c, which make every property it lists.

IS118 dt-schema-other: the binding objects to something that no other rule covers.

What it does
    Passes on what dt-validate says and no other rule covers. Raised by `check` where dtschema is
    installed; for specs and C tables with `--engine all`.

Why is this bad
    The binding is stricter than firmware and kernel in a few places, such as a nap that stops a
    clock. A tree that it rejects is not one that skiboot makes.

Example
    extends: power8
    override:
      nap: {flags: [TIMEBASE_STOP, DEC_STOP, LOSE_USER_CONTEXT, NAP_ENABLED]}

Use instead
    -   nap: {flags: [TIMEBASE_STOP, DEC_STOP, LOSE_USER_CONTEXT, NAP_ENABLED]}
    +   nap: {flags: [LOSE_USER_CONTEXT, NAP_ENABLED]}

Ground
    schemas/powerpc/opal-power-mgt.yaml; the finding names the place in it.

IS121 unknown-processor: a tree names a processor that no spec defines.

What it does
    Looks at cpu-version of the CPUs in a tree that has a table of OPAL's, and at their names where
    none has a cpu-version. Reported if none of them is a processor that a packaged spec defines, or
    another spec of the same check or audit, or the spec of --platform spec=FILE.

Why is this bad
    Levels, chips and the nearest table depend on the processor and are not judged. A kernel that
    looks at the PVR (Linux 5.10 on) is taken to have no stop driver for it.

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

IS123 tree-before-skiboot: a tree is what skiboot was given, not what it made.

What it does
    Notes a tree with chips (xscom@...) and no idle states, whose /ibm,opal lacks
    opal-base-address, and says which states today's skiboot would add.

Why is this bad
    Nothing can be told of the machine's states; audit what Linux sees, /proc/device-tree.

Example
    / {
        xscom@603fc00000000 { };
        ibm,opal {
            power-mgt { ibm,enabled-stop-levels = <0xec000000>; };
        };
    };

Use instead
      / {
          xscom@603fc00000000 { };
          ibm,opal {
    -         power-mgt { ibm,enabled-stop-levels = <0xec000000>; };
    +         opal-base-address = <0 0x30000000>;
    +         power-mgt { ibm,cpu-idle-state-names = "stop0_lite"; };
          };
      };

Ground
    skiboot core/opal.c add_opal_node(); hdata/spira.c add_stop_levels().
"""

from functools import partial

from .rule import Rule, Severity

_rule = partial(Rule, severity=Severity.ERROR)
RULES = (
    _rule("IS114", "missing-node", aliases=("fwts:DTNodeMissing",), forms=("dt",)),
    _rule("IS117", "unknown-property", aliases=("dt-schema:additionalProperties",), forms=("dt",)),
    _rule("IS118", "dt-schema-other", aliases=("dt-schema:*",)),
    _rule("IS121", "unknown-processor", forms=("dt",)),
    _rule("IS123", "tree-before-skiboot", severity=Severity.NOTE, forms=("dt",)),
)
