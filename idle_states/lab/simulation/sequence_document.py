"""The first wake-ups of a simulation: part of simulate."""

from typing import Annotated, Any

from ...base.model.forms import Count, Form, derived
from ...base.report.escapes.text import printable
from . import wake_ups
from .setup import Setup
from .summary import SimulationSummary


def _task(setup: Setup, number: int) -> str:
    return printable(setup.task_name(number))


class Woken(Form[Any]):
    """A task that was woken and began to run."""

    time_ns: Annotated[Count, "When it was woken, or its timer expired."] = derived(
        lambda item: item[0].time_ns
    )
    waker: Annotated[str | None, "The task that woke it; null: a timer."] = derived(
        lambda item: None if item[0].waker is None else _task(item[1], item[0].waker)
    )
    waker_cpu: Annotated[Count | None, "That task's CPU; null: a timer."] = derived(
        lambda item: item[0].waker_cpu
    )
    task: Annotated[str, "The task."] = derived(
        lambda item: printable(item[1].task_name(item[0].task))
    )
    cpu: Annotated[Count, "The CPU that it began to run on."] = derived(lambda item: item[0].cpu)
    state: Annotated[
        str | None, "Idle state that this ended, as the hardware had it; null: it was not idle."
    ] = derived(lambda item: None if item[0].state is None else item[1].table.names[item[0].state])
    latency_ns: Annotated[Count, "To the task's first instruction."] = derived(
        lambda item: item[0].latency_ns
    )


class Ran(Form[Any]):
    """The CPUs that a task ran on in turn: lead, then cycle again and again."""

    task: Annotated[str, "The task."] = derived(
        lambda item: printable(item[1].task_name(item[0].task))
    )
    count: Annotated[Count, "Length of the whole sequence."] = derived(lambda item: item[0].count)
    lead: Annotated[list[Count], "What it begins with."] = derived(lambda item: item[0].lead)
    cycle: Annotated[list[Count], "What repeats; empty: nothing does."] = derived(
        lambda item: item[0].cycle
    )


class Cluster(Form[Any]):
    """A group of CPUs that cluster scheduling tells apart."""

    cpus: Annotated[list[Count], "Its CPUs."] = derived(lambda item: item[0])
    wake_ups: Annotated[Count, "How many of the wake-ups it had."] = derived(lambda item: item[1])


class Sequence(Form[SimulationSummary]):
    """The first wake-ups of the first seed."""

    wake_ups: Annotated[list[Woken], "In the order in which tasks began to run."] = derived(
        lambda found: [(one, found.setup) for one in found.wake_ups]
    )
    tasks: Annotated[list[Ran], "By the order of the workload."] = derived(
        lambda found: [(one, found.setup) for one in wake_ups.visits(found.wake_ups)]
    )
    sibling_masks: Annotated[list[list[Count]], "Cores as shown: topology_sibling_cpumask."] = (
        derived(lambda found: found.setup.topology.members["core"])
    )
    smallcore_masks: Annotated[list[list[Count]], "Cores as built: cpu_smallcore_map."] = derived(
        lambda found: found.setup.topology.members["small_core"]
    )
    clusters: Annotated[list[Cluster], "By first CPU."] = derived(
        lambda found: list(
            zip(
                found.setup.topology.members["cluster"],
                wake_ups.by_cluster(found.wake_ups, found.setup.topology),
                strict=True,
            )
        )
    )
