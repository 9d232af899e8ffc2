"""Pairs idle entries and exits, CPU by CPU, into idle periods.

A period is returned when its CPU enters idle again, because a cpu_idle_miss may follow the exit.
Events that do not pair are counted as problems, never guessed. Periods of one CPU are in order;
between CPUs the order is that of the next entries.
"""

from collections.abc import Callable

from ..reading.problems import InputProblems
from .text import EXIT, LOST, MISS, Batch

Period = tuple[int, int, int, int, int]
"""(CPU, state entered, start in ns, end in ns, NO_MISS, ABOVE, BELOW or UNKNOWN)."""

NO_MISS, ABOVE, BELOW, UNKNOWN = 0, 1, 2, 3
"""Verdict of cpu_idle_miss. UNKNOWN: events were lost at the place where it would be."""

_RESTART_NS = 1_000_000_000
_LATE_NS = 1_000_000_000
_AWAKE = -1

_COMPLETE, _UNSEEN, _LOST_AWAKE, _LOST_IDLE = 0, 1, 2, 3
"""Whether an exit may lack its entry: no; yes, the entry was before the trace or lost; an awake CPU
lost events; an idle CPU lost events after its entry."""


class _Cpu:
    """The state of one CPU.

    done             last period, which a cpu_idle_miss may still follow
    era              number of times that the clock has restarted
    low_ns, high_ns  least and greatest time in this era, without last_ns
    """

    __slots__ = (
        "done",
        "era",
        "first_ns",
        "high_ns",
        "last_ns",
        "limit",
        "loss",
        "low_ns",
        "since_ns",
        "state",
    )

    def __init__(self, now_ns: int, limit: int, era: int) -> None:
        self.state = _AWAKE
        self.since_ns = 0
        self.done: Period | None = None
        self.first_ns = self.last_ns = now_ns
        self.low_ns = self.high_ns = now_ns
        self.era = era
        self.limit = limit
        self.loss = _COMPLETE


