"""Compares two tables by meaning, stage by stage: rows, what firmware exports, what Linux
registers, and with --governor what is selected. Two Arm or RISC-V machines, as trees or specs, are
compared as a whole: state nodes, CPUs, power domains; FILE:CPU names one CPU's list. Exits 1 if
they differ."""

from pathlib import PurePath

from ..base.dataclass import dataclass
from ..base.options import Annotated
from ..tables.diff.request import DiffRequest
from .output import NO_PAGE, USUAL, Output


@dataclass(frozen=True, slots=True)
class DiffCommand:
    """Options of `diff`."""

    request: DiffRequest
    out: Annotated[Output, NO_PAGE] = USUAL


def run(given: DiffCommand) -> int:
    from ..base.report.escapes.text import printable
    from ..base.report.tables import columns
    from ..tables.diff.answer import diff
    from .missing_core import note_missing_core
    from .values import say

    out, request = given.out, given.request
    if request.governor:
        note_missing_core()
    found = diff(request, say)
    operands, names = (request.a, request.b), (found.a.name, found.b.name)
    rests = "".join(f"{line}\n" for line in (*found.assumptions, *found.remarks))
    if out.format == "json":
        from ..tables.diff.diff_document import Diff
        from ..tables.documents.json_output import envelope

        inputs = [(s.file, s.sha256) for s in (found.a, found.b)]
        out.document(envelope("diff", Diff, found, inputs, found.kernels))
    elif found.differences:
        rows = [(d.stage, d.path, d.a, d.b) for d in found.differences]
        short = [PurePath(name).stem for name in operands] if found.machines else names
        heads = tuple(name.upper() for name in short) if short[0] != short[1] else operands
        out.text(columns(("STAGE", "WHAT", *heads), rows) + rests)
    else:
        shown = operands if found.machines or names[0] == names[1] else names
        both = printable(f"{shown[0]} and {shown[1]}")
        out.text(f"{both} are equal at every stage\n{rests}")
    return int(bool(found.differences))
