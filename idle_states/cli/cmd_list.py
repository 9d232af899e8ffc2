"""Lists the packaged tables: current revisions, and historical ones named REVISION@COMMIT; then the
packaged machines of Arm and RISC-V.

A broken spec is named on standard error; the others are listed all the same.
"""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_format

    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..findings import Rejected
    from ..forms import With
    from ..report.documents.list import List
    from ..report.json_output import envelope
    from ..spec.library import find, find_machine
    from ..spec.packaged import machines, revisions
    from ..table import Firmware
    from .failures import report
    from .options import output
    from .status import CLEAN

    out = output(arguments)
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
        out.document(envelope("list", List, tables))
        return status
    from ..report.tables import columns

    rows = [(table.name, str(len(table.states)), table.title) for table in tables]
    out.text(columns(("TABLE", "STATES", "WHAT IT IS"), rows))
    return status
