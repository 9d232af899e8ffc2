"""Lists what there is: tables, kernels, or rules with their severity and one line each.

The tables are the packaged ones: current revisions, and historical ones named REVISION@COMMIT; then
the packaged machines of Arm and RISC-V.

A broken spec is named on standard error; the others are listed all the same.
"""

from typing import Annotated, Literal

from ..base.dataclass import dataclass
from ..base.options import Argument
from .output import NO_PAGE, USUAL, Output


@dataclass(frozen=True, slots=True)
class ListCommand:
    """Options of `list`."""

    what: Annotated[
        Literal["tables", "kernels", "rules"] | None,
        Argument("WHAT", "tables, kernels or rules (default: tables)"),
    ] = None
    out: Annotated[Output, NO_PAGE] = USUAL


def run(given: ListCommand) -> int:
    if given.what == "rules":
        return _rules(given.out)
    if given.what == "kernels":
        from .cmd_kernels import list_series

        list_series(given.out)
        return 0
    return _tables(given.out)


def _tables(out: Output) -> int:
    from ..base.model.findings import Rejected
    from ..base.model.forms import With
    from ..base.model.table import Firmware
    from ..tables.documents.json_output import envelope
    from ..tables.rules.list_document import Tables
    from ..tables.spec.library import find, find_machine
    from ..tables.spec.packaged import machines, revisions
    from .failures import report
    from .status import CLEAN

    tables: list[With] = []
    status = CLEAN
    for revision in revisions():
        try:
            tables.append(With(find(revision.name), architecture=""))
        except Rejected as broken:
            status = max(status, report(broken))
    for revision in machines():
        try:
            machine = find_machine(revision.name)
        except Rejected as broken:
            status = max(status, report(broken))
            continue
        of_none = With(machine, historical=False, firmware=Firmware(), cpu=None)
        tables.append(With(of_none, architecture=machine.architecture.name))
    if out.format == "json":
        out.document(envelope("list", Tables, tables))
        return status
    from ..base.report.tables import columns

    rows = [(table.name, str(len(table.states)), table.title) for table in tables]
    out.text(columns(("TABLE", "STATES", "WHAT IT IS"), rows))
    return status


def _rules(out: Output) -> int:
    from ..tables.documents.json_output import envelope
    from ..tables.rules.catalogue import rules
    from ..tables.rules.rules_document import Rules

    if out.format == "json":
        out.document(envelope("list", Rules, rules()))
        return 0
    from ..base.report.tables import columns

    rows = [
        (loaded.rule.code, loaded.rule.name, str(loaded.rule.severity), loaded.summary)
        for loaded in rules()
    ]
    out.text(columns(("RULE", "NAME", "SEVERITY", "WHAT IT FINDS"), rows))
    return 0
