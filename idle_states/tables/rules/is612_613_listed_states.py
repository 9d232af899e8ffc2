"""IS612 state-listed-twice: a list names an idle state more than once.

What it does
    Counts each node in cpu-idle-states and domain-idle-states.

Why is this bad
    Linux makes a row of each entry, of ten at most. The first of two equal rows is never taken; if
    other states stand between them, the order of the list is not that of depth (IS204, IS205).

Example
    ONE_STATE of is6_trees.py, but
    -             cpu-idle-states = <&sleep>;
    +             cpu-idle-states = <&sleep &sleep>;

Use instead
    ONE_STATE of is6_trees.py

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver(). The list of mt8516 (deep states
    first, each several times) was booted: rows 1 to 4 were never entered.

IS613 unlisted-state: an idle-state node is listed by nobody.

What it does
    Looks for enabled nodes of idle states that no cpu-idle-states and no domain-idle-states refers
    to, in a tree whose CPUs list others.

Why is this bad
    The state does not exist for Linux. Either a list lacks it, or a board took it out of the lists
    on purpose; then status = "disabled", or deleting the node, says so.

Example
    TWO_STATES of is6_trees.py, but
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
"""

from collections import Counter

from ...base.wording import joined
from .is6_nodes import listed_by, speaks_for_tree
from .rule import Rule, Severity, Subject, Verdict, Verdicts

TWICE = Rule("IS612", "state-listed-twice", Severity.WARNING, forms=("nodes",))
UNLISTED = Rule("IS613", "unlisted-state", Severity.NOTE, forms=("nodes",))
RULES = (TWICE, UNLISTED)


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
        message = f"expected a CPU or power domain to list {node.name}, found none"
        yield Verdict(node.where, message)
