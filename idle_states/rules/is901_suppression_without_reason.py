"""IS901 suppression-without-reason: a suppression does not say why.

What it does
    Looks for text after the closing bracket of `# idle-states: ignore[...]`, and for the reason in
    the suppression lists of setup.cfg.

Why is this bad
    Without a reason nobody can later tell a decision from a convenience. The suppression has no
    effect until it has one.

Example
    extends: power9
    override:
      # idle-states: ignore[IS206]
      stop2: {latency: 150us}

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

RULE = Rule("IS901", "suppression-without-reason", Severity.WARNING, forms=("spec",))
