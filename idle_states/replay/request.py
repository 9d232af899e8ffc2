"""A replay request, and its result."""

import re
from collections.abc import Callable, Iterator, Sequence

from ..dataclass import dataclass, replace
from ..findings import Severity, Unreadable, UsageError
from ..linux.genpd.tables import CpuDomain
from ..linux.governors import Governor, State
from ..linux.governors.given import GivenStates, NamedGovernor, check_hz
from ..linux.platforms import AnyPlatform
from ..linux.releases import NEWEST, Release, release
from ..reading import opening, sysfs
from ..reading.cpu_lists import cpus_in
from ..reading.inputs import Input, InputKind
from ..record.unconverted import as_recording
from ..skiboot.platform import ALL_LEVELS
from ..spec.packaged import resolve_name
from ..table import IdleState
from ..traces.head import RecordingHead, head_of
from ..traces.recording import rows
from .basis import HZ, NO_HZ, Basis, kernel_of, machine_of, unlike, unlike_states
from .dumps import from_dumps
from .energy import PowerModel
from .machine import CpuTable, TracedMachine, from_sysfs, under_limits
from .power import FROM_SPECS, PowerRequest, Rows
from .replay import WHERE_SHORT, Settings
from .results import ReplayResult
from .run import from_recording, from_trace
from .sample import Sample
from .suspects import Suspicion, suspicion
from .tables import of_given, of_tree

OF_THE_TABLE = frozenset({"other-state", "miss-disagrees"})
"""Warnings about the first table rather than about the input."""
_TWO_TREES = "the tables are of different trees: their power domains are left aside"
_CPUS = re.compile(r"[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*")


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What to replay, and with what. Raises UsageError for contradictory options.

    inputs      files: a trace or a recording, and up to two dumps of cpuidle sysfs; - is standard
                input
    release     the kernel; None: as a recording's head says, else the newest
    tables      TABLE, or CPUS=TABLE for some CPUs, such as 0-3,5=FILE; of a tree without a name,
                each CPU has its own. Successive CPUS=TABLE form one machine until a CPU would get
                a second table; there another machine begins
    states      a further table, given by its times
    disabled    numbers of disabled states
    hz          None: as a recording's head says, else 250
    governor    None: judge the states that the trace shows
    next_timer  one of replay.NEXT_TIMERS, for traces of cpu_idle
    traced_by   governor that decided in such a trace; None: `governor`
    traced_release  the kernel that did; None: `release`
    limits_us   latency limits under which each table is replayed; (): without any but those that a
                recording has
    """

    inputs: tuple[str, ...]
    release: Release | None = None
    tables: tuple[str, ...] = ()
    states: GivenStates | None = None
    disabled: tuple[int, ...] = ()
    governor: str | None = None
    hz: int | None = None
    next_timer: str = WHERE_SHORT
    traced_by: str | None = None
    traced_release: Release | None = None
    platform: AnyPlatform = ALL_LEVELS
    power: PowerRequest = FROM_SPECS
    limits_us: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.hz is not None:
            check_hz(self.hz)
        if self.governor is not None:
            by = self.traced_by or self.governor, self.traced_release or self.kernel
            for governor, kernel in ((self.governor, self.kernel), by):
                try:
                    Governor.for_kernel(governor, kernel, [State(0, 0), State(1, 1)])
                except ValueError as error:
                    raise UsageError(str(error)) from None
        elif self.traced_by or self.traced_release:
            raise UsageError("expected what decided in the trace beside --governor only")
        if not self.inputs:
            raise UsageError("expected a trace, a recording or a sysfs dump")

    @property
    def kernel(self) -> Release:
        return self.release or release(NEWEST)

    @property
    def settings(self) -> Settings | None:
        if self.governor is None:
            return None
        return Settings(self.governor, self.kernel, self.hz or HZ, self.next_timer)

    @property
    def by(self) -> Settings | None:
        """What decided in a trace of cpu_idle."""
        asked = self.settings
        if asked is None:
            return None
        governor = self.traced_by or asked.governor
        return replace(asked, governor=governor, release=self.traced_release or asked.release)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a request.

    request  what was replayed, completed by what a recording's head says
    name    name of the trace, recording or dump
    power   power model of the states; None without figures
    inputs  (name, SHA-256) of every file read
    """

    request: ReplayRequest
    name: str
    result: ReplayResult
    power: PowerModel | None
    inputs: tuple[tuple[str, str], ...]

    @property
    def doubtful(self) -> bool:
        """Whether parts of the input could not be used or are out of order."""
        return any(
            problem.severity is not Severity.NOTE and problem.kind not in OF_THE_TABLE
            for problem in self.result.problems
        )


