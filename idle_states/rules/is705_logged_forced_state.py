"""IS705 logged-forced-state: a firmware log says that NVRAM forced a state.

What it does
    Reads which states skiboot exports although its own mask disables them.

Why is this bad
    The mask is there because the state does not work on that chip.

Example
    [    0.100000000,5] OPAL v6.4 starting...
    [    0.200000000,5] SLW: Enabling: stop11 (disabled in OPAL, forced by NVRAM)

Use instead
    [    0.100000000,5] OPAL v6.4 starting...
    [    0.200000000,6] SLW: Enabling: stop0

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), NVRAM opal-stop-state-disable-mask
    (5beda3c6f).
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS705", "logged-forced-state", Severity.WARNING)
