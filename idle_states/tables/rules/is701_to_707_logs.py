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

IS702 logged-only-snooze: a kernel log says that only snooze is available.

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

IS703 logged-no-stop-levels: a firmware log says that no stop level is enabled.

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

IS704 logged-no-deep-states: a log says that deep states are lost.

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

IS705 logged-forced-state: a firmware log says that NVRAM forced a state.

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

IS706 logged-missing-property: a kernel log says that a property is missing.

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

IS707 logged-nvram-mask: a firmware log shows that NVRAM withholds a state.

What it does
    Looks at states that are disabled "in OPAL", which the log says of NVRAM's mask, too: it is
    NVRAM's where OPAL's own leaves the level enabled in every release that the log can be of.

Why is this bad
    opal-stop-state-disable-mask is for debugging, and stays when that is over. Idle CPUs save less.

Example
    [    0.100000000,5] OPAL v7.0 starting...
    [    0.200000000,5] SLW: Disabling: stop3 in OPAL

Use instead
    [    0.100000000,5] OPAL v7.0 starting...
    [    0.200000000,6] SLW: Enabling: stop3

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), nvram_disabled_states_mask (217e5a4ec).
"""

from .rule import Rule, Severity

RULES = (
    Rule("IS701", "logged-invalid-state", Severity.ERROR),
    Rule("IS702", "logged-only-snooze", Severity.ERROR),
    Rule("IS703", "logged-no-stop-levels", Severity.ERROR),
    Rule("IS704", "logged-no-deep-states", Severity.WARNING),
    Rule("IS705", "logged-forced-state", Severity.WARNING),
    Rule("IS706", "logged-missing-property", Severity.ERROR),
    Rule("IS707", "logged-nvram-mask", Severity.WARNING),
)
