"""IS702 logged-only-snooze: a kernel log says that only snooze is available.

What it does
    Reads the line of the driver that found no state it could register.

Why is this bad
    Every idle CPU of that machine polls, at full power and at the cost of its siblings.

Example
    [    0.8] Linux version 6.1.0
    [    0.9] cpuidle-powernv : Only Snooze is available

Use instead
    [    0.8] Linux version 6.1.0
    [    0.9] cpuidle: using governor menu

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states().
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS702", "logged-only-snooze", Severity.ERROR)
