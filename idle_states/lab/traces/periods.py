"""Pairs idle entries and exits, CPU by CPU, into idle periods.

A period is returned when its CPU enters idle again, because a cpu_idle_miss may follow the exit.
Events that do not pair are counted as problems, never guessed. Periods of one CPU are in order;
between CPUs the order is that of the next entries.

The compiled core, if installed, pairs events that come in their plain order: an entry, its exit,
perhaps a cpu_idle_miss. Any other is left to the reference here, and some events after it.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

from ...base.reading.inputs import CPU_MAX
from ...base.reading.problems import InputProblems
from ...tables.linux.governors.core.packing import PERIOD, compiled
from .text import EXIT, LOST, MISS, Batch, Event

Period = tuple[int, int, int, int, int]
"""(CPU, state entered, start in ns, end in ns, NO_MISS, ABOVE, BELOW or UNKNOWN)."""

NO_MISS, ABOVE, BELOW, UNKNOWN = 0, 1, 2, 3
"""Verdict of cpu_idle_miss. UNKNOWN: events were lost at the place where it would be."""

_U32_MAX = (1 << 32) - 1
_RESTART_NS = 1_000_000_000
_LATE_NS = 1_000_000_000
_AWAKE = -1

_COMPLETE, _UNSEEN, _LOST_AWAKE, _LOST_IDLE = 0, 1, 2, 3
"""The answers to whether an exit may lack its entry: no; yes, the entry was before the trace or
lost; an awake CPU lost events; an idle CPU lost events after its entry."""


_PAIRING = struct.Struct("<qQQQQQIHBx3B5x")
"""A CPU as the core has it: state, since_ns, last_ns, limit; start, end, state, CPU and verdict of
`done`; whether there is a `done`, whether the core may go on with the CPU, loss."""
_FEW = 32
"""Events that the reference pairs after one that the core has left to it; twice as many each time
that this happens in a batch."""


class Periods(Sequence[Period]):
    """Idle periods as the core has them.

    packed  PERIOD each
    """

    def __init__(self, packed: bytes) -> None:
        self.packed = packed

    @classmethod
    def of(cls, periods: Sequence[Period]) -> "Periods":
        """Packs periods. A state that takes more than 32 bits is the greatest of 32 bits then,
        which no table has, either."""
        if isinstance(periods, cls):
            return periods
        return cls(
            b"".join(
                PERIOD.pack(start_ns, end_ns, min(state, _U32_MAX), cpu, miss)
                for cpu, state, start_ns, end_ns, miss in periods
            )
        )

    def __len__(self) -> int:
        return len(self.packed) // PERIOD.size

    def __iter__(self) -> Iterator[Period]:
        for start_ns, end_ns, state, cpu, miss in PERIOD.iter_unpack(self.packed):
            yield cpu, state, start_ns, end_ns, miss

    @overload
    def __getitem__(self, index: int) -> Period: ...
    @overload
    def __getitem__(self, index: slice) -> list[Period]: ...
    def __getitem__(self, index: int | slice) -> Period | list[Period]:
        return list(self)[index]

    @cached_property
    def by_cpu(self) -> list[tuple[int, bytes]]:
        """(CPU, its periods packed), in the order of the CPUs' first ones. By the core."""
        found: list[tuple[int, bytes]] = compiled.by_cpu(self.packed)
        return found


class _Cpu:
    """The state of one CPU.

    done             last period, which a cpu_idle_miss may still follow
    era              number of times that the clock has restarted
    low_ns, high_ns  least and greatest time in this era, without last_ns
    """

    def __init__(self, now_ns: int, limit: int, era: int) -> None:
        self.state = _AWAKE
        self.since_ns = 0
        self.done: Period | None = None
        self.first_ns = self.last_ns = now_ns
        self.low_ns = self.high_ns = now_ns
        self.era = era
        self.limit = limit
        self.loss = _COMPLETE

    def give(self, memory: bytearray, cpu: int) -> None:
        """Tells the core of the CPU, which goes on with it unless a state is too great for it."""
        _, state, start_ns, end_ns, miss = self.done or (0, 0, 0, 0, 0)
        known = max(self.state, state) <= _U32_MAX
        _PAIRING.pack_into(
            memory, cpu * _PAIRING.size,
            self.state, self.since_ns, self.last_ns, self.limit,
            start_ns, end_ns, min(state, _U32_MAX), cpu, miss,
            self.done is not None, known, self.loss,
        )  # fmt: skip

    def take(self, memory: bytearray, cpu: int) -> None:
        """Goes on where the core has stopped."""
        core = _PAIRING.unpack_from(memory, cpu * _PAIRING.size)
        if not core[10]:
            return
        self.state, self.since_ns, self.last_ns = core[:3]
        start_ns, end_ns, state, _, miss, has_done, _, self.loss = core[4:]
        self.done = (cpu, state, start_ns, end_ns, miss) if has_done else None


