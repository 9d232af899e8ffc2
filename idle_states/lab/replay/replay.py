"""Replay of idle periods and exact recordings through a governor's model.

An exact recording holds all inputs of a governor, so with the same table and kernel the replay
reproduces its decisions exactly. With another table the periods stay as recorded: the effect of
another choice on them, first of all on the time to wake up, is not in the recording.

A trace of cpu_idle holds the times at which a CPU was idle and none of a governor's inputs, so the
replay is estimated. It makes these assumptions, which are printed with every result:

  gaps      An idle period lasts as long as traced, its exit latency included, whatever is selected.
  timer     Either the next timer, known to the governor, ended every period ("gap"), or no timer
            was near and something else ended every period ("far"). "gap" is the best case for a
            governor that looks at timers, and shows almost no state as too deep; "far" leaves it
            only its history of earlier periods. The truth is between: where both agree, the
            assumption does not matter. (teo of 6.6 on an Arm machine, HZ 1000: the model selects
            the state really entered in 95 % of the periods with "gap", in 87 % with "far".)
            "calibrated" infers timers of the traced decisions, and ticks with them
            (calibrated.py): what follows then does not hold.
  tick      Runs when a CPU goes idle, at whole multiples of its period on the trace's clock, the
            same for all CPUs. If the governor keeps the tick, the tick wakes the CPU and the
            governor selects again, as in the idle loop; if not, the CPU sleeps to the end. With a
            single state that no governor is asked for, the release says what the tick does.
  polling   Also ends at its time limit (polling.py), after which the governor selects again. A
            period is followed through at most PIECES_MAX pieces; the rest is reported as a problem.
  turns     Between two pieces of a period the CPU is awake for TURN_NS. (Otherwise, an idle period
            just above a time limit would leave an unrealistically short rest in the governor's
            history: under 4.11, POWER9 DD1 would then not enter stop0_lite, which it did.)
  limits    No latency limit except the default of 2000 s, no task waiting for I/O, no load, no
            utilisation, no disabled state except those named.
  refused   Entries known to be refused by the driver (observed.py) are left out: the governor did
            not see them either (from 6.17 on, menu would).
"""

from collections.abc import Callable, Sequence

from ...base.dataclass import dataclass, replace
from ...base.options import check_choices
from ...base.reading.problems import InputProblems
from ...tables.linux import idle_loop
from ...tables.linux.governors import Decision, Governor, Outcome, Situation
from ...tables.linux.governors.interface import KTIME_MAX, NO_STATE, tick_ns
from ...tables.linux.idle_loop import is_asked, tick_stops, unasked_stop_tick
from ...tables.linux.releases import Release
from ..traces.periods import Period
from ..traces.recording import WAKE_OVERHEAD_NS, RecordedDecision
from .counters import Figures, Tally, counts_in_ns, stateless
from .domains import domains_of
from .machine import CpuTable, TracedMachine
from .next_timer import CALIBRATED, WHERE_SHORT, NextTimer
from .polling import Polling, polling, polls_only

PIECES_MAX = 1000
TURN_NS = WAKE_OVERHEAD_NS
"""Time from the end of an idle period to the start of the next, if no task runs in between."""


Note = Callable[[int, int, int, int, bool], object]
"""Takes an idle period: CPU, state, start and end in ns, and whether the driver refused it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The kernel to replay with. next_timer: for traces of cpu_idle."""

    governor: str
    release: Release
    hz: int
    next_timer: NextTimer = "gap"

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def calibrates(self) -> bool:
        """Tells whether the inputs of traced decisions are to be inferred. haltpoll sets its own
        polling limit, which inference does not follow."""
        return self.next_timer in (CALIBRATED, WHERE_SHORT) and self.governor != "haltpoll"

    def governor_of(self, table: CpuTable) -> Governor:
        """Returns a CPU's governor in its state at boot. Raises ValueError if the release does not
        have it, UnknownGovernor."""
        return Governor.for_kernel(self.governor, self.release, table.states, self.hz)

    def asks_governor(self, table: CpuTable) -> bool:
        """Returns whether the governor is asked about this table's CPUs."""
        return is_asked(idle_loop.features(self.release), self.governor, table.states)


Case = tuple[TracedMachine, Settings]
"""A machine to replay, and what to replay it with."""


