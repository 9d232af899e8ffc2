"""fit: advertised against measured, and how wake-ups are distributed."""

import math
from collections.abc import Iterator
from itertools import pairwise

from ...fit.break_even import NS, period
from ...fit.latencies import FittedLatency
from ...fit.ordered import Ordered, ordered
from ...fit.request import FitResult, FittedState
from ...measured import SummaryOnly
from ...wording import joined
from .. import fit_text
from . import axes, markers, svg
from .markers import Level, Point
from .page import Lines, PageTable, Part, Picture, Section
from .svg import Axis

_ADVERTISED, _MEASURED = 0, 1
_POINTS = 90
"""Places at which a distribution is drawn, as many to each decade of the tail."""


def headline(found: FitResult) -> tuple[str, ...]:
    """How many states contradict what is advertised, and by how much."""
    said = []
    for verdict in ("under-stated", "over-stated"):
        names = [state for state in found.states if state.verdict == verdict]
        if names:
            of = joined([_against(state) for state in names])
            said.append(f"{verdict.capitalize()}: {of}")
    agree = [state.name for state in found.states if state.verdict == "consistent"]
    if agree:
        said.append(f"Consistent: {joined(agree)}")
    unknown = [state.name for state in found.states if state.verdict == "unknown"]
    if unknown:
        said.append(f"Not known: {joined(unknown)}")
    return tuple(said) or ("Nothing was measured of any state",)


def _against(state: FittedState) -> str:
    assert state.by is not None
    assert state.advertised is not None
    advertised = fit_text.time(state.advertised.latency_ns)
    return f"{state.name} {fit_text.time(state.by.value_ns)} against {advertised}"


def sections(found: FitResult) -> list[Section]:
    """The sections of a page."""
    shown = [Section("Exit latencies", (_overview(found),))]
    for state in found.states:
        said = Lines(tuple(fit_text.said_of(state)))
        drawing = _distribution(state, found)
        shown.append(Section(state.name, (drawing, said) if drawing else (said,)))
    if any(state.residency for state in found.states):
        shown.append(Section("Target residencies", tuple(_residencies(found))))
    if found.unmeasured:
        shown.append(Section("Not measured", (Lines((joined(found.unmeasured),)),)))
    if found.remarks:
        shown.append(Section("What is to be known of the files", (Lines(found.remarks),)))
    return shown


def _overview(found: FitResult) -> Picture | PageTable:
    rows = tuple(fit_text.row(state) for state in found.states)
    table = PageTable("Advertised and measured", fit_text.HEAD, rows, frozenset(fit_text.NUMBERS))
    levels = []
    values = []
    for state in found.states:
        if state.by is None or state.by.value_ns is None:
            continue
        advertised = state.advertised.latency_ns if state.advertised else None
        low, high = state.by.interval_ns or (None, None)
        values += [v for v in (advertised, state.by.value_ns, low, high) if v]
        levels.append((state, advertised, state.by.value_ns, low, high))
    if not levels:
        return table
    axis = svg.times(values, "exit latency; the line is the interval")
    drawn = [
        Level(
            f"{state.name}: {state.verdict}",
            ((_ADVERTISED, advertised), (_MEASURED, value)),
            (
                value if low is None and high is None else low or axis.first,
                value if low is None and high is None else high or axis.last,
            ),
            "; ".join(fit_text.row(state)),
        )
        for state, advertised, value, low, high in levels
    ]
    drawing = markers.levels(
        "Advertised and measured exit latencies",
        "For each state a marker for the advertised exit latency, one for the measured, and a line "
        "for the interval of the measured, on a logarithmic axis of time.",
        drawn,
        axis,
    )
    legend = (
        (svg.swatch_marker(_ADVERTISED), "advertised"),
        (svg.swatch_marker(_MEASURED), "measured"),
        (svg.swatch_near(), "interval"),
    )
    return Picture(drawing, table, legend)


Curve = list[tuple[float, float]]
"""(ns, share of the wake-ups that take longer), ascending."""


def _distribution(state: FittedState, found: FitResult) -> Picture | None:
    """How many wake-ups take longer than a time, of each measurement that says it."""
    curves = [(one, _curve(one)) for one in state.latencies]
    curves = [(one, curve) for one, curve in curves if len(curve) > 1]
    if not curves:
        return None
    advertised = state.advertised.latency_ns if state.advertised else None
    times = [ns for _, curve in curves for ns, _ in curve if ns > 0]
    axis = svg.times(
        [*times, *([advertised] if advertised else [])],
        "wake-up latency, without what measuring takes",
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
    legend = [(svg.swatch_line(number), _named(one)) for number, (one, _) in enumerate(curves)]
    if advertised:
        at, top, bottom = svg.percent(axis.at(advertised)), axes.height(1), axes.height(0)
        svg.add(drawing, "line", x1=at, x2=at, y1=top, y2=bottom, class_="near")
        legend.append((svg.swatch_near(), f"advertised, {fit_text.time(advertised)}"))
    rows = tuple(
        (_named(one), fit_text.time(ns), f"{100 * share:.4g} %")
        for one, curve in curves
        for ns, share in _some(curve)
    )
    table = PageTable("Wake-ups", ("Measurement", "Longer than", "Share"), rows, frozenset((1, 2)))
    return Picture(drawing, table, tuple(legend))


def _named(one: FittedLatency) -> str:
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


def _some(curve: Curve) -> Curve:
    return curve[:: max(1, len(curve) // 10)]


def _shares(least: float) -> Axis:
    """Logarithmic, from 1 down to the decade below the least share."""
    lowest = math.floor(math.log10(least) + 1e-9)
    ticks = tuple((10.0**power, f"{10.0 ** (power + 2):g} %") for power in range(lowest, 1))
    return Axis(10.0**lowest, 1.0, ticks, "share that takes longer", logarithmic=True)


def _residencies(found: FitResult) -> Iterator[Part]:
    rows = tuple(fit_text.residency_row(state) for state in found.states if state.residency)
    yield PageTable("Target residencies", fit_text.RESIDENCY_HEAD, rows, frozenset((1, 2, 3)))
    picture = _power(found)
    if picture:
        yield picture
    whys = [
        f"{state.name}: {state.residency.why}"
        for state in found.states
        if state.residency and state.residency.why
    ]
    if whys:
        yield Lines(tuple(whys))


def _power(found: FitResult) -> Picture | None:
    """Mean power by wake-up period, each state's points; None where none was measured."""
    points, rows, legend = [], [], []
    for number, state in enumerate(found.states):
        if state.residency is None or not state.residency.spans:
            continue
        for span in state.residency.spans:
            ns = NS * (period(span) or 0)
            tip = f"{state.name}: {span.watts:.5g} W at {fit_text.time(ns)}"
            points.append(Point(ns, span.watts, span.watts, number, "", tip))
            rows.append((state.name, fit_text.time(ns), f"{span.watts:.5g} W"))
        legend.append((svg.swatch_marker(number), state.name))
    if not points:
        return None
    axis = svg.times([point.x for point in points], "period between wake-ups")
    up = svg.linear(0, max(point.high for point in points), "mean power, W")
    drawing = markers.points(
        "Mean power by wake-up period",
        "For each state a marker for every span: period between wake-ups, and mean power.",
        points,
        axis,
        up,
    )
    table = PageTable("Spans", ("State", "Period", "Power"), tuple(rows), frozenset((1, 2)))
    return Picture(drawing, table, tuple(legend))
