"""IS905 bad-configuration: a setup.cfg or a baseline that cannot be understood.

What it does
    Raised for a section [idle-states] with a key the tool does not know, for a suppression that
    lacks its rule, its path or a proper day, and for a baseline that is none. Exit status 3.

Why is this bad
    A suppression that is not understood hides nothing, or one day the wrong thing.

Example
    [idle-states]
    suppress =
        residency-tie power9:states[4].residency level until stop5 is measured

Use instead
    [idle-states]
    suppress =
        IS203 power9:states[4].residency level until stop5 is measured

Ground
    This tool's own rule; idle_states/check/config.py, idle_states/check/baseline.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS905", "bad-configuration", Severity.ERROR)
