"""The energy of idle time, for people and programs, always with the assumptions behind it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..replay.energy import WATTS, PowerBounds, PowerModel, Spent, payoffs
from ..replay.power_figures import BadPower, from_specs
from ..table import IdleTable
from .escapes.text import printable
from .style import Style
from .tables import right_aligned

if TYPE_CHECKING:
    from ..replay.consumption import Change, MachineEnergy

NO_FIGURES = (
    "Energy: no state of these tables has a figure; give some (--power snooze=1,...), take the "
    "rows' word for it (--power implied), or assume some (--power assumed)\n"
)
NOT_RUN = (
    "Energy of the machine: not reckoned, as this input does not say how long CPUs ran between "
    "idle periods\n"
)
_NS = 1_000_000_000

BreakEven = tuple[Fraction, Fraction | None] | None
Payoff = tuple[str, str, BreakEven]


def unit_of(model: PowerModel, *, machine: bool = False) -> str:
    """machine: of whole machines, where a CPU that runs may draw more than one that polls."""
    if model.unit == WATTS:
        return "J"
    return "s in snooze" if machine else "s awake"


def section(names: Sequence[str], spents: Sequence[Spent], model: PowerModel, style: Style) -> str:
    """The energies of the idle time with each table side by side, then the assumptions."""
    rows = _rows(spents, "W" if model.unit == WATTS else "awake")
    title = style("strong", "Energy of the idle time") + "\n"
    return title + _compared(names, rows, unit_of(model)) + _resting(spents, model)


def of_machines(names: Sequence[str], found: "MachineEnergy", counts: str, style: Style) -> str:
    """The energies of machines, running CPUs included, with each table side by side, what each
    changes against the first, then the assumptions.

    counts: what was counted ("round trips"), or ""
    """
    model, spents = found.model, found.spents
    rows = _rows(spents, "W" if model.unit == WATTS else "of snooze")
    unit = unit_of(model, machine=True)
    each = counts.removesuffix("s")
    if counts and all(one.counted for one in spents):
        rows.append((f"each {each}, u{unit}", *(_each(one.each_unit) for one in spents)))
    rows.append((f"each wake-up, u{unit}", *(_each(one.each_wakeup) for one in spents)))
    against = ""
    for name, change in zip(names[1:], found.changes, strict=True):
        if change is not None:
            said = f"power {in_percent(change.power)}"
            if change.energy is not None:
                said += f", energy for each {each} {in_percent(change.energy)}"
            against += f"  {printable(name)} against {printable(names[0])}: {said}\n"
    title = style("strong", "Energy of the machine") + "\n"
    return title + _compared(names, rows, unit) + against + _resting(spents, model)


def in_percent(change: "Change") -> str:
    low, high = (_percent(value) for value in (change.least, change.most))
    return f"{low} %" if low == high else f"{low} to {high} %"


def _percent(value: float) -> str:
    digits = 1 if abs(value) < 10 else 0
    text = f"{value:+.{digits}f}"
    return "0" if float(text) == 0 else text


def _rows(spents: Sequence[Spent], power: str) -> list[tuple[str, ...]]:
    rows = [
        (printable(state), *(_energy(dict(spent.states).get(state)) for spent in spents))
        for state in dict.fromkeys(name for spent in spents for name, _ in spent.states)
    ]
    rows.append(("total", *(_energy(spent.total) for spent in spents)))
    rows.append(("on average", *(_power(spent.power, power) for spent in spents)))
    return rows


def _compared(names: Sequence[str], rows: Sequence[tuple[str, ...]], unit: str) -> str:
    return right_aligned((f"ENERGY, {unit}", *map(printable, names)), rows)


def _resting(spents: Sequence[Spent], model: PowerModel) -> str:
    lines = [f"  - {printable(assumption)}\n" for assumption in model.assumptions]
    missing = sorted({name for spent in spents for name in spent.missing})
    if missing:
        lines.append(f"  - no figures for {', '.join(map(printable, missing))}: no total\n")
    return "".join(lines)


def of_table(table: IdleTable) -> list[str]:
    """Lines for `show`: from which idle length each state saves energy, by the table's own power
    figures; empty if it has none."""
    found = of_spec(table)
    if found is None:
        return []
    model, payoffs = found
    lines = [
        f"  {printable(after)} pays against {printable(before)} from {pays(bounds)} on"
        for before, after, bounds in payoffs
    ]
    return [*lines, *(f"  - {printable(assumption)}" for assumption in model.assumptions)]


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


def _energy(bounds: PowerBounds | None) -> str:
    return "-" if bounds is None else ranged(bounds.times(Fraction(1, _NS)))


def _each(bounds: PowerBounds | None) -> str:
    return "-" if bounds is None else ranged(bounds.times(Fraction(1, 1000)), 4)


def _power(bounds: PowerBounds | None, unit: str) -> str:
    return "-" if bounds is None else f"{ranged(bounds, 4)} {unit}"
