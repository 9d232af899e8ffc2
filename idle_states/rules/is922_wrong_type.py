"""IS922 wrong-type: a value is of another type than its key takes.

What it does
    Reports a list where a value is expected and the like, an integer that is none, and anything
    but yes, no, true or false where one of them is expected.

Why is this bad
    The value cannot be read as what it stands for; guessing is what YAML is notorious for.

Example
    extends: power9
    override:
      stop2: {flags: STOP_INST_FAST}

Use instead
    extends: power9
    override:
      stop2: {flags: [STOP_INST_FAST]}

Ground
    schemas/idle-states.schema.json; idle_states/reading/scalars.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS922", "wrong-type", Severity.ERROR, forms=("spec",))