def replay(
    request: ReplayRequest,
    advance: Callable[[int], None] = lambda size: None,
    say: Callable[[str], None] = lambda message: None,
) -> Replayed:
    """Executes a request. advance: called with the number of bytes read since the last call; say:
    with messages for the user. Raises UsageError, Unreadable, OSError and the errors of reading a
    table."""
    opened = [as_recording(Input(name, advance), say) for name in request.inputs]
    dumps = [sysfs.read(source) for source in opened if source.kind is InputKind.SYSFS]
    traces = [source for source in opened if source.kind is not InputKind.SYSFS]
    if len(traces) > 1 or len(dumps) > 2:
        raise UsageError("expected one trace and up to two sysfs dumps")
    head = head_of(traces[0]) if traces else None
    request = _completed(request, head)
    machines, files, rows = named_machines(request)
    recorded = machine_of(head, traces[0].name, request.kernel) if head and head.states else None
    if head and recorded and not machines and not dumps:
        off = frozenset(request.disabled) or None
        machines = [machine_of(head, traces[0].name, request.kernel, off)]
    traced = _dumped(request, dumps[0], dumps[0].name) if dumps else None
    machines = machines or ([traced] if traced else [])
    if not machines:
        raise UsageError("expected a table for the states: --table, --states or a sysfs dump")
    traced = traced or recorded or machines[0]
    if request.limits_us:
        machines = [one for each in machines for one in under_limits(each, request.limits_us)]
    power = request.power.model([table for each in machines for table in each.tables], rows)
    if traces:
        name, result = traces[0].name, _replayed(request, traces[0], traced, machines, dumps)
        if head is not None:
            said = tuple(_unlike(request, head, recorded, machines))
            result = replace(result, assumptions=(*said, *result.assumptions))
        if result.accounts and all(account.doubted for account in result.accounts):
            result = replace(result, suspicion=_suspected(request, traces[0], machines, head))
    elif request.governor is not None:
        raise UsageError("expected a trace for --governor, found sysfs dumps only")
    else:
        before = dumps[0] if len(dumps) == 2 else None
        name, result = dumps[-1].name, from_dumps(before, dumps[-1], traced)
    inputs = ((source.name, source.sha256()) for source in opened)
    return Replayed(request, name, result, power, (*inputs, *files))


def _completed(request: ReplayRequest, head: RecordingHead | None) -> ReplayRequest:
    """Raises Unreadable for a kernel that is not modelled."""
    if head is None:
        return request
    kernel = request.release or kernel_of(head, request.inputs[0])
    return replace(request, release=kernel, hz=request.hz or head.hz)


def _unlike(
    request: ReplayRequest,
    head: RecordingHead,
    recorded: TracedMachine | None,
    machines: Sequence[TracedMachine],
) -> Iterator[str]:
    """Sentences: where what is replayed is not what the recording's head says."""
    yield from unlike(head, request.kernel, request.governor or "", request.hz or HZ)
    if recorded is not None:
        for machine in machines:
            yield from unlike_states(recorded, machine)
    if request.governor and request.hz is None:
        yield NO_HZ


def _suspected(
    request: ReplayRequest,
    recording: Input,
    machines: Sequence[TracedMachine],
    head: RecordingHead | None,
) -> Suspicion | None:
    """What the first table is suspected to be instead; None for what can be read only once, or has
    a table for some CPUs only."""
    table = request.tables[0] if request.tables else None
    plain = table is None or machines[0].everywhere is not None
    exact = recording.kind in (InputKind.CSV, InputKind.JSONL)
    if not (exact and recording.repeatable and plain):
        return None
    sample = Sample()
    sample.fill(rows(recording.again()))
    assert request.governor is not None
    of = NamedGovernor(
        request.governor,
        request.hz,
        table,
        None if request.tables else request.states,
        request.platform,
    )
    skip = head.skip if head else 0
    by = Basis(request.governor, request.kernel, request.hz or HZ, machines[0], skip)
    return suspicion(sample, by, of, head)


