"""IS927 broken-override: override, drop or before names a state that was not inherited.

What it does
    Compares the names in `override`, `drop` and `before` with the states there are at that point,
    and reports a state written out that was inherited already.

Why is this bad
    A change that hits nothing leaves the inherited value in force, where the author believes in
    the new one.

Example
    extends: power9
    override:
      stop3: {latency: 20us}

Use instead
    extends: power9
    override:
      stop2: {latency: 20us}

Ground
    idle_states/spec/inherit.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS927", "broken-override", Severity.ERROR, forms=("spec",))
