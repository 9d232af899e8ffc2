"""Finds what ended idle periods in a recording's tracepoints: the first interrupt after a CPU's
entry, before or, where the driver waits with interrupts off, after its exit.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, islice, takewhile

from ...tables.linux.held import POLL, SNOOZE
from ...tables.why.sampled import POLLED, REFUSED, TICK, UNKNOWN, SampledIdle
from .decisions import EXIT
from .recorded import Event, Recorded, RecordedMachine
from .script import A_TIMER, ENDS, HRTIMER, TICK_STOP, TIMER, WAKING, WITHOUT

_ENDS = {path.partition("/")[2]: words for path, words in ENDS.items()}
_HEARD = {*_ENDS, HRTIMER, TIMER, WAKING}
_TICKS = ("tick_sched_timer", "tick_nohz_handler")
_FUNCTION = re.compile(r" function=([\w.$]+)", re.ASCII)
_TASK = re.compile(r" comm=(.*) pid=\d+ prio=", re.ASCII)
_LONGEST_TICK_NS = 10_000_000


def idles(recorded: Recorded) -> Iterator[SampledIdle]:
    """Yields the idle periods that were recorded as a whole, each CPU's in order."""
    since: dict[int, list[Event]] = {}
    stops: dict[int, list[Event]] = {}
    pending, exact = set[int](), set[int]()
    for event in recorded.events():
        cpu = event.values.get("cpu_id", event.cpu)
        if event.name in ("lost", "unread"):
            for each in [*since] if cpu < 0 else [cpu]:
                since.pop(each, None)
        elif event.name == "cpu_idle" and event.values.get("state") != EXIT:
            yield from _idle(recorded.header, cpu, since.pop(cpu, []), exact=cpu in exact)
            exact |= pending & {cpu}
            since[cpu] = [event, *stops.pop(cpu, [])]
        elif event.name == TICK_STOP and event.values.get("success"):
            stops[cpu] = [event]
        elif event.name == "is_begin":
            pending.add(cpu)
        elif event.name == WITHOUT:
            since.get(event.values.get("cpu", -1), []).append(event)
        elif cpu in since:
            since[cpu].append(event)
    for cpu, events in sorted(since.items()):
        # an outcome may be missing behind the end
        yield from _idle(recorded.header, cpu, events, exact=False)


def _idle(
    header: RecordedMachine, cpu: int, events: Sequence[Event], *, exact: bool
) -> Iterator[SampledIdle]:
    """Yields the idle period that the events of a CPU begin with, if it ended. exact: the governor
    was asked, and hears of every entry but of those that were refused."""
    names = {event.name for event in events}
    exits = [event.time_ns for event in events[1:] if event.name == "cpu_idle"]
    states = header.states.get(cpu, ())
    if not exits or (state := events[0].values.get("state", -1)) not in range(len(states)):
        return
    length_ns = exits[0] - events[0].time_ns
    if exact and "is_reflect" not in names:
        by = REFUSED
    elif heard := [*dropwhile(lambda e: e.name not in _ENDS, events)]:
        tick_ns = 1_000_000_000 // header.hz if header.hz else _LONGEST_TICK_NS
        stopped = TICK_STOP in names or length_ns > tick_ns
        by = _ended_by([event for event in heard if event.name in _HEARD], stopped=stopped)
    else:
        polls = states[state].name in (POLL, SNOOZE) and WITHOUT in header.wake_ups
        by = POLLED if polls else UNKNOWN
    yield SampledIdle(cpu, state, length_ns, by, exits[0])


def _ended_by(events: Sequence[Event], *, stopped: bool) -> str:
    """Names the interrupt that is the first of some events, or the timer. stopped: there is no
    tick; while it runs, timers of the wheel only come with it."""
    first, *rest = events
    if _ENDS[first.name] != A_TIMER and [event.name for event in rest[:1]] != [HRTIMER]:
        number, name = first.values.get("irq"), first.words.partition(" name=")[2]
        return f"interrupt {number} ({name})" if name else _ENDS[first.name]
    own = [first, *takewhile(lambda e: e.name == HRTIMER or e.name not in _ENDS, rest)]
    ran = [(event.name, found[1]) for event in own if (found := _FUNCTION.search(event.words))]
    others = [function for name, function in ran if name == HRTIMER and function not in _TICKS]
    ticks = any(function in _TICKS for _, function in ran)
    if stopped or not ticks:
        others += [function for name, function in ran if name == TIMER]
    if not others:
        return TICK if ticks else A_TIMER
    tasks = (found[1] for event in own if (found := _TASK.search(event.words)))
    return f"timer {others[0]}" + "".join(f" of {task}" for task in islice(tasks, 1))
