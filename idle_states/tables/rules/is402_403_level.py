"""IS402 level-with-snooze: a physical state's exit latency is 0 us, as snooze's is.

What it does
    Takes the states each kernel registers and compares their exit latency with snooze's 0 us.

Why is this bad
    menu holds the exit latency against a limit made of PM QoS, I/O wait and load. 0 us is within
    any limit, so only the residency is left to decide; and as nothing is deducted for the wake-up,
    its time counts as idle time, and the state goes on selecting itself. The scheduler's choice of
    an idle CPU, which goes by exit latency too, cannot tell it from polling. On POWER9 DD1 in 2017
    stop0_lite took 3.2 million of the entries and snooze 7.

Example
    # kernel: 4.11
    extends: power9
    override:
      stop0_lite: {latency: 999ns}

Use instead
    -   stop0_lite: {latency: 999ns}
    +   stop0_lite: {latency: 1000ns}

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c: snooze is 0 us; drivers/cpuidle/governors/menu.c
    menu_select() and menu_update() of 4.x. Measured in skiboot 51974cab7.

IS403 level-with-neighbour: two registered states are alike in microseconds.

What it does
    Compares each state a kernel registers with the one before it. The same exit latency and
    target residency are a warning; one of them the same, where the nanoseconds differ, is a note.

Why is this bad
    What the table tells apart, the kernel cannot. Of two states with the same times the menu and
    teo governors always end at one, so the other is dead. A tie in latency alone means that no
    QoS limit can allow the one and forbid the other.

Example
    extends: power9
    override:
      stop1: {latency: 9100ns, residency: 99500ns}

Use instead
    -   stop1: {latency: 9100ns, residency: 99500ns}
    +   stop1: {latency: 5us, residency: 50us}

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(), conversion to us. 739063fb7
    had stop0_lite and stop0 at 0 us for kernels before 4.15, 1 us for later ones.
"""

from itertools import pairwise

from .competing import competing
from .is4_kernels import registered
from .rule import OPAL_FORMS, KernelView, Rule, Severity, Verdicts

WITH_SNOOZE = Rule(
    "IS402", "level-with-snooze", Severity.ERROR, forms=(*OPAL_FORMS, "sysfs"), requires=("IS401",)
)
WITH_NEIGHBOUR = Rule(
    "IS403",
    "level-with-neighbour",
    Severity.WARNING,
    # ACPI says whole microseconds, of which a kernel makes none equal that were not
    forms=(*OPAL_FORMS, "sysfs", "nodes", "driver"),
    requires=("IS203", "IS204", "IS205"),
)
RULES = (WITH_SNOOZE, WITH_NEIGHBOUR)


@WITH_SNOOZE.of_each_driver
def check_snooze(view: KernelView) -> Verdicts:
    for row, state in registered(view):
        if state.exit_latency_us == 0:
            yield row.verdict(
                "latency",
                f"{row.name} is level with {view.driver.states[0].name}, 0 us to leave: menu "
                f"takes it for every idle it predicts at {state.target_residency_us} us or more, "
                "under any latency limit and load",
            )


@WITH_NEIGHBOUR.of_each_driver
def check_neighbours(view: KernelView) -> Verdicts:
    rows = {row.number for group in competing(view.subject) for row in group}
    states = ((row, state) for row, state in registered(view) if row.number in rows)
    for (one, a), (other, b) in pairwise(states):
        latency, residency = b.exit_latency_us, b.target_residency_us
        same_latency = a.exit_latency_us == latency
        same_residency = a.target_residency_us == residency
        latencies_differed = one.state.latency_ns != other.state.latency_ns
        residencies_differed = one.state.residency_ns != other.state.residency_ns
        both = f"{one.name} and {other.name} both have "
        if same_latency and same_residency:
            times = f"an exit latency of {latency} us and a target residency of {residency} us"
            yield other.verdict("latency", both + times)
        elif same_latency and latencies_differed:
            message = f"{both}an exit latency of {latency} us"
            yield other.verdict("latency", message, severity=Severity.NOTE)
        elif same_residency and residencies_differed:
            message = f"{both}a target residency of {residency} us"
            yield other.verdict("residency", message, severity=Severity.NOTE)