def each_case(machines: Sequence[TracedMachine], settings: Sequence[Settings]) -> list[Case]:
    """Returns each machine with each governor, whose name the machine's then tells if there are
    several."""
    if len(settings) == 1:
        return [(machine, settings[0]) for machine in machines]
    return [
        (replace(machine, name=f"{machine.name}, {each.governor}"), each)
        for machine in machines
        for each in settings
    ]


class CpuModels:
    """A machine's CPUs with their counters, whatever decides.

    decisions  number of decisions; with the tick kept, a traced period takes several
    held       CPU -> number of periods whose traced or recorded state is known, and of these for
               which the model's first decision is that state
    domains    the power domains of its CPUs; None without any that may be off
    note       takes each idle period, but of models by the core
    """

    note: Note | None = None

    def __init__(self, machine: TracedMachine, settings: Settings, problems: InputProblems) -> None:
        self.machine = machine
        self.decisions = 0
        self.held: dict[int, tuple[int, int]] = {}
        self.domains = domains_of(machine, settings.release)
        self._settings = settings
        self._problems = problems
        self._tallies: dict[int, Tally] = {}

    def figures(self) -> dict[int, Figures]:
        """Returns CPU -> its counters with the modelled governor."""
        found = dict(sorted(self._tallies.items()))
        stateless(found, self._problems)
        return {cpu: tally.figures() for cpu, tally in found.items()}

    def hold(self, cpu: int, compared: int, agreed: int) -> None:
        """Adds to what is known of a CPU's periods."""
        before = self.held.get(cpu, (0, 0))
        self.held[cpu] = before[0] + compared, before[1] + agreed

    def tally_of(self, cpu: int, report: Callable[[str, str], None]) -> Tally | None:
        """Registers a CPU at its first period or decision, and returns its counters. report: called
        with kind and message where no table covers it; then there are none."""
        if self.domains is not None:
            self.domains.last_of(cpu)
        table = self.machine.table(cpu)
        if table is None:
            message = f"CPU {cpu}: no table of {self.machine.name} covers it"
            report("cpu-without-table", message)
            return None
        tally = self._tallies[cpu] = Tally(table, counts_in_ns(self._settings.release))
        return tally


