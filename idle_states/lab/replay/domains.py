"""Power domains in a replay: off while all their CPUs are in their last idle state.

The periods stay as they were traced or recorded, so that what a domain costs a CPU that wakes does
not lengthen them; it is added to the wake latencies. A CPU counts as awake outside the periods that
are replayed, and one without any event as offline.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import merge
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, replace
from ...base.wording import number_ranges
from ...tables.linux import idle_loop
from ...tables.linux.governors.core.packing import ROW, Buffer
from ...tables.linux.governors.interface import KTIME_MAX
from ...tables.linux.grounds import remarks
from ...tables.linux.idle_loop import tick_stops
from ...tables.linux.qos import NO_LIMIT_US
from ...tables.linux.releases import Release, folded
from ..traces.periods import Period
from ..traces.recording import RecordedDecision
from .counters import Figures
from .machine import TracedMachine

if TYPE_CHECKING:
    from ...tables.linux.genpd.running import DomainFigures

_ENDS, _BEGINS = 0, 1


@dataclass(frozen=True, slots=True)
class DomainsReplayed:
    """The replayed figures of a machine's power domains.

    left     times that go back behind the CPU's last one, as after a restart of the trace's clock
    waited   CPU -> ns waited for domains -> how often, beside the exit latency of its last state
    """

    figures: tuple["DomainFigures", ...] = ()
    waited: tuple[tuple[int, Counter[int]], ...] = ()
    left: int = 0


class DomainReplay:
    """Collects the time of each CPU in its last state, and replays the domains at the end."""

    def __init__(self, machine: TracedMachine, release: Release) -> None:
        self.last: dict[int, int] = {}
        self._machine = machine
        self._release = release
        self._loop = idle_loop.features(release)
        self._times: dict[int, array[int]] = {}
        self._left = 0

    def last_of(self, cpu: int) -> int:
        """The number of a CPU's last state, -1 without a table. The CPU takes part."""
        if cpu not in self.last:
            table = self._machine.table(cpu)
            self.last[cpu] = -1 if table is None else len(table.states) - 1
        return self.last[cpu]

    def add(self, cpu: int, start_ns: int, end_ns: int, timer_ns: int) -> None:
        """A CPU is in its last state; timer_ns: when its next timer expires. Times of a CPU have to
        be in order; one that is not is left aside, as is one without length."""
        times = self._times.setdefault(cpu, array("Q"))
        if start_ns < (times[-2] if times else 0):
            self._left += 1
        elif start_ns < end_ns:
            times.extend((start_ns, end_ns, max(0, min(timer_ns, KTIME_MAX))))

    def extend(self, cpu: int, packed: Buffer) -> None:
        """Adds times as the core keeps them."""
        times = array("Q", packed)
        for at in range(0, len(times), 3):
            self.add(cpu, times[at], times[at + 1], times[at + 2])

    def observe(self, periods: Sequence[Period]) -> None:
        """Adds traced periods in the last state, each taken to end with the CPU's next timer."""
        for cpu, state, start_ns, end_ns, _ in periods:
            if state == self.last_of(cpu):
                self.add(cpu, start_ns, end_ns, end_ns)

    def record(self, row: RecordedDecision, state: int, stop_tick: bool) -> None:
        """Adds a period of an exact recording, for which a state was selected."""
        given, outcome = row.situation, row.outcome
        if state == self.last_of(row.cpu) and not outcome.rejected:
            stopped = tick_stops(self._loop, stop_tick, given.tick_stopped)
            sleep_ns = given.sleep_length_ns if stopped else given.delta_next_ns
            start_ns = given.clock_ns
            self.add(row.cpu, start_ns, start_ns + outcome.residency_ns, start_ns + sleep_ns)

    def record_packed(self, cpu: int, rows: Buffer, decisions: Buffer) -> None:
        """Adds periods of an exact recording, rows and decisions packed as the core takes them."""
        last = self.last_of(cpu)
        states, stops = decisions[::2], decisions[1::2]
        for row, state, stop_tick in zip(ROW.iter_unpack(rows), states, stops, strict=True):
            sleep_ns, delta_ns, start_ns, _, residency_ns, _, _, _, _, stopped, rejected, *_ = row
            if state == last and not rejected:
                if tick_stops(self._loop, bool(stop_tick), bool(stopped)):
                    delta_ns = sleep_ns
                self.add(cpu, start_ns, start_ns + residency_ns, start_ns + delta_ns)

    def finish(self) -> DomainsReplayed:
        from ...tables.linux.genpd.features import HISTORY
        from ...tables.linux.genpd.running import RunningDomains

        limits = [table.limit_us for table in self._machine.tables]
        features = folded(HISTORY, self._release)
        running = RunningDomains(
            self._machine.domains, features, self.last, min(limits, default=NO_LIMIT_US)
        )
        waited: dict[int, Counter[int]] = {}
        if not running:
            return DomainsReplayed()
        for now_ns, what, cpu, timer_ns in merge(*map(self._events, sorted(self._times))):
            if what == _BEGINS:
                running.idles(cpu, now_ns, timer_ns)
                continue
            waits_ns = running.wakes(cpu, now_ns)
            running.awake(cpu, now_ns)
            if waits_ns:
                waited.setdefault(cpu, Counter())[waits_ns] += 1
        return DomainsReplayed(running.figures(), tuple(waited.items()), self._left)

    def _events(self, cpu: int) -> Iterator[tuple[int, int, int, int]]:
        times = self._times[cpu]
        for at in range(0, len(times), 3):
            yield times[at], _BEGINS, cpu, times[at + 2]
            yield times[at + 1], _ENDS, cpu, 0


