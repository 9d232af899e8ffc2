"""IS701 logged-invalid-state: a kernel log says that a state is invalid.

What it does
    Reads the kernel's complaints about PSSCR values it does not take.

Why is this bad
    The state is lost to idle and to offlined CPUs, on the very machine that logged it.

Example
    [    0.8] Linux version 6.1.0
    [    0.9] Invalid psscr 0x0000000000200331 : ESL,EC bits unequal

Use instead
    [    0.8] Linux version 6.1.0
    [    0.9] cpuidle-powernv: First stop level that may lose SPRs = 0x10

Ground
    Linux arch/powerpc/platforms/powernv/idle.c validate_psscr_val_mask().
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS701", "logged-invalid-state", Severity.ERROR)
