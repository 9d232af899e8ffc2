"""The pictures of simulate: what changed, where the CPUs' time went, the wake-ups."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...base.report.html import axes, svg
from ...base.report.html.shares import Share, divided, ranges
from ...base.report.sheet import Drawing, Picture, Rows
from ..replay.fits import Misfits
from .summary import RunSpread, SimulationSummary

WOKEN = "wake-up to first instruction"
DRAWN = 64
"""Wake-ups that a picture has room for."""
_LABELLED = 8
"""CPUs that are labelled, about."""


def misfits(found: Sequence[SimulationSummary]) -> list[Misfits]:
    """Returns the idle periods that were too deep or too shallow, by table and state."""
    return [
        Misfits(
            each.setup.name,
            sum(state.usage.mean for state in each.states),
            tuple(
                (number, state.name, state.above.mean, state.below.mean)
                for number, state in enumerate(each.states)
            ),
        )
        for each in found
    ]


def _ends(spread: RunSpread) -> tuple[float, float, float]:
    return spread.mean, spread.least, spread.greatest


def changes(found: Sequence[SimulationSummary]) -> Iterator[Picture]:
    """Draws throughput and latency of each table, with their ranges over the runs."""
    counts = found[0].setup.workload.counts
    done = [
        (each.setup.name, at, _ends(each.counted_per_s if counts else each.switches_per_s))
        for at, each in enumerate(found)
    ]
    waited = [
        (f"{name}: {each.setup.name}", at, _ends(spread))
        for name in found[0].latency_ns
        for at, each in enumerate(found)
        if (spread := each.latency_ns[name]) is not None
    ]
    yield ranges(f"{(counts or 'switches').capitalize()} per second", done, in_ns=False)
    if waited:
        yield ranges(WOKEN.capitalize(), waited)


def times(found: Sequence[SimulationSummary]) -> Picture:
    """Draws a bar of all CPUs' time for each table."""
    title = "Share of the CPUs' time by state asked for"
    bars = ((each.setup.name, _shares(each)) for each in found)
    return divided(title, bars, "the time of all CPUs")


def _shares(found: SimulationSummary) -> list[Share]:
    """Returns shares of all CPUs' time, awake first; periods that had not ended count, too."""
    # of a thread: so long had it asked for this state or a deeper one
    deeper = [100.0, *(share.mean for share in found.scopes[0].idle), 0.0]
    states = [(svg.AWAKE, "awake"), *enumerate(found.setup.table.names)]
    return [
        Share(number, name, max(0.0, this - next_) / 100, "")
        for (number, name), (this, next_) in zip(states, pairwise(deeper), strict=True)
    ]


def wake_ups(found: SimulationSummary, table: Rows) -> Drawing:
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