def domains_of(machine: TracedMachine, release: Release) -> DomainReplay | None:
    """None for a machine whose CPUs sit in no power domain that may be off."""
    alive = any(domain.states and not domain.dead for domain in machine.domains)
    return DomainReplay(machine, release) if alive else None


def assumed_of_domains(
    machines: Sequence[TracedMachine], cpus: Collection[int], release: Release
) -> Iterator[str]:
    """Sentences: what the counters of power domains rest on, or why there are none. cpus: those
    that take part."""
    yield from dict.fromkeys(note for machine in machines for note in machine.domain_notes)
    dead = dict.fromkeys(d.dead for m in machines for d in m.domains if d.states and d.dead)
    yield from (f"power domains are never off: {why}" for why in dead)
    numbers = {
        number
        for machine in machines
        for domain in machine.domains
        if domain.states and not domain.dead
        for number in domain.numbers
    }
    if not numbers:
        return
    from ...tables.linux.genpd.running import ASSUMED

    yield from remarks([release], "genpd")
    yield ASSUMED
    yield "the power of power domains is unknown: energies are of the CPUs' own states"
    yield "CPUs are numbered in the order of the tree"
    if numbers - set(cpus):
        absent = number_ranges(numbers - set(cpus))
        yield f"CPUs of the tree that do not appear are offline: {absent}"
    if set(cpus) - numbers:
        others = number_ranges(set(cpus) - numbers)
        yield f"in none of the tree's power domains with states: CPU {others}"


def assumed_of_timers(timers: str | None) -> Iterator[str]:
    """Yields what a replay assumes of timers where CPUs have power domains, in sentences.

    timers: where CPUs' next timers are from: "recorded", else a replay.NextTimer; None: no
    governor was replayed
    """
    yield "a CPU counts as awake for its power domain wherever it is not shown to be idle"
    if timers is None:
        yield (
            "a period in the last state ends with the CPU's next timer; were that later, power "
            "domains would be as deep or deeper"
        )
    elif timers != "recorded":
        yield "the governor of power domains knows the same timers as that of the CPUs"


def delayed(
    cpus: Mapping[int, Figures], found: DomainsReplayed, machine: TracedMachine
) -> dict[int, Figures]:
    """The CPUs' counters, with what domains cost in the wake latencies of their last states."""
    counted = dict(cpus)
    for cpu, waits in found.waited:
        table = machine.table(cpu)
        if table is not None and cpu in counted:
            wakeups = Counter(dict(counted[cpu].wakeups))
            exit_ns = table.states[-1].exit_ns
            for waits_ns, count in waits.items():
                wakeups[exit_ns] -= count
                wakeups[exit_ns + waits_ns] += count
            later = tuple(sorted((+wakeups).items()))
            counted[cpu] = replace(counted[cpu], wakeups=later)
    return counted
