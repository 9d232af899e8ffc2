"""The pictures of tune: energy against wake latency of the tables tried, and residencies."""

from collections.abc import Sequence

from ...base.report.html import markers, svg
from ...base.report.html.markers import Level, Point
from ...base.report.html.shares import Share, divided
from ...base.report.sheet import Drawing, Picture, Rows
from ..replay.energy_said import AS_HELD, PAID, upwards
from .judging import Judged
from .tuning import Tuning

FRONT, _MEANS = "front", "none tried has less of both"
_COMPARED = ("present", "break-even", "best")


def front(
    plotted: Sequence[tuple[str, Judged]], what: str, rows: Sequence[Sequence[str]]
) -> Drawing:
    """Draws a marker for each table. what: the energy's name; rows: the same tables in words."""
    points = []
    for number, ((name, each), cells) in enumerate(zip(plotted, rows, strict=True)):
        energy = each.told
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
        upwards([point.high for point in points], what),
    )
    kinds = [*_COMPARED, f"{FRONT}: {_MEANS}"]
    samples = ((svg.swatch_marker(number), kind) for number, kind in enumerate(kinds))
    return Drawing(drawing, tuple(samples))


def residencies(tuning: Tuning, rows: Sequence[Sequence[str]]) -> Drawing:
    """Draws present, break-even and best beside each other. rows: the same in words."""
    tuned, drawn = tuning.tuned, []
    for place, (row, even) in enumerate(zip(rows, tuning.break_evens(), strict=True)):
        name, _, *times, near, _ = row
        low, high = tuned.near[place]
        same = f"all {times[0]} us" if len({*times}) == 1 else ""
        words = f"{', '.join(times)} us"
        values = (
            (0, 1000 * tuned.present.candidate[place]),
            (1, None if even is None else float(even[0])),
            (2, 1000 * tuned.best.candidate[place]),
        )
        tip = f"{name}: present, break-even, best {words}; within 1 % {near} us"
        drawn.append(Level(f"{name}: {same or words}", values, (1000 * low, 1000 * high), tip))
    shown = [v for each in drawn for _, v in each.values if v is not None]
    drawing = markers.levels(
        "Target residencies: present, break-even, best",
        "For each state a marker for its present target residency, its break-even and the best one "
        "found, on a logarithmic scale; a wide line where the cost is within 1 % of the best.",
        drawn,
        svg.times([*shown, *(end for each in drawn for end in each.near)], "target residency"),
    )
    samples = [(svg.swatch_marker(number), name) for number, name in enumerate(_COMPARED)]
    return Drawing(drawing, (*samples, (svg.swatch_near(), "within 1 % of the best")))


def times(tuning: Tuning, table: Rows) -> Picture:
    """Draws a bar of idle time, divided by states, for each of the three tables."""
    rows = []
    for label, each in tuning.compared:
        spent: Sequence[int] = each.outcomes.time_us
        named = enumerate(zip(tuning.table.names, spent, strict=True))
        parts = [Share(n, name, us / (sum(spent) or 1), f"{us} us") for n, (name, us) in named]
        rows.append((label, parts))
    return divided("Share of idle time by state", rows, "idle time", table)
