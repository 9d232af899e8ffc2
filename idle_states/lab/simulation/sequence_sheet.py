"""The first wake-ups of a simulation in words: from which CPU to which, and what tasks come to."""

from collections.abc import Iterator, Sequence
from functools import partial

from ...base.reading.cpu_lists import cpu_list
from ...base.report.sheet import Lines, Marked, Picture, Rows, Worded
from ...base.wording import plural
from . import drawn
from .setup import Setup
from .summary import SimulationSummary
from .topology import Topology
from .wake_ups import Visits, WakeUp, by_cluster, visits

HEAD = ("At", "Waker", "Its CPU", "Wakes", "On CPU", "In state", "Runs after")
_SHOWN, _TASKS, _GROUPS = 8, 16, 12
"""Most wake-ups, tasks and groups of CPUs that the text shows."""
_NUMBERS = frozenset({0, 2, 4, 6})
TIMER = "timer"


def parts(found: SimulationSummary) -> Iterator[Lines | Picture]:
    """Nothing unless wake-ups were kept."""
    if not found.wake_ups:
        return
    setup, some = found.setup, found.wake_ups
    several = plural(len(some), "wake-up")
    yield Lines((Marked("strong", f"The first {several}, seed {found.runs[0].seed}"),))
    rows = tuple(row(one, setup) for one in some[: drawn.DRAWN])
    table = Rows(HEAD, rows, f"Wake-ups: {setup.name}", _NUMBERS)
    listed = Rows(HEAD, rows[:_SHOWN])
    yield Picture(partial(drawn.wake_ups, found, table), table, listed)
    tasks = visits(some)
    lines = [f"{setup.task_name(one.task)} runs on CPU {sequence(one)}" for one in tasks[:_TASKS]]
    more = len(tasks) - _TASKS
    lines += [f"and {plural(more, 'task')} more"] if more > 0 else []
    if len(some) > _SHOWN:
        yield Lines((Worded(f"and {len(some) - _SHOWN} more", ""),), first="  ")
    yield Lines((*lines, *masks(setup.topology), *clusters(found)), "  ", "    ")


def row(one: WakeUp, setup: Setup) -> tuple[str, ...]:
    """Cells of HEAD."""
    return (
        _us(one.time_ns),
        TIMER if one.waker is None else setup.task_name(one.waker),
        "" if one.waker_cpu is None else str(one.waker_cpu),
        setup.task_name(one.task),
        str(one.cpu),
        "-" if one.state is None else setup.table.names[one.state],
        _us(one.latency_ns),
    )


def _us(ns: int) -> str:
    return f"{ns / 1000:.1f} us"


def sequence(found: Visits) -> str:
    """The CPUs in turn: 0,1,2,3, again and again."""
    lead, cycle = (",".join(map(str, some)) for some in (found.lead, found.cycle))
    if not found.cycle:
        return f"{lead} (no part repeats)"
    if len(found.cycle) == 1:
        again = f"{cycle} ever after" if lead else f"{cycle} only"
    else:
        again = f"{cycle}, again and again (period {len(found.cycle)})"
    return f"{lead}, then {again}" if lead else again


def masks(topology: Topology) -> list[str]:
    """Lines that say which CPUs the scheduler takes for one core, and which for one cluster; none
    for cores and clusters of one CPU."""
    found = []
    if topology.count("core") < topology.cpus:
        found.append(f"topology_sibling_cpumask: {_groups(topology, 'core')}")
    if topology.count("small_core") < topology.cpus:
        found.append(f"cpu_smallcore_map: {_groups(topology, 'small_core')}")
    return found


def clusters(found: SimulationSummary) -> list[str]:
    """Returns the number of wake-ups of each cluster, where there are several of several CPUs."""
    topology = found.setup.topology
    if not 1 < topology.count("cluster") < topology.cpus:
        return []
    counts = by_cluster(found.wake_ups, topology)
    words = [
        f"CPUs {cpu_list(cpus)} {count}"
        for cpus, count in zip(topology.members["cluster"], counts, strict=True)
    ]
    return [f"wake-ups by cluster: {_few(words)}"]


def _groups(topology: Topology, grouping: str) -> str:
    return _few([",".join(map(str, cpus)) for cpus in topology.members[grouping]])


def _few(words: Sequence[str]) -> str:
    more = [f"and {len(words) - _GROUPS} more"] if len(words) > _GROUPS else []
    return " | ".join([*words[:_GROUPS], *more])
