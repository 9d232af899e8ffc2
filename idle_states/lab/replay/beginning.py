"""The beginning of a trace as a time line: what its CPUs entered, and what models select."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ...base.reading.inputs import Input
from ...base.reading.problems import InputProblems
from ...tables.linux.governors.interface import U64_MAX
from ..traces import recording
from ..traces.periods import NO_MISS, Period
from ..traces.recording import RecordedDecision
from .machine import TracedMachine
from .replay import Case, Note, ReplayModel, Settings

if TYPE_CHECKING:
    from .timeline import TimeLine

PERIODS, _PIECES = 120, 400
"""Idle periods that are kept, and pieces of one CPU by one model."""


class Beginning:
    """The first idle periods of a replay, and what models make of them.

    line    takes all periods, if there is one
    cases   models to run them by; () where they were followed as they ran
    source  of a recording, whose rows take the place of idle periods
    """

    def __init__(
        self,
        traced: TracedMachine,
        line: "TimeLine | None" = None,
        cases: Sequence[Case] = (),
        source: Input | None = None,
    ) -> None:
        self.traced, self.line, self.cases, self.source = traced, line, cases, source
        self.periods: list[Period] = []
        self.models: list[tuple[TracedMachine, list[Period]]] = []

    def enter(self, periods: Sequence[Period]) -> None:
        """Takes idle periods as entered."""
        self.periods += islice(periods, max(0, PERIODS - len(self.periods)))
        if self.line is not None:
            self.line.enter(periods)

    def note(self, machine: TracedMachine, settings: Settings) -> Note:
        """Returns what takes a model's idle periods, after those that were entered."""
        kept: list[Period] = []
        self.models.append((machine, kept))
        row = None if self.line is None else self.line.model(machine, settings)
        counts: Counter[int] = Counter()
        latest = self._latest()

        def take(cpu: int, state: int, start_ns: int, end_ns: int, refused: bool) -> None:
            if row is not None:
                row(cpu, state, start_ns, end_ns, refused)
            if not refused and start_ns <= latest.get(cpu, -1) and counts[cpu] < _PIECES:
                counts[cpu] += 1
                kept.append((cpu, state, start_ns, end_ns, NO_MISS))

        return take

    def latest_ns(self, cpu: int) -> int:
        """Returns the last start of a CPU's idle periods of which a note is to be told."""
        return U64_MAX if self.line is not None else self._latest().get(cpu, -1)

    def _latest(self) -> dict[int, int]:
        """Returns of each CPU the last time at which a model's period may begin to be kept."""
        return {cpu: max(start, end - 1) for cpu, _, start, end, _ in self.periods}

    def run(self) -> None:
        """Runs the models that were not followed, for pages alone."""
        self.line = None
        rows = list[RecordedDecision]()
        if self.source is not None and self.source.repeatable:
            rows += islice(recording.rows(self.source.again()), PERIODS)
        self.periods += [
            (row.cpu, row.state, start_ns, start_ns + row.outcome.residency_ns, NO_MISS)
            for row in rows
            if not row.outcome.rejected and (start_ns := row.situation.clock_ns) >= 0
        ]
        for machine, settings in self.cases:
            model = ReplayModel(machine, settings, InputProblems())
            model.note = self.note(machine, settings)
            model.add(() if rows else self.periods)
            for row in rows:
                model.decide(row)
        self.cases, self.source = (), None