class Pairing:
    """Pairs the events of one trace.

    problems  collects events that do not pair
    states    CPU -> number of states in its table; None: no table, its periods are only counted
    beyond    problem kind for a state that is not in the table
    core      the compiled core; None: pair without it
    """

    def __init__(
        self,
        problems: InputProblems,
        states: Callable[[int], int | None] = lambda cpu: 1 << 32,
        beyond: str = "state-beyond-table",
        core: Any = compiled,
    ) -> None:
        self.misses = 0
        self._problems = problems
        self._states = states
        self._beyond = beyond
        self._cpus: dict[int, _Cpu] = {}
        self._start_ns: int | None = None
        self._eras: list[tuple[int, int] | None] = [None]
        self._core = core
        self._memory = bytearray(_PAIRING.size * (CPU_MAX + 1) if core is not None else 0)

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """Returns the times of the first and last event; None without events. If the clock
        restarted, only the times before and after are added up: the gap between is unknown."""
        if not self._cpus:
            return None
        self._take(self._cpus)
        for cpu in self._cpus.values():
            self._close(cpu)
        eras = [era for era in self._eras if era is not None]
        return eras[0][0], eras[0][0] + sum(high - low for low, high in eras)

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs that have events, ascending."""
        return tuple(sorted(self._cpus))

    def whole(self, batches: Iterable[Batch]) -> Iterator[Sequence[Period]]:
        """Yields the periods of all batches of a trace."""
        for batch in batches:
            yield self.feed(batch)
        yield self.finish()

    def feed(self, batch: Batch) -> Sequence[Period]:
        """Returns the periods that a batch of events completes, as Periods where the core has
        paired all of them."""
        if self._core is None:
            return self._refer(batch, 0, len(batch))
        found: list[Sequence[Period]] = []
        done, few = 0, _FEW
        while True:
            done, misses, packed = self._core.pair(self._memory, batch.packed, done)
            self.misses += misses
            found.append(Periods(packed))
            if done == len(batch):
                return joined(found) if found[1:] else found[0]
            found.append(self._refer(batch, done, done + few))
            done, few = min(done + few, len(batch)), 2 * few

    def _take(self, cpus: Iterable[int]) -> None:
        """Learns what the core has made of the CPUs."""
        if self._memory:
            for cpu in cpus:
                self._cpus[cpu].take(self._memory, cpu)

    def _refer(self, batch: Batch, start: int, stop: int) -> list[Period]:
        """Pairs some events without the core, between those that it pairs."""
        events = list(batch.events(start, stop))
        present = {cpu for cpu, *_ in events}
        self._take(present & self._cpus.keys())
        periods = self._pair(events)
        if self._memory:
            for cpu in present & self._cpus.keys():
                self._cpus[cpu].give(self._memory, cpu)
        return periods

    def _pair(self, events: Sequence[Event]) -> list[Period]:
        """The reference: pairs event by event."""
        periods: list[Period] = []
        cpus = self._cpus
        for cpu, what, now_ns, line in events:
            try:
                this = cpus[cpu]
            except KeyError:
                if what == LOST:
                    continue
                this = self._appear(cpu, what, now_ns, line)
            if what == EXIT:
                state = this.state
                if state >= 0 and now_ns >= this.since_ns:
                    this.done = (cpu, state, this.since_ns, now_ns, NO_MISS)
                    this.state = _AWAKE
                else:
                    self._odd_exit(this, cpu, now_ns, line)
                this.last_ns = now_ns
            elif what >= 0:
                if this.done is not None:
                    periods.append(this.done)
                    this.done = None
                if this.state >= 0 or now_ns < this.last_ns or what >= this.limit:
                    self._odd_entry(this, cpu, what, now_ns, line)
                this.state = what
                this.since_ns = this.last_ns = now_ns
                this.loss = _COMPLETE
            elif what <= MISS:
                self._miss(this, cpu, MISS - what, line)
            else:
                self._lose(this, cpu, periods, line)
        return periods

    def finish(self) -> list[Period]:
        """Returns the last period of every CPU; reports CPUs that are still idle. Nothing may be
        fed after it."""
        self._take(self._cpus)
        periods = [this.done for this in self._cpus.values() if this.done is not None]
        for cpu, this in sorted(self._cpus.items()):
            if this.state >= 0:
                since = f"CPU {cpu}, in state {this.state} since {seconds(this.since_ns)}"
                self._problems.add("ends-idle", since)
            this.state, this.done = _AWAKE, None
        self._core, self._memory = None, bytearray()
        return periods

    def _appear(self, cpu: int, what: int, now_ns: int, line: int) -> _Cpu:
        """Registers a CPU at its first event."""
        limit = self._states(cpu)
        if limit is None:
            message = f"CPU {cpu}: no --table covers it"
            self._problems.add("cpu-without-table", message, line)
        this = _Cpu(now_ns, 1 << 32 if limit is None else limit, len(self._eras) - 1)
        self._cpus[cpu] = this
        if self._start_ns is None:
            self._start_ns = now_ns
        after_ns = now_ns - self._start_ns
        if after_ns > _LATE_NS:
            message = f"CPU {cpu}: {after_ns / 1e9:.3f} s after the beginning"
            self._problems.add("late-cpu", message, line)
        if what == EXIT:
            message = f"CPU {cpu}, until {seconds(now_ns)}"
            self._problems.add("starts-idle", message, line)
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

    def _odd_exit(self, this: _Cpu, cpu: int, now_ns: int, line: int) -> None:
        """Reports an exit without an entry, or with a time before its entry."""
        self._back(this, now_ns)

        if this.state >= 0:
            back_ns = this.since_ns - now_ns
            kind = "clock-restarted" if back_ns >= _RESTART_NS else "exit-before-enter"
            self._problems.add(
                kind,
                lambda: (
                    f"CPU {cpu}: entered state {this.state} at {seconds(this.since_ns)}, "
                    f"left it at {seconds(now_ns)}"
                ),
                line,
            )
        elif this.loss in (_COMPLETE, _LOST_AWAKE):
            kind = "broken-by-loss" if this.loss else "exit-without-enter"
            self._problems.add(kind, lambda: f"CPU {cpu}: exit at {seconds(now_ns)}", line)
        # otherwise it was reported at the start of the trace, or where events were lost
        this.state = _AWAKE
        this.loss = _COMPLETE

    def _odd_entry(self, this: _Cpu, cpu: int, state: int, now_ns: int, line: int) -> None:
        """Reports an entry while idle, backwards in time, or into a state beyond the table."""
        self._back(this, now_ns)

        if this.state >= 0:
            self._problems.add(
                "enter-twice",
                lambda: (
                    f"CPU {cpu}: entered state {this.state} at {seconds(this.since_ns)} "
                    f"and state {state} at {seconds(now_ns)} without an exit between"
                ),
                line,
            )
        if now_ns < this.last_ns:
            self._problems.add(
                "time-backwards",
                lambda: f"CPU {cpu}: {seconds(now_ns)} after {seconds(this.last_ns)}",
                line,
            )
        if state >= this.limit:
            self._problems.add(
                self._beyond,
                lambda: f"CPU {cpu}: expected states 0 to {this.limit - 1}, found {state}",
                line,
            )

    def _miss(self, this: _Cpu, cpu: int, code: int, line: int) -> None:
        """Assigns a cpu_idle_miss to the period that has just ended."""
        self.misses += 1
        state, below = divmod(code, 2)
        done = this.done
        if done is not None and done[1] == state and done[4] == NO_MISS:
            this.done = (*done[:4], BELOW if below else ABOVE)
        elif this.first_ns != this.last_ns or this.state >= 0:
            message = f"CPU {cpu}: state {state}, type {'below' if below else 'above'}"
            self._problems.add("miss-without-period", message, line)

    def _lose(self, this: _Cpu, cpu: int, periods: list[Period], line: int) -> None:
        """Handles lost events of a CPU: no period may span them."""
        if this.done is not None:
            periods.append((*this.done[:4], this.done[4] or UNKNOWN))
            this.done = None
        if this.state >= 0:
            message = f"CPU {cpu}: entered state {this.state} at {seconds(this.since_ns)}"
            self._problems.add("broken-by-loss", message, line)
            this.loss = _LOST_IDLE
        elif this.loss == _COMPLETE:
            this.loss = _LOST_AWAKE
        this.state = _AWAKE


def joined(parts: Sequence[Sequence[Period]]) -> Sequence[Period]:
    """Joins periods in order: as Periods, if any are, unless a state takes more than 32 bits."""
    plain = [part for part in parts if not isinstance(part, Periods)]
    if len(plain) == len(parts) or any(
        state > _U32_MAX for part in plain for _, state, _, _, _ in part
    ):
        return [period for part in parts for period in part]
    return Periods(b"".join(Periods.of(part).packed for part in parts))


def idle_ns(packed: bytes | bytearray, core: Any = compiled) -> int:
    """Sums up the lengths of packed periods."""
    if core is None:
        return sum(end_ns - start_ns for start_ns, end_ns, *_ in PERIOD.iter_unpack(packed))
    total, carried = core.idle_ns(packed)
    return int(total) + (int(carried) << 64)


def seconds(ns: int) -> str:
    """Formats a time as traces do: seconds with nine decimals."""
    return f"{ns // 1_000_000_000}.{ns % 1_000_000_000:09d} s"
