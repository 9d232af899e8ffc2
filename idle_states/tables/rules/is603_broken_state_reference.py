"""IS603 broken-state-reference: a list of idle states refers to no node.

What it does
    Follows every phandle of cpu-idle-states and domain-idle-states.

Why is this bad
    Linux takes a phandle that leads nowhere for the end of the list: the states after it are not
    registered, and nothing is logged. Bytes that are no whole phandle are dropped likewise.

Example
    ONE_STATE of is6_trees.py, but
    -             cpu-idle-states = <&sleep>;
    +             cpu-idle-states = <&sleep 0x77>;

Use instead
    ONE_STATE of is6_trees.py

Ground
    Linux drivers/of/base.c of_parse_phandle(); drivers/cpuidle/dt_idle_states.c
    dt_init_idle_driver() ends its loop at the first NULL.
"""

from .is6_nodes import listed_by
from .rule import Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS603", "broken-state-reference", Severity.ERROR, forms=("nodes",))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    listed = listed_by(subject)
    for broken in listed.broken:
        ends = broken.index == len(listed.nodes())
        yield Verdict(
            broken.where,
            f"expected entry {broken.index} of {broken.property} to refer to an idle state, found "
            f"{broken.reason}{'; Linux ends the list there' if ends else ''}",
        )
