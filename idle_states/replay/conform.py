"""conform: compares recorded decisions of a real governor with the model's, one by one."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from .. import core
from ..findings import UsageError, unreadable
from ..linux.governors import Decision, Governor, Outcome
from ..linux.governors.given import GovernorRequest
from ..linux.releases import Release
from ..pipeline import held_by
from ..reading.inputs import Input
from ..traces.chunks import CpuChunk, chunks, disable
from ..traces.recording import RecordedDecision, check_kind, guessed, rows


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
    the first on which it does not, and what was assumed, as sentences."""

    judged: int
    skipped: int
    agree: int
    first: Disagreement | None
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConformRequest:
    """What to compare with a governor's model. Raises UsageError for contradictory options.

    vectors   file with a recording; - is standard input
    disabled  numbers of disabled states
    skip      number of decisions of each CPU that are not judged
    """

    vectors: str
    of: GovernorRequest
    release: Release
    disabled: frozenset[int] = frozenset()
    skip: int = 0

    def __post_init__(self) -> None:
        if self.skip < 0:
            raise UsageError(f"expected 0 or more decisions to skip, found {self.skip}")


def conform_to(
    request: ConformRequest, say: Callable[[str], None] = lambda message: None
) -> tuple[Conformity, list[tuple[str, str]]]:
    """Returns the result, and (name, SHA-256) of every file read. say: called with messages for
    the user.

    Raises UsageError, UnknownGovernor, Unreadable, OSError and the errors of reading a table.
    """
    held = held_by(request.release, request.of, say)

    def make() -> Governor:
        of = request.of
        return Governor.for_kernel(of.governor, request.release, held, of.hz)

    count, greatest = len(make().states), max(request.disabled, default=0)
    if greatest >= count:
        raise UsageError(f"expected --disabled with states 0 to {count - 1}, found {greatest}")
    source = Input(request.vectors)
    check_kind(source)
    again = None if request.vectors == "-" else lambda: Input(request.vectors)
    result = conform(source, make, request.disabled, request.skip, again)
    result = replace(result, assumptions=guessed(source, request.of.governor, request.release))
    return result, [(request.vectors, source.sha256())]


def conform(
    source: Input,
    make: Callable[[], Governor],
    disabled: frozenset[int],
    skip: int,
    again: Callable[[], Input] | None,
) -> Conformity:
    """Feeds recorded inputs and outcomes to one model per CPU.

    make      makes a CPU's model
    disabled  states disabled for the whole recording
    skip      number of decisions of each CPU that are fed to its model, but not judged, because the
              model's history is incomplete
    again     opens the recording once more; None: it can be read only once
    Uses the compiled core if it supports the governor; the reference then repeats the decisions up
    to the first disagreement, for the intermediate values.
    Raises Unreadable, also for a state that the governor's table lacks.
    """
    model = make()
    if again is not None and core.can_replay(model):
        found = _by_core(chunks(source), model, disabled, skip)
        if found is not None and found.line is None:
            return Conformity(found.judged, found.skipped, found.agree, None)
        source = again()
        if found is not None:
            first = _decided_again(rows(source), model, disabled, found)
            if first is not None:
                return Conformity(found.judged, found.skipped, found.agree, first)
            source = again()
    return by_reference(rows(source), make, disabled, skip, source.name)


@dataclass(slots=True)
class _Found:
    """Result of the core. line, cpu: of the first disagreement."""

    judged: int = 0
    skipped: int = 0
    agree: int = 0
    line: int | None = None
    cpu: int = 0


def _by_core(
    recording: Iterable[list[CpuChunk]], model: Governor, disabled: frozenset[int], skip: int
) -> _Found | None:
    """Compares by the core. Returns None if a state is not in the table: the reference then reports
    the error."""
    found = _Found()
    streams: dict[int, core.Stream] = {}
    fed: Counter[int] = Counter()
    for parts in recording:
        lines = []
        for part in parts:
            if max(part.decided[::2], default=0) >= len(model.states):
                return None
            if part.cpu not in streams:
                if part.earlier_state >= len(model.states):
                    return None
                stream = core.Stream(model.name, model.features, model.states, model.hz)
                if part.earlier_state or part.earlier_residency_ns:
                    stream.switched_on(Outcome(part.earlier_state, part.earlier_residency_ns))
                streams[part.cpu] = stream
            decisions = streams[part.cpu].replay(disable(part.as_recorded(), disabled)).packed
            passed = min(max(skip - fed[part.cpu], 0), len(part))
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
    recorded: Iterable[RecordedDecision], model: Governor, disabled: frozenset[int], found: _Found
) -> Disagreement | None:
    """Repeats decisions by the reference up to the core's first disagreement. Returns None if the
    reference agrees with the recording: the reference is authoritative."""
    started = False
    for number, row in enumerate(recorded, 1):
        if row.cpu != found.cpu:
            continue
        if not started:
            model.switched_on(row.earlier)
            started = True
        decision = model.select(replace(row.situation, disabled=disabled))
        model.reflect(row.outcome)
        if row.line == found.line:
            if (decision.state, decision.stop_tick) == (row.state, row.stop_tick):
                return None
            return Disagreement(number, row, decision)
    return None


def by_reference(
    recorded: Iterable[RecordedDecision],
    make: Callable[[], Governor],
    disabled: frozenset[int],
    skip: int,
    name: str,
) -> Conformity:
    """conform() without the compiled core. name: the recording's name, for errors."""
    governors: dict[int, Governor] = {}
    fed: Counter[int] = Counter()
    skipped = judged = agree = 0
    first = None
    for row in recorded:
        if row.cpu not in governors:
            governors[row.cpu] = make()
            _check_state(row.earlier.state, governors[row.cpu], row, name)
            governors[row.cpu].switched_on(row.earlier)
        governor = governors[row.cpu]
        _check_state(row.state, governor, row, name)
        decision = governor.select(replace(row.situation, disabled=disabled))
        governor.reflect(row.outcome)
        fed[row.cpu] += 1
        if fed[row.cpu] <= skip:
            skipped += 1
            continue
        judged += 1
        if (decision.state, decision.stop_tick) == (row.state, row.stop_tick):
            agree += 1
        elif first is None:
            first = Disagreement(skipped + judged, row, decision)
    return Conformity(judged, skipped, agree, first)


def _check_state(state: int, governor: Governor, row: RecordedDecision, name: str) -> None:
    if state >= len(governor.states):
        message = f"expected a state of the table, 0 to {len(governor.states) - 1}, found {state}"
        raise unreadable(name, message, row.line)
