"""The pictures of simulate: where the CPUs' time went, what wake-ups waited for."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ...base.report.html import pictures, svg
from ...base.report.html.shares import Share, bar, distribution, legend
from ...base.report.sheet import Drawing
from ..replay.fits import Misfits
from .setup import bucket_top
from .summary import SimulationSummary

WOKEN = "wake-up to first instruction"


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


def times(found: Sequence[SimulationSummary]) -> Drawing:
    """Draws a bar of all CPUs' time for each table."""
    drawing = pictures.bands(
        "Share of the CPUs' time by state asked for",
        "For each table a bar of the time of all CPUs, divided by states, which are numbered.",
        [bar(each.setup.name, shares(each)) for each in found],
        svg.shares("share of the time of all CPUs"),
    )
    samples = legend(
        (each.setup.name, [(part.number, part.name) for part in shares(each)]) for each in found
    )
    return Drawing(drawing, samples)


def shares(found: SimulationSummary) -> list[Share]:
    """Of all CPUs' time, awake first; periods that had not ended count, too."""
    # of a thread: so long had it asked for this state or a deeper one
    deeper = [100.0, *(share.mean for share in found.scopes[0].idle), 0.0]
    states = [(svg.AWAKE, "awake"), *enumerate(found.setup.table.names)]
    return [
        Share(number, name, max(0.0, this - next_) / 100, "of all CPUs' time")
        for (number, name), (this, next_) in zip(states, pairwise(deeper), strict=True)
    ]


def latencies(found: Sequence[SimulationSummary]) -> Drawing:
    """Draws the distribution of what wake-ups waited, a curve for each table."""
    some = []
    for each in found:
        counts: Counter[int] = Counter()
        for run in each.runs:
            counts.update(run.latencies)
        some.append((each.setup.name, [(bucket_top(b), n) for b, n in sorted(counts.items())]))
    return distribution("Share of wake-ups that waited at most so long", WOKEN, some)
