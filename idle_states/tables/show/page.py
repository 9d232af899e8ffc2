"""A table, stage by stage: what each row becomes in firmware and kernels."""

from collections.abc import Sequence
from functools import partial

from ...base.model.table import IdleTable
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import PictureSpan
from ...base.report.sheet import Drawing, Lines, Part, Picture, Rows, Section
from ..pipeline import Journey
from .said import journey_stages, sections, whence
from .stages import StageColumn, stage_columns


def of_journey(journey: Journey) -> list[Section]:
    """The stages, then everything that is lost or altered, and why."""
    table = journey.table
    name = f"{table.name}: {table.title}" if table.title else table.name
    about = tuple(line for line in (table.note, whence(journey)) if line)
    parts = (Lines(about), *of_table(table, journey_stages(journey)))
    return [
        Section(f"Stages of {name}", parts),
        *(
            Section(title, (Lines(tuple(line.strip() for line in lines)),))
            for title, lines in sections(journey)
        ),
    ]


def of_table(table: IdleTable, stages: Sequence[StageColumn]) -> tuple[Part, ...]:
    """stages: columns beside the table's own."""
    columns = stage_columns(table, stages)
    # the row's name comes first
    columns[:2] = [columns[1], columns[0]]
    head = tuple(column.head for column in columns)
    rows = tuple(zip(*(column.cells for column in columns), strict=True))
    numbers = frozenset(i for i, column in enumerate(columns) if column.number)
    data = Rows(head, rows, "States, stage by stage", numbers, unbroken=True)
    if not table.states:
        return (data,)
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
    return (Picture(partial(Drawing, drawing), data),)


def _marked(name: str, latency_ns: int, residency_ns: int | None) -> str:
    ends = [svg.time(value) for value in (latency_ns, residency_ns) if value is not None]
    return f"{name}: {', '.join(ends)}"
