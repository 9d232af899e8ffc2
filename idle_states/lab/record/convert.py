"""A recording -> the exact format: CSV with all columns of `workload.recording`.

A replay is exact only if no decision is missing in between. So for each CPU one unbroken run of
decisions is taken: preferably one whose beginning is known (the governor was switched on), and of
these the longest. All other decisions are left out, and counted by reason.
"""

from collections.abc import Callable, Iterator

from ...base.dataclass import dataclass, field
from ...base.model.findings import next_step, unreadable
from ...base.reading.inputs import Input
from ...base.wording import plural
from ..traces.head import HZ_MAX, RecordingHead
from ..traces.recording import AGAIN, COLUMNS, OPTIONAL
from .columns import Columns, Missing
from .decisions import Break, Decided, decisions
from .recorded import Recorded, RecordedMachine, is_recorded
from .script import GOVERNORS

SETTLED = {"menu": 20, "ladder": 20, "teo": 60}
"""Governor -> number of decisions after which an unknown history hardly matters. menu keeps the
last eight idle periods, but its correction factors, one per range of times to the next timer, adapt
more slowly. ladder counts to four. teo's counts lose an eighth with every decision."""

COLUMN_LINE = ",".join((*COLUMNS, "cpu", "earlier_state", "earlier_residency_ns"))
_NOTHING = (0, 0)

LEFT_OUT = {
    "lost": "cut short because events were lost",
    "unread": "cut short by a line that could not be understood",
    "backwards": "cut short by an event earlier than the one before",
    "begun": "without beginning: in progress when recording began",
    "ended": "without outcome: in progress when recording ended, or the governor was switched",
    "missing": "lacking an input",
    "swapped": "that entered another state than the selected one",
    "shorter": "complete, but not in their CPU's longest unbroken run",
}
"""Kind -> why a decision is left out, as reports say it."""

BROKEN = {
    "lost": "events were lost",
    "unread": "a line could not be understood",
    "backwards": "an event of a CPU was earlier than the one before",
    "undecided": "a CPU went idle without the governor's decision",
}
"""Kind of break -> why a run ends although no decision is left out, as reports say it."""


@dataclass(slots=True)
class ProblemTally:
    """The count of a problem, with the line and the message of the first occurrence."""

    count: int = 0
    line: int = 0
    message: str = ""


@dataclass(slots=True)
class DecisionRun:
    """Consecutive decisions of one CPU, none missing.

    earlier   None: the governor's history before the first decision is unknown. Otherwise the
              governor had just been switched on with no history, and this is the idle period
              before that: (state, residency in ns)
    rows      clock in ns, and the line of CSV with the values of COLUMNS
    """

    cpu: int
    earlier: tuple[int, int] | None = None
    rows: list[tuple[int, str]] = field(default_factory=list)

    @property
    def rank(self) -> tuple[bool, int]:
        """Sort key: a run with a known beginning ranks higher, then the longer one."""
        return self.earlier is not None, len(self.rows)

    def lines(self) -> Iterator[tuple[int, str]]:
        """(clock in ns, complete line of CSV) of each decision."""
        earlier = self.earlier or _NOTHING
        for clock_ns, cells in self.rows:
            yield clock_ns, f"{cells},{self.cpu},{earlier[0]},{earlier[1]}\n"
            earlier = _NOTHING


@dataclass(slots=True)
class Converted:
    """A converted recording.

    header          header of the recording
    runs            one run per CPU, none empty
    left_out        kind (of LEFT_OUT) -> decisions left out
    broken          kind (of BROKEN) -> breaks between decisions
    unfinished      CPU -> its decision under way when recording ended
    without_timers  number of decisions for which the kernel did not ask for the next timer
    without_tick    number of decisions for which it did not ask whether the tick was stopped
    cut             whether the recording's end is missing
    """

    header: RecordedMachine
    runs: list[DecisionRun]
    left_out: dict[str, ProblemTally]
    broken: dict[str, ProblemTally]
    unfinished: dict[int, Decided]
    without_timers: int
    without_tick: int
    cut: bool

    @property
    def head(self) -> RecordingHead:
        """The machine of the converted decisions; its states are those of the CPUs that have
        some."""
        header = self.header
        return RecordingHead(
            release=header.release,
            version=header.build,
            signature=header.signature,
            hz=header.hz if header.hz is not None and header.hz <= HZ_MAX else None,
            driver=header.driver,
            governor=header.governor,
            skip=SETTLED[header.governor] if any(run.earlier is None for run in self.runs) else 0,
            states={run.cpu: tuple(header.states[run.cpu]) for run in self.runs},
        )

    def csv(self) -> str:
        """The recording as CSV: its head, the columns, then the decisions of all CPUs in order of
        time."""
        rows = sorted((row for run in self.runs for row in run.lines()), key=lambda row: row[0])
        head = (f"{line}\n" for line in (*self.head.lines(), COLUMN_LINE))
        return "".join((*head, *(text for _, text in rows)))

    @property
    def decisions(self) -> int:
        return sum(len(run.rows) for run in self.runs)


@next_step(AGAIN)
def convert(source: Input) -> Converted:
    """Converts what the recording script printed.

    Raises Unreadable if the input is not a recording, cannot be converted, or has no complete
    decision.
    """
    recorded = Recorded(source)
    _check_governor(recorded)
    work = _Conversion(recorded.header)
    for item in decisions(recorded):
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


