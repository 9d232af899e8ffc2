"""IS426 single-state-driver: a driver has one state, which the CPU enters without a driver as well.

What it does
    Looks at tables in the source of drivers whose state_count is 1, and whose one state is what any
    CPU does: waiting for an interrupt (WFI, HALT), or polling. A driver that takes more states from
    a device tree counts them when it starts, and is left out.

Why is this bad
    Without a driver, the idle loop calls the architecture's own idle function, which does the same.
    The driver costs the governor's work at every idle period, and leaves it nothing to choose.
    Maintainers refuse such drivers until there is a second state.

Example
    static struct cpuidle_driver own_driver = {
        .name = "own",
        .states[0] = {.name = "WFI", .exit_latency = 1, .target_residency = 1, .enter = &own},
        .state_count = 1,
    };

Use instead
    -     .state_count = 1,
    +     .states[1] = {.name = "C1", .exit_latency = 90, .target_residency = 400, .enter = &own},
    +     .state_count = 2,

Ground
    Linux kernel/sched/idle.c cpuidle_idle_call(), default_idle_call(); drivers/cpuidle/cpuidle.c
    cpuidle_not_available().
"""

from .rule import Rule, Severity, Subject, Verdict, Verdicts

SINGLE = Rule("IS426", "single-state-driver", Severity.WARNING, forms=("driver",))
RULES = (SINGLE,)


_COUNTED_LATER = "dt_init_idle_driver"


@SINGLE.of_table
def check_states(subject: Subject) -> Verdicts:
    built_in = subject.table.origin
    if built_in.form != "driver" or not built_in.count == built_in.first_row == 1:
        return
    if not any(_COUNTED_LATER in use.text for use in built_in.uses):
        name = subject.table.name
        yield Verdict(
            subject.at(None),
            f"{name} has one state, {built_in.states[0].name}, which a CPU enters without a driver "
            "as well: a governor has nothing to choose",
        )