def _replayed(
    request: ReplayRequest,
    trace: Input,
    traced: TracedMachine,
    machines: Sequence[TracedMachine],
    dumps: Sequence[sysfs.Dump],
) -> ReplayResult:
    settings = request.settings
    if trace.kind in (InputKind.CSV, InputKind.JSONL):
        return from_recording(trace, traced, machines, request.kernel, settings)
    counted = sysfs.difference(*dumps) if len(dumps) == 2 else None
    # with a governor, the tables are candidates, not the traced machine's own
    certain = bool(dumps) or settings is None
    return from_trace(
        trace,
        traced,
        machines,
        request.kernel,
        settings,
        counted,
        certain=certain,
        by=request.by,
    )


def _dumped(request: ReplayRequest, dump: sysfs.Dump, name: str) -> TracedMachine:
    polling = request.kernel.features.snooze_polling
    return TracedMachine(name, None, from_sysfs(dump, polling, request.disabled))


def named_machines(
    request: ReplayRequest,
) -> tuple[list[TracedMachine], list[tuple[str, str]], Rows]:
    """Returns the machines of the named tables, (name, SHA-256) of their files, and the rows of
    their specs."""
    machines: list[TracedMachine] = []
    files: list[tuple[str, str]] = []
    rows: list[tuple[str, IdleState]] = []
    own: dict[int, CpuTable] = {}
    names: list[str] = []
    trees: list[tuple[tuple[CpuDomain, ...], tuple[str, ...]]] = []

    def close() -> None:
        if own:
            notes = tuple(dict.fromkeys(note for _, of in trees for note in of))
            domains = tuple({domains for domains, _ in trees})
            one = domains[0] if len(domains) == 1 else ()
            if len(domains) > 1:
                notes = (_TWO_TREES,)
            machines.append(TracedMachine(" ".join(names), None, dict(own), one, notes))
        own.clear()
        names.clear()
        trees.clear()

    for text in request.tables:
        before, equals, after = text.partition("=")
        cpus = _cpus(before) if equals and _CPUS.fullmatch(before) else None
        table, read, written = _table(request, text if cpus is None else after, cpus)
        files += read
        rows += written
        if cpus is None:
            close()
            machines.append(table)
            continue
        if any(cpu in own for cpu in cpus):
            close()
        own.update({cpu: found for cpu in cpus if (found := table.table(cpu)) is not None})
        names.append(text)
        if table.domains:
            trees.append((table.domains, table.domain_notes))
    close()
    if request.states:
        held = of_given(request.states, request.disabled)
        machines.append(held.machine)
    return machines, files, rows


def _table(
    request: ReplayRequest, text: str, cpus: list[int] | None
) -> tuple[TracedMachine, Sequence[tuple[str, str]], Rows]:
    """Reads a table by name or file. Raises UsageError if it has no states for these CPUs."""
    if resolve_name(text) is None and opening.is_file(text) and _is_dump(text):
        source = Input(text)
        machine = _dumped(request, sysfs.read(source), text)
        missing = [cpu for cpu in cpus or () if cpu not in machine.own]
        if missing:
            found = f"CPUs {min(machine.own)} to {max(machine.own)}" if machine.own else "none"
            raise UsageError(f"expected CPU {missing[0]} in {text}, found {found}")
        return machine, [(text, source.sha256())], ()
    return of_tree(text, request.platform, request.kernel, request.disabled)


def _is_dump(text: str) -> bool:
    try:
        source = Input(text)
    except Unreadable:
        return False
    source.close()
    return source.kind is InputKind.SYSFS


def _cpus(text: str) -> list[int]:
    """As `cpus_in`. Raises UsageError."""
    try:
        return list(cpus_in(text))
    except ValueError as error:
        raise UsageError(str(error)) from None
