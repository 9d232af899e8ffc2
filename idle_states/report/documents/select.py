"""select."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from ...forms import GIVEN, INLINE, Count, Form, Limits, Positive, With, derived
from ...linux.governors import State as Times
from ...linux.governors import not_utilised
from ...linux.governors.settling import Circumstances
from ...selection.idle_lengths import first_us, last_us
from ...selection.selection import Mapped, SelectionChange, TableSelection
from .known import Kernel, Known

NotBelow0 = Annotated[float, Limits(minimum=0)]


class Lengths(Form[Any]):
    """A range of idle lengths: of first_ns, last_ns."""

    from_us: Annotated[NotBelow0, "First length in us."] = derived(lambda r: first_us(r.first_ns))
    to_us: Annotated[
        NotBelow0 | None,
        "Last length in us; whole if the range ends with this microsecond; null: without end.",
    ] = derived(lambda r: None if r.last_ns is None else last_us(r.last_ns))
    from_ns: Annotated[Count, "First length in ns, exact."] = derived(lambda r: r.first_ns)
    to_ns: Annotated[int | None, "Last length in ns, exact; null: without end."] = derived(
        lambda r: r.last_ns
    )


class Where(Form[Circumstances]):
    """What is held fixed."""

    tick: Annotated[Literal["running", "stopped"], "The tick at select."] = derived(
        lambda fixed: "stopped" if fixed.tick_stopped else "running"
    )
    ended_by: Annotated[Literal["timer", "interrupt"], "What ends the idle periods."] = derived(
        lambda fixed: "timer" if fixed.timer_driven else "interrupt"
    )
    next_timer_us: Annotated[
        int | None, "Time to the next timer where an interrupt ends the idle periods."
    ] = derived(lambda fixed: None if fixed.timer_driven else fixed.next_timer_ns // 1000)
    latency_limit_us: Annotated[Count, "PM QoS limit; 2000000000 for none."] = derived(
        lambda fixed: fixed.limit_us
    )


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
    table: Annotated[str | None, "As given; null for --states."] = derived(
        lambda change: change.other.table or None
    )
    kernel: Annotated[str, "The Linux release."] = derived(lambda change: change.other.release.name)
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


class Select(Form[TableSelection]):
    known: Annotated[Known, INLINE] = derived(
        lambda selection: Kernel(selection.release, selection.governor)
    )
    table: Annotated[str | None, "As given; null for --states."] = derived(
        lambda selection: selection.table or None
    )
    governor: Annotated[str, "menu, teo or ladder."]
    kernel: Annotated[str, "The Linux release."] = derived(lambda selection: selection.release.name)
    hz: Annotated[Positive, "The kernel's HZ."]
    states: Annotated[list[State], "What the governor selects from, snooze first."] = derived(
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
            With(
                step,
                from_=selection.names[step.source],
                range=step,
                to=selection.names[step.to],
            )
            for step in selection.steps
        ]
    )
    assumptions: Annotated[list[str], "What the selections rest on, of this and the others."] = (
        GIVEN
    )
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
    changes: Annotated[
        list[Changed],
        "With several kernels or --against: what each further one selects otherwise than the "
        "first, whose maps are given here.",
    ] = GIVEN


def _idle_us(mapped: Mapped) -> int | None:
    return None if mapped.idle_ns is None else mapped.idle_ns // 1000


def _ranges(selection: TableSelection, of_timers: bool) -> list[With]:
    return [
        With(mapped, idle_us=_idle_us(mapped), range=r, taken=selection.taken(r.states))
        for mapped in selection.maps
        if (mapped.idle_ns is not None) is of_timers
        for r in mapped.ranges
    ]


def with_changes(
    first: TableSelection,
    changed: Sequence[tuple[TableSelection, list[tuple[Mapped, list[SelectionChange]]]]],
) -> With:
    """What Select writes: a selection, and what others select otherwise."""
    changes = [
        With(change, other=other, circumstances=mapped.circumstances, idle_us=_idle_us(mapped))
        for other, maps in changed
        for mapped, some in maps
        for change in some
    ]
    releases = [selection.release for selection in (first, *(other for other, _ in changed))]
    return With(first, changes=changes, assumptions=not_utilised(first.governor, releases))
