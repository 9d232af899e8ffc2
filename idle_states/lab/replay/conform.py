"""conform: compares recorded decisions of a real governor with the model's, one by one."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Unreadable, UsageError, unreadable
from ...base.reading.inputs import Input
from ...tables.linux.governors import Decision, Governor, Outcome, core
from ..record.convert import as_recording
from ..traces.chunks import CpuChunk, chunks, disable
from ..traces.head import head_of
from ..traces.recording import RecordedDecision, check_kind, guessed, rows
from .agreement import ENOUGH
from .basis import Basis, basis
from .conform_request import ConformRequest
from .core_models import stream_of
from .sample import Sample
from .suspects import Suspicion, suspicion

if TYPE_CHECKING:
    from ...tables.linux.governors.source.model import CompiledSource


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The first decision on which model and recording differ.

    number    position in the recording, from 1, skipped decisions included
    row       as recorded
    decision  the model's, with its intermediate values
    """

    number: int
    row: RecordedDecision
    decision: Decision


@dataclass(frozen=True, slots=True)
class Conformity:
    """Number of decisions judged and skipped, number of judged decisions on which the model agrees,
    the first on which it does not.

    basis        what the decisions were judged by
    assumptions  sentences: what was assumed of inputs that were not recorded
    suspicion    what may be wrong with the basis; None if most decisions agree
    """

    judged: int
    skipped: int
    agree: int
    first: Disagreement | None
    basis: Basis
    assumptions: tuple[str, ...] = ()
    suspicion: Suspicion | None = None


class BeyondTable(Unreadable):
    """A recorded state that the table lacks, or a CPU that has no table."""


def conform(
    request: ConformRequest, say: Callable[[str], None] = lambda message: None
) -> tuple[Conformity, list[tuple[str, str]]]:
    """Returns the result, and (name, SHA-256) of every file read. say: called with messages for
    the user.

    Raises UsageError, UnknownGovernor, Unreadable, OSError and the errors of reading a table.
    """
    source = as_recording(Input(request.vectors), say)
    check_kind(source)
    head = head_of(source)
    by = basis(
        request.vectors,
        head,
        request.of,
        request.release,
        None if request.disabled is None else frozenset(request.disabled),
        request.skip,
    )
    _check_disabled(by, frozenset(request.disabled or ()))
    again = source.again if source.repeatable else None
    sample = Sample()

    def suspected() -> Suspicion | None:
        if again is not None:
            sample.fill(rows(again()))
        return suspicion(sample, by, request.of, head)

    try:
        result = _conformity(source, by, again, sample)
    except BeyondTable as error:
        (finding,) = error.findings
        if not (suspect := suspected()):
            raise
        message = f"{finding.message}; {suspect.words}"
        raise BeyondTable([replace(finding, message=message)]) from None
    assumptions = (*by.guessed, *guessed(source, by.governor, by.release))
    few = result.judged > 0 and result.agree < ENOUGH * result.judged
    result = replace(result, assumptions=assumptions, suspicion=suspected() if few else None)
    return result, [(request.vectors, source.sha256())]


def _check_disabled(by: Basis, disabled: frozenset[int]) -> None:
    """Raises UsageError for a number that no CPU's table has."""
    count = max(len(by.model(table.states).states) for table in by.machine.tables)
    greatest = max(disabled, default=0)
    if greatest >= count:
        raise UsageError(f"expected --disabled with states 0 to {count - 1}, found {greatest}")


def _conformity(
    source: Input, by: Basis, again: Callable[[], Input] | None, sample: Sample
) -> Conformity:
    """Feeds recorded inputs and outcomes to one model per CPU.

    by     what to judge by; skipped decisions are fed to a CPU's model, but not judged, because
           the model's history is incomplete
    again  opens the recording once more; None: it can be read only once
    sample  what it keeps of a recording that can be read only once
    Uses the compiled core if it supports the governor; the reference then repeats the decisions up
    to the first disagreement, for the intermediate values.
    Raises Unreadable; BeyondTable for a state that the governor's table lacks, or a CPU without.
    """
    models = [by.model(table.states) for table in by.machine.tables]
    if again is not None and all(model.source or core.can_replay(model) for model in models):
        found = _by_core(chunks(source), by)
        if found is not None and found.line is None:
            return Conformity(found.judged, found.skipped, found.agree, None, by)
        source = again()
        if found is not None:
            first = _decided_again(rows(source), by, found, source.name)
            if first is not None:
                return Conformity(found.judged, found.skipped, found.agree, first, by)
            source = again()
    recorded = rows(source) if again is not None else sample.kept(rows(source))
    return by_reference(recorded, by, source.name)


