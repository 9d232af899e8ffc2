"""IS904 expired-suppression: a suppression whose last day has passed.

What it does
    Reports a line of setup.cfg's [idle-states] whose `until` lies in the past. It has no effect
    any more. SOURCE_DATE_EPOCH, where set, is today.

Why is this bad
    Somebody promised to look at the finding by that day.

Example
    [idle-states]
    suppress =
        IS203 power9:states[4].residency until 2018-01-31 level until stop5 is measured

Use instead
    [idle-states]
    suppress =
        IS203 power9:states[4].residency until 2099-01-31 level until stop5 is measured

Ground
    This tool's own rule; idle_states/check/config.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS904", "expired-suppression", Severity.WARNING)
