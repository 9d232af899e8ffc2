"""Lists tables, processors, kernels, platforms or rules, one line each.

The tables are the packaged ones: current revisions, and historical ones named REVISION@COMMIT; then
the packaged machines of Arm and RISC-V. A platform is what --platform takes: a machine with OPAL,
or an x86 processor of intel_idle's tables.

A broken spec is reported on standard error and does not stop the list.
"""

from collections.abc import Sequence
from typing import Literal

from ..base.dataclass import dataclass
from ..base.options import Annotated, Argument
from .output import NO_PAGE, USUAL, Output


@dataclass(frozen=True, slots=True)
class ListCommand:
    """Options of `list`."""

    what: Annotated[
        Literal["tables", "processors", "kernels", "platforms", "rules"] | None,
        Argument("WHAT", "tables, processors, kernels, platforms or rules (default: tables)"),
    ] = None
    out: Annotated[Output, NO_PAGE] = USUAL


def run(given: ListCommand) -> int:
    if given.what == "kernels":
        from .cmd_kernels import series

        series(None, None, given.out)
        return 0
    kinds = {"rules": _rules, "processors": _processors, "platforms": _platforms}
    return kinds.get(given.what or "", _tables)(given.out)


def _listed(
    out: Output, form: type, value: object, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> None:
    if out.format == "json":
        from ..tables.documents.json_output import envelope

        out.document(envelope("list", form, value))
    else:
        from ..base.report.tables import columns

        out.text(columns(head, rows))


def _tables(out: Output) -> int:
    from ..base.model.findings import Rejected
    from ..base.model.forms import With
    from ..base.model.table import Firmware
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
    rows = [(table.name, str(len(table.states)), table.title) for table in tables]
    _listed(out, Tables, tables, ("TABLE", "STATES", "DESCRIPTION"), rows)
    return status


def _processors(out: Output) -> int:
    from ..tables.rules.list_document import Processors
    from ..tables.spec.registry import processors

    found = processors()
    rows = [(processor.name, processor.title) for processor in found]
    _listed(out, Processors, found, ("PROCESSOR", "DESCRIPTION"), rows)
    return 0


def _platforms(out: Output) -> int:
    from ..tables.linux.intel_idle.platform import names, short_names
    from ..tables.rules.list_document import Platforms
    from ..tables.skiboot.platform import PRESET2TITLE

    rows = [(platform.name, title) for platform, title in PRESET2TITLE.items()]
    x86 = names()
    rows += [(name, f"x86 processor that Linux names {x86[name][0]}") for name in short_names()]
    _listed(out, Platforms, rows, ("PLATFORM", "DESCRIPTION"), rows)
    return 0


def _rules(out: Output) -> int:
    from ..tables.rules.catalogue import rules
    from ..tables.rules.rules_document import Rules

    found = rules()
    rows = [
        (loaded.rule.code, loaded.rule.name, str(loaded.rule.severity), loaded.summary)
        for loaded in found
    ]
    _listed(out, Rules, found, ("RULE", "NAME", "SEVERITY", "FINDS"), rows)
    return 0
