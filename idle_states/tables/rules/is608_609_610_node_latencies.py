"""IS608 wakeup-above-entry-and-exit: a wake-up latency is above entry plus exit.

What it does
    Compares wakeup-latency-us with the sum of entry-latency-us and exit-latency-us.

Why is this bad
    The property exists for a wake-up that takes less than a full entry and exit, because entering
    can be aborted. Linux takes it in place of the sum, so a greater one makes the state look more
    costly than it can be: usually the sum is out of date.

Example
    ONE_STATE of trees.py, but
              min-residency-us = <2000>;
    +         wakeup-latency-us = <1000>;

Use instead
    -         wakeup-latency-us = <1000>;
    +         wakeup-latency-us = <700>;

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, wakeup-latency-us;
    drivers/cpuidle/dt_idle_states.c init_state_node().

IS609 entry-above-residency: entering a state takes longer than it has to last.

What it does
    Compares entry-latency-us with min-residency-us, which includes it, for states of CPUs and of
    power domains.

Why is this bad
    The least time that is worth the state begins with preparing and entering it: it cannot be over
    before the state is entered. One of the two is wrong, often by a digit or a unit. menu and teo
    then take the state for idles that are over before the CPU sleeps.

Example
    ONE_STATE of trees.py, but
    -         entry-latency-us = <300>;
    +         entry-latency-us = <2300>;

Use instead
    ONE_STATE of trees.py

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, min-residency-us and
    entry-latency-us; bindings/power/domain-idle-state.yaml for states of power domains.

IS610 wakeup-below-exit: a wake-up latency is below the exit latency.

What it does
    Compares wakeup-latency-us with exit-latency-us.

Why is this bad
    The wake-up latency is how long it takes at most from the event that wakes the CPU until it runs
    code: the exit, and what may be left of the entry. Linux takes it in place of both, so with a
    lower one a latency limit admits a state that breaks it.

Example
    ONE_STATE of trees.py, but
              min-residency-us = <2000>;
    +         wakeup-latency-us = <500>;

Use instead
    -         wakeup-latency-us = <500>;
    +         wakeup-latency-us = <700>;

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, wakeup-latency-us;
    drivers/cpuidle/dt_idle_states.c init_state_node().
"""

from ..devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY, WAKEUP
from .is6_nodes import StateNode, all_nodes, entry_above_residency, own_nodes
from .rule import Rule, Severity, Verdict, Verdicts

WAKEUP_ABOVE = Rule("IS608", "wakeup-above-entry-and-exit", Severity.WARNING, forms=("nodes",))
ENTRY_ABOVE = Rule("IS609", "entry-above-residency", Severity.ERROR, forms=("nodes",))
WAKEUP_BELOW = Rule("IS610", "wakeup-below-exit", Severity.ERROR, forms=("nodes",))
RULES = (WAKEUP_ABOVE, ENTRY_ABOVE, WAKEUP_BELOW)


@WAKEUP_ABOVE.of_each(own_nodes)
def check_sum(each: StateNode) -> Verdicts:
    wakeup, entry, leave = (each.node.u32(name) for name in (WAKEUP, ENTRY, EXIT))
    if wakeup is None or entry is None or leave is None or wakeup <= entry + leave:
        return
    yield _odd(each, WAKEUP, f"above the {entry + leave} of entry and exit", EXIT)


@ENTRY_ABOVE.of_each(all_nodes)
def check_entry(each: StateNode) -> Verdicts:
    if entry_above_residency(each.node):
        bound = f"above {RESIDENCY} {each.node.u32(RESIDENCY)}, which includes it"
        yield _odd(each, ENTRY, bound, RESIDENCY)


@WAKEUP_BELOW.of_each(own_nodes)
def check_wakeup(each: StateNode) -> Verdicts:
    wakeup, leave = each.node.u32(WAKEUP), each.node.u32(EXIT)
    if wakeup is not None and leave is not None and wakeup < leave:
        yield _odd(each, WAKEUP, f"below its {EXIT} {leave}", EXIT)


def _odd(each: StateNode, name: str, bound: str, other: str) -> Verdict:
    remark = "the residency" if other == RESIDENCY else "the exit latency"
    message = f"{each.node.name} has {name} {each.node.u32(name)}, {bound}"
    return Verdict(each.node.at(name), message, related=((each.node.at(other), remark),))
