"""simulate: the first wake-ups, each from the waker's CPU to the one that the task came to."""

from ...base.report.html import axes, svg
from ...base.report.sheet import Drawing, Rows
from .summary import SimulationSummary

DRAWN = 64
"""Wake-ups that a picture has room for."""
_LABELLED = 8
"""CPUs that are labelled, about."""


def picture(found: SimulationSummary, table: Rows) -> Drawing:
    """Draws a line for each wake-up, from the waker's CPU to the task's. table: the same in
    words."""
    setup, some = found.setup, found.wake_ups[:DRAWN]
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
    for number, (one, cells) in enumerate(zip(some, table.rows, strict=True)):
        x = across.at(number + 0.5)
        group = svg.add(drawing, "g")
        words = (f"{str(h).lower()} {cell}" for h, cell in zip(table.head, cells, strict=True))
        svg.tip(group, ", ".join(words))
        y = axes.height(up.at(one.cpu) / 100)
        if one.waker_cpu is not None:
            start = axes.height(up.at(one.waker_cpu) / 100)
            svg.line(group, 0, svg.percent(x), start, svg.percent(x), y)
        svg.marker(group, one.task, x, y, 0.7)
    tasks = sorted({one.task for one in some})[: len(svg.MARKERS)]
    legend = tuple((svg.swatch_marker(task), setup.task_name(task)) for task in tasks)
    return Drawing(drawing, legend)
