"""The pictures of tune: cost by residency, energy against wake latency, and idle time."""

from collections.abc import Sequence
from fractions import Fraction

from ...base.report.html import markers, svg
from ...base.report.html.markers import Point
from ...base.report.html.shares import Share, divided
from ...base.report.sheet import Drawing, Picture, Rows
from ..replay.counters import PAID
from ..replay.energy_sheet import AS_HELD
from .judging import Judged
from .tuning import Tuning

_DEAREST = Fraction(1, 10)
"""Residencies that cost more than the best by a greater share are in the table alone."""
FRONT, _MEANS = "front", "none tried has less of both"
_COMPARED = ("present", "break-even", "best")


def front(
    plotted: Sequence[tuple[str, Judged]], what: str, rows: Sequence[Sequence[str]]
) -> Drawing:
    """Draws a marker for each table. what: the energy's name; rows: the same tables in words."""
    points = []
    for number, ((name, each), cells) in enumerate(zip(plotted, rows, strict=True)):
        energy = each.reported
        series = min(number, len(_COMPARED))
        label = name if series < len(_COMPARED) else str(number - series + 1)
        tip = f"{name}: p99 {PAID} {cells[1]}, {what}: {cells[2]}; residencies {cells[-1]} us"
        low, high = float(energy.low), float(energy.high)
        points.append(Point(each.p99_ns, low, high, series, label, tip))
    drawing = markers.points(
        f"{what.capitalize()}, against p99 {PAID}",
        f"A marker for each table: to the right its p99 {PAID}, up its {what}.",
        points,
        svg.times([point.x for point in points], f"p99 {AS_HELD}"),
        svg.linear(0, max(point.high for point in points), what),
    )
    kinds = [*_COMPARED, f"{FRONT}: {_MEANS}"]
    samples = ((svg.swatch_marker(number), kind) for number, kind in enumerate(kinds))
    return Drawing(drawing, tuple(samples))


def costs(tuning: Tuning) -> Picture:
    """Draws the cost over each state's residency, the others being the best."""
    tuned, some, rows = tuning.tuned, [], []
    for place, name in enumerate(tuning.table.names[1:]):
        for at, share in tuned.costs(place).items():
            share_in_words = "too much energy" if share is None else f"{100 * float(share):.3g} %"
            best = " (best)" if at == tuned.best.candidate[place] else ""
            rows.append((name, f"{at} us{best}", share_in_words))
            if share is not None and share <= _DEAREST:
                more, label = 100 * float(share), name if best else ""
                tip = f"{name}: {at} us{best} costs {share_in_words} more"
                some.append(Point(1000 * at, more, more, place, label, tip))
    title = "Cost over the target residency of each state"

    def draw() -> Drawing:
        drawing = markers.points(
            title,
            "For each state a line: its residencies that were tried, the others being the best; "
            "the best, which costs 0 % more, has the state's name.",
            some,
            svg.times([point.x for point in some], "target residency"),
            svg.linear(0, max(point.high for point in some), "costs more than the best, %"),
            joined=True,
        )
        named = enumerate(tuning.table.names[1:])
        return Drawing(drawing, tuple((svg.swatch_marker(n), name) for n, name in named))

    head = ("State", "Target residency", "Costs more than the best")
    return Picture(draw, Rows(head, tuple(rows), title))


def times(tuning: Tuning) -> Picture:
    """Draws a bar of idle time, divided by states, for each of the three tables."""
    rows = []
    for label, each in tuning.compared:
        spent: Sequence[int] = each.outcomes.time_us
        named = enumerate(zip(tuning.table.names, spent, strict=True))
        parts = [Share(n, name, us / (sum(spent) or 1), f"{us} us") for n, (name, us) in named]
        rows.append((label, parts))
    return divided("Share of idle time by state", rows, "idle time")
