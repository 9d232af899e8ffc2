"""limit."""

from typing import Annotated, Any

from ...base.model.forms import GIVEN, INLINE, Count, Form, Positive, With, derived
from ...tables.linux.asked import NO_LIMIT_US
from ...tables.linux.governors import not_utilised
from ...tables.selection.select_document import Domain, Lengths, Taken, Where, domain_of
from ..replay.replay_document import Replay
from ..simulation.simulate_document import Simulated
from .answer import LimitedTable, LimitEra, LimitResult, ObeyedLimits
from .remaining import StateUnderLimit

Kernels = Annotated[list[str], "The Linux releases."]


class State(Form[StateUnderLimit]):
    index: Annotated[Count, "Number."] = derived("number")
    name: Annotated[str, "Name, or stateN where times were given."]
    exit_latency_us: Annotated[Count, "Exit latency: the least limit that allows it."] = derived(
        "needs_us"
    )
    target_residency_us: Annotated[Count, "Target residency."] = derived("residency_us")
    polling: Annotated[bool, "CPUIDLE_FLAG_POLLING."]
    within: Annotated[bool, "Whether the limit allows it."]
    off: Annotated[bool, "Registered switched off: nothing selects it, whatever the limit."]


class Values(Form[tuple[int, int | None]]):
    from_us: Annotated[Count, "First."]
    to_us: Annotated[Count | None, "Last; null: without end, and no limit does the same."]


class Range(Form[Any]):
    circumstances: Annotated[Where, INLINE]
    range: Annotated[Lengths, INLINE]
    taken: Annotated[Taken, INLINE]


class Era(Form[LimitEra]):
    """Kernels whose governor selects alike under the limit."""

    kernels: Kernels = derived(lambda era: [release.name for release in era.releases])
    map: Annotated[list[Range], "What is selected under the limit, as select has it."] = derived(
        lambda era: [
            With(mapped, range=r, taken=era.under.taken(r.states))
            for mapped in era.under.maps
            for r in mapped.ranges
        ]
    )
    alike: Annotated[Values, "Values with which the same is selected."]
    unreachable: Annotated[
        list[str], "States within the limit that no equal idle periods select."
    ] = derived("idle")
    unreachable_without: Annotated[list[str], "Of all, without any limit."] = derived(
        lambda era: [era.free.names[number] for number in era.free.unreachable]
    )
    domains: Annotated[
        list[Domain],
        "The power domains with states that the CPUs sit in (Arm, RISC-V), the innermost first.",
    ] = derived(lambda era: list(map(domain_of, era.under.domains)))
    beyond: Annotated[list[str], "States that are selected although the limit excludes them."]


class Table(Form[LimitedTable]):
    """Kernels on which the same states are left."""

    kernels: Kernels = derived(lambda table: [release.name for release in table.releases])
    value_us: Annotated[
        Count | None, "What the limit comes to; null where it names no state of these kernels."
    ] = derived(lambda table: table.meant and table.meant.value_us)
    by: Annotated[str | None, "The word that counts, of several; null likewise."] = derived(
        lambda table: table.meant and table.meant.word.text
    )
    state: Annotated[str | None, "The state that it names; null for a value."] = derived(
        lambda table: (
            table.states[table.meant.state].name
            if table.meant and table.meant.state is not None
            else None
        )
    )
    limit_us: Annotated[Count | None, "The limit in force; null for none."] = derived(
        lambda table: None if table.limit_us >= NO_LIMIT_US else table.limit_us
    )
    states: Annotated[list[State], "All states, by number."]
    deepest: Annotated[str | None, "The deepest that is left; null for none."] = derived(
        lambda table: table.deepest and table.deepest.name
    )
    next: Annotated[
        State | None, "The one that a greater limit allows first; null if all are allowed."
    ] = derived("following")
    values: Annotated[Values, "Values that leave the same states."] = derived("same")
    unexpected: Annotated[
        list[str],
        "Of a state to be kept: deeper ones that stay with it, shallower ones that go with what is "
        "excluded.",
    ] = derived(lambda table: [state.name for state in table.unexpected])
    governor: Annotated[list[Era], "By what the governor selects."] = derived("eras")


class Obeyed(Form[ObeyedLimits]):
    kernels: Kernels = derived(lambda each: [release.name for release in each.releases])
    per_cpu: Annotated[bool, "Whether they look at a CPU's pm_qos_resume_latency_us."]
    wakeup: Annotated[bool, "Whether they look at the system's cpu_wakeup_latency."]


class Limit(Form[LimitResult]):
    asked: Annotated[str, "The limit, as given."] = derived("request.text")
    per_cpu: Annotated[bool, "Whether it is a CPU's, not the system's."] = derived(
        "request.per_cpu"
    )
    table: Annotated[str | None, "As given; null for --states."] = derived("request.of.table")
    governor: Annotated[str, "menu, teo or ladder."] = derived("request.of.governor")
    hz: Annotated[Positive, "The kernel's HZ."] = derived("request.of.hz")
    tables: Annotated[list[Table], "By the states that are left, in the order of the kernels."]
    obeyed: Annotated[list[Obeyed], "Which other limits the kernels look at."]
    assumptions: Annotated[list[str], "What the selections rest on."] = derived(
        lambda found: not_utilised(found.request.of.governor, found.request.releases)
    )
    replay: Annotated[
        Replay | None, "The trace without the limit and with it; null where none was given."
    ] = GIVEN
    simulate: Annotated[
        Simulated | None, "The workload without the limit and with it; null where none was given."
    ] = GIVEN


def limited(found: LimitResult, replay: With | None = None, simulate: With | None = None) -> With:
    """What Limit writes. replay, simulate: as the documents of these commands have it."""
    return With(found, replay=replay, simulate=simulate)
