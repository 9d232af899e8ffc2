"""The first wake-ups of a simulation, and the CPUs that tasks came to by them."""

from collections import Counter
from collections.abc import Sequence

from ...base.dataclass import dataclass
from .topology import Topology


@dataclass(frozen=True, slots=True)
class WakeUp:
    """A task that was woken and began to run.

    time_ns     when it was woken, or its timer expired
    waker       number of the task that woke it; None: a timer
    waker_cpu   CPU of that task; None: a timer
    task, cpu   number of the task, and the CPU that it began to run on
    state       idle state that the wake-up ended on that CPU, as the hardware had it; None: the CPU
                was not idle
    latency_ns  from time_ns to the task's first instruction
    """

    time_ns: int
    waker: int | None
    waker_cpu: int | None
    task: int
    cpu: int
    state: int | None
    latency_ns: int


@dataclass(frozen=True, slots=True)
class Visits:
    """The CPUs on which a task ran in turn, from wake-up to wake-up: `lead`, then `cycle` again and
    again, the last time perhaps not to its end. cycle: () where nothing repeats.

    task   number of the task
    count  length of the whole sequence
    """

    task: int
    count: int
    lead: tuple[int, ...]
    cycle: tuple[int, ...]


def visits(found: Sequence[WakeUp]) -> tuple[Visits, ...]:
    """Returns one for each task that was woken or woke one, by number. Where a task wakes another
    before it is woken itself, its sequence begins with the CPU from which it does."""
    by_task: dict[int, list[int]] = {}
    for one in found:
        if one.waker is not None and one.waker_cpu is not None:
            by_task.setdefault(one.waker, [one.waker_cpu])
        by_task.setdefault(one.task, []).append(one.cpu)
    return tuple(Visits(task, len(cpus), *repeated(cpus)) for task, cpus in sorted(by_task.items()))


def by_cluster(found: Sequence[WakeUp], topology: Topology) -> tuple[int, ...]:
    """Returns how many of the wake-ups each cluster had."""
    counts = Counter(topology.cluster[one.cpu] for one in found)
    return tuple(counts[cluster] for cluster in range(topology.count("cluster")))


def repeated(values: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Splits a sequence into what it begins with and the cycle that it then runs through twice or
    more, so that both together are as short as possible; the cycle is () without any."""
    backwards = list(reversed(values))
    # for each end of the sequence, the length of its longest border: Knuth, Morris and Pratt
    borders = [0] * len(backwards)
    best = len(values), len(values), 0
    for place in range(1, len(backwards)):
        length = borders[place - 1]
        while length and backwards[place] != backwards[length]:
            length = borders[length - 1]
        borders[place] = length + (backwards[place] == backwards[length])
        size = place + 1
        period = size - borders[place]
        if size >= 2 * period:
            lead = len(values) - size
            best = min(best, (lead + period, lead, period))
    _, lead, period = best
    return tuple(values[:lead]), tuple(values[lead : lead + period])
