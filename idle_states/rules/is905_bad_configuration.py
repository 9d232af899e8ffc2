"""IS905 bad-configuration: a configuration or a baseline that cannot be understood.

What it does
    Raised for a section [idle-states] of setup.cfg, or [tool.idle-states] of pyproject.toml, with
    a key or value the tool does not know, for a suppression that lacks its rule, its path or a
    proper day, for tables outside of the file's own directory, for two such sections in one
    directory, and for a baseline that is none. Exit status 3.

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
