"""Writes a table that was read from any file as a spec: flat, each value with the file and the
place it was read from. Of an Arm or RISC-V tree, or a spec of one, that is the whole machine: all
states, power domains and CPUs. What a spec cannot say is refused, with all reasons, and nothing is
written."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_output

    parser.add_argument("table", metavar="FILE[:NAME]", help="any file the tool can read")
    parser.add_argument(
        "--name", metavar="NAME", help="the spec's name (default: made from the file's)"
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..sources import one_table, read_sources
    from ..sources.imported import imported, imported_machine
    from ..sources.machines import is_machine, machine_behind
    from ..spec.write import write
    from ..spec.write_tree import write_tree
    from .options import output

    sources = read_sources(arguments.table)
    if is_machine(sources):
        machine = machine_behind(sources[0])
        text = write_tree(imported_machine(machine, sources, arguments.name))
    else:
        text = write(imported(one_table(sources, arguments.table), arguments.name))
    output(arguments).document(text)
    return 0