@dataclass(slots=True)
class _Found:
    """Result of the core. line, cpu: of the first disagreement."""

    judged: int = 0
    skipped: int = 0
    agree: int = 0
    line: int | None = None
    cpu: int = 0


def _by_core(recording: Iterable[list[CpuChunk]], by: Basis) -> _Found | None:
    """Compares by the core. Returns None if a state or a CPU is not in the table: the reference
    then reports the error."""
    found = _Found()
    streams: dict[int, core.Stream | CompiledSource] = {}
    fed: Counter[int] = Counter()
    for parts in recording:
        lines = []
        for part in parts:
            table = by.machine.table(part.cpu)
            if table is None or max(part.decided[::2], default=0) >= len(table.states):
                return None
            if part.cpu not in streams:
                if part.earlier_state >= len(table.states):
                    return None
                earlier = Outcome(part.earlier_state, part.earlier_residency_ns)
                streams[part.cpu] = stream_of(by.model(table.states), earlier)
            rows = disable(part.as_recorded(), table.disabled)
            decisions = streams[part.cpu].replay(rows).packed
            passed = min(max(by.skip - fed[part.cpu], 0), len(part))
            fed[part.cpu] += len(part)
            found.skipped += passed
            found.judged += len(part) - passed
            same, first = core.agreed(decisions[2 * passed :], part.decided[2 * passed :])
            found.agree += same
            if first >= 0:
                lines.append((part.lines[passed + first], part.cpu))
        if lines and found.line is None:
            found.line, found.cpu = min(lines)
    return found


def _decided_again(
    recorded: Iterable[RecordedDecision], by: Basis, found: _Found, name: str
) -> Disagreement | None:
    """Repeats decisions by the reference up to the core's first disagreement. Returns None if the
    reference agrees with the recording: the reference is authoritative."""
    for number, row, decision, _ in decided(recorded, by, name, found.cpu):
        if row.line == found.line:
            agrees = (decision.state, decision.stop_tick) == (row.state, row.stop_tick)
            return None if agrees else Disagreement(number, row, decision)
    return None


def by_reference(recorded: Iterable[RecordedDecision], by: Basis, name: str) -> Conformity:
    """Does as `_conformity` without the compiled core. name: the recording's name, for errors."""
    skipped = judged = agree = 0
    first = None
    for number, row, decision, passed in decided(recorded, by, name):
        skipped += passed
        judged += not passed
        if passed or (decision.state, decision.stop_tick) == (row.state, row.stop_tick):
            agree += not passed
        elif first is None:
            first = Disagreement(number, row, decision)
    return Conformity(judged, skipped, agree, first, by)


def decided(
    recorded: Iterable[RecordedDecision], by: Basis, name: str, only: int | None = None
) -> Iterator[tuple[int, RecordedDecision, Decision, bool]]:
    """Yields the recorded decisions, of one CPU only or of all: number, decision, the model's, and
    whether it is skipped. Raises BeyondTable."""
    governors: dict[int, tuple[Governor, frozenset[int]]] = {}
    fed: Counter[int] = Counter()
    for number, row in enumerate(recorded, 1):
        if only not in (None, row.cpu):
            continue
        if row.cpu not in governors:
            table = by.machine.table(row.cpu)
            if table is None:
                message = f"expected a CPU of the recording's head, found CPU {row.cpu}"
                raise _beyond(name, message, row.line)
            governors[row.cpu] = by.model(table.states), table.disabled
            _check_state(row.earlier.state, governors[row.cpu][0], row, name)
            governors[row.cpu][0].switched_on(row.earlier)
        governor, disabled = governors[row.cpu]
        _check_state(row.state, governor, row, name)
        decision = governor.select(replace(row.situation, disabled=disabled))
        governor.reflect(row.outcome)
        fed[row.cpu] += 1
        yield number, row, decision, fed[row.cpu] <= by.skip


def _check_state(state: int, governor: Governor, row: RecordedDecision, name: str) -> None:
    if state >= len(governor.states):
        message = f"expected a state of the table, 0 to {len(governor.states) - 1}, found {state}"
        raise _beyond(name, message, row.line)


def _beyond(name: str, message: str, line: int) -> BeyondTable:
    return BeyondTable(unreadable(name, message, line).findings)
