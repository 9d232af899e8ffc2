"""IS903 unknown-rule: a suppression names a rule that does not exist.

What it does
    Compares the codes in `ignore[...]` with the rules there are. Codes are written in full.

Why is this bad
    The finding that was meant is not suppressed, and the reader believes it is.

Example
    extends: power9
    override:
      # idle-states: ignore[IS2O6] kept off cpuidle while the wake-up problem is open
      stop2: {latency: 150us}

Use instead
    extends: power9
    override:
      # idle-states: ignore[IS206] kept off cpuidle while the wake-up problem is open
      stop2: {latency: 150us}

Ground
    This tool's own rule; `idle-states rules` lists the codes.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS903", "unknown-rule", Severity.WARNING, forms=("spec",))
