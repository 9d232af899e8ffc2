"""select."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from ...base.model.forms import GIVEN, INLINE, Count, Form, Limits, Positive, With, derived
from ..documents.known_document import Kernel, Known
from ..linux.governors import State as Times
from ..linux.governors import not_utilised
from ..linux.governors.settling import Circumstances
from ..linux.qos import NO_LIMIT_US
from . import domains, limits
from .answer import Selections
from .idle_lengths import first_us, last_us
from .remaining import StateUnderLimit
from .selection import Mapped, TableSelection

NotBelow0 = Annotated[float, Limits(minimum=0)]


class Lengths(Form[Any]):
    """A range of idle lengths: of first_ns, last_ns."""

    from_us: Annotated[NotBelow0, "First length in us."] = derived(lambda r: first_us(r.first_ns))
    to_us: Annotated[
        NotBelow0 | None,
        "Last length in us; whole if the range ends with this microsecond; null: without end.",
    ] = derived(lambda r: None if r.last_ns is None else last_us(r.last_ns))
    from_ns: Annotated[Count, "First length in ns, exact."] = derived("first_ns")
    to_ns: Annotated[int | None, "Last length in ns, exact; null: without end."] = derived(
        "last_ns"
    )


class Where(Form[Circumstances]):
    """The circumstances that are held fixed."""

    tick: Annotated[Literal["running", "stopped"], "The tick at select."] = derived(
        lambda fixed: "stopped" if fixed.tick_stopped else "running"
    )
    ended_by: Annotated[Literal["timer", "interrupt"], "The event that ends the idle periods."] = (
        derived(lambda fixed: "timer" if fixed.timer_driven else "interrupt")
    )
    next_timer_us: Annotated[
        int | None, "Time to the next timer where an interrupt ends the idle periods."
    ] = derived(lambda fixed: None if fixed.timer_driven else fixed.next_timer_ns // 1000)
    latency_limit_us: Annotated[Count, "PM QoS limit; 2000000000 for none."] = derived("limit_us")


class WhereTimersVary(Where):
    next_timer_us: Annotated[None, "The range is of it."] = derived(lambda fixed: None)


class State(Form[tuple[int, str, Times]]):
    index: Annotated[Count, "Number."]
    name: Annotated[str, "Name, or stateN where times were given."]
    exit_latency_us: Annotated[Count, "Exit latency."] = derived(lambda row: row[2].exit_ns // 1000)
    target_residency_us: Annotated[Count, "Target residency."] = derived(
        lambda row: row[2].residency_ns // 1000
    )
    polling: Annotated[bool, "CPUIDLE_FLAG_POLLING."] = derived(lambda row: row[2].polling)


class Taken(Form[tuple[str, ...]]):
    state: Annotated[str, "The state selected most often, at the range's beginning."]
    also: Annotated[list[str], "States selected in turn with it, for good."] = derived(
        lambda names: names[1:]
    )


class Range(Form[Any]):
    circumstances: Annotated[Where, INLINE]
    range: Annotated[Lengths, INLINE]
    taken: Annotated[Taken, INLINE]


class TimerRange(Form[Any]):
    circumstances: Annotated[WhereTimersVary, INLINE]
    idle_us: Annotated[Count, "The idle's length."]
    range: Annotated[Lengths, INLINE]
    taken: Annotated[Taken, INLINE]


class Step(Form[Any]):
    from_: Annotated[str, "The state the CPU was in."]
    range: Annotated[Lengths, INLINE]
    to: Annotated[str, "The state they lead to; the same where they lead nowhere."]
    after: Annotated[
        Count, "How many of them it takes, whatever comes between; 0: they lead nowhere."
    ]


class Changed(Form[Any]):
    table: Annotated[str | None, "The TABLE; null for --states."] = derived(
        lambda change: change.other.table or None
    )
    kernel: Annotated[str, "The Linux release."] = derived("other.release.name")
    governor: Annotated[str, "The governor."] = derived("other.governor")
    circumstances: Annotated[Where, INLINE]
    idle_us: Annotated[
        int | None,
        "The idle's length where the range is of the next timer; null: it is of the idle's length.",
    ]
    range: Annotated[Lengths, INLINE] = derived(lambda change: change)
    a: Annotated[list[str], "States selected by the first."]
    b: Annotated[list[str], "States selected by this one."]


class LockIn(Form[tuple[str, Any]]):
    state: Annotated[str, "Name."]
    range: Annotated[Lengths, INLINE]


class DomainRange(Form[domains.DomainRange]):
    range: Annotated[Lengths, INLINE] = derived(lambda r: r)
    state: Annotated[str | None, "The state entered; null: the domain stays on."] = GIVEN


class DomainMap(Form[domains.DomainMap]):
    latency_limit_us: Annotated[Count, "PM QoS limit; 2000000000 for none."] = derived("limit_us")
    limited: Annotated[bool, "True if the limit applies to domains in this kernel."]
    first: Annotated[
        list[DomainRange],
        "By the time to the next timer of the domain's CPUs: when it is asked for the first time.",
    ] = GIVEN
    ranges: Annotated[list[DomainRange], "From then on."] = GIVEN
    blocked: Annotated[
        str | None,
        "The domain within that settles in another state than its last, so that this one stays on.",
    ] = GIVEN


class Domain(Form[domains.DomainSelection]):
    name: str = derived("domain.name")
    level: Literal["CPU", "cluster", "system"] = derived("domain.level")
    cpus: list[str] = derived("domain.cpus")
    asked_by: Annotated[str, "The CPUs' idle state whose entry by the last of them asks for it."]
    dead: Annotated[str, "Why it is never off; empty if it may be."] = derived("domain.dead")
    maps: Annotated[list[DomainMap], "One for each latency limit; none of a dead domain."] = GIVEN


def domain_of(selection: domains.DomainSelection) -> With:
    """Returns the content of a Domain."""
    names = [state.name for state in selection.domain.states]

    def of(ranges: Sequence[domains.DomainRange]) -> list[With]:
        return [With(r, state=None if r.state is None else names[r.state]) for r in ranges]

    return With(
        selection,
        maps=[
            With(mapped, first=of(mapped.first), ranges=of(mapped.ranges), blocked=blocked or None)
            for mapped, blocked in zip(selection.maps, selection.blocked, strict=False)
        ],
    )


class OtherDomains(Form[TableSelection]):
    table: Annotated[str | None, "The TABLE; null for --states."] = derived(
        lambda selection: selection.table or None
    )
    kernel: Annotated[str, "The Linux release."] = derived("release.name")
    governor: Annotated[str, "The governor."]
    domains: list[Domain] = derived(lambda selection: list(map(domain_of, selection.domains)))


Kernels = Annotated[list[str], "The Linux releases."]


class LimitedState(Form[StateUnderLimit]):
    index: Annotated[Count, "Number."] = derived("number")
    name: Annotated[str, "Name, or stateN where times were given."]
    exit_latency_us: Annotated[Count, "Exit latency: the least limit that allows it."] = derived(
        "needs_us"
    )
    target_residency_us: Annotated[Count, "Target residency."] = derived("residency_us")
    polling: Annotated[bool, "CPUIDLE_FLAG_POLLING."]
    within: Annotated[bool, "True if the limit allows it."]
    off: Annotated[bool, "Registered switched off: nothing selects it, whatever the limit."]


class Values(Form[tuple[int, int | None]]):
    from_us: Annotated[Count, "First."]
    to_us: Annotated[Count | None, "Last; null: without end, and no limit does the same."]


class Era(Form[limits.LimitEra]):
    """Kernels whose governor selects alike under the limit."""

    kernels: Kernels = derived(lambda era: [release.name for release in era.releases])
    map: Annotated[list[Range], "The states selected under the limit, as in select."] = derived(
        lambda era: [
            With(mapped, range=r, taken=era.under.state_names(r.states))
            for mapped in era.under.maps
            for r in mapped.ranges
        ]
    )
    alike: Annotated[Values, "Values with which the same is selected."]
    unreachable: Annotated[
        list[str], "States within the limit that no equal idle periods select."
    ] = derived("idle")
    unreachable_without: Annotated[
        list[str], "States that are unreachable even without a limit."
    ] = derived(lambda era: [era.free.names[number] for number in era.free.unreachable])
    domains: Annotated[
        list[Domain],
        "The power domains with states that the CPUs sit in (Arm, RISC-V), the innermost first.",
    ] = derived(lambda era: list(map(domain_of, era.under.domains)))
    beyond: Annotated[list[str], "States that are selected although the limit excludes them."]


class LimitedTable(Form[limits.LimitedTable]):
    """Kernels on which the same states are left."""

    kernels: Kernels = derived(lambda table: [release.name for release in table.releases])
    value_us: Annotated[
        Count | None, "The limit in us; null where it names no state of these kernels."
    ] = derived(lambda table: table.meant and table.meant.value_us)
    by: Annotated[str | None, "The word that counts, of several; null likewise."] = derived(
        lambda table: table.meant and table.meant.word.text
    )
    state: Annotated[str | None, "The state that it names; null for a value."] = derived(
        lambda table: (
            table.states[table.meant.states[0]].name if table.meant and table.meant.states else None
        )
    )
    limit_us: Annotated[Count | None, "The limit in force; null for none."] = derived(
        lambda table: None if table.limit_us >= NO_LIMIT_US else table.limit_us
    )
    states: Annotated[list[LimitedState], "All states, by number."]
    deepest: Annotated[str | None, "The deepest that is left; null for none."] = derived(
        lambda table: table.deepest and table.deepest.name
    )
    next: Annotated[
        LimitedState | None, "The one that a greater limit allows first; null if all are allowed."
    ] = derived("following")
    cpu_value: Annotated[str | None, "Text for pm_qos_resume_latency_us; null: there is none."]
    values: Annotated[Values, "Values that leave the same states."] = derived("same")
    unexpected: Annotated[
        list[str],
        "Deeper states that stay with the one to be kept, and shallower ones that are excluded "
        "with others.",
    ] = derived(lambda table: [state.name for state in table.unexpected])
    governor: Annotated[list[Era], "By what the governor selects."] = derived("eras")


class Obeyed(Form[limits.ObeyedLimits]):
    kernels: Kernels = derived(lambda each: [release.name for release in each.releases])
    per_cpu: Annotated[bool, "True if they obey a CPU's pm_qos_resume_latency_us."]
    wakeup: Annotated[bool, "True if they obey the system's cpu_wakeup_latency."]


class Limit(Form[limits.TableLimit]):
    asked: Annotated[str, "The limit, or the states that it is to keep, as given."] = derived(
        "wanted.text"
    )
    keep: Annotated[list[str], "The states that it is to keep; empty for a limit."] = derived(
        lambda limit: [word.text for word in limit.wanted.words] if limit.wanted.keeps else []
    )
    per_cpu: Annotated[bool, "True if it is a CPU's limit, false if the system's."]
    table: Annotated[str | None, "The TABLE; null for --states."] = derived(
        lambda limit: limit.table or None
    )
    governor: Annotated[str, "The governor that selects."]
    tables: Annotated[
        list[LimitedTable], "By the states that are left, in the order of the kernels."
    ] = derived("by_kernel")


class Select(Form[TableSelection]):
    known: Annotated[Known, INLINE] = derived(
        lambda selection: Kernel(selection.release, selection.governor)
    )
    table: Annotated[str | None, "The TABLE; null for --states."] = derived(
        lambda selection: selection.table or None
    )
    governor: Annotated[str, "menu, teo, ladder or a source; the first of several."]
    kernel: Annotated[str, "The Linux release."] = derived("release.name")
    hz: Annotated[Positive, "The kernel's HZ."]
    states: Annotated[list[State], "The governor's states, snooze first."] = derived(
        lambda selection: [
            (number, selection.names[number], state)
            for number, state in enumerate(selection.states)
        ]
    )
    map: Annotated[
        list[Range],
        "Ranges of idle lengths and the state selected in the long run; for each tick, end and "
        "limit they cover all lengths, up to the next timer where one is given.",
    ] = derived(lambda selection: _ranges(selection, of_timers=False))
    timer_map: Annotated[
        list[TimerRange],
        "For --idle: ranges of the time to the next timer, from the idle's length on, and the "
        "state selected in the long run.",
    ] = derived(lambda selection: _ranges(selection, of_timers=True))
    steps: Annotated[
        list[Step],
        "ladder's transitions under the first latency limit: from each state, ranges of measured "
        "idles, waking included; empty for other governors.",
    ] = derived(
        lambda selection: [
            With(step, from_=selection.names[step.source], range=step, to=selection.names[step.to])
            for step in selection.steps
        ]
    )
    assumptions: Annotated[list[str], "Assumptions of this and the other selections."] = GIVEN
    unreachable: Annotated[list[str], "States that no range selects."] = derived(
        lambda selection: [selection.names[i] for i in selection.unreachable]
    )
    level_with_snooze: Annotated[list[str], "States as cheap to leave as snooze."] = derived(
        lambda selection: [selection.names[i] for i in selection.level_with_snooze]
    )
    lock_in: Annotated[list[LockIn], "Idle lengths that keep a state selected once it was."] = (
        derived(
            lambda selection: [
                (selection.names[i], r) for i, ranges in selection.locked.items() for r in ranges
            ]
        )
    )
    domains: Annotated[
        list[Domain],
        "The power domains with states that the CPUs sit in (Arm, RISC-V), the innermost first.",
    ] = derived(lambda selection: list(map(domain_of, selection.domains)))
    domain_changes: Annotated[
        list[OtherDomains],
        "With several governors or kernels, or --against: each further one whose domains do "
        "otherwise.",
    ] = GIVEN
    changes: Annotated[
        list[Changed],
        "With several governors or kernels, or --against: what each further one selects otherwise "
        "than the first, whose maps are given here.",
    ] = GIVEN
    limits: Annotated[
        list[Limit],
        "The states of each table that each latency limit leaves; empty without limits.",
    ] = GIVEN
    obeyed: Annotated[list[Obeyed], "With a limit: which other limits the kernels look at."] = GIVEN


def _idle_us(mapped: Mapped) -> int | None:
    return None if mapped.idle_ns is None else mapped.idle_ns // 1000


def _ranges(selection: TableSelection, of_timers: bool) -> list[With]:
    return [
        With(mapped, idle_us=_idle_us(mapped), range=r, taken=selection.state_names(r.states))
        for mapped in selection.maps
        if (mapped.idle_ns is not None) is of_timers
        for r in mapped.ranges
    ]


def selected(found: Selections) -> With:
    """Returns the content of Select: a selection, the others' differences, and limits' effects."""
    first, changed = found.first, found.changed
    changes = [
        With(change, other=other, circumstances=mapped.circumstances, idle_us=_idle_us(mapped))
        for other, maps in changed
        for mapped, some in maps
        for change in some
    ]
    rests = [note for each in found.governors for note in not_utilised(each, found.releases)]
    notes = dict.fromkeys(note for each in found.selections for note in each.domain_notes)
    others = [other for other, _ in changed if other.domains != first.domains]
    return With(
        first,
        changes=changes,
        domain_changes=others,
        limits=found.limits,
        obeyed=list(found.obeyed),
        assumptions=(*dict.fromkeys(rests), *notes),
    )
