"""Groups the events of a recording into decisions of each CPU, and finds the breaks between them.

A decision consists of these events, in this order on one CPU: is_begin; what select() asked for
(is_latency, is_iowait, is_sleep, is_stopped); is_decide; the idle loop's own is_stopped; cpu_idle,
entered and left; is_reflect; is_tick. If the next is_begin comes without is_reflect, the entry was
rejected or a task came in between; the governor is told of neither.
"""

from collections.abc import Iterator

from ...base.dataclass import dataclass, field
from ...base.model.findings import unreadable
from .recorded import Event, Recorded
from .script import GOVERNORS

EXIT = 0xFFFFFFFF
_CLOCK_STEP_NS = 2_000
"""Times are rounded down to us: the difference of two times may be wrong by up to this."""

HEARD = ("is_latency", "is_sleep", "is_iowait", "is_stopped", "is_decide", "is_reflect", "is_tick")


@dataclass(slots=True)
class Decided:
    """A decision as far as it was recorded.

    line      line of the recording where it begins
    heard     name -> event; of several events of a name, the first
    entered   whether a cpu_idle event shows that the state was entered
    finished  whether the CPU's next decision began, so that no event of this one is missing
    cut       kind of break that came before the end of the decision: "lost", "unread" or
              "backwards"; "" if none did
    """

    cpu: int
    line: int
    heard: dict[str, Event] = field(default_factory=dict)
    entered: bool = False
    finished: bool = False
    cut: str = ""

    def value(self, event: str, key: str = "ret") -> int | None:
        found = self.heard.get(event)
        return None if found is None else found.values.get(key)

    @property
    def rejected(self) -> bool:
        return "is_decide" in self.heard and "is_reflect" not in self.heard


@dataclass(frozen=True, slots=True)
class Break:
    """A break: decisions after it do not follow from the decisions recorded before it.

    cpu      the CPU; -1 for all
    kind     "restart": the governor was switched on and has no history. "lost", "unread",
             "backwards", "undecided": see `convert.BROKEN`
    line     line of the recording
    earlier  for a restart, the idle period before it as in struct cpuidle_device: idx (state) and
             lres (residency in ns)
    """

    cpu: int
    kind: str
    line: int
    earlier: dict[str, int] = field(default_factory=dict)


def decisions(recorded: Recorded) -> Iterator[Decided | Break]:
    """Yields decisions and breaks of all CPUs, decisions in the order in which they end. Raises
    Unreadable."""
    pending: dict[int, Decided] = {}
    # CPUs with recorded decisions: going idle without a decision is a break there
    seen: set[int] = set()
    clocks: dict[int, int] = {}
    for event in recorded.events():
        cpu = _cpu(recorded, event)
        if event.name in ("lost", "unread"):
            yield from _broken(event.name, event, pending, seen)
            continue
        if event.time_ns < clocks.get(event.cpu, 0):
            yield from _broken("backwards", event, pending, seen)
        clocks[event.cpu] = event.time_ns
        if event.name == "is_begin":
            if cpu in pending:
                pending[cpu].finished = True
                yield pending[cpu]
            pending[cpu] = Decided(cpu, event.line)
            seen.add(cpu)
        elif event.name == "is_reset":
            if cpu in pending:
                yield pending.pop(cpu)
            yield Break(cpu, "restart", event.line, event.values)
        elif event.name == "cpu_idle":
            if not _follow(pending.get(cpu), event) and cpu in seen:
                if cpu in pending:
                    pending[cpu].finished = True
                    yield pending.pop(cpu)
                seen.discard(cpu)
                yield Break(cpu, "undecided", event.line)
        elif event.name in HEARD and cpu in pending:
            _hear(recorded, pending[cpu], event)
    for cpu in sorted(pending):
        yield pending[cpu]


def _broken(
    kind: str, event: Event, pending: dict[int, Decided], seen: set[int]
) -> Iterator[Decided | Break]:
    """Yields the unfinished decision of the event's CPU (or of all CPUs), cut, and then a Break."""
    for cpu in sorted(seen) if event.cpu < 0 else [event.cpu]:
        seen.discard(cpu)
        if cpu in pending:
            pending[cpu].cut = kind
            yield pending.pop(cpu)
    yield Break(event.cpu, kind, event.line)


def _cpu(recorded: Recorded, event: Event) -> int:
    """The CPU an event is about. Raises Unreadable if the header does not have this CPU."""
    cpu = event.values.get("cpu", -1) if event.name == "is_reset" else event.cpu
    if cpu not in recorded.header.states and event.name.startswith("is_"):
        known = len(recorded.header.states)
        message = f"expected one of the {known} CPUs of the header, found CPU {cpu}"
        raise unreadable(recorded.name, message, event.line)
    return cpu


def _follow(decided: Decided | None, event: Event) -> bool:
    """Tells whether a cpu_idle event is explained by the CPU's last decision."""
    if event.values.get("state") == EXIT:
        return True
    if decided is None or "is_decide" not in decided.heard or "is_reflect" in decided.heard:
        return False
    if decided.entered:
        return False
    decided.entered = True
    return True


def _hear(recorded: Recorded, decided: Decided, event: Event) -> None:
    """Adds an event to the decision it belongs to. Other callers of the probed functions cause
    events too; these are ignored."""
    heard, name = decided.heard, event.name
    selecting = "is_decide" not in heard
    if name == "is_tick":
        # the idle loop calls this function too, after the governor's call has reset its result
        belongs = event.caller == GOVERNORS[recorded.header.governor].reflect
        belongs &= "is_reflect" in heard
    elif name == "is_reflect":
        belongs = not selecting
        if belongs:
            _check_layout(recorded, heard["is_decide"], event)
    elif name == "is_stopped":
        belongs = not decided.entered and "is_reflect" not in heard
    else:
        belongs = selecting
    if belongs:
        heard.setdefault(name, event)


def _check_layout(recorded: Recorded, decided: Event, reflect: Event) -> None:
    """Checks that the fields of struct cpuidle_device were read at the right offsets: CPU number
    and residency must be plausible. Raises Unreadable."""
    values = reflect.values
    elapsed = reflect.time_ns - decided.time_ns
    most = elapsed + max(_CLOCK_STEP_NS, elapsed // 100)
    found = values.get("lres", 0)
    if values.get("cpu", reflect.cpu) != reflect.cpu:
        message = f"expected CPU {reflect.cpu} in struct cpuidle_device, found {values['cpu']}"
    elif not 0 <= found <= most:
        message = f"expected an idle period of 0 to {most} ns, found {found}"
    else:
        return
    why = "; this kernel's struct cpuidle_device is laid out differently"
    raise unreadable(recorded.name, message + why, reflect.line)
