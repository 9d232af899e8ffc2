"""Energy against latency: a point for each table."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...dataclass import dataclass
from ...replay.energy import WATTS, PowerBounds, PowerModel, Spent
from .. import energy_output
from . import markers, svg
from .markers import Point
from .page import Lines, PageTable, Part, Picture, Section

PAID = "exit latency paid"
"""Label for the latency of a wake-up where only the kernel's table is known."""
AS_HELD = f"{PAID}, as the kernel holds it"
_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Priced:
    """A table's energy. latency_ns: 99th percentile of wake-ups, None without wake-ups; written:
    the same in words."""

    label: str
    cost: Spent
    latency_ns: float | None
    written: str


def written(cost: Spent, unit: str) -> str:
    """An energy with its unit; unknown without a total."""
    if cost.total is None:
        return "unknown"
    return f"{energy_output.ranged(cost.total.times(Fraction(1, _NS)))} {unit}"


def unit_explained(power: PowerModel, *, machine: bool = False) -> Iterator[str]:
    """A line that explains the unit of energy, if it needs explaining. machine: as unit_of()."""
    if power.unit != WATTS:
        what = "a CPU in snooze" if machine else "an awake CPU"
        unit = energy_output.unit_of(power, machine=machine)
        yield f"energy in {unit}: as much as {what} draws in so many seconds"


def upwards(highest: Sequence[float], caption: str) -> svg.Axis:
    """The upright axis for energies. It begins at 0, so that heights can be compared."""
    return svg.linear(0, max(highest), caption)


def section(
    some: Sequence[Priced],
    power: PowerModel,
    latency: str,
    caption: str,
    *,
    machine: bool = False,
) -> Section:
    """The section on energy.

    latency  what the latency is, for the table's head
    caption  of the axis
    machine  whether it is that of machines, running CPUs included
    """
    unit = energy_output.unit_of(power, machine=machine)
    known = []
    said = list(power.assumptions)
    for each in some:
        cost = each.cost
        if cost.missing:
            said.append(f"{each.label}: no figures for {', '.join(cost.missing)}: no total")
        elif each.latency_ns is None:
            said.append(f"{each.label}: nothing was woken up")
        elif cost.total is not None:
            total = cost.total.times(Fraction(1, _NS))
            known.append((each, each.latency_ns, total))
    explained = unit_explained(power, machine=machine)
    rests = Lines((*explained, "resting on this:", *(f"- {words}" for words in said)))
    if not known:
        parts: tuple[Part, ...] = (rests,)
    else:
        shares = _shares([each for each, _, _ in known], unit)
        parts = _picture(known, unit, latency, caption), shares, rests
    return Section(f"Energy of the {'machine' if machine else 'idle time'}", parts)


def _shares(some: Sequence[Priced], unit: str) -> PageTable:
    """Mean power, and the energy of a wake-up and of a unit of work."""
    units = any(each.cost.counted for each in some)
    more = (f"each unit of work, u{unit}",) if units else ()
    head = ("table", f"on average, {unit} in a second", f"each wake-up, u{unit}", *more)
    rows = []
    for each in some:
        cost = each.cost
        own = [_ranged(cost.power, 1), _ranged(cost.each_wakeup, 1000)]
        rows.append((each.label, *own, *([_ranged(cost.each_unit, 1000)] if units else [])))
    numbers = frozenset(range(1, len(head)))
    return PageTable("Power and shares of the energy", head, tuple(rows), numbers)


def _ranged(bounds: PowerBounds | None, divided: int) -> str:
    if bounds is None:
        return "-"
    return energy_output.ranged(bounds.times(Fraction(1, divided)), 4)


def _picture(
    known: Sequence[tuple[Priced, float, PowerBounds]], unit: str, latency: str, caption: str
) -> Picture:
    points, rows = [], []
    for number, (each, latency_ns, total) in enumerate(known):
        written = energy_output.ranged(total)
        tip = f"{each.label}: {written} {unit}, p99 {latency} {each.written}"
        short = svg.shortened(each.label, 120)
        points.append(Point(latency_ns, float(total.low), float(total.high), number, short, tip))
        rows.append((each.label, written, each.written))
    drawing = markers.points(
        f"Energy, {unit}, against p99 {latency}",
        f"A marker for each table: to the right its p99 {latency}, up its energy in {unit}.",
        points,
        svg.times([latency_ns for _, latency_ns, _ in known], f"p99 {caption}"),
        upwards([point.high for point in points], f"energy, {unit}"),
    )
    head = ("table", f"energy, {unit}", f"p99 {latency}")
    table = PageTable(f"Energy and {latency}", head, tuple(rows), frozenset({1, 2}))
    samples = tuple((svg.swatch_marker(i), each.label) for i, (each, _, _) in enumerate(known))
    return Picture(drawing, table, samples)
