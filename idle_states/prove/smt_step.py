"""What descriptions of governors for an SMT solver share: one step, and a value by its number."""

from collections.abc import Sequence
from typing import Any

from ..dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SolverStep:
    """One step: what holds of its inputs, and which state it selects."""

    holds: list[Any]
    selected: Any


def value_at(z3: Any, values: Sequence[Any], number: Any) -> Any:
    """values[number], the first one for a number that is none."""
    found: Any = values[0]
    if isinstance(found, bool):
        found = z3.BoolVal(found)
    for i, value in enumerate(values[1:], 1):
        found = z3.If(number == i, value, found)
    return found
