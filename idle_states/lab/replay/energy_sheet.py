"""The energy of idle time, for people and programs, always with the assumptions behind it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...base.report.html.shares import ranges
from ...base.report.sheet import Lines, Picture, Rows, Section, Worded, as_is, bullets
from ...tables.power.energy import WATTS, PowerBounds, PowerModel, Spent
from ...tables.power.sheet import ranged
from .consumption import Change, MachineEnergy, of_accounts, spent
from .counters import PAID
from .fits import Totals
from .results import ReplayResult

Priced = tuple[str, Spent]
"""A table's name, and its energy."""


AS_HELD = f"{PAID}, as the kernel holds it"
_NS = 1_000_000_000


def unit_of(model: PowerModel, *, machine: bool = False) -> str:
    """machine: of whole machines, where a CPU that runs may draw more than one that polls."""
    if model.unit == WATTS:
        return "J"
    return "s in snooze" if machine else "s awake"


def _no_energy(text: str) -> Section:
    return Section("", (Lines((Worded(f"Energy{text}", ""),)),))


NO_FIGURES = _no_energy(
    ": no state of these tables has a power figure; give some (--power snooze=1,...), or assume "
    "that each residency is the break-even point (--power implied) or usual figures "
    "(--power assumed)"
)
NOT_RUN = _no_energy(
    " of the machine: not computed, because this input does not tell how long CPUs ran between "
    "idle periods"
)
UNLIKE = _no_energy(": not computed, because cores, pairs or quads differ in size")


def sections(result: ReplayResult, totals: Totals, power: PowerModel | None) -> Iterator[Section]:
    """Yields the energies of a replay."""
    if power is None:
        yield NO_FIGURES
        return
    priced = [(label, spent(figures, power)) for label, figures in totals]
    yield idle_section(priced, power)
    machine = of_accounts(result.accounts, result.read.span_ns, power)
    if machine is None:
        yield NOT_RUN
    else:
        labels = [label for label, _ in totals]
        yield machine_section(list(zip(labels, machine.spents, strict=True)), machine, "")


def costs(totals: Totals, power: PowerModel) -> tuple[str, ...]:
    """Returns the energy of each table's idle time, with its unit."""
    return tuple(total(spent(figures, power), unit_of(power)) for _, figures in totals)


def idle_section(some: Sequence[Priced], model: PowerModel) -> Section:
    """The energies of the idle time with each table side by side, then the assumptions."""
    rows = _rows(some, "W" if model.unit == WATTS else "awake")
    return _section("Energy of the idle time", some, model, unit_of(model), rows)


def machine_section(some: Sequence[Priced], found: MachineEnergy, counts: str) -> Section:
    """The energies of machines, running CPUs included, with each table side by side, what each
    changes against the first, then the assumptions.

    counts: what was counted ("round trips"), or ""
    """
    model = found.model
    rows = _rows(some, "W" if model.unit == WATTS else "of snooze")
    unit = unit_of(model, machine=True)
    each = counts.removesuffix("s")
    if counts and all(cost.counted for _, cost in some):
        rows.append((f"each {each}, u{unit}", *(each_of(cost.each_unit) for _, cost in some)))
    rows.append((f"each wake-up, u{unit}", *(each_of(cost.each_wakeup) for _, cost in some)))
    against = []
    for (label, _), change in zip(some[1:], found.changes, strict=True):
        if change is not None:
            change_in_words = f"power {in_percent(change.power)}"
            if change.energy is not None:
                change_in_words += f", energy for each {each} {in_percent(change.energy)}"
            against.append(f"{label} against {some[0][0]}: {change_in_words}")
    return _section("Energy of the machine", some, model, unit, rows, against)


def _section(
    title: str,
    some: Sequence[Priced],
    model: PowerModel,
    unit: str,
    rows: Sequence[tuple[str, ...]],
    against: Sequence[str] = (),
) -> Section:
    table = Rows((f"Energy, {unit}", *(as_is(label) for label, _ in some)), tuple(rows))
    rests = [*model.assumptions]
    if missing := sorted({name for _, cost in some for name in cost.missing}):
        rests.append(f"no figures for {', '.join(missing)}: no total")
    what = "a CPU in snooze" if unit == "s in snooze" else "an awake CPU"
    explained = f"energy in {unit}: 1 is the energy of {what} in a second"
    page_only = () if model.unit == WATTS else (Worded("", explained),)
    lines = Lines((*against, *page_only), first="  ")
    return Section(title, (table, lines, *_picture(some, unit), bullets(rests)))


def _picture(some: Sequence[Priced], unit: str) -> Iterator[Picture]:
    """The tables that have a total, if any."""
    totals = [
        (label, at, total.times(Fraction(1, _NS)))
        for at, (label, cost) in enumerate(some)
        if (total := cost.total) is not None
    ]
    ends = [(label, at, (*map(float, (e.middle, e.low, e.high)),)) for label, at, e in totals]
    if ends:
        yield ranges(f"Energy, {unit}", ends, in_ns=False)


def in_percent(change: Change) -> str:
    low, high = (_percent(value) for value in (change.least, change.most))
    return f"{low} %" if low == high else f"{low} to {high} %"


def _percent(value: float) -> str:
    digits = 1 if abs(value) < 10 else 0
    text = f"{value:+.{digits}f}"
    return "0" if float(text) == 0 else text


def _rows(some: Sequence[Priced], power: str) -> list[tuple[str, ...]]:
    spents = [cost for _, cost in some]
    rows = [
        (state, *(shown(dict(spent.states).get(state)) for spent in spents))
        for state in dict.fromkeys(name for spent in spents for name, _ in spent.states)
    ]
    rows.append(("total", *(shown(spent.total) for spent in spents)))
    rows.append(("on average", *(_power(spent.power, power) for spent in spents)))
    return rows


def total(cost: Spent, unit: str) -> str:
    """Returns an energy with its unit; unknown without a total."""
    return "unknown" if cost.total is None else f"{shown(cost.total)} {unit}"


def shown(bounds: PowerBounds | None) -> str:
    """Returns an energy in the model's unit, without naming it; - without one."""
    return "-" if bounds is None else ranged(bounds.times(Fraction(1, _NS)))


def each_of(bounds: PowerBounds | None) -> str:
    """Returns the energy of one of many, in millionths of the model's unit; - without one."""
    return "-" if bounds is None else ranged(bounds.times(Fraction(1, 1000)), 4)


def _power(bounds: PowerBounds | None, unit: str) -> str:
    return "-" if bounds is None else f"{ranged(bounds, 4)} {unit}"
