"""The table of stages: one row a state, one column a value, or what a stage makes of the state."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from ...base.model.findings import Finding
from ...base.model.table import Flag, IdleState, IdleTable, Register
from ...base.model.units import format_time
from ...base.report.sheet import Cell, Drawing, Marked, Picture, Rows

_LOSSES = (
    (Flag.LOSE_FULL_CONTEXT, "full"),
    (Flag.LOSE_HYP_CONTEXT, "hyp"),
    (Flag.LOSE_USER_CONTEXT, "user"),
)


class StageColumn(NamedTuple):
    """A column of the table of stages. number: of numbers, which stand to the right; reasons: row
    -> why it has none of the stage."""

    head: Cell
    cells: tuple[str, ...]
    number: bool = False
    reasons: Mapping[int, str] = MappingProxyType({})


def stages(
    table: IdleTable, further: Sequence[StageColumn] = (), findings: Sequence[Finding] = ()
) -> Picture:
    """Returns a table with one row a state, drawn as latencies and residencies. On pages the name
    comes first.

    further   columns beside the table's own, each with a cell for every row
    findings  marked in the drawing
    """
    listed = stage_columns(table, further)
    columns = [listed[1], listed[0], *listed[2:]]
    numbers = frozenset(i for i, column in enumerate(columns) if column.number)
    shown = Rows(*_rows(columns), "States, stage by stage", numbers, unbroken=True)
    right = frozenset(i for i, column in enumerate(listed) if column.number)
    (_, *head), rows = _rows(listed)
    text = Rows((Marked("faint", "#"), *head), rows, right=right, first="", keys=2)
    return Picture(partial(_drawing, table, findings), shown, text)


def _drawing(table: IdleTable, findings: Sequence[Finding]) -> Drawing:
    from . import drawn  # only pages have it

    return drawn.stages(table, findings)


def _rows(
    columns: Sequence[StageColumn],
) -> tuple[tuple[Cell, ...], tuple[tuple[str, ...], ...]]:
    cells = (column.cells for column in columns)
    return tuple(column.head for column in columns), tuple(zip(*cells, strict=True))


def stage_columns(table: IdleTable, further: Sequence[StageColumn] = ()) -> list[StageColumn]:
    """Returns the columns of number, name and values, followed by `further`."""

    def column(head: str, cell: Callable[[IdleState], str], number: bool = False) -> StageColumn:
        return StageColumn(head, tuple(cell(state) for state in table.states), number)

    columns = [
        StageColumn("#", tuple(str(i) for i in range(len(table.states))), number=True),
        column("State", lambda state: state.name),
        column("Latency", lambda state: format_time(state.latency_ns), number=True),
        column("Residency", _residency, number=True),
    ]
    if table.origin.form == "nodes":
        from ..linux.genpd.reading import levels
        from ..linux.suspend_parameter import parameters

        if len(set(table_levels := levels(table.origin))) > 1:
            columns.insert(2, StageColumn("Level", table_levels))
        if any(found := parameters(table.origin)):
            cells = (f"{one.value:#x} {one.kind}" if one else "-" for one in found)
            columns.append(StageColumn("Parameter", tuple(cells)))
    else:
        # there a latency is entry and exit together, and says nothing of the kind
        columns.append(column("Saves", _saving, number=True))
    if table.register is not Register.NONE:
        columns.append(column("Loses", _losses))
        columns.append(column(str(table.register).upper(), lambda s: _control(s, table)))
    return [*columns, *further]


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
