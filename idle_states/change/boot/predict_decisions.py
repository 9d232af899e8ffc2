"""Replays recorded decisions through the governor's model, and predicts the sysfs counters.

A decision is judged if its inputs were recorded, and either its CPU's history since the governor
was switched on, or so many decisions before it (SETTLED) that an unknown history hardly matters.
All other decisions are counted as undetermined.
"""

import bisect
import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from ...base.dataclass import dataclass, field
from ...base.model.beyond_opal import SysfsState
from ...base.model.findings import Unreadable
from ...base.reading.inputs import Input
from ...lab.record.convert import LEFT_OUT, SETTLED, Converted, convert
from ...lab.record.decisions import Decided
from ...lab.record.recorded import RecordedMachine
from ...lab.replay import machine
from ...lab.replay.counters import Tally, counts_in_ns
from ...lab.traces.recording import RecordedDecision, rows
from ...tables.linux.driver_table import DriverTable
from ...tables.linux.governors import Governor, UnknownGovernor, states_of
from ...tables.linux.governors.interface import NO_STATE
from .booted import RecordedWorkload
from .guest import MARK
from .stage import SELECTED, USAGE, Mismatch, PredictedKernel, Stage, held

RECORDING, CONVERTED = "recording.txt.gz", "recording.csv"
"""Files that are kept in the directory of the console's log."""
_HZ = 250
_CLOCK_STEP_NS = 1000
"""Times are rounded down to us, so an end may be up to this later."""
_NEVER = sys.maxsize
_UNKNOWN_PAST = "with an unknown history of the governor"
_STRAYED = "after an unpredicted state"
_EVENT = re.compile(
    rb"\[(\d+)\] (?:\S+ +)?(\d+)\.(\d{6}): (?:(is_reflect):|tracing_mark_write: (.*))"
)
_AT_THE_ENDS = {"begun", "ended", "shorter"}
"""Reasons (keys of LEFT_OUT) for decisions left out at the ends of a recording. Only the last of
them, each CPU's unfinished decision, may lie in the time between the two dumps. "shorter" is one of
the reasons: if nothing else is left out and there is no gap, the shorter run consists of the
decisions before the governor was restarted."""


class Registering(PredictedKernel, Protocol):
    """The models' predictions for a kernel, for making decisions again.

    registers  whether any CPU is predicted to have states
    """

    @property
    def registers(self) -> bool: ...

    def driver_of(self, cpu: int) -> DriverTable | None:
        """Returns the states that the kernel registers for a CPU; None if not known."""


@dataclass(frozen=True, slots=True)
class Made:
    """A decision of the model beside the recorded one.

    row               the recorded decision
    state, stop_tick  what the model decided
    judged            whether everything that the decision depends on is known
    ends_ns           latest time, on the recording's clock, at which the idle period ended
    """

    row: RecordedDecision
    state: int
    stop_tick: bool
    judged: bool
    ends_ns: int


@dataclass(slots=True)
class ReplayedDecisions:
    """The decisions that the model made again. undetermined: reason -> number of decisions that it
    could not make again or that could not be judged."""

    governor: str
    made: list[Made] = field(default_factory=list)
    undetermined: Counter[str] = field(default_factory=Counter)

    @property
    def disagreements(self) -> list[Made]:
        return [
            each
            for each in self.made
            if each.judged and (each.state, each.stop_tick) != (each.row.state, each.row.stop_tick)
        ]

    @property
    def selected(self) -> set[int]:
        """Numbers of the states that model and kernel both selected."""
        return {each.state for each in self.made if each.judged and each.state == each.row.state}


def decision_stages(
    predicted: Registering, recorded: RecordedWorkload | None, directory: Path
) -> tuple[Stage, Stage, ReplayedDecisions | None]:
    """The stages "selected" and "usage", and the replayed decisions they rest on (None if nothing
    could be replayed). directory: where the recording is kept."""
    why = ""
    if recorded is None:
        why = "no decisions were recorded; --workload records some"
    elif not recorded.recording.strip():
        why = f"the recording script refused: {recorded.complaints.strip()}"
    elif predicted.release is None:
        why = f"there is no model of {predicted.kernel}"
    elif not predicted.registers:
        why = "no states are predicted to be registered"
    if why or recorded is None:
        return Stage.unjudged(SELECTED, why), Stage.unjudged(USAGE, why), None
    try:
        converted = _converted(recorded, directory)
        replayed = _replayed(predicted, recorded, converted, directory)
    except (Unreadable, UnknownGovernor) as error:
        return Stage.unjudged(SELECTED, str(error)), Stage.unjudged(USAGE, str(error)), None
    return (
        _selected(predicted, replayed),
        _usage(predicted, recorded, converted, replayed),
        replayed,
    )


