"""IS906 changed-configuration: a change alters the rules by which later changes are judged.

What it does
    Reports each key of [idle-states] in setup.cfg, or of [tool.idle-states] in pyproject.toml, that
    a reviewed range changes, and each suppression that it adds or removes. `check --config-from`
    reports the same between a revision and the files in the current folder. The review itself, and
    such a check, go by the configuration before the change.

Why is this bad
    A change that ignores a rule or accepts a finding passes every check after it is merged. It may
    be right; somebody should have seen it.

Example
    before
        [idle-states]
        fail-on = warning
    after
        [idle-states]
        fail-on = error
        ignore = IS203

Use instead
    before and after
        [idle-states]
        fail-on = warning

Ground
    This tool's own rule; idle_states/check/config_change.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS906", "changed-configuration", Severity.WARNING)
