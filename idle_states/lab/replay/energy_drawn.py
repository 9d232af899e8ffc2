"""Energy against latency: a point for each table."""

from collections.abc import Sequence
from fractions import Fraction

from ...base.dataclass import dataclass
from ...base.report.html import markers, svg
from ...base.report.html.markers import Point
from ...base.report.sheet import Drawing
from ...tables.power.energy import PowerBounds, Spent

_NS = 1_000_000_000


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


def picture(
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
