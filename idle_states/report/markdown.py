"""A table as a Markdown page, for a wiki or a merge request."""

from dataclasses import replace
from typing import Any

from ..resources import template
from ..table import IdleState, IdleTable, Register, flag_names
from ..units import format_time
from .style import printable


def render(table: IdleTable) -> str:
    notes = [
        f"{_cell(state.name)}: {_lines(text)}"
        for state in table.states
        for text in (state.note, state.reason)
        if text
    ]
    rows = [_row(state, table.register) for state in table.states]
    shown = replace(
        table,
        name=printable(table.name),
        title=_lines(table.title),
        note=_lines(table.note),
    )
    return template("table.md.j2").render(
        table=shown, register=str(table.register).upper(), rows=rows, notes=notes
    )


def _row(state: IdleState, register: Register) -> dict[str, Any]:
    residency = "none" if state.residency_ns is None else format_time(state.residency_ns)
    control = str(state.psscr) if register is Register.PSSCR else f"{state.control:#x}"
    return {
        "name": _cell(state.name),
        "latency": format_time(state.latency_ns),
        "residency": residency,
        "flags": " ".join(flag_names(state.flags)) or "none",
        "control": control,
        "mask": f"{state.mask:#x}",
        "scope": _cell(state.scope or ""),
        "cpuidle": "yes" if state.cpuidle else "no",
    }


def _cell(text: str) -> str:
    """Text that cannot break out of a Markdown table."""
    text = text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    return printable(text)


def _lines(text: str) -> str:
    """Text without anything that a terminal would obey."""
    return "\n".join(printable(line) for line in text.split("\n"))
