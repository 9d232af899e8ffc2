"""IS414 unusable-row: intel_idle does not register a row, whatever its times are.

What it does
    Reports rows of intel_idle's tables that are flagged CPUIDLE_FLAG_UNUSABLE, and what would make
    a kernel register them.

Why is this bad
    The row reads like a state that machines have. Its times can be tuned without any effect: on
    Alder Lake and Gracemont C1 is never entered, and short idles go to C1E. From 5.18 to 6.19
    intel_idle.preferred_cstates could choose C1 in its place; 7.0 took the parameter away.

Example
    // kernels: 6.12, 7.1
    #define MWAIT2flg(eax) ((eax & 0xFF) << 24)
    #define CPUIDLE_FLAG_UNUSABLE (1 << 3)
    static struct cpuidle_state own_cstates[] = {
        {.name = "C1", .flags = MWAIT2flg(0x00) | CPUIDLE_FLAG_UNUSABLE, .exit_latency = 1,
         .target_residency = 1, .enter = &intel_idle},
        {.name = "C1E", .flags = MWAIT2flg(0x01), .exit_latency = 2, .target_residency = 4,
         .enter = &intel_idle},
        {.enter = NULL}
    };

Use instead
    - #define CPUIDLE_FLAG_UNUSABLE (1 << 3)
    -     {.name = "C1", .flags = MWAIT2flg(0x00) | CPUIDLE_FLAG_UNUSABLE, .exit_latency = 1,
    -      .target_residency = 1, .enter = &intel_idle},

Ground
    Linux drivers/idle/intel_idle.c, intel_idle_init_cstates_icpu(), which skips such rows;
    adl_idle_state_table_update() from da0e58c038e6 (5.18) to a36dc37b5672 (7.0).
"""

from ..linux.built_in_driver import UNUSABLE
from .is4_intel import mwait_rows
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule("IS414", "unusable-row", Severity.NOTE, forms=("driver",))

_C1, _C1E = 0x00, 0x01


@RULE.of_each_kernel
def check(view: KernelView) -> Verdicts:
    from ..linux.intel_idle.features import features

    built_in = view.subject.table.origin
    rows = list(mwait_rows(built_in)) if built_in.form == "driver" else []
    hints = {state.mwait_hint for _, state in rows}
    for row, state in rows:
        if UNUSABLE not in state.flag_names:
            continue
        preferred = features(view.release).prefers_c1 and state.mwait_hint == _C1 and _C1E in hints
        fate = "it is not registered, so that its times have no effect"
        if preferred:
            fate = "it is registered only if intel_idle.preferred_cstates asks for it"
        yield Verdict(view.subject.at(row), f"{state.name} is flagged {UNUSABLE}: {fate}")
