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
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000>;
            };
        };
    };

Ground
    schemas/powerpc/opal-power-mgt.yaml, additionalProperties; skiboot hw/slw.c, hw/occ.c and
    hdata/spira.c, which make every property it lists.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule(
    "IS117",
    "unknown-property",
    Severity.ERROR,
    aliases=("dt-schema:additionalProperties",),
    forms=("dt",),
)
