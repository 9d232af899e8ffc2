"""IS925 unknown-name: a name that is not on its list.

What it does
    Flags, PSSCR fields of a mask, PMICR settings, scopes and the kinds of provenance come from
    fixed lists; processor generations, their PVRs, chips and stop levels from the registry of
    processors. The message has the list and the nearest entry.

Why is this bad
    A flag that is not set is a state that loses context nobody saves.

Example
    extends: power9
    override:
      stop2: {flags: [LOSE_USER_CONTEXT, STOP_INST_FSAT]}

Use instead
    extends: power9
    override:
      stop2: {flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]}

Ground
    skiboot include/opal-api.h OPAL_PM_*; idle_states/table.py, idle_states/processors.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS925", "unknown-name", Severity.ERROR, forms=("spec",))
