"""A recording -> the exact format: CSV with the columns of `workload.recording`, and cpu.

A replay is exact only if no decision is missing in between. So of each CPU the longest unbroken
run of decisions is taken, one whose beginning is known (the governor was switched on) before any
other; everything else is left out, and counted by reason.
"""

from dataclasses import dataclass, field

from ..linux.governors.interface import KTIME_MAX
from ..workload.inputs import Input
from ..workload.problems import unreadable
from ..workload.recording import COLUMNS
from .decisions import Break, Decided, decisions
from .record_script import GOVERNORS
from .recorded import Header, Recorded

HEAD = ",".join((*COLUMNS, "cpu"))
_NS_PER_US = 1_000
_TYPICAL_FIRST = (6, 6)
"""From here on, menu asks for timers only if recent idle periods do not suffice."""

LEFT_OUT = {
    "lost": "cut short because events were lost",
    "unread": "cut short by a line that could not be understood",
    "begun": "without beginning: under way when recording began",
    "ended": "without outcome: under way when recording ended, or the governor was switched",
    "missing": "lacking an input",
    "swapped": "that entered another state than was selected",
    "shorter": "complete, but not in their CPU's longest unbroken run",
}
"""Why decisions are left out."""

BROKEN = {
    "lost": "events were lost",
    "unread": "a line could not be understood",
    "undecided": "a CPU went idle without the governor's decision",
}
"""Why a run is broken where no decision is left out."""


@dataclass(slots=True)
class Tally:
    """How often, and the first place."""

    count: int = 0
    line: int = 0
    message: str = ""


@dataclass(slots=True)
class Run:
    """Decisions of one CPU with none missing. known: the governor's memory was empty before the
    first, and earlier_ns is what the last period before it had lasted."""

    cpu: int
    known: bool = False
    earlier_ns: int = 0
    rows: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Converted:
    """header of the recording; runs, one per CPU, never empty; counts for the report.

    without_timers, without_tick  decisions of which the kernel did not ask for the time to the
                                  next timer, or whether the tick was stopped
    cut                           the recording's end is missing
    """

    header: Header
    runs: list[Run]
    left_out: dict[str, Tally]
    broken: dict[str, Tally]
    without_timers: int
    without_tick: int
    cut: bool

    def csv(self) -> str:
        """Decisions of all CPUs in the order of time."""
        rows = sorted((row for run in self.runs for row in run.rows), key=lambda row: row[0])
        return "".join(f"{text}\n" for text in (HEAD, *(text for _, text in rows)))

    @property
    def decisions(self) -> int:
        return sum(len(run.rows) for run in self.runs)


def convert(source: Input) -> Converted:
    """Raises Unreadable for what is no recording, one this program cannot convert, and one
    without a single complete decision."""
    recorded = Recorded(source)
    work = _Conversion(recorded.header)
    found = decisions(recorded)
    first = next(found, None)
    _check_governor(recorded)
    if first is not None:
        work.take(first)
    for item in found:
        work.take(item)
    result = work.finish(cut=not recorded.ended)
    if not result.runs:
        why = [f"{t.count} {LEFT_OUT[k]} (line {t.line})" for k, t in result.left_out.items()]
        message = f"expected a complete decision of the governor, found {'; '.join(why) or 'none'}"
        raise unreadable(recorded.name, message)
    return result


def _check_governor(recorded: Recorded) -> None:
    header = recorded.header
    probed = GOVERNORS.get(header.governor)
    if probed is None:
        message = f"expected governor {', '.join(GOVERNORS)}, found {header.governor!r:.60}"
        raise unreadable(recorded.name, message)
    if header.version < probed.oldest:
        oldest = ".".join(map(str, probed.oldest))
        message = f"expected Linux {oldest} or later for {header.governor}, found {header.release}"
        raise unreadable(recorded.name, f"{message}; {probed.reason}")


class _Missing(Exception):
    """What a decision lacks."""


