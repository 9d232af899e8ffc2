"""The table of stages: one row a state, one column a value, or what a stage makes of the state."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...base.model.table import Flag, IdleState, IdleTable, Register
from ...base.model.units import format_time
from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.report.tables import width
from ..linux.genpd.reading import levels
from ..linux.suspend_parameter import parameters

_LOSSES = (
    (Flag.LOSE_FULL_CONTEXT, "full"),
    (Flag.LOSE_HYP_CONTEXT, "hyp"),
    (Flag.LOSE_USER_CONTEXT, "user"),
)


class StageColumn(NamedTuple):
    """A column of the table of stages. number: of numbers, which stand to the right."""

    head: str
    cells: tuple[str, ...]
    number: bool = False

    @property
    def lines(self) -> list[str]:
        """The head and the cells as lines of equal width."""
        texts = (self.head, *self.cells)
        wide = max(map(len, texts))
        return [f"{text:>{wide}}" if self.number else f"{text:<{wide}}" for text in texts]


def stage_table(table: IdleTable, style: Style, stages: Sequence[StageColumn] = ()) -> list[str]:
    """Returns the lines of a table with one row a state. Columns that do not fit beside each other
    follow below.

    stages  further columns, each with a cell for every row
    """
    columns = [column.lines for column in stage_columns(table, stages)]
    names, columns = columns[:2], columns[2:]
    lines: list[str] = []
    while columns:
        taken = [*names, columns.pop(0)]
        while columns and _wide([*taken, columns[0]]) <= width() + 2:
            taken.append(columns.pop(0))
        head, *rows = ("  ".join(parts).rstrip() for parts in zip(*taken, strict=True))
        lines += [*([""] if lines else []), style("faint", head), *rows]
    return lines


def stage_columns(table: IdleTable, stages: Sequence[StageColumn] = ()) -> list[StageColumn]:
    """Returns the columns of number, name and values, followed by `stages`."""

    def column(head: str, cell: Callable[[IdleState], str], number: bool = False) -> StageColumn:
        return StageColumn(head, tuple(cell(state) for state in table.states), number)

    columns = [
        StageColumn("#", tuple(str(i) for i in range(len(table.states))), number=True),
        column("STATE", lambda state: printable(state.name)),
        column("LATENCY", lambda state: format_time(state.latency_ns), number=True),
        column("RESIDENCY", _residency, number=True),
    ]
    if table.origin.form == "nodes" and len(set(table_levels := levels(table.origin))) > 1:
        columns.insert(2, StageColumn("LEVEL", table_levels))
    if table.origin.form == "nodes" and any(asked := parameters(table.origin)):
        cells = (f"{one.value:#x} {one.kind}" if one else "-" for one in asked)
        columns.append(StageColumn("PARAMETER", tuple(cells)))
    if table.origin.form != "nodes":
        # there a latency is entry and exit together, and says nothing of the kind
        columns.append(column("SAVES", _saving, number=True))
    if table.register is not Register.NONE:
        columns.append(column("LOSES", _losses))
        columns.append(column(str(table.register).upper(), lambda s: _control(s, table)))
    return [*columns, *stages]


def _wide(columns: Sequence[Sequence[str]]) -> int:
    return sum(len(lines[0]) + 2 for lines in columns)


def _residency(state: IdleState) -> str:
    return "none" if state.residency_ns is None else format_time(state.residency_ns)


def _saving(state: IdleState) -> str:
    """Returns which share of the saving the row implies for the state: 2/k where its residency is k
    times its latency."""
    if not state.residency_ns or not state.latency_ns or state.residency_ns < state.latency_ns:
        return "-"
    percent = 200 * state.latency_ns / state.residency_ns
    return f"{percent:.3g} %"


def _losses(state: IdleState) -> str:
    lost = [name for flag, name in _LOSSES if state.has(flag)][:1]
    if state.has(Flag.TIMEBASE_STOP):
        lost.append("timebase")
    return "+".join(lost) or "nothing"


def _control(state: IdleState, table: IdleTable) -> str:
    if table.register is Register.PMICR:
        return f"{state.control:#x}" if state.control else "-"
    fields = state.psscr
    esl = "ESL" if fields.esl else ""
    return f"RL={fields.rl} MTL={fields.mtl} {esl}".rstrip()
