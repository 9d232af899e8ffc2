"""IS117 unknown-property: the power-mgt node has a property that skiboot does not make.

What it does
    Holds the node's properties against the binding's list. Raised by `check --engine dtschema`
    only; a property nobody reads changes nothing in the kernel.

Why is this bad
    A property that is almost ibm,cpu-idle-state-flags is not read, and the kernel goes on without
    the one it replaces.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-states-flags = <0x100000>;
            };
        };
    };

Use instead
    -             ibm,cpu-idle-states-flags = <0x100000>;
    +             ibm,cpu-idle-state-flags = <0x100000>;

Ground
    schemas/powerpc/opal-power-mgt.yaml, additionalProperties; skiboot hw/slw.c, hw/occ.c and
    hdata/spira.c, which make every property it lists.

IS118 dt-schema-other: the binding objects to something no other rule speaks of.

What it does
    Passes on what dt-validate says and no other rule covers. Raised by `check --engine dtschema`
    only.

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
"""

from .rule import Rule, Severity

RULES = (
    Rule(
        "IS117",
        "unknown-property",
        Severity.ERROR,
        aliases=("dt-schema:additionalProperties",),
        forms=("dt",),
    ),
    Rule("IS118", "dt-schema-other", Severity.ERROR, aliases=("dt-schema:*",)),
)
