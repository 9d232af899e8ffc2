"""The energy of idle time, for people and programs, always with the assumptions behind it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.report.html import markers, svg
from ...base.report.html.markers import Point
from ...base.report.sheet import Drawing, Lines, Picture, Rows, Section, Worded, as_is, bullets
from ...tables.power.energy import WATTS, PowerBounds, PowerModel, Spent
from ...tables.power.said import ranged

if TYPE_CHECKING:
    from .consumption import Change, MachineEnergy


@dataclass(frozen=True, slots=True)
class Priced:
    """A table's energy. latency_ns: 99th percentile of wake-ups, None without wake-ups; written:
    the same in words."""

    label: str
    cost: Spent
    latency_ns: float | None
    written: str

    @property
    def total(self) -> PowerBounds | None:
        """The energy in the model's unit; None if a state has no figure."""
        return None if self.cost.total is None else self.cost.total.times(Fraction(1, _NS))


@dataclass(frozen=True, slots=True)
class EnergyAxis:
    """The latency that energies are plotted against: its name, and the caption of its axis."""

    latency: str
    caption: str


def upwards(highest: Sequence[float], caption: str) -> svg.Axis:
    """The upright axis for energies. It begins at 0, so that heights can be compared."""
    return svg.linear(0, max(highest), caption)


def _drawn(
    some: Sequence[tuple[str, float, PowerBounds, str]], unit: str, axis: EnergyAxis
) -> Drawing:
    """Draws a marker for each (table, latency in ns, energy, both in words)."""
    p99 = f"p99 {axis.latency}"
    points = [
        Point(
            *(latency_ns, float(total.low), float(total.high), number),
            svg.shortened(label, 120),
            f"{label}: {words}",
        )
        for number, (label, latency_ns, total, words) in enumerate(some)
    ]
    drawing = markers.points(
        f"Energy, {unit}, against {p99}",
        f"A marker for each table: to the right its {p99}, up its energy in {unit}.",
        points,
        svg.times([point.x for point in points], f"p99 {axis.caption}"),
        upwards([point.high for point in points], f"energy, {unit}"),
    )
    samples = ((svg.swatch_marker(number), label) for number, (label, *_) in enumerate(some))
    return Drawing(drawing, tuple(samples))


PAID = "exit latency paid"
"""Label for the latency of a wake-up where only the kernel's table is known."""
AS_HELD = f"{PAID}, as the kernel holds it"
_NS = 1_000_000_000


def unit_of(model: PowerModel, *, machine: bool = False) -> str:
    """machine: of whole machines, where a CPU that runs may draw more than one that polls."""
    if model.unit == WATTS:
        return "J"
    return "s in snooze" if machine else "s awake"


def _no_energy(said: str) -> Section:
    return Section("", (Lines((Worded(f"Energy{said}", ""),)),))


NO_FIGURES = _no_energy(
    ": no state of these tables has a power figure; give some (--power snooze=1,...), or assume "
    "that each residency is the break-even point (--power implied) or usual figures "
    "(--power assumed)"
)
NOT_RUN = _no_energy(
    " of the machine: not reckoned, as this input does not say how long CPUs ran between idle "
    "periods"
)
UNLIKE = _no_energy(": not reckoned, as cores, pairs or quads differ in size")
REPLAYED = EnergyAxis(PAID, AS_HELD)
"""Of a replay exit latencies are known, and no others."""


def idle_section(some: Sequence[Priced], model: PowerModel, axis: EnergyAxis) -> Section:
    """The energies of the idle time with each table side by side, then the assumptions."""
    rows = _rows(some, "W" if model.unit == WATTS else "awake")
    return _section("Energy of the idle time", some, model, unit_of(model), rows, axis)


def machine_section(
    some: Sequence[Priced], found: "MachineEnergy", counts: str, axis: EnergyAxis
) -> Section:
    """The energies of machines, running CPUs included, with each table side by side, what each
    changes against the first, then the assumptions.

    counts: what was counted ("round trips"), or ""
    """
    model = found.model
    rows = _rows(some, "W" if model.unit == WATTS else "of snooze")
    unit = unit_of(model, machine=True)
    each = counts.removesuffix("s")
    if counts and all(one.cost.counted for one in some):
        rows.append((f"each {each}, u{unit}", *(each_of(one.cost.each_unit) for one in some)))
    rows.append((f"each wake-up, u{unit}", *(each_of(one.cost.each_wakeup) for one in some)))
    against = []
    for one, change in zip(some[1:], found.changes, strict=True):
        if change is not None:
            said = f"power {in_percent(change.power)}"
            if change.energy is not None:
                said += f", energy for each {each} {in_percent(change.energy)}"
            against.append(f"{one.label} against {some[0].label}: {said}")
    return _section("Energy of the machine", some, model, unit, rows, axis, against)


def _section(
    title: str,
    some: Sequence[Priced],
    model: PowerModel,
    unit: str,
    rows: Sequence[tuple[str, ...]],
    axis: EnergyAxis,
    against: Sequence[str] = (),
) -> Section:
    table = Rows((f"Energy, {unit}", *(as_is(one.label) for one in some)), tuple(rows))
    rests = [*model.assumptions]
    if missing := sorted({name for one in some for name in one.cost.missing}):
        rests.append(f"no figures for {', '.join(missing)}: no total")
    what = "a CPU in snooze" if unit == "s in snooze" else "an awake CPU"
    explained = f"energy in {unit}: as much as {what} draws in so many seconds"
    page_only = () if model.unit == WATTS else (Worded("", explained),)
    said = Lines((*against, *page_only), first="  ")
    return Section(title, (table, said, *_picture(some, unit, axis), bullets(rests)))


def _picture(some: Sequence[Priced], unit: str, axis: EnergyAxis) -> Iterator[Picture]:
    """The tables that have a total and a latency, if any."""
    plotted, rows = [], []
    for one in some:
        if one.total is not None and one.latency_ns is not None:
            words = ranged(one.total)
            tip = f"{words} {unit}, p99 {axis.latency} {one.written}"
            plotted.append((one.label, one.latency_ns, one.total, tip))
            rows.append((one.label, words, one.written, each_of(one.cost.each_wakeup)))
    if plotted:
        head = ("Table", f"Energy, {unit}", f"P99 {axis.latency}", f"Each wake-up, u{unit}")
        table = Rows(head, tuple(rows), f"Energy and {axis.latency}")
        yield Picture(partial(_drawn, plotted, unit, axis), table)


def in_percent(change: "Change") -> str:
    low, high = (_percent(value) for value in (change.least, change.most))
    return f"{low} %" if low == high else f"{low} to {high} %"


def _percent(value: float) -> str:
    digits = 1 if abs(value) < 10 else 0
    text = f"{value:+.{digits}f}"
    return "0" if float(text) == 0 else text


def _rows(some: Sequence[Priced], power: str) -> list[tuple[str, ...]]:
    spents = [one.cost for one in some]
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