def entered(recorded: RecordedWorkload | None) -> dict[str, int] | None:
    """State -> how often CPUs entered it between the dumps before and after the workload; None
    where that is not known."""
    if recorded is None:
        return None
    try:
        before, after = held(recorded.before), held(recorded.after)
    except Unreadable:
        return None
    found: Counter[str] = Counter()
    for cpu, states in after.items():
        for number, state in enumerate(states):
            then = before[cpu][number] if number < len(before.get(cpu, ())) else None
            if state.usage is None or then is None or then.usage is None:
                return None
            found[state.name] += state.usage - then.usage
    return dict(found)


def _converted(recorded: RecordedWorkload, directory: Path) -> Converted:
    (directory / RECORDING).write_bytes(gzip.compress(recorded.recording, compresslevel=1))
    (directory / "before.txt").write_text(recorded.before, "utf-8")
    (directory / "after.txt").write_text(recorded.after, "utf-8")
    with closing(Input(str(directory / RECORDING))) as source:
        converted = convert(source)
    (directory / CONVERTED).write_text(converted.csv(), "utf-8")
    return converted


def _replayed(
    predicted: Registering, recorded: RecordedWorkload, converted: Converted, directory: Path
) -> ReplayedDecisions:
    """Raises UnknownGovernor, Unreadable."""
    header = converted.header
    replayed = ReplayedDecisions(header.governor)
    for kind, tally in converted.left_out.items():
        replayed.undetermined[LEFT_OUT[kind]] += tally.count
    unknown = {run.cpu for run in converted.runs if run.earlier is None}
    ends = _ends(recorded.recording)
    models: dict[int, Governor | None] = {}
    fed: Counter[int] = Counter()
    with closing(Input(str(directory / CONVERTED))) as source:
        for row in rows(source):
            if row.cpu not in models:
                models[row.cpu] = _model(predicted, header, row)
            model = models[row.cpu]
            if model is None:
                replayed.undetermined[_STRAYED] += 1
                continue
            decision = model.select(row.situation)
            if row.state < len(model.states):
                model.reflect(row.outcome)
            else:
                models[row.cpu] = None
            fed[row.cpu] += 1
            judged = row.cpu not in unknown or fed[row.cpu] > SETTLED[header.governor]
            if not judged:
                replayed.undetermined[_UNKNOWN_PAST] += 1
            end_ns = _next(ends.get(row.cpu, ()), row.situation.clock_ns)
            made = Made(row, decision.state, decision.stop_tick, judged, end_ns)
            replayed.made.append(made)
    return replayed


def _model(
    predicted: Registering, header: RecordedMachine, first: RecordedDecision
) -> Governor | None:
    """The governor's model of a CPU as it was before the CPU's first recorded decision. None if the
    state of the idle period before that is not predicted to exist. Raises UnknownGovernor."""
    driver = predicted.driver_of(first.cpu)
    if driver is None or not driver.states:
        return None
    assert predicted.release is not None
    model = Governor.for_kernel(
        header.governor, predicted.release, states_of(driver), header.hz or _HZ
    )
    if first.earlier.state >= len(model.states):
        return None
    model.switched_on(first.earlier)
    return model


def _selected(predicted: Registering, replayed: ReplayedDecisions) -> Stage:
    differences = [
        Mismatch(
            f"{CONVERTED}:{each.row.line} cpu{each.row.cpu}",
            _decision(predicted.driver_of(each.row.cpu), each.state, each.stop_tick),
            _decision(predicted.driver_of(each.row.cpu), each.row.state, each.row.stop_tick),
        )
        for each in replayed.disagreements
    ]
    judged = sum(each.judged for each in replayed.made)
    note = "; ".join(f"{count} {why}" for why, count in replayed.undetermined.items() if count)
    missing = sum(replayed.undetermined.values())
    return Stage.of(SELECTED, differences, judged, missing, note)


def _decision(driver: DriverTable | None, state: int, stop_tick: bool) -> str:
    states = driver.states if driver is not None else ()
    name = states[state].name if 0 <= state < len(states) else f"state {state}"
    return f"{name}, tick {'stopped' if stop_tick else 'kept'}"


# Counters.


@dataclass(frozen=True, slots=True)
class _Window:
    """The times of the dumps before and after the workload, in ns of the recording's clock."""

    first_begins: int
    first_ends: int
    second_begins: int
    second_ends: int


