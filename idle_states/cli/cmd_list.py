"""Lists the packaged tables: current revisions, and historical ones named REVISION@COMMIT."""

import argparse

SUMMARY = "list the packaged tables"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_format

    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..report.json_output import envelope
    from ..spec.library import find
    from ..spec.packaged import revisions
    from .options import emit, emit_text

    tables = [find(revision.name) for revision in revisions()]
    if arguments.format == "json":
        body = [
            {
                "name": table.name,
                "title": table.title,
                "historical": table.historical,
                "states": [state.name for state in table.states],
                "array": table.firmware.array,
                "pvr": table.cpu.pvr if table.cpu else 0,
            }
            for table in tables
        ]
        emit(arguments, envelope("list", {"tables": body}))
        return 0
    from ..report.tables import columns

    rows = [(table.name, str(len(table.states)), table.title) for table in tables]
    emit_text(arguments, columns(("TABLE", "STATES", "WHAT IT IS"), rows))
    return 0
