"""IS926 broken-extends: a spec extends one that is not there, or itself.

What it does
    Looks for the parent beside the spec, as NAME.yaml, and then among the packaged specs; follows
    the chain of files to its end, over 32 files at most.

Why is this bad
    Without its parent a spec is a few values without a table.

Example
    extends: power99

Use instead
    extends: power9

Ground
    idle_states/spec/inherit.py; `idle-states list` names the packaged specs.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS926", "broken-extends", Severity.ERROR, forms=("spec",))
