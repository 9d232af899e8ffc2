"""IS118 dt-schema-other: the binding objects to something no other rule speaks of.

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
    extends: power8
    override:
      nap: {flags: [LOSE_USER_CONTEXT, NAP_ENABLED]}

Ground
    schemas/powerpc/opal-power-mgt.yaml; the finding names the place in it.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule(
    "IS118",
    "dt-schema-other",
    Severity.ERROR,
    aliases=("dt-schema:*",),
)
