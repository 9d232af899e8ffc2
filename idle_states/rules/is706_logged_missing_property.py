"""IS706 logged-missing-property: a kernel log says that a property is missing.

What it does
    Reads which property of power-mgt the kernel did not find.

Why is this bad
    It takes no state of the tree then.

Example
    [    0.8] Linux version 6.1.0
    [    0.9] cpuidle-powernv: missing ibm,cpu-idle-state-latencies-ns in DT

Use instead
    [    0.8] Linux version 6.1.0
    [    0.9] cpuidle: using governor menu

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt().
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS706", "logged-missing-property", Severity.ERROR)
