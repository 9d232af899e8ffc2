"""The whole of a replay along time, for Perfetto: for each CPU a track of what it entered, one for
each model, its latency limits, and what ended its idle periods where the input says so."""

from collections.abc import Iterable, Sequence

from ...base.reading.inputs import Input
from ...base.reading.problems import InputProblems
from ...base.report.perfetto import BEGIN, END, INSTANT, TIME_MAX, PerfettoTrace
from ...tables.linux.governors.interface import NO_STATE
from ...tables.linux.qos import NO_LIMIT_US
from ...tables.linux.releases import Release
from ...tables.why.sampled import POLLED, REFUSED, TICK, UNKNOWN
from ..traces.periods import Period
from ..traces.recording import RecordedDecision
from .counters import ABOVE, BELOW, FITS, Tally, counts_in_ns
from .fits import DEEP, SHALLOW
from .machine import TracedMachine
from .replay import Case, Note, ReplayModel, Settings

CATEGORIES = {FITS: "fits", ABOVE: DEEP, BELOW: SHALLOW}
LIMIT, ENDED, BEYOND = "latency limit", "ended by", "not in the table"


class TimeLine:
    """Writes idle periods as they come; each CPU's are in order.

    left   idle periods left out: they begin before the one before has ended, or end too late for
           the format's clock
    """

    def __init__(self, trace: PerfettoTrace, name: str) -> None:
        self.left = 0
        self.trace = trace
        self._top = trace.track(name)
        self._cpus: dict[int, int] = {}
        self._tracks: dict[tuple[int, str], int] = {}
        self._ranks = {LIMIT: 0}
        self._entered: list[_Row] = []
        self._woken = False

    def start(self, machines: Iterable[TracedMachine], release: Release) -> None:
        """Begins a replay: what was entered is judged by each machine's table."""
        self._entered = [_Row(self, f"entered: {m.name}", m, release) for m in machines]

    def track(self, cpu: int, label: str) -> int:
        """Returns a CPU's track. Those of all CPUs are in the order in which labels came first."""
        if cpu not in self._cpus:
            self._cpus[cpu] = self.trace.track(f"CPU {cpu}", self._top, cpu)
        rank = self._ranks.setdefault(label, len(self._ranks))
        if (cpu, label) not in self._tracks:
            self._tracks[cpu, label] = self.trace.track(label, self._cpus[cpu], rank)
        return self._tracks[cpu, label]

    def woken(self, source: Input) -> None:
        """Takes what ended idle periods from what the recording script printed, where it has the
        events that tell."""
        from ..record.recorded import Recorded
        from ..record.wake_ups import idles

        recorded = Recorded(source)
        self._woken = bool(recorded.header.wake_ups)
        for idle in idles(recorded) if self._woken else ():
            if idle.ended_by not in (REFUSED, UNKNOWN):
                self._end(idle.cpu, idle.end_ns, idle.ended_by)

    def enter(self, periods: Sequence[Period]) -> None:
        """Takes idle periods as traced, without refused entries."""
        for row in self._entered:
            for cpu, state, start_ns, end_ns, _ in periods:
                row(cpu, state, start_ns, end_ns, False)

    def record(self, row: RecordedDecision) -> None:
        """Takes a recorded decision, the latency limit it was given, and what ended the idle
        period."""
        given, outcome, cpu = row.situation, row.outcome, row.cpu
        start_ns, end_ns = given.clock_ns, given.clock_ns + outcome.residency_ns
        for entered in self._entered:
            if not entered(cpu, row.state, start_ns, end_ns, outcome.rejected):
                return
        if given.latency_req_us < NO_LIMIT_US:
            limit = self.track(cpu, LIMIT)
            self.trace.event(BEGIN, limit, start_ns, f"{given.latency_req_us} us", LIMIT)
            self.trace.event(END, limit, end_ns)
        if not (outcome.rejected or self._woken):
            timer = "the next timer" if outcome.residency_ns >= given.sleep_length_ns else ""
            polled = POLLED if outcome.poll_time_limit else timer or "before the next timer"
            self._end(cpu, end_ns, TICK if outcome.got_tick else polled)

    def model(self, machine: TracedMachine, settings: Settings) -> Note:
        """Returns what takes a model's idle periods."""
        by = f", {settings.governor}"
        return _Row(self, machine.name.removesuffix(by) + by, machine, settings.release)

    def models(self, cases: Sequence[Case]) -> list[ReplayModel]:
        """Returns models whose idle periods are written: the core counts those of an estimate, but
        does not list them."""
        found = [ReplayModel(*each, InputProblems()) for each in cases]
        for model, each in zip(found, cases, strict=True):
            model.note = self.model(*each)
        return found

    def _end(self, cpu: int, at_ns: int, words: str) -> None:
        self.trace.event(INSTANT, self.track(cpu, ENDED), at_ns, words, ENDED)


class _Row:
    """Writes a machine's idle periods on a track of each CPU, judged as the release counts."""

    def __init__(
        self, line: TimeLine, label: str, machine: TracedMachine, release: Release
    ) -> None:
        self._line, self._label, self._machine = line, label, machine
        self._in_ns = counts_in_ns(release)
        self._cpus: dict[int, tuple[int, Tally | None, dict[int, str]]] = {}
        self._last: dict[int, int] = {}

    def __call__(self, cpu: int, state: int, start_ns: int, end_ns: int, refused: bool) -> bool:
        """Writes an idle period, or an instant for a refused entry; returns False for one that was
        left out."""
        if start_ns < self._last.get(cpu, 0) or end_ns > TIME_MAX:
            self._line.left += 1
            return False
        self._last[cpu] = start_ns if refused else end_ns
        track, tally, names = self._cpus[cpu] if cpu in self._cpus else self._appear(cpu)
        name, event = names.get(state, f"state {state}"), self._line.trace.event
        if refused:
            event(INSTANT, track, start_ns, f"{name}: {REFUSED}", REFUSED)
            return True
        known = tally is not None and state in names
        category = CATEGORIES[tally.add(state, end_ns - start_ns)] if tally and known else BEYOND
        event(BEGIN, track, start_ns, name, category)
        if category in (DEEP, SHALLOW):
            event(INSTANT, track, end_ns, category, category)
        event(END, track, end_ns)
        return True

    def _appear(self, cpu: int) -> tuple[int, Tally | None, dict[int, str]]:
        table = self._machine.table(cpu)
        names = {NO_STATE: "no state", **dict(enumerate(table.names if table else ()))}
        tally = None if table is None else Tally(table, self._in_ns)
        self._cpus[cpu] = self._line.track(cpu, self._label), tally, names
        return self._cpus[cpu]
