"""A table as a Markdown page, for a wiki or a merge request."""

from typing import Any

from ...base.dataclass import replace
from ...base.model.table import IdleState, IdleTable, Register, flag_names
from ...base.model.units import format_time
from ...base.report.escapes.markdown import inline, lines
from ...base.resources import template


def render(table: IdleTable) -> str:
    notes = [
        f"{inline(state.name)}: {lines(text)}"
        for state in table.states
        for text in (state.note, state.reason)
        if text
    ]
    rows = [_row(state, table.register) for state in table.states]
    shown = replace(
        table,
        name=inline(table.name),
        title=lines(table.title),
        note=lines(table.note),
    )
    return template("table.md.j2").render(
        table=shown, register=str(table.register).upper(), rows=rows, notes=notes
    )


def _row(state: IdleState, register: Register) -> dict[str, Any]:
    residency = "none" if state.residency_ns is None else format_time(state.residency_ns)
    control = str(state.psscr) if register is Register.PSSCR else f"{state.control:#x}"
    return {
        "name": inline(state.name),
        "latency": format_time(state.latency_ns),
        "residency": residency,
        "flags": " ".join(flag_names(state.flags)) or "none",
        "control": control,
        "mask": f"{state.mask:#x}",
        "scope": inline(state.scope or ""),
        "cpuidle": "yes" if state.cpuidle else "no",
    }
