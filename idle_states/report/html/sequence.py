"""simulate: the first wake-ups, each from the waker's CPU to the one that the task came to."""

from collections.abc import Iterator, Sequence

from ...simulation.summary import SimulationSummary
from ..sequence_text import HEAD, row, task_name
from . import axes, svg
from .page import PageTable, Picture, Section

_DRAWN = 64
"""Wake-ups that a picture has room for."""
_LABELLED = 8
"""CPUs that are labelled, about."""


def sections(found: Sequence[SimulationSummary]) -> Iterator[Section]:
    """One for all tables whose wake-ups were kept."""
    parts = tuple(_picture(each) for each in found if each.wake_ups)
    if parts:
        yield Section("Where tasks woke up", parts)


def _picture(found: SimulationSummary) -> Picture:
    setup, some = found.setup, found.wake_ups[:_DRAWN]
    cpus = [one.cpu for one in some] + [one.waker_cpu for one in some if one.waker_cpu is not None]
    last = max(1, *cpus)
    step = -(-(last + 1) // _LABELLED)
    up = svg.Axis(0, last, tuple((cpu, str(cpu)) for cpu in range(0, last + 1, step)), "CPU")
    across = svg.linear(0, len(some), "wake-ups, one after the other")
    title = f"Wake-ups: {setup.name}"
    drawing = axes.plot(
        title,
        "For each wake-up a line from the CPU of the waker to the CPU where the task ran, which "
        "has a mark by task.",
        across,
        up,
    )
    for number, one in enumerate(some):
        x = across.at(number + 0.5)
        group = svg.add(drawing, "g")
        svg.tip(
            group, ", ".join(f"{h.lower()} {c}" for h, c in zip(HEAD, row(one, setup), strict=True))
        )
        y = axes.height(up.at(one.cpu) / 100)
        if one.waker_cpu is not None:
            start = axes.height(up.at(one.waker_cpu) / 100)
            svg.line(group, 0, svg.percent(x), start, svg.percent(x), y)
        svg.marker(group, one.task, x, y, 0.7)
    tasks = sorted({one.task for one in some})[: len(svg.MARKERS)]
    legend = tuple((svg.swatch_marker(task), task_name(task, setup)) for task in tasks)
    table = PageTable(title, HEAD, tuple(row(one, setup) for one in some), frozenset({0, 2, 4, 6}))
    return Picture(drawing, table, legend)
