"""conform, for people and for programs."""

from collections.abc import Sequence

from ...base.report.style import Style
from ...base.wording import plural
from ...tables.linux.governors.interface import NO_STATE
from ...tables.linux.governors.source.names import is_source
from .conform import Conformity, Disagreement
from .conform_document import values


def text(result: Conformity, style: Style, remarks: Sequence[str] = ()) -> str:
    """remarks: how well the governor and its kernel are known."""
    by = result.basis
    kind, verdict = "good", "agree"
    if result.first is not None:
        kind, verdict = "error", "do not all agree"
    elif not result.judged:
        kind, verdict = "error", "none judged"
    share = f" ({100 * result.agree / result.judged:.2f} %)" if result.judged else ""
    skipped = f"; {result.skipped} skipped" if result.skipped else ""
    decided = f"{by.governor} of Linux {by.release.name}: {result.agree}"
    lines = [
        f"{decided} of {plural(result.judged, 'decision')} agree{share}: "
        f"{style(kind, verdict)}{skipped}"
    ]
    lines += [f"  - {assumption}" for assumption in (*by.unlike, *result.assumptions, *remarks)]
    if result.suspicion is not None:
        lines.append(f"  - {result.suspicion.words}")
    if result.first is not None:
        lines += ["", *_disagreement(result.first, style, by.governor)]
    return "\n".join(lines) + "\n"


def _disagreement(first: Disagreement, style: Style, governor: str) -> list[str]:
    row, decision = first.row, first.decision
    selected = "none, default idle" if decision.state == NO_STATE else f"state {decision.state}"
    decider = "source: " if is_source(governor) else "model:  "
    lines = [
        style(
            "strong", f"First disagreement: decision {first.number}, line {row.line}, CPU {row.cpu}"
        ),
        f"  recorded: state {row.state}, stop_tick {int(row.stop_tick)}",
        f"  {decider}  {selected}, stop_tick {int(decision.stop_tick)}",
        "  inputs",
    ]
    lines += [f"    {name} = {value}" for name, value in values(row.situation).items()]
    if is_source(governor):
        lines.append(f"  no intermediate values: a model has these, {governor} only decides")
    else:
        lines.append("  the model's intermediate values")
    lines += [f"    {name} = {value}" for name, value in decision.why.items()]
    lines.append("  the outcome")
    lines += [f"    {name} = {value}" for name, value in values(row.outcome).items()]
    return lines
