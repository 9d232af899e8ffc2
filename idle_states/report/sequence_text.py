"""The first wake-ups of a simulation in words: from which CPU to which, and what tasks come to."""

from collections.abc import Sequence

from ..reading.cpu_lists import cpu_list
from ..simulation.setup import Setup
from ..simulation.summary import SimulationSummary
from ..simulation.topology import Topology
from ..simulation.wake_ups import Visits, WakeUp, by_cluster, visits
from ..wording import plural
from .escapes.text import printable
from .style import Style
from .tables import right_aligned, wrapped

HEAD = ("AT", "WAKER", "ITS CPU", "WAKES", "ON CPU", "IN STATE", "RUNS AFTER")
_SHOWN, _TASKS, _GROUPS = 8, 16, 12
"""Most wake-ups, tasks and groups of CPUs that the text shows."""
TIMER = "timer"


def section(found: SimulationSummary, style: Style) -> str:
    """Empty unless wake-ups were kept."""
    if not found.wake_ups:
        return ""
    setup, some = found.setup, found.wake_ups
    several = plural(len(some), "wake-up")
    parts = [
        style("strong", f"The first {several}, seed {found.runs[0].seed}") + "\n",
        right_aligned(HEAD, [row(one, setup) for one in some[:_SHOWN]]),
    ]
    if len(some) > _SHOWN:
        parts.append(f"  and {len(some) - _SHOWN} more\n")
    tasks = visits(some)
    for each in tasks[:_TASKS]:
        words = f"{task_name(each.task, setup)} runs on CPU {sequence(each)}"
        parts.append("\n".join(wrapped(words, "  ", "    ")) + "\n")
    if len(tasks) > _TASKS:
        parts.append(f"  and {plural(len(tasks) - _TASKS, 'task')} more\n")
    for mask in (*masks(setup.topology), *clusters(found)):
        parts.append("\n".join(wrapped(mask, "  ", "    ")) + "\n")
    return "".join(parts)


def row(one: WakeUp, setup: Setup) -> tuple[str, ...]:
    """Cells of HEAD."""
    return (
        _us(one.time_ns),
        TIMER if one.waker is None else task_name(one.waker, setup),
        "" if one.waker_cpu is None else str(one.waker_cpu),
        task_name(one.task, setup),
        str(one.cpu),
        "-" if one.state is None else printable(setup.table.names[one.state]),
        _us(one.latency_ns),
    )


def _us(ns: int) -> str:
    return f"{ns / 1000:.1f} us"


def task_name(number: int, setup: Setup) -> str:
    """A task's name, with its number if others have the same."""
    task = setup.workload.tasks[number]
    several = sum(other.name == task.name for other in setup.workload.tasks) > 1
    return printable(f"{task.name} {task.number}" if several else task.name)


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
    """How many of the wake-ups each cluster had, where there are several of several CPUs."""
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
