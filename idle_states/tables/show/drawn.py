"""The picture of a table: exit latency and target residency of its states."""

from ...base.model.table import IdleTable
from ...base.report.html import markers, svg
from ...base.report.html.markers import Level
from ...base.report.sheet import Drawing

_KINDS = ("exit latency", "target residency")


def stages(table: IdleTable) -> Drawing:
    """Draws a line for each state, from its exit latency to its target residency."""
    levels, times = [], []
    for state in table.states:
        ends = [ns for ns in (state.latency_ns, state.residency_ns) if ns is not None]
        words = [svg.time(ns) for ns in ends]
        tips = (f"{state.name}: {kind} {each}" for kind, each in zip(_KINDS, words, strict=False))
        label = f"{state.name}: {', '.join(words)}"
        levels.append(Level(label, (*enumerate(ends),), (ends[0], ends[-1]), label, (*tips,)))
        times += ends
    drawing = markers.levels(
        "Exit latency and target residency",
        f"For each state of {table.name} a line from its exit latency, a ring, to its target "
        "residency, a square, on a logarithmic scale.",
        levels,
        svg.times(times, "time"),
    )
    return Drawing(drawing, tuple((svg.swatch_marker(n), kind) for n, kind in enumerate(_KINDS)))