class ReplayModel(CpuModels):
    """A machine's CPUs, each with its governor: the reference."""

    def __init__(self, machine: TracedMachine, settings: Settings, problems: InputProblems) -> None:
        super().__init__(machine, settings, problems)
        self._tick_ns = tick_ns(settings.hz)
        self._idle_loop = idle_loop.features(settings.release)
        self._far = settings.next_timer == "far"
        self._polls: dict[CpuTable, Polling] = {}
        self._cpus: dict[int, tuple[Governor | None, Tally] | None] = {}

    def add(self, periods: Sequence[Period], *, counted: bool = True) -> None:
        """Replays traced idle periods, which are in order for each CPU: estimated. counted: False:
        for what governors remember of them alone."""
        for cpu, state, start_ns, end_ns, _ in periods:
            here = self._cpus[cpu] if cpu in self._cpus else self._appear(cpu)
            if here is not None:
                governor, tally = here
                if not counted:
                    tally = Tally(tally.table, counts_in_ns(self._settings.release))
                agrees = self._follow(cpu, governor, tally, start_ns, end_ns) == state
                self.hold(cpu, 1, agrees)

    def decide(self, row: RecordedDecision) -> None:
        """Replays a decision of an exact recording: exact."""
        known = row.cpu in self._cpus
        here = self._cpus[row.cpu] if known else self._appear(row.cpu, row.line)
        if here is None:
            return
        governor, tally = here
        if not known and governor is not None and row.earlier.state < len(tally.table.states):
            governor.switched_on(row.earlier)
        given = row.situation
        if tally.table.disabled:
            given = replace(given, disabled=tally.table.disabled)
        if given.latency_req_us > tally.table.limit_us:
            given = replace(given, latency_req_us=tally.table.limit_us)
        decision = Decision(0, row.stop_tick) if governor is None else governor.select(given)
        state, stop_tick = decision.state, decision.stop_tick
        outcome = row.outcome
        if state != row.state:
            outcome = Outcome(
                state,
                outcome.residency_ns,
                outcome.rejected,
                outcome.got_tick,
                # poll_time_limit was recorded for another state, so it does not apply
                False,
                outcome.clock_ns,
            )
        if governor is not None:
            governor.reflect(outcome)
        if self.domains is not None:
            self.domains.record(row, state, stop_tick)
        self.decisions += 1
        self.hold(row.cpu, 1, state == row.state)
        refused = outcome.rejected and state != NO_STATE
        if refused:
            tally.rejected[state] += 1
        else:
            tally.add(state, outcome.residency_ns)
        if self.note is not None:
            end_ns = given.clock_ns + outcome.residency_ns
            self.note(row.cpu, state, given.clock_ns, end_ns, refused)

    def _polling(self, governor: Governor | None, table: CpuTable) -> Polling:
        """Returns the polling limit of state 0; haltpoll sets its own."""
        if table not in self._polls:
            self._polls[table] = polling(table, self._settings.release, self._settings.hz)
        return self._polls[table].of(governor.poll_limit_ns if governor else None)

    def _appear(self, cpu: int, line: int | None = None) -> tuple[Governor | None, Tally] | None:
        tally = self.tally_of(cpu, lambda kind, message: self._problems.add(kind, message, line))
        here = None
        if tally is not None:
            asks = self._settings.asks_governor(tally.table)
            here = self._settings.governor_of(tally.table) if asks else None, tally
        self._cpus[cpu] = here
        return here

    def _follow(
        self, cpu: int, governor: Governor | None, tally: Tally, start_ns: int, end_ns: int
    ) -> int:
        """Replays one traced period, in pieces where the tick is kept. Returns the first state
        selected."""
        first = None
        now_ns, stopped, got_tick = start_ns, False, False
        through = polls_only(tally.table)
        for piece in range(PIECES_MAX):
            left_ns = min(end_ns - now_ns, KTIME_MAX)
            to_tick_ns = KTIME_MAX if stopped else self._tick_ns - now_ns % self._tick_ns
            sleep_ns = KTIME_MAX if self._far else left_ns
            if governor is None:
                decision = Decision(0, unasked_stop_tick(self._idle_loop, got_tick))
            else:
                decision = governor.select(
                    Situation(
                        latency_req_us=tally.table.limit_us,
                        sleep_length_ns=sleep_ns,
                        delta_next_ns=min(sleep_ns, to_tick_ns),
                        tick_stopped=stopped,
                        clock_ns=now_ns,
                        disabled=tally.table.disabled,
                    )
                )
            state = decision.state
            first = state if first is None else first
            stopped = tick_stops(self._idle_loop, decision.stop_tick, stopped)
            until_ns = KTIME_MAX if stopped or through else to_tick_ns
            polled_out, is_reported = False, False
            if state == 0:
                poll = self._polling(governor, tally.table)
                if poll.limit_ns is not None and poll.limit_ns < until_ns:
                    until_ns, polled_out, is_reported = poll.limit_ns, True, poll.reports
            interrupted = until_ns < left_ns
            if interrupted and piece == PIECES_MAX - 1:
                interrupted = False
                message = f"CPU {cpu}: {left_ns / 1000000000.0:.6f} s were read as one period"
                self._problems.add("piece-limit", message)
            residency_ns = until_ns if interrupted else left_ns
            if governor is not None:
                governor.reflect(
                    Outcome(
                        state,
                        residency_ns,
                        got_tick=interrupted and not polled_out,
                        poll_time_limit=interrupted and is_reported,
                        clock_ns=now_ns + residency_ns + WAKE_OVERHEAD_NS,
                    )
                )
            end_tick = (now_ns + residency_ns) // self._tick_ns
            got_tick = not stopped and end_tick > now_ns // self._tick_ns
            tally.add(state, residency_ns)
            if self.note is not None:
                self.note(cpu, state, now_ns, now_ns + residency_ns, False)
            if self.domains is not None and state == self.domains.last_of(cpu):
                timer_ns = sleep_ns if stopped else min(sleep_ns, to_tick_ns)
                self.domains.add(cpu, now_ns, now_ns + residency_ns, now_ns + timer_ns)
            self.decisions += 1
            now_ns += residency_ns + TURN_NS
            if now_ns >= end_ns:
                break
        assert first is not None
        return first
