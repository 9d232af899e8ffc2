"""IS632 redundant-status: an idle state says of itself that it is enabled.

What it does
    Looks for idle-state nodes whose status is "okay" where the line stands among the node's other
    properties. Where a board enables a state that its chip's file disables, nothing is reported.

Why is this bad
    A node without status is enabled. The line does nothing, and reviewers of Linux ask to drop it.

Example
    ONE_STATE of trees.py, but
              min-residency-us = <2000>;
    +         status = "okay";

Use instead
    ONE_STATE of trees.py

Ground
    Linux drivers/of/base.c of_device_is_available(); Devicetree Specification 2.3.4, status.
"""

from .is6_nodes import StateNode, all_nodes
from .rule import Rule, Severity, Verdict, Verdicts

REDUNDANT = Rule("IS632", "redundant-status", Severity.NOTE, forms=("nodes",))
RULES = (REDUNDANT,)


@REDUNDANT.of_each(all_nodes)
def check_status(each: StateNode) -> Verdicts:
    node = each.node
    status = node.places.get("status")
    if status is None or status.line is None or not node.available:
        return
    lines = [
        place.line
        for name, place in node.places.items()
        if name not in ("", "status") and place.file == status.file and place.line is not None
    ]
    if lines and min(lines) - 1 <= status.line <= max(lines) + 1:
        yield Verdict(
            node.at("status"), f"{node.name} has a status, but without one it is enabled as well"
        )
