"""The power of states, and the break-even points that follow from it, in words."""

from fractions import Fraction

from ...base.model.table import IdleTable
from .energy import PowerBounds, PowerModel, payoffs
from .figures import BadPower, from_specs

BreakEven = tuple[Fraction, Fraction | None] | None
Payoff = tuple[str, str, BreakEven]


def of_table(table: IdleTable) -> list[str]:
    """Returns for `show`: from which idle length each state saves energy, by the table's own power
    figures; empty if it has none."""
    found = of_spec(table)
    if found is None:
        return []
    model, payoffs = found
    lines = [
        (f"{after} saves more than {before} from {pays(bounds)} on")
        for before, after, bounds in payoffs
    ]
    return [*lines, *(f"- {assumption}" for assumption in model.assumptions)]


def of_spec(table: IdleTable) -> tuple[PowerModel, list[Payoff]] | None:
    names = [state.name for state in table.states]
    try:
        model = from_specs(zip(names, table.states, strict=True))
    except BadPower:
        # watts without the power of an awake CPU: break-evens cannot be computed
        return None
    return None if model is None else (model, payoffs(model, names))


def pays(bounds: BreakEven) -> str:
    """A break-even in words."""
    if bounds is None:
        return "no length"
    low, high = bounds
    least = f"{number(low / 1000)} us"
    if high is None:
        return f"{least} (or no length at all)"
    return least if low == high else f"{number(low / 1000)} to {number(high / 1000)} us"


def ranged(bounds: PowerBounds, digits: int = 6) -> str:
    """A power or energy in words: both bounds, or the value if they are equal."""
    ends = [number(end, digits) for end in (bounds.low, bounds.high)]
    return ends[0] if bounds.low == bounds.high else f"{ends[0]} to {ends[1]}"


def number(value: Fraction, digits: int = 6) -> str:
    return f"{float(value):.{digits}g}"
