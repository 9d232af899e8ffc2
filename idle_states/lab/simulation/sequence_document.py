"""The first wake-ups of a simulation: part of simulate."""

from typing import Annotated

from ...base.model.forms import Count, Form, With, derived
from ...base.report.escapes.text import printable
from . import wake_ups
from .setup import Setup
from .summary import SimulationSummary


class Woken(Form[wake_ups.WakeUp]):
    """A task that was woken and began to run."""

    time_ns: Annotated[Count, "When it was woken, or its timer expired."]
    waker: Annotated[str | None, "The task that woke it; null: a timer."]
    waker_cpu: Annotated[Count | None, "That task's CPU; null: a timer."]
    task: Annotated[str, "The task."]
    cpu: Annotated[Count, "The CPU that it began to run on."]
    state: Annotated[
        str | None, "Idle state that this ended, as the hardware had it; null: it was not idle."
    ]
    latency_ns: Annotated[Count, "To the task's first instruction."]


class Ran(Form[wake_ups.Visits]):
    """The CPUs that a task ran on in turn: lead, then cycle again and again."""

    task: Annotated[str, "The task."]
    count: Annotated[Count, "Length of the whole sequence."]
    lead: Annotated[list[Count], "What it begins with."]
    cycle: Annotated[list[Count], "What repeats; empty: nothing does."]


class Cluster(Form[tuple[tuple[int, ...], int]]):
    """A group of CPUs that cluster scheduling tells apart."""

    cpus: Annotated[list[Count], "Its CPUs."]
    wake_ups: Annotated[Count, "How many of the wake-ups it had."]


class Sequence(Form[SimulationSummary]):
    """The first wake-ups of the first seed."""

    wake_ups: Annotated[list[Woken], "In the order in which tasks began to run."] = derived(
        lambda found: [_named(one, found.setup) for one in found.wake_ups]
    )
    tasks: Annotated[list[Ran], "By the order of the workload."] = derived(
        lambda found: [_named(one, found.setup) for one in wake_ups.visits(found.wake_ups)]
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


def _named(one: wake_ups.WakeUp | wake_ups.Visits, setup: Setup) -> With:
    """With names in the place of numbers."""
    names = {"task": printable(setup.task_name(one.task))}
    if isinstance(one, wake_ups.Visits):
        return With(one, **names)
    waker = None if one.waker is None else printable(setup.task_name(one.waker))
    state = None if one.state is None else setup.table.names[one.state]
    return With(one, **names, waker=waker, state=state)
