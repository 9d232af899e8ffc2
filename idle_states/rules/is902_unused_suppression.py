"""IS902 unused-suppression: a suppression that nothing needs.

What it does
    Reports a suppression for a rule that finds nothing at its place.

Why is this bad
    It was left behind when the value was corrected, or stands at the wrong line. Either way it
    would silence the next real finding there.

Example
    extends: power9
    override:
      # idle-states: ignore[IS206] kept off cpuidle while the wake-up problem is open
      stop2: {latency: 10us}

Use instead
    extends: power9
    override:
      # idle-states: ignore[IS206] kept off cpuidle while the wake-up problem is open
      stop2: {latency: 150us}

Ground
    This tool's own rule; idle_states/rules/engine.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS902", "unused-suppression", Severity.WARNING, forms=("spec",))
