"""IS703 logged-no-stop-levels: a firmware log says that no stop level is enabled.

What it does
    Reads the complaint of skiboot's SLW code about ibm,enabled-stop-levels.

Why is this bad
    No state is exported; the kernel has snooze alone.

Example
    [    0.100000000,5] OPAL v6.4 starting...
    [    0.200000000,3] SLW: No stop levels available. Power saving is disabled!

Use instead
    [    0.100000000,5] OPAL v6.4 starting...
    [    0.200000000,6] SLW: Enabling: stop0_lite

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties().
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS703", "logged-no-stop-levels", Severity.ERROR)
