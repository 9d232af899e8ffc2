"""The pictures of fit: advertised and measured latencies, and how wake-ups are distributed."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...base.model.measured import SummaryOnly
from ...base.report.html import axes, markers, svg
from ...base.report.html.markers import Level, Point
from ...base.report.html.svg import Axis
from ...base.report.sheet import Cell, Drawing, Marked
from .answer import FitResult, FittedState
from .break_even import NS, period
from .latencies import FittedLatency
from .ordered import Ordered, ordered

_ADVERTISED, _MEASURED = 0, 1
_POINTS = 90
"""Places at which a distribution is drawn, as many to each decade of the tail."""


def time(ns: float | None) -> str:
    """In microseconds; "-" for what is not known."""
    return "-" if ns is None else f"{ns / 1000:.6g} us"


def overview(some: Sequence[FittedState], rows: Sequence[Sequence[Cell]]) -> Drawing:
    """Draws the advertised and the measured latency of states that have one. rows: the same in
    words."""
    levels, times = [], []
    for state, row in zip(some, rows, strict=True):
        if state.by is None or state.by.value_ns is None:
            continue
        value, ends = state.by.value_ns, state.by.interval_ns or (None, None)
        advertised = state.advertised.latency_ns if state.advertised else None
        words = "; ".join(cell.words if isinstance(cell, Marked) else str(cell) for cell in row)
        near = (ends[0] or 0, ends[1] or math.inf) if any(ends) else (value, value)
        values = ((_ADVERTISED, advertised), (_MEASURED, value))
        levels.append(Level(f"{state.name}: {state.verdict}", values, near, words))
        times += [ns for ns in (advertised, value, *ends) if ns]
    drawing = markers.levels(
        "Advertised and measured exit latencies",
        "For each state a marker for the advertised exit latency, one for the measured, and a line "
        "for the interval of the measured, on a logarithmic axis of time.",
        levels,
        svg.times(times, "exit latency; the line is the interval"),
    )
    legend = (
        (svg.swatch_marker(_ADVERTISED), "advertised"),
        (svg.swatch_marker(_MEASURED), "measured"),
        (svg.swatch_near(), "interval"),
    )
    return Drawing(drawing, legend)


Curve = list[tuple[float, float]]
"""(ns, share of the wake-ups that take longer), ascending."""


def curves(state: FittedState) -> list[tuple[FittedLatency, Curve]]:
    """Returns the measurements that have a curve."""
    found = [(one, _curve(one)) for one in state.latencies]
    return [(one, curve) for one, curve in found if len(curve) > 1]


def distribution(
    state: FittedState, found: FitResult, curves: Sequence[tuple[FittedLatency, Curve]]
) -> Drawing:
    """Draws how many wake-ups take longer than a time, a curve for each measurement."""
    advertised = state.advertised.latency_ns if state.advertised else None
    times = [ns for _, curve in curves for ns, _ in curve if ns > 0]
    axis = svg.times(
        [*times, *([advertised] if advertised else [])],
        "wake-up latency, after the measuring overhead",
    )
    least = min(share for _, curve in curves for _, share in curve if share > 0)
    up = _shares(min(least, 1 - float(found.request.percent / 100)))
    drawing = axes.plot(
        f"How long wake-ups from {state.name} take",
        "A curve for each measurement: how large a share of wake-ups takes longer than a time. "
        "Both axes are logarithmic.",
        axis,
        up,
    )
    for number, (_, curve) in enumerate(curves):
        for (before, above), (after, _) in pairwise(curve):
            y = axes.height(up.at(above) / 100)
            x1, x2 = (svg.percent(axis.at(ns)) for ns in (before, after))
            svg.line(drawing, number, x1, y, x2, y)
        for (_, above), (ns, below) in pairwise(curve):
            y1, y2 = (axes.height(up.at(share) / 100) for share in (above, below))
            across = svg.percent(axis.at(ns))
            svg.line(drawing, number, across, y1, across, y2)
    legend = [(svg.swatch_line(number), named(one)) for number, (one, _) in enumerate(curves)]
    if advertised:
        at, top, bottom = svg.percent(axis.at(advertised)), axes.height(1), axes.height(0)
        svg.add(drawing, "line", x1=at, x2=at, y1=top, y2=bottom, class_="near")
        legend.append((svg.swatch_near(), f"advertised, {time(advertised)}"))
    return Drawing(drawing, tuple(legend))


def named(one: FittedLatency) -> str:
    """Returns how and where it was measured."""
    group = f", {one.latency.group}" if one.latency.group else ""
    return f"by {one.latency.woken_by}{group}, {one.of.file}"


def _curve(one: FittedLatency) -> Curve:
    """Without what measuring takes. Of values and histograms, at ranks that are even on the
    logarithmic axis of shares; of a summary, at its quantiles."""
    values = one.latency.values
    if isinstance(values, SummaryOnly):
        known = sorted(values.quantiles_ns.items())
        curve = [(ns, 1 - share) for share, ns in known if share < 1]
    else:
        found = ordered(values)
        curve = [] if found is None else list(_points(found))
    busy = one.estimate.busy_ns or 0.0
    return [(max(0.0, ns - busy), share) for ns, share in curve]


def _points(of: Ordered) -> Iterator[tuple[float, float]]:
    first = of.at_least(1)
    if first is not None:
        yield first, 1.0
    decades = max(1.0, math.log10(of.n))
    number = math.ceil(_POINTS * decades / 4)
    ranks = dict.fromkeys(
        of.n - round(of.n * 10 ** (-decades * at / number)) for at in range(1, number + 1)
    )
    for rank in ranks:
        ns = of.at_most(rank) if 1 <= rank < of.n else None
        if ns is not None:
            yield ns, 1 - rank / of.n


def _shares(least: float) -> Axis:
    """Logarithmic, from 1 down to the decade below the least share."""
    lowest = math.floor(math.log10(least) + 1e-9)
    ticks = tuple((10.0**power, f"{10.0 ** (power + 2):g} %") for power in range(lowest, 1))
    return Axis(10.0**lowest, 1.0, ticks, "share that takes longer", logarithmic=True)


def power(found: FitResult) -> Drawing:
    """Draws mean power by wake-up period, each state's points."""
    points, legend = [], []
    for number, state in enumerate(found.states):
        if state.residency is None or not state.residency.spans:
            continue
        for span in state.residency.spans:
            ns = NS * (period(span) or 0)
            tip = f"{state.name}: {span.watts:.5g} W at {time(ns)}"
            points.append(Point(ns, span.watts, span.watts, number, "", tip))
        legend.append((svg.swatch_marker(number), state.name))
    drawing = markers.points(
        "Mean power by wake-up period",
        "For each state a marker for every span: period between wake-ups, and mean power.",
        points,
        svg.times([point.x for point in points], "period between wake-ups"),
        svg.linear(0, max(point.high for point in points), "mean power, W"),
    )
    return Drawing(drawing, tuple(legend))
