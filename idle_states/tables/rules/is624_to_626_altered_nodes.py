"""IS624 latency-sum-wraps: entry and exit latency together do not fit 32 bits.

What it does
    Adds entry-latency-us and exit-latency-us of nodes without wakeup-latency-us.

Why is this bad
    Linux adds them in 32 bits. From 4294967296 us on the sum wraps, and the slowest state passes
    every latency limit.

Example
    ONE_STATE of trees.py, but
    -         entry-latency-us = <300>;
    +         entry-latency-us = <4294966696>;

Use instead
    -         entry-latency-us = <4294966696>;
    +         entry-latency-us = <300>;

Ground
    Linux drivers/cpuidle/dt_idle_states.c init_state_node(): two u32 into an unsigned int.

IS625 wraps-on-32-bits: a time wraps where a kernel of 32 bits makes nanoseconds of it.

What it does
    Looks for registered states of Arm with a residency above 4294967 us, for kernels from 5.5 on,
    and for exit latencies above it, for 5.5 to 6.8. RISC-V's kernels with idle states have 64 bits.

Why is this bad
    cpuidle multiplies by 1000 as an unsigned long. With 32 bits 4294968 us become 704 ns, and the
    longest state is selected for the shortest idle periods. A 64-bit kernel has no such limit, and
    the tree does not say which kernel will run: hence the confidence.

Example
    ONE_STATE of trees.py, but
    -         min-residency-us = <2000>;
    +         min-residency-us = <4294968>;

Use instead
    -         min-residency-us = <4294968>;
    +         min-residency-us = <4294967>;

Ground
    Linux drivers/cpuidle/driver.c __cpuidle_driver_init() since c1d51f684c72 (5.5): NSEC_PER_USEC
    is a long. 88390dd788db (6.9) widened the product of exit latencies alone.

IS626 alike-when-cut: names of two states are equal after 15 characters.

What it does
    Compares the first 15 characters of the node names in a CPU's list.

Why is this bad
    sysfs and cpupower show 15 characters of a node's name. With two equal ones, only desc, which
    has 31 characters of idle-state-name or of the node's name, tells the states apart, and scripts
    that switch a state off by its name switch off the wrong one.

Example
    TWO_STATES of trees.py, but
    -     sleep: sleep {
    +     sleep: cluster-sleep-retention {
    -     deep: deep {
    +     deep: cluster-sleep-reset {

Use instead
    -     sleep: cluster-sleep-retention {
    +     sleep: cluster-retention {
    -     deep: cluster-sleep-reset {
    +     deep: cluster-reset {

Ground
    Linux drivers/cpuidle/dt_idle_states.c init_state_node(): CPUIDLE_NAME_LEN is 16, with the NUL.
"""

from ...base.model.table import U32_MAX
from ..devicetree.idle_nodes import ENTRY, EXIT, WAKEUP
from ..linux.convert import NAME_LENGTH, times_on_32_bits
from .is4_kernels import registered
from .is6_nodes import StateNode, listed_by, own_nodes
from .rows import every_row, repeated
from .rule import Confidence, KernelView, Rule, Severity, Subject, Verdict, Verdicts

SUM = Rule("IS624", "latency-sum-wraps", Severity.ERROR, forms=("nodes",))
NARROW = Rule("IS625", "wraps-on-32-bits", Severity.WARNING, Confidence.LOW, forms=("nodes",))
ALIKE = Rule("IS626", "alike-when-cut", Severity.WARNING, forms=("nodes",), requires=("IS111",))
RULES = (SUM, NARROW, ALIKE)


@SUM.of_each(own_nodes)
def check_sum(each: StateNode) -> Verdicts:
    wakeup, entry, leave = (each.node.u32(name) for name in (WAKEUP, ENTRY, EXIT))
    if wakeup is None and entry is not None and leave is not None and entry + leave > U32_MAX:
        found = f"{each.node.name} has {ENTRY} {entry} and {EXIT} {leave}"
        message = f"{found}, whose sum wraps to {entry + leave & U32_MAX} us"
        yield Verdict(each.node.at(EXIT), message, related=((each.node.at(ENTRY), "the entry"),))


@NARROW.of_each_driver
def check_narrow(view: KernelView) -> Verdicts:
    if listed_by(view.subject).riscv:
        return
    for row, state in registered(view):
        for field, us in times_on_32_bits(state, view.release):
            ns = us * 1000 & U32_MAX
            what = "a residency" if field == "residency" else "an exit latency"
            yield row.verdict(field, f"{row.name} has {what} of {us} us, {ns} ns to 32 bits")


@ALIKE.of_table
def check_alike(subject: Subject) -> Verdicts:
    rows = every_row(subject)[: len(listed_by(subject).nodes())]
    for first, row in repeated(rows, lambda each: each.name[:NAME_LENGTH]):
        if first.name != row.name:
            shown = f"both shown as {row.name[:NAME_LENGTH]!a}"
            yield row.verdict(
                "name",
                f"{first.name} and {row.name} are {shown}",
                related=[(first.at("name"), "the first")],
            )
