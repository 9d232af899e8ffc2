"""The beginning of a trace as a time line: what its CPUs entered, and what models select."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from ...base.reading.inputs import Input
from ...base.reading.problems import InputProblems
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.html.shares import legend
from ...base.report.sheet import NO_NUMBERS, Drawing, Picture, Rows
from ...tables.linux.governors.interface import U64_MAX
from ..traces import recording
from ..traces.periods import NO_MISS, Period
from ..traces.recording import RecordedDecision
from .machine import TracedMachine
from .replay import Case, Note, ReplayModel, Settings
from .timeline import TimeLine

PERIODS, _CPUS, _PIECES = 120, 4, 400
"""Idle periods that are kept; CPUs that are shown, and pieces of one CPU by one model."""
Piece = tuple[int, int, int]
"""(state, start, end), in ns."""


class Beginning:
    """The first idle periods of a replay, and what models make of them.

    line    takes all periods, if there is one
    cases   models to run them by; () where they were followed as they ran
    source  of a recording, whose rows take the place of idle periods
    """

    def __init__(
        self,
        traced: TracedMachine,
        line: TimeLine | None = None,
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


def time_line(found: Beginning) -> Iterator[Picture]:
    """Yields the time line of the CPUs with most of the periods, if there are any."""
    found.run()
    if not found.periods:
        return
    most = Counter(period[0] for period in found.periods).most_common(_CPUS)
    zero_ns = min(period[2] for period in found.periods)
    rows: list[BandRow] = []
    table: list[tuple[str, ...]] = []
    named: list[tuple[str, Iterable[tuple[int, str]]]] = []
    for cpu in sorted(cpu for cpu, _ in most):
        own = [period for period in found.periods if period[0] == cpu]
        lines = [("entered", found.traced, [[(s, start, end)] for _, s, start, end, _ in own])]
        starts = [start for _, _, start, _, _ in own]
        for machine, periods in found.models:
            groups: list[list[Piece]] = [[] for _ in own]
            for number, state, start, end, _ in periods:
                if number == cpu and (at := bisect_right(starts, start)):
                    groups[at - 1].append((state, start, end))
            lines.append((machine.name, machine, groups))
        columns = []
        for what, machine, groups in lines:
            states = machine.table(cpu)
            names = dict(enumerate(states.names if states else ()))
            label = f"CPU {cpu}: {what}"
            some = (_band(label, names, each, zero_ns) for pieces in groups for each in pieces)
            rows.append(BandRow(label, (*some,)))
            named.append((machine.name, names.items()))
            columns.append([" ".join(names.get(n, str(n)) for n, *_ in each) for each in groups])
        for at, (_, _, start, end, _) in enumerate(own):
            cells = (column[at] or "-" for column in columns)
            since = f"{(start - zero_ns) / 1e6:.6g} ms"
            table.append((f"CPU {cpu}", since, svg.time(end - start), *cells))
    caption = f"The first {len(found.periods)} idle periods: states entered, and selected"

    def draw() -> Drawing:
        drawn = pictures.bands(
            caption,
            "For each CPU a row of the states it entered and a row for each model, along time.",
            rows,
            svg.linear(0, max(b.last for row in rows for b in row.bands), "ms from the first on"),
        )
        drawn.set("data-zooms", "")
        return Drawing(drawn, legend(named))

    head = ("CPU", "Start", "Length", "Entered", *(machine.name for machine, _ in found.models))
    yield Picture(draw, Rows(head, tuple(table), caption, NO_NUMBERS))


def _band(label: str, names: Mapping[int, str], piece: Piece, zero_ns: int) -> Band:
    state, start_ns, end_ns = piece
    name = names.get(state, f"state {state}")
    since = (start_ns - zero_ns) / 1e6
    tip = f"{label}: {since:.6g} ms, for {svg.time(end_ns - start_ns)}: {name}"
    series = (state,) if state in names else ()
    return Band(since, (end_ns - zero_ns) / 1e6, series, str(state), f"{state} {name}", tip)
