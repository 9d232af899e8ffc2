"""IS413 c1e-promotion: C1 may be entered as C1E, for nothing keeps the processor from promoting it.

What it does
    Of tables of intel_idle that have C1 (MWAIT 0x00) and C1E (MWAIT 0x01), looks at the entries
    that lead to them: whether disable_promotion_to_c1e is set.

Why is this bad
    Where firmware has C1E promotion on, the processor enters C1E where C1 was requested. The exit
    takes C1E's latency, while governors count on C1's, and a latency limit between the two is not
    kept.

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
    MSR_IA32_POWER_CTL on each CPU where the entry has the flag; else the bit stays as firmware left
    it.

IS414 unusable-row: intel_idle does not register a row, whatever its times are.

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

IS415 table-parameter-refused: intel_idle.table= is refused unless it changes this row.

What it does
    From Linux 7.0 on, holds the states that intel_idle registers against what the kernel demands of
    all of them, once intel_idle.table= gives any: latencies from 1 to 5000 us, residencies not
    below the latency and up to 100000 us, both above those of the state before.

Why is this bad
    A value that changes another state alone is refused as a whole, with a line in the log that
    names this state, and nothing changes. The value has to give this state other times as well.

Example
    // kernel: 7.1
    #define MWAIT2flg(eax) ((eax & 0xFF) << 24)
    static struct cpuidle_state own_cstates[] = {
        {.name = "C6", .flags = MWAIT2flg(0x20), .exit_latency = 80, .target_residency = 300,
         .enter = &intel_idle},
        {.name = "C7", .flags = MWAIT2flg(0x30), .exit_latency = 87, .target_residency = 300,
         .enter = &intel_idle},
        {.enter = NULL}
    };

Use instead
    -     {.name = "C7", .flags = MWAIT2flg(0x30), .exit_latency = 87, .target_residency = 300,
    +     {.name = "C7", .flags = MWAIT2flg(0x30), .exit_latency = 87, .target_residency = 320,

Ground
    Linux drivers/idle/intel_idle.c, validate_cmdline_cstate() as cmdline_table_adjust() calls it
    for every registered state: 111f77a23348 and be6a150829b3 (7.0).

IS416 refused-table-parameter: intel_idle.table= as given is refused, or passed over in part.

What it does
    Where --platform is an x86 machine with table=, does with the value what the kernels asked for
    do: an error where they refuse it, a warning where they pass over an entry or do not know the
    parameter.

Why is this bad
    A value that is refused changes nothing: the machine boots with the stock times, and a line in
    the log reports it. An entry for a state that is not registered changes nothing either, while
    the others do.

Example
    // kernel: 7.1
    // platform: skx,table=C6:150:100
    #define MWAIT2flg(eax) ((eax & 0xFF) << 24)
    static struct cpuidle_state skx_cstates[] = {
        {.name = "C1", .flags = MWAIT2flg(0x00), .exit_latency = 2, .target_residency = 2,
         .enter = &intel_idle},
        {.name = "C1E", .flags = MWAIT2flg(0x01), .exit_latency = 10, .target_residency = 20,
         .enter = &intel_idle},
        {.name = "C6", .flags = MWAIT2flg(0x20), .exit_latency = 133, .target_residency = 600,
         .enter = &intel_idle},
        {.enter = NULL}
    };

Use instead
    - // platform: skx,table=C6:150:100
    + // platform: skx,table=C6:100:150

Ground
    Linux drivers/idle/intel_idle.c, cmdline_table_adjust() (111f77a23348, 7.0), held to the
    kernel's own code in tests/tables/linux/test_table_parameter.py.
"""

from collections.abc import Iterator
from itertools import islice, pairwise

from ...base.model.beyond_opal import BuiltIn, BuiltInState
from ...base.model.table import IdleTable
from ...base.wording import joined
from ..linux.built_in_driver import UNUSABLE
from ..linux.held import POLL
from ..linux.intel_idle.features import features
from ..linux.intel_idle.table_parameter import (
    faults,
    refusal,
)
from .is4_kernels import place
from .rule import KernelView, Rule, Severity, Subject, Verdict, Verdicts

PROMOTION = Rule("IS413", "c1e-promotion", Severity.NOTE, forms=("driver",))
UNUSABLE_ROW = Rule("IS414", "unusable-row", Severity.NOTE, forms=("driver",))
REFUSED_ALWAYS = Rule("IS415", "table-parameter-refused", Severity.NOTE, forms=("driver", "sysfs"))
REFUSED = Rule("IS416", "refused-table-parameter", Severity.ERROR, forms=("driver",))
RULES = (PROMOTION, UNUSABLE_ROW, REFUSED_ALWAYS, REFUSED)
_C1, _C1E = 0x00, 0x01
_SETTING = "disable_promotion_to_c1e"
_FORM = "it is not NAME:LATENCY:RESIDENCY[,...] with numbers of us"


def mwait_rows(built_in: BuiltIn) -> Iterator[tuple[int, BuiltInState]]:
    """(row of the table, state) of an array of intel_idle; none for other drivers."""
    for number, state in enumerate(built_in.states):
        if state.mwait_hint is not None and number >= built_in.first_row:
            yield number - built_in.first_row, state


def is_intel_idle(table: IdleTable) -> bool:
    """Tells whether a table is an array of intel_idle, or of a machine whose states are
    intel_idle's: by its driver's name, or where the dump does not tell it, by what it says of its
    states."""
    if table.origin.form == "driver":
        return table.origin.is_intel_idle
    held = table.origin
    if held.form != "sysfs" or held.driver not in ("", "intel_idle"):
        return False
    if held.driver:
        return True
    described = [state.description.startswith("MWAIT ") for state in held.states[1:]]
    return held.states[0].name == POLL and bool(described) and all(described)


@PROMOTION.of_table
def check_promotion(subject: Subject) -> Verdicts:
    built_in = subject.table.origin
    if built_in.form != "driver":
        return
    hint2row = {
        state.mwait_hint: (row, state)
        for row, state in mwait_rows(built_in)
        if UNUSABLE not in state.flag_names
    }
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


@UNUSABLE_ROW.of_each_kernel
def check_row(view: KernelView) -> Verdicts:
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


@REFUSED_ALWAYS.of_each_kernel
def check_states(view: KernelView) -> Verdicts:
    if not is_intel_idle(view.subject.table):
        return
    if not features(view.release).table_parameter:
        return
    for before, state in pairwise(view.driver.states):
        for field, why in islice(faults(before, state), 1):
            yield Verdict(
                place(view.subject, state.source, field),
                f"intel_idle.table= is refused unless it changes {state.name}: {why}",
            )


@REFUSED.of_each_kernel
def check_value(view: KernelView) -> Verdicts:
    machine, where = view.subject.machine, view.subject.at(None)
    given = machine.parameters.table if machine else b""
    if not given:
        return
    value = given.decode("utf-8", "backslashreplace")
    refused, texts = refusal(view.driver.messages)
    if not features(view.release).table_parameter:
        message = f"table={value} is ignored: this kernel has no such parameter"
        yield Verdict(where, message, Severity.WARNING)
    elif refused:
        why = joined(texts) if texts else _FORM
        yield Verdict(where, f"table={value} is refused, and nothing changes: {why}")
    elif texts:
        yield Verdict(
            where, f"table={value} is accepted in part: {joined(texts)}", Severity.WARNING
        )
