"""A machine with a sample of its idle periods: taken here, or recorded before."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from statistics import median_low
from time import sleep

from ...base.dataclass import replace
from ...base.model.findings import Unreadable, unreadable
from ...base.reading import launching
from ...base.reading.inputs import Input
from ...base.wording import percent
from ...tables.linux.governors import Decision, UnknownGovernor
from ...tables.linux.governors.interface import KTIME_MAX
from ...tables.linux.request_parts import NamedGovernor
from ...tables.why.machine import SeenMachine, machine_of
from ...tables.why.request import WhyRequest
from ...tables.why.sampled import REFUSED, Sampled, SampledIdle, SampledState
from ..record.convert import as_recording
from ..record.recorded import Recorded
from ..record.request import RecordOptions
from ..record.script import script
from ..record.wake_ups import idles
from ..traces.head import head_of
from ..traces.recording import RecordedDecision, rows
from .basis import basis
from .conform import decided
from .machine import TracedMachine, from_sysfs
from .replay import Settings
from .run import from_trace

_PER_US = {"us": 1, "ns": 1000}
_LOOKS_S = 1
"""The time between two looks for the script's end; more of them would wake this machine's CPUs."""
_BESIDE_S, _GRACE_S = 60, 30
"""The time that the script may take beside the sampling, to find where the governor keeps its
outputs and to print; and the time to put all settings back where it is to end early."""
_Key = tuple[int, int]
"""A CPU and a state."""
_Judged = defaultdict[_Key, list[tuple[RecordedDecision, Decision]]]


def sampled_machine(request: WhyRequest) -> SeenMachine:
    """Returns a machine with its sample. Raises UsageError, Unreadable, OSError."""
    assert request.machine
    machine = machine_of(request.machine)
    if request.recording:
        source = Input(request.recording)
        found, inputs = _sampled(machine, source), (*machine.inputs, (source.name, source.sha256()))
        return replace(machine, sampled=found, inputs=inputs)
    options = RecordOptions(
        governor=machine.dump.governor or "unknown", seconds=request.seconds, wake_ups=True
    )
    most_s, words = (request.seconds or 0) + _BESIDE_S, ["-c", script(options)]
    with launching.private_directory({}) as directory:
        log = directory / "recording"
        # however this ends, but by SIGKILL, the script puts the settings of tracefs back
        status = launching.run_logged(
            "/bin/sh", words, most_s, log, watch=lambda elapsed_s: sleep(_LOOKS_S), grace_s=_GRACE_S
        )
        if status != 0:
            text = Input(str(log)).beginning.decode("utf-8", "replace").rpartition("record: ")[2]
            why = f"no end within {most_s} s" if status is None else text.strip()
            raise unreadable("this machine", f"cannot be sampled: {why}")
        return replace(machine, sampled=_sampled(machine, Input(str(log))))


def _sampled(machine: SeenMachine, source: Input) -> Sampled:
    """Returns the sample that a recording is. Raises Unreadable for one of another machine."""
    recorded = Recorded(source)
    header, cpus = recorded.header, machine.dump.cpus
    for cpu, states in header.states.items():
        if [each.row for each in states] != [each.row for each in cpus.get(cpu, ())]:
            what = f"states of CPU {cpu} that it has on {machine.name}"
            raise unreadable(source.name, f"expected the {what}; it is of another machine")
    found = tuple(idles(recorded))
    periods: defaultdict[_Key, list[SampledIdle]] = defaultdict(list)
    for idle in found:
        periods[idle.cpu, idle.state].append(idle)
    judged: _Judged = defaultdict(list)
    model: Counter[_Key] = Counter()
    learnt = _exact(source, judged, model)
    if not found:
        learnt = iter(["no CPU was idle"])
    elif header.without:
        learnt = _estimated(source, machine, header.without, model)
    notes: list[str] = []
    try:
        notes += learnt
    except (Unreadable, UnknownGovernor, ValueError) as error:
        notes.append(f"the model's decisions are not known: {error}")
    if not header.wake_ups:
        notes.append("what ends idle periods was not recorded (collect --record --wake-ups)")
    if lost := sum(header.lost.values()):
        notes.append(f"{lost:,} events are lost: the buffer of their CPU was full")
    rows_of = []
    for key in sorted({*model, *judged, *periods}):
        own = periods[key]
        ended_by = Counter(idle.ended_by for idle in own)
        situations = [row.situation for row, _ in judged[key]]
        whys = [decision.why for _, decision in judged[key] if "predicted" in decision.why]
        timers = (s.sleep_length_ns for s in situations if s.sleep_length_ns != KTIME_MAX)
        rows_of.append(
            SampledState(
                key[0],
                header.states[key[0]][key[1]].name,
                len(own) if header.without or not model else len(judged[key]),
                model[key] if model else None,
                ended_by.pop(REFUSED, 0),
                _median(each.length_ns // 1000 for each in own if each.ended_by != REFUSED),
                _median(each["predicted"] // _PER_US[each["unit"]] for each in whys),
                _median(timer_ns // 1000 for timer_ns in timers),
                _median(each.latency_req_us for each in situations),
                dict(sorted(ended_by.items(), key=lambda each: (-each[1], each[0]))),
            )
        )
    return Sampled(header.seconds, tuple(notes), tuple(rows_of), found)


def _median(values: Iterable[int]) -> int | None:
    found = [*values]
    return median_low(found) if found else None


def _exact(source: Input, judged: _Judged, model: Counter[_Key]) -> Iterator[str]:
    """Learns the governor's decisions and the model's; yields how well they agree."""
    recording = as_recording(source.again(), lambda message: None)
    by = basis(source.name, head_of(recording), NamedGovernor())
    for _, row, decision, skipped in decided(rows(recording), by, source.name):
        if not skipped:
            judged[row.cpu, row.state].append((row, decision))
            model[row.cpu, decision.state] += 1
    agree = sum(row.state == own.state for each in judged.values() for row, own in each)
    share = f"{agree:,} of {model.total():,} decisions ({percent(agree, model.total())})"
    yield f"{by.governor} of Linux {by.release.name}: its model decides as the kernel in {share}"
    yield from by.guessed


def _estimated(
    source: Input, machine: SeenMachine, without: str, model: Counter[_Key]
) -> Iterator[str]:
    """Learns a model's decisions from idle periods alone; yields what they are worth."""
    yield f"the governor's inputs were not recorded: {without}"
    release, dump = machine.release, machine.dump
    if release is None:
        raise ValueError(f"there is no model of {machine.kernel or 'its kernel'}")
    own = TracedMachine(source.name, None, from_sysfs(dump, release.features.snooze_polling))
    by = Settings(dump.governor, release, machine.hz, "calibrated where short")
    found = from_trace(source.again(), own, [own], release, [by], by, {}, certain=True)
    for cpu, figures in found.accounts[0].cpus.items():
        model.update({(cpu, state.index): state.usage for state in figures.states if state.usage})
    if found.agreement:
        yield f"the model's decisions are estimated. {found.agreement.verdict}"
