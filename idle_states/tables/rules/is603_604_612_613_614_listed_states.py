"""IS603 broken-state-reference: a list of idle states refers to no node.

What it does
    Follows every phandle of cpu-idle-states and domain-idle-states.

Why is this bad
    Linux takes a phandle that leads nowhere for the end of the list: the states after it are not
    registered, and nothing is logged. Bytes that are no whole phandle are dropped, too.

Example
    ONE_STATE of trees.py, but
    -             cpu-idle-states = <&sleep>;
    +             cpu-idle-states = <&sleep 0x77>;

Use instead
    ONE_STATE of trees.py

Ground
    Linux drivers/of/base.c of_parse_phandle(); drivers/cpuidle/dt_idle_states.c
    dt_init_idle_driver() ends its loop at the first NULL.

IS604 foreign-state-compatible: an idle-state node is compatible with no driver.

What it does
    Compares the compatible of every node that CPUs list with what the driver for their
    enable-method takes: arm,idle-state, on RISC-V riscv,idle-state.

Why is this bad
    At a node it does not know Linux gives up on the list without a message, and then on all CPUs.
    domain-idle-state belongs to the power domains above a CPU's own, not to the CPU.

Example
    ONE_STATE of trees.py, but
    -         compatible = "arm,idle-state";
    +         compatible = "domain-idle-state";

Use instead
    ONE_STATE of trees.py

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver() returns -ENODEV; match tables of
    cpuidle-psci.c, cpuidle-arm.c, cpuidle-qcom-spm.c, cpuidle-riscv-sbi.c.

IS612 state-listed-twice: a list names an idle state more than once.

What it does
    Counts each node in cpu-idle-states and domain-idle-states.

Why is this bad
    Linux makes a row of each entry, of ten at most. The first of two equal rows is never taken; if
    other states stand between them, the order of the list is not that of depth.

Example
    ONE_STATE of trees.py, but
    -             cpu-idle-states = <&sleep>;
    +             cpu-idle-states = <&sleep &sleep>;

Use instead
    ONE_STATE of trees.py

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver(). The list of mt8516 (deep states
    first, each several times) was booted: rows 1 to 4 were never entered.

IS613 unlisted-state: an idle-state node is listed by nobody.

What it does
    Looks for enabled nodes of idle states that no cpu-idle-states and no domain-idle-states refers
    to, whether CPUs list others or none.

Why is this bad
    The state does not exist for Linux. Either a list lacks it, or a board leaves it out on purpose:
    then set its status to "disabled", or delete the node, so that readers of the tree see it.

Example
    TWO_STATES of trees.py, but
    -             cpu-idle-states = <&sleep &deep>;
    +             cpu-idle-states = <&sleep>;
    -         arm,psci-suspend-param = <0x10001>;
    +         arm,psci-suspend-param = <0x10000>;
    -         min-residency-us = <3000>;
    +         min-residency-us = <2000>;

Use instead
    -             cpu-idle-states = <&sleep>;
    +             cpu-idle-states = <&sleep &deep>;

Ground
    Linux drivers/of/cpu.c of_get_cpu_state_node() and drivers/pmdomain/core.c
    genpd_iterate_idle_states() follow phandles, and look for no nodes.

IS614 more-than-nine-listed: a CPU lists more idle states than Linux takes.

What it does
    Counts the states that each kernel registers of a list: nine, as WFI is the tenth of cpuidle.
    Disabled ones do not count.

Why is this bad
    The rest is left out with a warning in the kernel's log. As lists are ordered by depth, the
    deepest states are lost.

Example
    TEN_STATES of trees.py

Use instead
    -             cpu-idle-states = <&s0 &s1 &s2 &s3 &s4 &s5 &s6 &s7 &s8 &s9>;
    +             cpu-idle-states = <&s0 &s1 &s2 &s3 &s4 &s5 &s6 &s7 &s8>;
    -     s9: s9 {
    -         compatible = "arm,idle-state";
    -         arm,psci-suspend-param = <0x10009>;
    -         entry-latency-us = <300>;
    -         exit-latency-us = <600>;
    -         min-residency-us = <11000>;
    -     };

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver(), CPUIDLE_STATE_MAX.
"""

from collections import Counter

from ...base.wording import joined
from ..devicetree.missing_files import NOT_SHOWN
from ..linux.convert import STATE_MAX
from ..linux.dt_idle import compatibles
from .is6_nodes import StateNode, listed_by, own_nodes, speaks_for_tree
from .rule import KernelView, Rule, Severity, Subject, Verdict, Verdicts

BROKEN = Rule("IS603", "broken-state-reference", Severity.ERROR, forms=("nodes",))
FOREIGN = Rule("IS604", "foreign-state-compatible", Severity.ERROR, forms=("nodes",))
TWICE = Rule("IS612", "state-listed-twice", Severity.WARNING, forms=("nodes",))
UNLISTED = Rule("IS613", "unlisted-state", Severity.WARNING, forms=("nodes",))
TOO_MANY = Rule("IS614", "more-than-nine-listed", Severity.ERROR, forms=("nodes",))
RULES = (BROKEN, FOREIGN, TWICE, UNLISTED, TOO_MANY)


@BROKEN.of_table
def check_references(subject: Subject) -> Verdicts:
    listed = listed_by(subject)
    # what a diff does not show is not known to be missing
    for broken in (one for one in listed.broken if one.reason != NOT_SHOWN):
        ends = broken.index == len(listed.nodes())
        yield Verdict(
            broken.where,
            f"expected entry {broken.index} of {broken.property} to refer to an idle state, found "
            f"{broken.reason}{'; Linux ends the list there' if ends else ''}",
        )


@FOREIGN.of_each(own_nodes)
def check_compatible(each: StateNode) -> Verdicts:
    known, node = compatibles(each.listed), each.node
    found = node.strings("compatible")
    if not set(known) & set(found):
        message = (
            f"expected {node.name} to be compatible with {' or '.join(known)}, found "
            f"{', '.join(f'{text!a}' for text in found) or 'none'}"
        )
        yield Verdict(node.at("compatible"), message)


@TWICE.of_table
def check_once(subject: Subject) -> Verdicts:
    listed = listed_by(subject)
    lists = [(listed.cpus[0], listed.where, listed.nodes())]
    if speaks_for_tree(subject):
        for domain in listed.power_domains:
            nodes = tuple(node for node in domain.states if node)
            if nodes and domain.path != listed.first_domain:
                lists.append((domain.path, nodes[0].where.at(domain.path), nodes))
    for path, where, nodes in lists:
        counts = Counter(node.path for node in nodes)
        names = {node.path: node.name for node in nodes}
        twice = [f"{names[one]} {count} times" for one, count in counts.items() if count > 1]
        if twice:
            yield Verdict(where, f"expected {path} to list each state once, found {joined(twice)}")


@UNLISTED.of_table
def check_all(subject: Subject) -> Verdicts:
    for node in listed_by(subject).unlisted if speaks_for_tree(subject) else ():
        message = f"no CPU or power domain lists {node.name}; Linux never uses it"
        yield Verdict(node.where, message)


@TOO_MANY.of_each_driver
def check_room(view: KernelView) -> Verdicts:
    beyond = [lost for lost in view.driver.lost if lost.cause == "beyond-ten"]
    if beyond:
        named = joined([lost.state for lost in beyond])
        message = f"expected at most {STATE_MAX - 1} states in a list; Linux leaves out {named}"
        yield Verdict(view.subject.at(beyond[0].index, "name"), message)
