"""IS704 logged-no-deep-states: a log says that deep states are lost.

What it does
    Reads the lines of firmware and kernel that give up on states which lose full context.

Why is this bad
    What the table promises to save, the machine cannot; offlined CPUs stay shallow.

Example
    [    0.8] Linux version 6.1.0
    [    0.9] cpuidle-powernv: Disabling idle states that lose full context

Use instead
    [    0.8] Linux version 6.1.0
    [    0.9] cpuidle: using governor menu

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_disable_deep_states(); skiboot hw/slw.c.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS704", "logged-no-deep-states", Severity.WARNING)