class _Conversion:
    def __init__(self, header: Header) -> None:
        self._header = header
        self._open: dict[int, Run] = {}
        self._best: dict[int, Run] = {}
        self._begun: set[int] = set()
        self._undecided: dict[int, int] = {}
        self._left_out: dict[str, Tally] = {}
        self._broken: dict[str, Tally] = {}
        self._asks_iowait: bool | None = None
        self._without_timers = self._without_tick = 0

    def take(self, item: Decided | Break) -> None:
        if isinstance(item, Break):
            self._break(item)
            return
        cpu, run = item.cpu, self._open.get(item.cpu)
        self._report_undecided(cpu)
        first = cpu not in self._begun
        self._begun.add(cpu)
        if item.rejected and item.finished and self._header.misses.get("is_reflect"):
            self._leave_out("missing", item, "is_reflect: the kernel missed some of these probes")
        elif "is_reflect" not in item.heard and not (item.rejected and item.finished):
            self._leave_out("ended" if not item.finished else "missing", item, "no outcome")
        elif self._swapped(item):
            self._leave_out("swapped", item)
        else:
            try:
                row = self._row(item)
            except _Missing as missing:
                self._leave_out("begun" if first else "missing", item, str(missing))
                return
            if run is None:
                run = self._open[cpu] = Run(cpu)
            run.rows.append(row)

    def finish(self, cut: bool) -> Converted:
        for cpu in list(self._open):
            self._close(cpu)
        for cpu in list(self._undecided):
            self._report_undecided(cpu)
        runs = [run for _, run in sorted(self._best.items())]
        return Converted(
            self._header,
            runs,
            self._left_out,
            self._broken,
            self._without_timers,
            self._without_tick,
            cut,
        )

    def _break(self, item: Break) -> None:
        self._close(item.cpu)
        if item.kind == "undecided":
            self._undecided[item.cpu] = item.line
        elif item.kind == "restart":
            # without a governor, CPUs went idle undecided until now
            self._undecided.pop(item.cpu, None)
            self._open[item.cpu] = Run(item.cpu, known=True, earlier_ns=item.earlier_ns)
        else:
            _count(self._broken, item.kind, item.line)

    def _report_undecided(self, cpu: int) -> None:
        line = self._undecided.pop(cpu, None)
        if line is not None:
            _count(self._broken, "undecided", line)

    def _leave_out(self, kind: str, decided: Decided, message: str = "") -> None:
        _count(self._left_out, kind, decided.line, message)
        self._close(decided.cpu)

    def _close(self, cpu: int) -> None:
        """Ends the CPU's run; of two, the one with a known beginning or the longer is kept."""
        run = self._open.pop(cpu, None)
        if run is None or not run.rows:
            return
        best = self._best.get(cpu)
        if best is None or (run.known, len(run.rows)) > (best.known, len(best.rows)):
            self._best[cpu], run = run, best
        if run is not None:
            _count(self._left_out, "shorter", 0, count=len(run.rows))

    def _swapped(self, decided: Decided) -> bool:
        entered = decided.value("is_reflect", "idx")
        return entered is not None and entered != decided.value("is_decide")

    def _row(self, decided: Decided) -> tuple[int, str]:
        """Clock and line of CSV. Raises _Missing."""
        timers = GOVERNORS[self._header.governor].timers
        rejected = decided.rejected
        decide = decided.heard.get("is_decide")
        state = self._needed(decided, "is_decide")
        if decide is None or state not in self._header.states[decided.cpu]:
            raise _Missing(f"is_decide: a state of the header, instead of {state}")
        latency_ns = self._needed(decided, "is_latency")
        if latency_ns < 0 or latency_ns % _NS_PER_US:
            raise _Missing(f"is_latency: whole us, instead of {latency_ns} ns")
        sleep_ns, delta_ns = self._timers(decided) if timers else (KTIME_MAX, KTIME_MAX)
        stopped = self._optional(decided, "is_stopped")
        if timers and "is_stopped" not in decided.heard:
            self._without_tick += 1
        iowaiters = self._iowait(decided) if timers else 0
        menu = self._header.governor == "menu"
        tick = self._needed if menu and not rejected else self._optional
        values = {
            "latency_req_us": latency_ns // _NS_PER_US,
            "sleep_length_ns": sleep_ns,
            "delta_next_ns": delta_ns,
            "tick_stopped": stopped,
            "nr_iowaiters": iowaiters,
            "load": 0,
            "state": state,
            "stop_tick": self._needed(decided, "is_decide", "stop"),
            "rejected": int(rejected),
            "residency_ns": 0 if rejected else self._needed(decided, "is_reflect", "lres"),
            "got_tick": tick(decided, "is_tick"),
            "poll_time_limit": 0 if rejected else self._poll_time_limit(decided),
            "clock_at_select_ns": decide.time_ns,
        }
        for column, value in values.items():
            least, greatest = COLUMNS[column]
            if not least <= value <= greatest:
                raise _Missing(f"{column}: {least} to {greatest}, instead of {value}")
        cells = ",".join(str(values[column]) for column in COLUMNS)
        return decide.time_ns, f"{cells},{decided.cpu}"

    def _timers(self, decided: Decided) -> tuple[int, int]:
        """Time to the next timer and to the next event; KTIME_MAX if the kernel did not ask."""
        always = self._header.governor == "menu" and self._header.version < _TYPICAL_FIRST
        if "is_sleep" in decided.heard or always:
            return (
                self._needed(decided, "is_sleep"),
                self._needed(decided, "is_sleep", "delta"),
            )
        self._optional(decided, "is_sleep")
        self._without_timers += 1
        return KTIME_MAX, KTIME_MAX

    def _iowait(self, decided: Decided) -> int:
        """A kernel asks for tasks in iowait in every decision, or never."""
        asks = "is_iowait" in decided.heard
        if self._asks_iowait is None:
            self._asks_iowait = asks
        return self._needed(decided, "is_iowait") if asks or self._asks_iowait else 0

    def _poll_time_limit(self, decided: Decided) -> int:
        self._needed(decided, "is_reflect", "bits")
        return int(decided.poll_time_limit)

    def _needed(self, decided: Decided, event: str, key: str = "ret") -> int:
        value = decided.value(event, key)
        if value is None:
            what = event if key == "ret" else f"{key} of {event}"
            raise _Missing(f"{what}: a number, which is not there")
        return value

    def _optional(self, decided: Decided, event: str) -> int:
        """0 for what the governor did not ask for, which then decided nothing."""
        if event not in decided.heard:
            if self._header.misses.get(event):
                raise _Missing(f"{event}: the kernel missed some of these probes")
            return 0
        return self._needed(decided, event)


def _count(
    tallies: dict[str, Tally], kind: str, line: int, message: str = "", count: int = 1
) -> None:
    tally = tallies.setdefault(kind, Tally(0, line, message))
    tally.count += count
