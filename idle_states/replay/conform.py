"""conform: recorded decisions of a real governor against the model's, decision by decision."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from .. import core
from ..findings import UsageError
from ..linux.governors import Decision, Governor, Outcome
from ..linux.governors.given import GovernorRequest
from ..linux.releases import Release
from ..pipeline import held_by
from ..reading.inputs import Input
from ..reading.problems import unreadable
from ..traces.chunks import CpuChunk, chunks, disable
from ..traces.recording import RecordedDecision, check_kind, rows


@dataclass(frozen=True, slots=True)
class Disagreement:
    """number counts from 1, those skipped too. row: what was recorded; decision: the model's, with
    intermediates."""

    number: int
    row: RecordedDecision
    decision: Decision


@dataclass(frozen=True, slots=True)
class Conformity:
    """How many decisions were judged and how many skipped; of the judged, how many the model made
    too, and the first it did not."""

    judged: int
    skipped: int
    agree: int
    first: Disagreement | None


@dataclass(frozen=True, slots=True)
class ConformRequest:
    """What to hold against a governor's model. Raises UsageError for what cannot be meant.

    vectors   a recording: a file; - is standard input
    disabled  numbers of states that were switched off
    skip      so many decisions of each CPU are not judged
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
    """With the recording and its SHA-256. say: is called with what the user should know.

    Raises UsageError, UnknownGovernor, Unreadable, OSError and what reading a table raises.
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
    return result, [(request.vectors, source.sha256())]


def conform(
    source: Input,
    make: Callable[[], Governor],
    disabled: frozenset[int],
    skip: int,
    again: Callable[[], Input] | None,
) -> Conformity:
    """Feeds recorded inputs and outcomes to one model per CPU.

    make      a CPU's model
    disabled  states switched off for the whole recording
    skip      that many decisions of each CPU are fed to its model, but not judged: what went
              before them is unknown
    again     opens the recording once more; None: it can be read once only
    Decided by the compiled core where it can; the reference then makes the first decision that
    disagrees again, for its intermediates.
    Raises Unreadable, also for a state the governor does not have.
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
    """What the core says. line, cpu: of the first disagreement."""

    judged: int = 0
    skipped: int = 0
    agree: int = 0
    line: int | None = None
    cpu: int = 0


def _by_core(
    recording: Iterable[list[CpuChunk]], model: Governor, disabled: frozenset[int], skip: int
) -> _Found | None:
    """None if a state is not of the table, which is for the reference to report."""
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
    """The first disagreement, by the reference. None if that agrees: it is right."""
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
    """conform() without the compiled core. name: of the recording, for errors."""
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
