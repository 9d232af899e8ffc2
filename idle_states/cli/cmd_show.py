"""Shows a table stage by stage: its rows, what firmware exports on a platform, what Linux
registers, and a reason for every state that is lost or changed on the way.

SAVES is twice the latency divided by the residency: of the power that a state saves, the share that
the state before does not save already, if the residency is its break-even (docs/thresholds.md)."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import TABLE_HELP, add_format, add_kernels, add_platform

    parser.add_argument("table", metavar="TABLE", nargs="?", help=TABLE_HELP)
    add_kernels(parser, "the newest")
    add_platform(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..linux.releases import NEWEST
    from ..pipeline import followed, journey
    from ..report import show_text
    from ..report.documents.show import Show
    from ..report.json_output import envelope
    from ..sources import read_table
    from .options import kernels, output, platform, say, table_or_machine

    out = output(arguments)
    source = read_table(table_or_machine(arguments))
    machine, releases = platform(arguments), kernels(arguments, [NEWEST])
    if source.table is not None:
        releases = list(followed(source.table, machine, releases, say))
    way = journey(source, machine, releases)
    if out.format == "json":
        out.document(envelope("show", Show, way, [(source.file, source.sha256)]))
    else:
        out.text(show_text.render(way, out.style))
    return 0
