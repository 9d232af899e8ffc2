"""The beginning of a trace as a time line: what its CPUs entered, and what models select."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.reading.problems import InputProblems
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.html.shares import legend
from ...base.report.sheet import NO_NUMBERS, Drawing, Picture, Rows
from ..traces.periods import Period
from .counters import Tally
from .machine import CpuTable, TracedMachine
from .replay import TURN_NS, Asked, ReplayModel

PERIODS, _CPUS, _PIECES = 120, 4, 400
"""Idle periods that are kept; CPUs that are shown, and pieces of one CPU by one model."""
Piece = tuple[int, int, int]
"""(state, start, end), in ns."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first idle periods, the machine they were traced on, and the models to run them by."""

    periods: Sequence[Period]
    traced: TracedMachine
    asked: Sequence[Asked]


class _Noting(Tally):
    """Counts, and notes what it counts."""

    def __init__(self, table: CpuTable, in_ns: bool) -> None:
        super().__init__(table, in_ns)
        self.noted: list[tuple[int, int]] = []

    def add(self, state: int, residency_ns: int) -> int:
        self.noted.append((state, residency_ns))
        return super().add(state, residency_ns)


class _NotingModel(ReplayModel):
    counts = _Noting

    def pieces(self, periods: Sequence[Period]) -> Iterator[tuple[Piece, ...]]:
        """Yields what is selected in each of one CPU's periods, until there is enough."""
        seen = 0
        for period in periods:
            found: list[Piece] = []
            self.add([period])
            tally, now_ns = self._tallies.get(period[0]), period[2]
            for state, residency_ns in tally.noted[seen:] if isinstance(tally, _Noting) else ():
                found.append((state, now_ns, now_ns + residency_ns))
                now_ns += residency_ns + TURN_NS
            seen += len(found)
            yield (*found,)
            if seen >= _PIECES:
                break


def time_line(found: Beginning) -> Picture:
    """Returns the time line of the CPUs with most of the periods."""
    most = Counter(period[0] for period in found.periods).most_common(_CPUS)
    zero_ns = min(period[2] for period in found.periods)
    rows: list[BandRow] = []
    table: list[tuple[str, ...]] = []
    named: list[tuple[str, Iterable[tuple[int, str]]]] = []
    for cpu in sorted(cpu for cpu, _ in most):
        own = [period for period in found.periods if period[0] == cpu]
        entered: list[tuple[Piece, ...]] = [((s, start, end),) for _, s, start, end, _ in own]
        lines = [("entered", found.traced, entered)]
        for machine, settings in found.asked:
            model = _NotingModel(machine, settings, InputProblems())
            lines.append((machine.name, machine, [*model.pieces(own)]))
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
            cells = (column[at] if at < len(column) else "-" for column in columns)
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

    head = ("CPU", "Start", "Length", "Entered", *(machine.name for machine, _ in found.asked))
    return Picture(draw, Rows(head, tuple(table), caption, NO_NUMBERS))


def _band(label: str, names: Mapping[int, str], piece: Piece, zero_ns: int) -> Band:
    state, start_ns, end_ns = piece
    name = names.get(state, f"state {state}")
    since = (start_ns - zero_ns) / 1e6
    tip = f"{label}: {since:.6g} ms, for {svg.time(end_ns - start_ns)}: {name}"
    series = (state,) if state in names else ()
    return Band(since, (end_ns - zero_ns) / 1e6, series, str(state), f"{state} {name}", tip)
