"""A replay, and its result."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Severity, UsageError
from ...base.reading import sysfs
from ...base.reading.inputs import Input, InputKind
from ...base.wording import plural
from ...tables.linux.releases import Release, running
from ...tables.linux.request_parts import NamedGovernor
from ..record.recorded import is_recorded
from ..traces.head import RecordingHead, head_of
from ..traces.recording import rows
from .basis import NO_HZ, Basis, kernel_of, machine_of, unlike, unlike_states
from .dumps import from_dumps
from .machine import TracedMachine, under_limits
from .named import TableReader, named_machines
from .replay import Settings
from .request import ReplayRequest
from .results import ReplayResult
from .run import from_recording, from_trace

if TYPE_CHECKING:
    from ...base.report.perfetto import PerfettoTrace
    from ...tables.power.energy import PowerModel
    from .suspects import Suspicion

OF_THE_TABLE = frozenset({"other-state", "miss-disagrees"})
"""Warnings about the first table rather than about the input."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a request.

    name      name of the trace, recording or dump
    release   the kernel; every: what each governor was replayed with, (): the trace's own states
              were judged. Both are completed by what a recording's head says
    power     power model of the states; None without figures
    inputs    (name, SHA-256) of every file read; () where they were not hashed
    is_named  whether the kernel was named; if not, dumps alone show the counters of one not known
    """

    name: str
    release: Release
    every: tuple[Settings, ...]
    result: ReplayResult
    power: "PowerModel | None"
    inputs: tuple[tuple[str, str], ...]
    is_named: bool = True

    @property
    def settings(self) -> Settings | None:
        """The inputs of the replay with the only governor, or the first."""
        return self.every[0] if self.every else None

    @property
    def doubtful(self) -> bool:
        """Tells whether parts of the input could not be used or are out of order."""
        return any(
            problem.severity is not Severity.NOTE and problem.kind not in OF_THE_TABLE
            for problem in self.result.problems
        )


def replay(
    request: ReplayRequest,
    advance: Callable[[int], None] = lambda size: None,
    say: Callable[[str], None] = lambda message: None,
    trace: "PerfettoTrace | None" = None,
    *,
    hashed: bool = True,
) -> Replayed:
    """Executes a request. advance: called with the number of bytes read since the last call; say:
    with messages for the user; trace: takes all idle periods; hashed: the result has the inputs.
    Raises UsageError, Unreadable, OSError and the errors of reading a table."""
    given = [Input(name, advance, hashed=hashed) for name in request.files]
    opened = given
    if any(map(is_recorded, given)):
        from ..record.convert import as_recording

        opened = [as_recording(source, say) for source in given]
    dumps = [sysfs.read(source) for source in opened if source.kind is InputKind.SYSFS]
    traces = [source for source in opened if source.kind is not InputKind.SYSFS]
    if len(traces) > 1 or len(dumps) > 2:
        raise UsageError("expected one trace and up to two sysfs dumps")
    line = None
    if trace is not None:
        if not traces:
            raise UsageError("expected a trace or a recording for --perfetto, found sysfs dumps")
        from .timeline import TimeLine

        line = TimeLine(trace, traces[0].name)
        raw = given[opened.index(traces[0])]
        if raw is not traces[0] and raw.repeatable:
            line.woken(raw.again())
    head = head_of(traces[0]) if traces else None
    if head is not None:
        release = request.release or kernel_of(head, request.files[0])
        request = replace(request, release=release, hz=request.hz or head.hz)
    elif dumps and not (traces and request.release):
        # dumps alone have the figures of the machine's kernel, whichever is asked for
        named, release = request.release, running(dumps[-1].kernel)
        if release and named and release.name != named.name:
            say(f"--kernel has no effect: the counters are those of Linux {release.name}")
        request = replace(request, release=release or named)
    kernel, settings = request.kernel, request.settings
    reader = TableReader(request.platform, kernel, request.disabled)
    machines, files, rows = named_machines(request.tables, request.states, reader)
    recorded = machine_of(head, traces[0].name, kernel) if head and head.states else None
    if head and recorded and not machines and not dumps:
        off = frozenset(request.disabled) or None
        machines = [machine_of(head, traces[0].name, kernel, off)]
    traced = reader.dump(dumps[0], dumps[0].name) if dumps else None
    machines = machines or ([traced] if traced else [])
    if not machines:
        raise UsageError("expected a table for the states: --table, --states or a sysfs dump")
    traced = traced or recorded or machines[0]
    if request.limits_us:
        machines = [one for each in machines for one in under_limits(each, request.limits_us)]
    power = None
    if rows or request.power.figures:
        from .power import power_model

        power = power_model(request.power, [t for each in machines for t in each.tables], rows)
    by = request.by
    if traces:
        name = traces[0].name
        if traces[0].kind in (InputKind.CSV, InputKind.JSONL):
            own = [each for each in settings if head and each.governor == head.governor]
            by = own[0] if own else by
            result = from_recording(traces[0], traced, machines, kernel, settings, by, power, line)
        else:
            counted = sysfs.difference(*dumps) if len(dumps) == 2 else {}
            # with a governor, the tables are candidates, not the traced machine's own
            certain = bool(dumps) or not settings
            result = from_trace(
                traces[0], traced, machines, kernel, settings, by, counted, power, line,
                certain=certain,
            )  # fmt: skip
        if line is not None and line.left:
            say(
                f"not in the Perfetto trace: {plural(line.left, 'idle period')} overlapping another"
            )
        if head is not None:
            governor = by.governor if by else ""
            unlike = tuple(_unlike(request, governor, head, recorded, machines))
            result = replace(result, assumptions=(*unlike, *result.assumptions))
        if result.accounts and all(account.doubted for account in result.accounts):
            assert by is not None
            doubt = _suspected(request, by.governor, traces[0], machines, head)
            result = replace(result, suspicion=doubt)
    elif settings:
        raise UsageError("expected a trace for --governor, found sysfs dumps only")
    else:
        before = dumps[0] if len(dumps) == 2 else None
        name, result = dumps[-1].name, from_dumps(before, dumps[-1], traced)
    is_named = bool(traces or request.release)
    inputs = (*((source.name, source.sha256()) for source in opened), *files) if hashed else ()
    return Replayed(name, kernel, settings, result, power, inputs, is_named)


def _unlike(
    request: ReplayRequest,
    governor: str,
    head: RecordingHead,
    recorded: TracedMachine | None,
    machines: Sequence[TracedMachine],
) -> Iterator[str]:
    """Sentences: where what is replayed is not what the recording's head says."""
    yield from unlike(head, request.kernel, governor, request.rate)
    if recorded is not None:
        for machine in machines:
            yield from unlike_states(recorded, machine)
    if governor and request.hz is None:
        yield NO_HZ.format(request.rate)


def _suspected(
    request: ReplayRequest,
    governor: str,
    recording: Input,
    machines: Sequence[TracedMachine],
    head: RecordingHead | None,
) -> "Suspicion | None":
    """Returns the suspicion against the first table; None for input that can be read only once, or
    a table for some CPUs only."""
    from .sample import Sample
    from .suspects import suspicion

    table = request.tables[0] if request.tables else None
    plain = table is None or machines[0].everywhere is not None
    exact = recording.kind in (InputKind.CSV, InputKind.JSONL)
    if not (exact and recording.repeatable and plain):
        return None
    sample = Sample()
    sample.fill(rows(recording.again()))
    of = NamedGovernor(
        governor, request.hz, table, None if request.tables else request.states, request.platform
    )
    skip = head.skip if head else 0
    by = Basis(governor, request.kernel, request.rate, machines[0], skip)
    return suspicion(sample, by, of, head)