def _usage(
    predicted: Registering,
    recorded: RecordedWorkload,
    converted: Converted,
    replayed: ReplayedDecisions,
) -> Stage:
    """Compares how much each counter grew between the two dumps with what the decisions add.

    A dump takes some time to read. So each counter has bounds: decisions that certainly lie between
    the dumps give the least, decisions that possibly do give the most.
    """
    assert predicted.release is not None
    window = _window(recorded.recording)
    if window is None:
        return Stage.unjudged(USAGE, "the recording lacks the marks of the dumps")
    lacking = [LEFT_OUT[kind] for kind in converted.left_out if kind not in _AT_THE_ENDS]
    lacking += ["after a gap" for _ in converted.broken]
    lacking += [_STRAYED] if replayed.undetermined[_STRAYED] else []
    if lacking:
        return Stage.unjudged(USAGE, f"some decisions are missing: {'; '.join(lacking)}")
    try:
        before, after = held(recorded.before), held(recorded.after)
    except Unreadable as error:
        return Stage.of(USAGE, [Mismatch("sysfs", "counters", str(error))], 1)
    in_ns = counts_in_ns(predicted.release)
    differences: list[Mismatch] = []
    judged = 0
    for cpu in sorted(after):
        driver = predicted.driver_of(cpu)
        if driver is None:
            continue
        table = machine.from_driver(driver)
        least, most = Tally(table, in_ns), Tally(table, in_ns)
        for each in replayed.made:
            if each.row.cpu == cpu:
                _count(each, window, least, most)
        if cpu in converted.unfinished:
            _allow_for(converted.unfinished[cpu], window, most)
        for path, low, high, found in _counters(cpu, before, after, least, most):
            judged += 1
            if found is None or not low <= found <= high:
                expected = str(low) if low == high else f"{low} to {high}"
                differences.append(Mismatch(path, expected, "" if found is None else str(found)))
    return Stage.of(USAGE, differences, judged)


def _count(made: Made, window: _Window, least: Tally, most: Tally) -> None:
    begins, ends = made.row.situation.clock_ns, made.ends_ns
    surely = begins >= window.first_ends and ends <= window.second_begins
    perhaps = ends >= window.first_begins and begins <= window.second_ends
    for tally, counts in ((least, surely), (most, perhaps)):
        if not counts:
            continue
        if made.row.outcome.rejected and made.state != NO_STATE:
            tally.rejected[made.state] += 1
        else:
            tally.add(made.state, made.row.outcome.residency_ns)


def _allow_for(unfinished: Decided, window: _Window, most: Tally) -> None:
    """Raises the upper bounds by a decision under way when recording ended.

    The kernel counts an idle period, or an entry that was refused, before the CPU's next event; if
    the CPU was busy from then until recording ended, there is no such event.
    """
    decided = unfinished.heard.get("is_decide")
    if decided is None or not unfinished.entered or decided.time_ns > window.second_ends:
        return
    state = decided.values.get("ret", NO_STATE)
    if not 0 <= state < len(most.usage):
        return
    for counter in (most.usage, most.above, most.below, most.rejected):
        counter[state] += 1
    longest_ns = window.second_ends - decided.time_ns
    most.time[state] += longest_ns if most.in_ns else longest_ns // 1000


def _counters(
    cpu: int,
    before: Mapping[int, Sequence[SysfsState]],
    after: Mapping[int, Sequence[SysfsState]],
    least: Tally,
    most: Tally,
) -> Iterator[tuple[str, int, int, int | None]]:
    """(path, least, most, found) for every counter the kernel has; found: None if it is not in the
    dumps."""
    low, high = least.figures().states, most.figures().states
    for number, (lowest, highest) in enumerate(zip(low, high, strict=True)):
        for name in ("usage", "time_us", "above", "below", "rejected"):
            first, last = (_value(dump, cpu, number, name) for dump in (before, after))
            found = None if first is None or last is None else last - first
            if found is None and name == "rejected":
                continue  # kernels before 5.10 do not have it
            path = f"cpu{cpu}/state{number}/{name.removesuffix('_us')}"
            least_of, most_of = getattr(lowest, name), getattr(highest, name)
            if name == "rejected":
                # the recording looks the same if the entry was refused or a task came in between
                least_of = 0
            # the difference of two sums, each rounded down to us
            slack = 1 if name == "time_us" else 0
            yield path, max(0, least_of - slack), most_of + slack, found


def _value(
    dump: Mapping[int, Sequence[SysfsState]], cpu: int, number: int, name: str
) -> int | None:
    states = dump.get(cpu, ())
    value: int | None = getattr(states[number], name) if number < len(states) else None
    return value


def _window(recording: bytes) -> _Window | None:
    marks = {}
    for match in _EVENT.finditer(recording):
        words = (match[5] or b"").decode("utf-8", "replace").split()
        if words[:1] == [MARK] and len(words) == 3:
            marks[words[1], words[2]] = _time_ns(match)
    try:
        return _Window(
            marks["before", "begins"],
            marks["before", "ends"] + _CLOCK_STEP_NS,
            marks["after", "begins"],
            marks["after", "ends"] + _CLOCK_STEP_NS,
        )
    except KeyError:
        return None


def _ends(recording: bytes) -> dict[int, list[int]]:
    """CPU -> times (ns, rounded down to us) at which its governor was told that an idle period
    ended."""
    found: dict[int, list[int]] = {}
    for match in _EVENT.finditer(recording):
        if match[4]:
            found.setdefault(int(match[1]), []).append(_time_ns(match))
    return found


def _next(times: Sequence[int], clock_ns: int) -> int:
    at = bisect.bisect_right(times, clock_ns)
    return times[at] + _CLOCK_STEP_NS if at < len(times) else _NEVER


def _time_ns(match: "re.Match[bytes]") -> int:
    return int(match[2]) * 1_000_000_000 + int(match[3]) * 1000