class Pairing:
    """Pairs the events of one trace.

    problems  collects events that do not pair
    states    CPU -> number of states in its table; None: no table, its periods are only counted
    beyond    problem kind for a state that is not in the table
    """

    def __init__(
        self,
        problems: InputProblems,
        states: Callable[[int], int | None] = lambda cpu: 1 << 32,
        beyond: str = "state-beyond-table",
    ) -> None:
        self.misses = 0
        self._problems = problems
        self._states = states
        self._beyond = beyond
        self._cpus: dict[int, _Cpu] = {}
        self._start_ns: int | None = None
        self._eras: list[tuple[int, int] | None] = [None]

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """Returns the times of the first and last event; None without events. If the clock
        restarted, only the times before and after are added up: the gap between is unknown."""
        if not self._cpus:
            return None
        for cpu in self._cpus.values():
            self._close(cpu)
        eras = [era for era in self._eras if era is not None]
        return eras[0][0], eras[0][0] + sum(high - low for low, high in eras)

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs that have events, ascending."""
        return tuple(sorted(self._cpus))

    def feed(self, batch: Batch) -> list[Period]:
        """Returns the periods that a batch of events completes."""
        periods: list[Period] = []
        cpus = self._cpus
        for index, ((cpu, what), now_ns) in enumerate(zip(batch.whats, batch.times, strict=True)):
            try:
                this = cpus[cpu]
            except KeyError:
                if what == LOST:
                    continue
                this = self._appear(cpu, what, now_ns, batch, index)
            if what == EXIT:
                state = this.state
                if state >= 0 and now_ns >= this.since_ns:
                    this.done = (cpu, state, this.since_ns, now_ns, NO_MISS)
                    this.state = _AWAKE
                else:
                    self._odd_exit(this, cpu, now_ns, batch, index)
                this.last_ns = now_ns
            elif what >= 0:
                if this.done is not None:
                    periods.append(this.done)
                    this.done = None
                if this.state >= 0 or now_ns < this.last_ns or what >= this.limit:
                    self._odd_entry(this, cpu, what, now_ns, batch, index)
                this.state = what
                this.since_ns = this.last_ns = now_ns
                this.loss = _COMPLETE
            elif what <= MISS:
                self._miss(this, cpu, MISS - what, batch, index)
            else:
                self._lose(this, cpu, periods, batch, index)
        return periods

    def finish(self) -> list[Period]:
        """Returns the last period of every CPU; reports CPUs that are still idle."""
        periods = [this.done for this in self._cpus.values() if this.done is not None]
        for cpu, this in sorted(self._cpus.items()):
            if this.state >= 0:
                since = f"CPU {cpu}, in state {this.state} since {seconds(this.since_ns)}"
                self._problems.add("ends-idle", since)
            this.state, this.done = _AWAKE, None
        return periods

    def _appear(self, cpu: int, what: int, now_ns: int, batch: Batch, index: int) -> _Cpu:
        """Registers a CPU at its first event."""
        limit = self._states(cpu)
        if limit is None:
            message = f"CPU {cpu}: no --table covers it"
            self._problems.add("cpu-without-table", message, lambda: batch.line(index))
        this = _Cpu(now_ns, 1 << 32 if limit is None else limit, len(self._eras) - 1)
        self._cpus[cpu] = this
        if self._start_ns is None:
            self._start_ns = now_ns
        after_ns = now_ns - self._start_ns
        if after_ns > _LATE_NS:
            message = f"CPU {cpu}: {after_ns / 1e9:.3f} s after the beginning"
            self._problems.add("late-cpu", message, lambda: batch.line(index))
        if what == EXIT:
            message = f"CPU {cpu}, until {seconds(now_ns)}"
            self._problems.add("starts-idle", message, lambda: batch.line(index))
            this.loss = _UNSEEN
        return this

    def _back(self, this: _Cpu, now_ns: int) -> None:
        """Handles time that goes backwards on a CPU: by a little, or because the clock restarted.

        After a restart each CPU's time drops in turn; the CPUs after the first join its new era.
        """
        this.high_ns = max(this.high_ns, this.last_ns)
        if this.high_ns - now_ns < _RESTART_NS:
            this.low_ns = min(this.low_ns, now_ns)
            return
        self._close(this)
        if this.era == len(self._eras) - 1:
            self._eras.append(None)
        this.era = len(self._eras) - 1
        this.low_ns = this.high_ns = now_ns

    def _close(self, this: _Cpu) -> None:
        """Adds the CPU's times to its era."""
        low_ns, high_ns = this.low_ns, max(this.high_ns, this.last_ns)
        era = self._eras[this.era]
        if era is not None:
            low_ns, high_ns = min(low_ns, era[0]), max(high_ns, era[1])
        self._eras[this.era] = low_ns, high_ns

    def _odd_exit(self, this: _Cpu, cpu: int, now_ns: int, batch: Batch, index: int) -> None:
        """Reports an exit without an entry, or with a time before its entry."""
        self._back(this, now_ns)

        def line() -> int:
            return batch.line(index)

        if this.state >= 0:
            back_ns = this.since_ns - now_ns
            kind = "clock-restarted" if back_ns >= _RESTART_NS else "exit-before-enter"
            message = (
                f"CPU {cpu}: entered state {this.state} at {seconds(this.since_ns)}, "
                f"left it at {seconds(now_ns)}"
            )
            self._problems.add(kind, message, line)
        elif this.loss in (_COMPLETE, _LOST_AWAKE):
            kind = "broken-by-loss" if this.loss else "exit-without-enter"
            self._problems.add(kind, f"CPU {cpu}: exit at {seconds(now_ns)}", line)
        # otherwise it was reported at the start of the trace, or where events were lost
        this.state = _AWAKE
        this.loss = _COMPLETE

    def _odd_entry(
        self, this: _Cpu, cpu: int, state: int, now_ns: int, batch: Batch, index: int
    ) -> None:
        """Reports an entry while idle, backwards in time, or into a state beyond the table."""
        self._back(this, now_ns)

        def line() -> int:
            return batch.line(index)

        if this.state >= 0:
            message = (
                f"CPU {cpu}: entered state {this.state} at {seconds(this.since_ns)} "
                f"and state {state} at {seconds(now_ns)} without an exit between"
            )
            self._problems.add("enter-twice", message, line)
        if now_ns < this.last_ns:
            message = f"CPU {cpu}: {seconds(now_ns)} after {seconds(this.last_ns)}"
            self._problems.add("time-backwards", message, line)
        if state >= this.limit:
            message = f"CPU {cpu}: expected states 0 to {this.limit - 1}, found {state}"
            self._problems.add(self._beyond, message, line)

    def _miss(self, this: _Cpu, cpu: int, code: int, batch: Batch, index: int) -> None:
        """Assigns a cpu_idle_miss to the period that has just ended."""
        self.misses += 1
        state, below = divmod(code, 2)
        done = this.done
        if done is not None and done[1] == state and done[4] == NO_MISS:
            this.done = (*done[:4], BELOW if below else ABOVE)
        elif this.first_ns != this.last_ns or this.state >= 0:
            message = f"CPU {cpu}: state {state}, type {'below' if below else 'above'}"
            self._problems.add("miss-without-period", message, lambda: batch.line(index))

    def _lose(self, this: _Cpu, cpu: int, periods: list[Period], batch: Batch, index: int) -> None:
        """Handles lost events of a CPU: no period may span them."""
        if this.done is not None:
            periods.append((*this.done[:4], this.done[4] or UNKNOWN))
            this.done = None
        if this.state >= 0:
            message = f"CPU {cpu}: entered state {this.state} at {seconds(this.since_ns)}"
            self._problems.add("broken-by-loss", message, lambda: batch.line(index))
            this.loss = _LOST_IDLE
        elif this.loss == _COMPLETE:
            this.loss = _LOST_AWAKE
        this.state = _AWAKE


def seconds(ns: int) -> str:
    """Formats a time as traces do: seconds with nine decimals."""
    return f"{ns // 1_000_000_000}.{ns % 1_000_000_000:09d} s"
