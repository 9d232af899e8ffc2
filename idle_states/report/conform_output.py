"""conform, for people and for programs."""

from dataclasses import fields
from typing import Any

from ..linux.governors import Outcome, Situation
from ..replay.conform import Conformity, Disagreement
from ..wording import plural
from .style import Style


def text(result: Conformity, what: str, style: Style) -> str:
    kind, verdict = "good", "agree"
    if result.first is not None:
        kind, verdict = "error", "do not all agree"
    elif not result.judged:
        kind, verdict = "error", "none judged"
    share = f" ({100 * result.agree / result.judged:.2f} %)" if result.judged else ""
    skipped = f"; {result.skipped} skipped" if result.skipped else ""
    lines = [
        f"{what}: {result.agree} of {plural(result.judged, 'decision')} agree{share}: "
        f"{style(kind, verdict)}{skipped}"
    ]
    if result.first is not None:
        lines += ["", *_disagreement(result.first, style)]
    return "\n".join(lines) + "\n"


def _disagreement(first: Disagreement, style: Style) -> list[str]:
    row, decision = first.row, first.decision
    lines = [
        style(
            "strong", f"First disagreement: decision {first.number}, line {row.line}, CPU {row.cpu}"
        ),
        f"  recorded: state {row.state}, stop_tick {int(row.stop_tick)}",
        f"  model:    state {decision.state}, stop_tick {int(decision.stop_tick)}",
        "  inputs",
    ]
    lines += [f"    {name} = {value}" for name, value in _values(row.situation).items()]
    lines.append("  the model's intermediate values")
    lines += [f"    {name} = {value}" for name, value in decision.why.items()]
    lines.append("  what became of it")
    lines += [f"    {name} = {value}" for name, value in _values(row.outcome).items()]
    return lines


def body(result: Conformity) -> dict[str, Any]:
    first = result.first
    return {
        "decisions": result.judged,
        "skipped": result.skipped,
        "agree": result.agree,
        "first_disagreement": None
        if first is None
        else {
            "number": first.number,
            "line": first.row.line,
            "cpu": first.row.cpu,
            "recorded": {"state": first.row.state, "stop_tick": first.row.stop_tick},
            "model": {"state": first.decision.state, "stop_tick": first.decision.stop_tick},
            "inputs": _values(first.row.situation),
            "intermediate": {name: _plain(value) for name, value in first.decision.why.items()},
            "outcome": _values(first.row.outcome),
        },
    }


def _values(record: Situation | Outcome) -> dict[str, Any]:
    return {field.name: _plain(getattr(record, field.name)) for field in fields(record)}


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value
