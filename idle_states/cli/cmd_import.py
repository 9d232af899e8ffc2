"""Writes a table that was read from any file as a spec: flat, each value with the file and the
place it was read from. What a spec cannot say is refused, with all reasons, and nothing is
written."""

import argparse

SUMMARY = "make a spec of a table from any file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_output

    parser.add_argument("table", metavar="FILE[:NAME]", help="any file the tool can read")
    parser.add_argument(
        "--name", metavar="NAME", help="the spec's name (default: made from the file's)"
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..sources import read_table
    from ..sources.imported import imported
    from ..spec.write import write
    from .options import output

    source = read_table(arguments.table)
    output(arguments).document(write(imported(source, arguments.name)))
    return 0
