"""The picture of a table: exit latency and target residency of its states."""

from ...base.model.table import IdleTable
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import PictureSpan
from ...base.report.sheet import Drawing


def stages(table: IdleTable) -> Drawing:
    """Draws a line for each state, from its exit latency to its target residency."""
    times = [t for s in table.states for t in (s.latency_ns, s.residency_ns) if t is not None]
    drawing = pictures.spans(
        "Exit latency and target residency",
        f"For each state of {table.name} a line from its exit latency, a ring, to its target "
        "residency, a bar, on a logarithmic scale.",
        [
            PictureSpan(
                _marked(state.name, state.latency_ns, state.residency_ns),
                state.latency_ns,
                state.residency_ns,
                f"{state.name}: exit latency {svg.time(state.latency_ns)}"
                + (
                    ""
                    if state.residency_ns is None
                    else f", target residency {svg.time(state.residency_ns)}"
                ),
            )
            for state in table.states
        ],
        svg.times(times, "exit latency (ring), target residency (bar)"),
    )
    return Drawing(drawing)


def _marked(name: str, latency_ns: int, residency_ns: int | None) -> str:
    ends = [svg.time(value) for value in (latency_ns, residency_ns) if value is not None]
    return f"{name}: {', '.join(ends)}"
