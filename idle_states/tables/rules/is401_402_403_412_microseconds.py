"""IS401 zero-microseconds: a time of a physical state is 0 us to the kernel.

What it does
    Takes the states each kernel registers and looks for an exit latency or target residency of
    0 us, after the kernel's own conversion from nanoseconds.

Why is this bad
    cpuidle works in microseconds. Linux before 4.15 truncates, so 200 ns are nothing; later ones
    round up in 32 bits, so times above 4294966296 ns wrap to nothing. A state that costs
    nothing and pays off at once is taken for every idle period, and a first state with residency
    0 makes snooze give up at once.

Example
    # kernel: 4.11
    extends: power9
    override:
      stop0_lite: {latency: 200ns, residency: 2us}

Use instead
    -   stop0_lite: {latency: 200ns, residency: 2us}
    +   stop0_lite: {latency: 1us, residency: 10us}

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(); 8d4e10e9ed94 rounds up
    since 4.15. skiboot 51974cab7 raised stop0_lite from 200 ns to 1 us for this.

IS402 level-with-snooze: a physical state's exit latency is 0 us, as snooze's is.

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

IS412 ignored-residency: a kernel puts a residency of its own in place of the tree's.

What it does
    On POWER7 and POWER8, compares the residency each kernel registers with the tree's, converted
    to microseconds.

Why is this bad
    Changing the row has no effect on that kernel, and measuring the change there measures
    nothing. Linux 3.15 to 3.17 has all times built in, 3.18 and 3.19 take ten times the latency,
    4.11 to 4.18 use 100 us for nap and 300 ms for sleep whenever the tree has a value.

Example
    # kernel: 4.11
    extends: power8
    override:
      nap: {residency: 50us}

Use instead
    - # kernel: 4.11
    + # kernel: 4.19

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(): 9e9fc6f00a54 (4.11)
    inverted the test of the property, 9c7b185ab2fe (4.19) ended it.
"""

from itertools import pairwise

from ...base.model.units import format_time
from ..linux.convert import to_us
from .competing import competing
from .is4_kernels import registered
from .rule import OPAL_FORMS, KernelView, Rule, Severity, Verdicts

ZERO = Rule(
    "IS401",
    "zero-microseconds",
    Severity.ERROR,
    forms=(*OPAL_FORMS, "sysfs", "nodes"),
    requires=("IS201", "IS202", "IS215", "IS216"),
)
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
    varies=True,
)
IGNORED = Rule("IS412", "ignored-residency", Severity.NOTE)
RULES = (ZERO, WITH_SNOOZE, WITH_NEIGHBOUR, IGNORED)


@ZERO.of_each_driver
def check_zero(view: KernelView) -> Verdicts:
    for row, state in registered(view):
        for field, what, ns, us in (
            ("latency", "exit latency", row.state.latency_ns, state.exit_latency_us),
            ("residency", "target residency", row.state.residency_ns, state.target_residency_us),
        ):
            if us == 0:
                found = "no " + what if ns is None else f"{what} {format_time(ns)}"
                yield row.verdict(field, f"{row.name} has {found}, which is 0 us to this kernel")


@WITH_SNOOZE.of_each_driver
def check_snooze(view: KernelView) -> Verdicts:
    for row, state in registered(view):
        if state.exit_latency_us == 0:
            menu = (
                ": menu selects it for every idle period predicted at "
                f"{state.target_residency_us} us or more, under any latency limit or load"
            )
            yield row.verdict(
                "latency",
                f"{row.name} is as cheap to leave as {view.driver.states[0].name} (0 us)"
                f"{menu if view.subject.runs('menu') else ''}",
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


@IGNORED.of_each_driver
def check_residency(view: KernelView) -> Verdicts:
    for row, state in registered(view):
        ns, us = row.state.residency_ns, state.target_residency_us
        if ns is not None and us != to_us(ns, view.release.features):
            unused = f"{row.name}'s residency of {format_time(ns)} is not used"
            yield row.verdict("residency", f"{unused}; this kernel has {us} us")