class _Conversion:
    def __init__(self, header: RecordedMachine) -> None:
        self._header = header
        self._open: dict[int, DecisionRun] = {}
        self._best: dict[int, DecisionRun] = {}
        self._begun: set[int] = set()
        self._undecided: dict[int, int] = {}
        self._left_out: dict[str, ProblemTally] = {}
        self._broken: dict[str, ProblemTally] = {}
        self._unfinished: dict[int, Decided] = {}
        self._columns = Columns(header)

    def take(self, item: Decided | Break) -> None:
        if isinstance(item, Break):
            self._break(item)
            return
        cpu = item.cpu
        self._report_undecided(cpu)
        first = cpu not in self._begun
        self._begun.add(cpu)
        if item.cut:
            self._leave_out(item.cut, item)
        elif item.rejected and item.finished and self._header.misses.get("is_reflect"):
            self._leave_out("missing", item, "is_reflect: the kernel missed some of these probes")
        elif "is_reflect" not in item.heard and not item.finished:
            self._leave_out("ended", item)
        elif self._swapped(item):
            self._leave_out("swapped", item)
        else:
            knew_iowait = self._columns.asks_iowait
            try:
                row = self._columns.row(item)
            except Missing as missing:
                kind = "begun" if first else "missing" if item.finished else "ended"
                self._leave_out(kind, item, str(missing))
                return
            if self._columns.asks_iowait and not knew_iowait:
                self._forget()
            self._open.setdefault(cpu, DecisionRun(cpu)).rows.append(row)

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
            self._unfinished,
            self._columns.without_timers,
            self._columns.without_tick,
            cut,
        )

    def _break(self, item: Break) -> None:
        for cpu in list(self._open) if item.cpu < 0 else [item.cpu]:
            self._close(cpu)
        if item.kind == "undecided":
            self._undecided[item.cpu] = item.line
        elif item.kind == "restart":
            # while the governor was being switched, CPUs went idle without a decision
            self._undecided.pop(item.cpu, None)
            self._unfinished.pop(item.cpu, None)
            self._open[item.cpu] = DecisionRun(item.cpu, self._earlier(item))
        else:
            _count(self._broken, item.kind, item.line)

    def _earlier(self, restart: Break) -> tuple[int, int] | None:
        """State and residency of the idle period before a restart; None if not recorded. The state
        is required for teo only: other governors do not use it."""
        state = restart.earlier.get("idx", -2 if self._header.governor == "teo" else 0)
        residency_ns = restart.earlier.get("lres", -1)
        found = {"earlier_state": state, "earlier_residency_ns": residency_ns}
        for column, value in found.items():
            least, greatest = OPTIONAL[column]
            if not least <= value <= greatest:
                return None
        return state, residency_ns

    def _forget(self) -> None:
        """Leaves out all decisions so far: they were converted as if the kernel did not ask for
        tasks in iowait, but it does, and their values were not recorded."""
        for cpu in [cpu for cpu, run in self._open.items() if run.rows]:
            self._close(cpu)
        for run in self._best.values():
            _count(self._left_out, "missing", 0, "is_iowait", len(run.rows))
        self._best.clear()

    def _report_undecided(self, cpu: int) -> None:
        line = self._undecided.pop(cpu, None)
        if line is not None:
            _count(self._broken, "undecided", line)

    def _leave_out(self, kind: str, decided: Decided, message: str = "") -> None:
        _count(self._left_out, kind, decided.line, message)
        self._close(decided.cpu)
        if kind == "ended":
            self._unfinished[decided.cpu] = decided

    def _close(self, cpu: int) -> None:
        """Ends the CPU's current run. Of it and the CPU's best so far, the better one is kept."""
        run = self._open.pop(cpu, None)
        if run is None or not run.rows:
            return
        best = self._best.get(cpu)
        if best is None or run.rank > best.rank:
            self._best[cpu], run = run, best
        if run is not None:
            _count(self._left_out, "shorter", 0, count=len(run.rows))

    def _swapped(self, decided: Decided) -> bool:
        entered = decided.value("is_reflect", "idx")
        return entered is not None and entered != decided.value("is_decide")


def _count(
    tallies: dict[str, ProblemTally], kind: str, line: int, message: str = "", count: int = 1
) -> None:
    tally = tallies.setdefault(kind, ProblemTally(0, line, message))
    tally.count += count


def as_recording(source: Input, say: Callable[[str], None]) -> Input:
    """Returns the input; of what the recording script printed, the exact recording that `record
    --convert` makes of it, under the same name and digest.

    say: told of a conversion, in a line. Raises Unreadable for what cannot be converted.
    """
    if not is_recorded(source):
        return source
    found = convert(source)
    left_out = sum(tally.count for tally in found.left_out.values())
    why = f"; {plural(left_out, 'decision')} left out, collect --convert tells why" * bool(left_out)
    say(
        f"{source.name}: converted first, as by collect --convert: "
        f"{plural(found.decisions, 'decision')} of {plural(len(found.runs), 'CPU')}{why}"
    )
    return source.replaced(found.csv().encode("utf-8", "surrogateescape"))
