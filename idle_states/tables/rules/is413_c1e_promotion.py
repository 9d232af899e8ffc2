"""IS413 c1e-promotion: C1 may be entered as C1E, for nothing keeps the processor from promoting it.

What it does
    Of tables of intel_idle that have C1 (MWAIT 0x00) and C1E (MWAIT 0x01), looks at the entries
    that lead to them: whether disable_promotion_to_c1e is set.

Why is this bad
    Where firmware has C1E promotion on, the processor enters C1E where C1 was asked for. Leaving it
    takes what C1E's row says, while governors reckon with C1's, and a latency limit between the two
    is not kept.

Example
    #define INTEL_OWN 0x6CC
    #define MWAIT2flg(eax) ((eax & 0xFF) << 24)
    static struct cpuidle_state own_cstates[] = {
        {.name = "C1", .flags = MWAIT2flg(0x00), .exit_latency = 1, .target_residency = 1,
         .enter = &intel_idle},
        {.name = "C1E", .flags = MWAIT2flg(0x01), .exit_latency = 10, .target_residency = 10,
         .enter = &intel_idle},
        {.enter = NULL}
    };
    static const struct idle_cpu idle_cpu_own = {
        .state_table = own_cstates,
    };
    static const struct x86_cpu_id intel_idle_ids[] = {
        X86_MATCH_VFM(INTEL_OWN, &idle_cpu_own),
        {}
    };

Use instead
          .state_table = own_cstates,
    +     .disable_promotion_to_c1e = true,

Ground
    Linux drivers/idle/intel_idle.c, c1e_promotion_disable(), which clears bit 1 of
    MSR_IA32_POWER_CTL on each CPU where the entry says so; without it the bit stays as firmware
    left it.
"""

from ...base.wording import joined
from .is4_intel import usable_rows
from .rule import Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS413", "c1e-promotion", Severity.NOTE, forms=("driver",))

_SETTING = "disable_promotion_to_c1e"
_C1, _C1E = 0x00, 0x01


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    built_in = subject.table.origin
    if built_in.form != "driver":
        return
    hint2row = {state.mwait_hint: (row, state) for row, state in usable_rows(built_in)}
    # packaged tables know processors only, not what the source calls their entries
    entries = {cpu.entry or cpu.name: dict(cpu.settings) for cpu in built_in.cpus}
    leaving = [name for name, settings in entries.items() if not settings.get(_SETTING)]
    if _C1 not in hint2row or _C1E not in hint2row or not leaving:
        return
    (row, c1), (deeper, c1e) = hint2row[_C1], hint2row[_C1E]
    yield Verdict(
        subject.at(row, "latency"),
        f"{c1.name} may be entered as {c1e.name}, which takes {c1e.exit_latency_us} us to leave, "
        f"not {c1.exit_latency_us}: {joined(leaving)} "
        f"{'leaves' if len(leaving) == 1 else 'leave'} C1E promotion as firmware has it",
        related=((subject.at(deeper, "latency"), f"{c1e.name} is here"),),
    )
