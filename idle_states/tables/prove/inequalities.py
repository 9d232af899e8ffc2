"""Inequalities between quantities of a governor's step, and which of them exclude each other."""

from collections.abc import Iterable

from ...base.dataclass import dataclass

ZERO = ""
"""The quantity that constants are compared with."""


@dataclass(frozen=True, slots=True)
class Inequality:
    """less <= more + slack, between whole numbers.

    text   the same as people write it
    bound  the name of the Bound that it is or follows from; "": the step itself needs it
    """

    less: str
    more: str
    slack: int
    text: str
    bound: str = ""


def at_least(quantity: str, least: int, text: str, bound: str = "") -> Inequality:
    """quantity >= least"""
    return Inequality(ZERO, quantity, -least, text, bound)


def at_most(quantity: str, most: int, text: str, bound: str = "") -> Inequality:
    """quantity <= most"""
    return Inequality(quantity, ZERO, most, text, bound)


def contradiction(inequalities: Iterable[Inequality]) -> tuple[Inequality, ...] | None:
    """Inequalities that exclude each other; None if all of them hold together for
    some numbers.

    They are edges of a graph from `more` to `less`, as long as the slack; numbers that satisfy them
    are shortest distances, and there are none where a circle is shorter than 0 (Bellman, Ford).
    """
    edges = list(inequalities)
    quantities = {each.less for each in edges} | {each.more for each in edges}
    distance = dict.fromkeys(quantities, 0)
    through: dict[str, Inequality] = {}
    shortened = ZERO
    for _ in range(len(quantities) + 1):
        changed = False
        for edge in edges:
            if distance[edge.more] + edge.slack < distance[edge.less]:
                distance[edge.less] = distance[edge.more] + edge.slack
                through[edge.less] = edge
                changed, shortened = True, edge.less
        if not changed:
            return None
    return _circle(through, shortened, len(quantities))


def _circle(through: dict[str, Inequality], start: str, count: int) -> tuple[Inequality, ...]:
    at = start
    for _ in range(count):
        at = through[at].more
    circle: list[Inequality] = []
    first = at
    while not circle or at != first:
        circle.append(through[at])
        at = through[at].more
    return tuple(reversed(circle))
