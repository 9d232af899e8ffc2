"""IS416 refused-table-parameter: intel_idle.table= as given is refused, or passed over in part.

What it does
    Where --platform is an x86 machine with table=, does with the value what the kernels asked for
    do: an error where they refuse it, a warning where they pass over an entry or do not know the
    parameter.

Why is this bad
    A value that is refused changes nothing: the machine boots with the stock times, and a line in
    the log says so. An entry for a state that is not registered changes nothing either, while the
    others do.

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

from ...base.wording import joined
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule("IS416", "refused-table-parameter", Severity.ERROR, forms=("driver",))

_FORM = "it is not NAME:LATENCY:RESIDENCY[,...] with numbers of us"


@RULE.of_each_kernel
def check(view: KernelView) -> Verdicts:
    machine, where = view.subject.machine, view.subject.at(None)
    given = machine.parameters.table if machine else b""
    if not given:
        return
    from ..linux.intel_idle.features import features
    from ..linux.intel_idle.table_parameter import refusal

    value = given.decode("utf-8", "backslashreplace")
    refused, said = refusal(view.driver.messages)
    if not features(view.release).table_parameter:
        message = f"table={value} is ignored: this kernel has no such parameter"
        yield Verdict(where, message, Severity.WARNING)
    elif refused:
        why = joined(said) if said else _FORM
        yield Verdict(where, f"table={value} is refused, and nothing changes: {why}")
    elif said:
        yield Verdict(where, f"table={value} is taken in part: {joined(said)}", Severity.WARNING)
