"""IS602 missing-state-time: an idle-state node lacks a time that Linux needs.

What it does
    Looks for entry-latency-us, exit-latency-us and min-residency-us of every enabled node, as one
    cell. wakeup-latency-us stands in for the first two, except for states of a power domain.

Why is this bad
    Linux gives up at the first node that lacks one, and because the driver wants all CPUs or none,
    no CPU of the machine gets a driver. The log has it at debug level only.

Example
    ONE_STATE of trees.py, but
    -         min-residency-us = <2000>;

Use instead
    ONE_STATE of trees.py

Ground
    Linux drivers/cpuidle/dt_idle_states.c init_state_node(); drivers/pmdomain/core.c
    genpd_parse_state() for power domains; bindings cpu/idle-states.yaml, "required".
"""

from ..devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY, missing_times
from .is6_nodes import StateNode, domain_nodes, own_nodes
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule("IS602", "missing-state-time", Severity.ERROR, forms=("nodes",))


@RULE.of_each(own_nodes)
def check_own(each: StateNode) -> Verdicts:
    for name in missing_times(each.node) if each.node.available else ():
        yield _missing(each, name)


@RULE.of_each(domain_nodes)
def check_domain(each: StateNode) -> Verdicts:
    for name in (ENTRY, EXIT, RESIDENCY):
        if each.node.u32(name) is None:
            yield _missing(each, name)


def _missing(each: StateNode, name: str) -> Verdict:
    message = f"expected {each.node.name} to have {name} as one cell, found none"
    return Verdict(each.at_row(), message)
