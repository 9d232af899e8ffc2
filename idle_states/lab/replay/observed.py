"""The CPUs' real behaviour in a trace, judged by the table of the traced machine.

In a trace, an entry that the driver refused looks like an idle period: an entry and an exit. From
6.0 on, cpu_idle_miss distinguishes the two: it follows every real period below its target
residency. So an entry that ended before the state's exit latency, without the cpu_idle_miss that a
real period would have, was refused and is no idle period. If an entry without its miss lasted
longer than the exit latency, or a miss has another type than the table gives, then table and trace
do not belong together, which is reported. Nothing is concluded from a trace without any miss, nor
with a table that may be another machine's.
"""

from collections.abc import Sequence

from ...base.reading.problems import EXAMPLES, InputProblems, Notes
from ...tables.linux.governors.core.packing import PERIOD, compiled
from ..traces.chunks import CpuChunk
from ..traces.periods import NO_MISS, UNKNOWN, Period, Periods, seconds
from ..traces.recording import RecordedDecision
from .counters import ABOVE, Figures, Tally
from .machine import TracedMachine


class Observed:
    """Counts idle periods as the traced kernel did.

    in_ns   whether above and below are computed in ns: counters.counts_in_ns()
    traced  whether the machine is the traced one; the trace's reader then reports states beyond its
            table, and CPUs without a table, so they are not reported again here
    beyond  problem kind for a state that is not in the table
    """

    def __init__(
        self,
        machine: TracedMachine,
        in_ns: bool,
        problems: InputProblems,
        *,
        traced: bool = True,
        beyond: str = "state-beyond-table",
    ) -> None:
        self.misses = {"above": 0, "below": 0}
        """Type of cpu_idle_miss -> number of events, for completely traced periods only."""
        self._machine = machine
        self._traced = traced
        self._beyond = beyond
        self._in_ns = in_ns
        self._problems = problems
        self._tallies: dict[int, Tally | None] = {}
        self._suspects: dict[int, Tally] = {}
        self._disagreements = 0
        self._examples: list[str] = []

    def sift(self, periods: Sequence[Period], misses: bool) -> Sequence[Period]:
        """Counts periods, and returns them without refused entries. misses: whether the trace has
        had a cpu_idle_miss, and the machine is the traced one"""
        if isinstance(periods, Periods):
            kept = self._sifted_by_core(periods, misses)
            if kept is not None:
                return kept
        idle = []
        tallies = self._tallies
        for period in periods:
            cpu, state, start_ns, end_ns, miss = period
            tally = tallies[cpu] if cpu in tallies else self._tally(cpu)
            if tally is None or state >= len(tally.usage):
                if not self._traced:
                    self._outside(cpu, state, tally)
                idle.append(period)
                continue
            residency_ns = end_ns - start_ns
            verdict = tally.add(state, residency_ns)
            if verdict != miss:
                if _disagrees(tally, state, residency_ns, verdict, miss):
                    self._disagreements += 1
                    self._exemplify(period, verdict)
                elif miss == NO_MISS and misses:
                    tally.refuse(state, residency_ns)
                    continue
                elif miss == NO_MISS:
                    self._suspect(cpu, tally).add(state, residency_ns)
            if miss:
                self._note(miss)
            idle.append(period)
        return idle

    def _sifted_by_core(self, periods: Periods, misses: bool) -> Periods | None:
        """Does the work of sift(); returns None, and counts none, where a period is beyond the
        table of a machine that is not the traced one: then the reference does it."""
        disagreements = above = below = 0
        counted = []
        refused: list[tuple[int, bytes]] = []
        for cpu, packed in periods.by_cpu:
            tally = self._tallies[cpu] if cpu in self._tallies else self._tally(cpu)
            if tally is None:
                if not self._traced:
                    return None
                continue
            counters, suspects = tally.empty_counters(), tally.empty_counters()
            marks = bytearray(len(packed) // PERIOD.size if misses else 0)
            disagree, own_above, own_below, suspected, beyond = compiled.observe(
                tally.thresholds, tally.exits_ns, tally.in_ns, packed, counters, suspects, marks
            )
            if beyond and not self._traced:
                return None
            if suspected and misses:
                refused.append((cpu, bytes(marks)))
                suspected = 0
            disagreements += disagree
            above += own_above
            below += own_below
            counted.append((cpu, tally, counters, suspects if suspected else None))
        if disagreements:
            self._find_examples(periods)
        self._disagreements += disagreements
        self.misses["above"] += above
        self.misses["below"] += below
        for cpu, tally, counters, suspects_of in counted:
            tally.absorb(counters)
            if suspects_of is not None:
                self._suspect(cpu, tally).absorb(suspects_of)
        return Periods(compiled.without(periods.packed, refused)) if refused else periods

    def add(self, row: RecordedDecision) -> None:
        """Counts a decision of an exact recording."""
        tally = self._tally(row.cpu)
        if tally is None or row.state >= len(tally.usage):
            self._outside(row.cpu, row.state, tally, row.line)
        elif row.outcome.rejected:
            tally.rejected[row.state] += 1
        else:
            tally.add(row.state, row.outcome.residency_ns)

    def count(self, part: CpuChunk, notes: Notes) -> None:
        """Counts decisions of an exact recording by the compiled core; see add()."""
        tally = self._tally(part.cpu)
        name = self._machine.name
        if tally is None:
            for line in part.lines[:EXAMPLES]:
                message = f"CPU {part.cpu}: no table of {name}"
                notes.add(line, "cpu-without-table", message)
            notes.more("cpu-without-table", max(0, len(part) - EXAMPLES))
            return
        outside, first = tally.count(part.rows, part.decided)
        for index in first:
            message = self._beyond_table(part.cpu, part.decided[2 * index], tally)
            notes.add(part.lines[index], self._beyond, message)
        notes.more(self._beyond, outside - len(first))

    def finish(self, misses: bool) -> dict[int, Figures]:
        """Returns CPU -> counters. misses: as in sift(), for the whole trace."""
        if misses:
            for cpu, suspects in self._suspects.items():
                tally = self._tallies[cpu]
                assert tally is not None
                tally.withdraw(suspects)
            for message in self._examples:
                self._problems.add("miss-disagrees", message)
            if self._disagreements > len(self._examples):
                more = self._disagreements - len(self._examples)
                self._problems.add("miss-disagrees", "", count=more)
        figures = {}
        for cpu, counted in sorted(self._tallies.items()):
            if counted is None:
                continue
            figures[cpu] = counted.figures()
            refused = sum(counted.rejected)
            if refused:
                self._problems.add("rejected", f"CPU {cpu}: {refused}", count=refused)
        return figures

    def _tally(self, cpu: int) -> Tally | None:
        try:
            return self._tallies[cpu]
        except KeyError:
            table = self._machine.table(cpu)
            tally = None if table is None else Tally(table, self._in_ns)
            self._tallies[cpu] = tally
            return tally

    def _outside(self, cpu: int, state: int, tally: Tally | None, line: int | None = None) -> None:
        """Reports a period of a CPU without table, or of a state beyond its table."""
        name = self._machine.name
        if tally is None:
            self._problems.add("cpu-without-table", f"CPU {cpu}: no table of {name}", line)
        else:
            self._problems.add(self._beyond, self._beyond_table(cpu, state, tally), line)

    def _beyond_table(self, cpu: int, state: int, tally: Tally) -> str:
        last, name = len(tally.usage) - 1, self._machine.name
        return f"CPU {cpu}: expected states 0 to {last} of {name}, found {state}"

    def _suspect(self, cpu: int, tally: Tally) -> Tally:
        """Returns the CPU's tally of entries that were refused if a cpu_idle_miss appears later."""
        if cpu not in self._suspects:
            self._suspects[cpu] = Tally(tally.table, self._in_ns)
        return self._suspects[cpu]

    def _note(self, miss: int) -> None:
        if miss != UNKNOWN:
            self.misses["above" if miss == ABOVE else "below"] += 1

    def _find_examples(self, periods: Sequence[Period]) -> None:
        """Keeps the first periods that disagree with their cpu_idle_miss."""
        judges: dict[int, Tally] = {}
        for period in periods:
            if len(self._examples) >= EXAMPLES:
                return
            cpu, state, start_ns, end_ns, miss = period
            tally = self._tallies[cpu]
            if tally is None or state >= len(tally.usage):
                continue
            judge = judges.setdefault(cpu, Tally(tally.table, self._in_ns))
            verdict = judge.add(state, end_ns - start_ns)
            if verdict != miss and _disagrees(tally, state, end_ns - start_ns, verdict, miss):
                self._exemplify(period, verdict)

    def _exemplify(self, period: Period, verdict: int) -> None:
        if len(self._examples) < EXAMPLES:
            cpu, state, start_ns, end_ns, miss = period
            words = ("neither", "above", "below")
            self._examples.append(
                f"CPU {cpu}, state {state}, {end_ns - start_ns} ns until {seconds(end_ns)}: "
                f"by the table {words[verdict]}, by the trace {words[miss]}"
            )


def _disagrees(tally: Tally, state: int, residency_ns: int, verdict: int, miss: int) -> bool:
    """Tells whether table and trace differ over a period, for which they say other things: not if
    its cpu_idle_miss may be lost, or the driver may have refused the entry."""
    if miss == NO_MISS and verdict == ABOVE:
        return residency_ns >= tally.table.states[state].exit_ns
    return miss != UNKNOWN
