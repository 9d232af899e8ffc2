"""Compares two tables by meaning, stage by stage: rows, what firmware exports, what Linux
registers, with --governor what is selected. Two machines of Arm or RISC-V, as trees or specs, are
compared as a whole: state nodes, CPUs, power domains; FILE:CPU names one CPU's list. Exits 1 if
they differ."""

import argparse
from pathlib import PurePath


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_format, add_hz, add_kernels, add_platform

    parser.add_argument("a", metavar="A", help="revision or file")
    parser.add_argument("b", metavar="B", help="revision or file")
    add_kernels(parser, "the newest")
    add_platform(parser)
    parser.add_argument(
        "--governor", help="compare too what this governor selects: menu, teo or ladder"
    )
    add_hz(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..diff import diff, diff_machines
    from ..findings import UsageError
    from ..forms import With
    from ..linux.governors import not_utilised
    from ..linux.grounds import remarks
    from ..linux.platforms import subsystem_of
    from ..linux.releases import NEWEST
    from ..pipeline import followed
    from ..reading.opening import STANDARD_INPUT
    from ..report.documents.diff import Diff
    from ..report.escapes.text import printable
    from ..report.json_output import envelope
    from ..report.tables import columns
    from ..sources import one_table, read_sources
    from ..sources.machines import is_whole_machine
    from .missing_core import note_missing_core
    from .options import kernels, output, platform, say

    out = output(arguments)
    if arguments.a == arguments.b == STANDARD_INPUT:
        raise UsageError("expected standard input once")
    if arguments.governor:
        note_missing_core()
    all_a, all_b = read_sources(arguments.a), read_sources(arguments.b)
    machines = is_whole_machine(all_a) and is_whole_machine(all_b)
    if not machines:
        all_a, all_b = [one_table(all_a, arguments.a)], [one_table(all_b, arguments.b)]
    a, b = all_a[0], all_b[0]
    operands = (arguments.a, arguments.b)
    names = (a.name, b.name)
    releases = kernels(arguments, [NEWEST], arguments.governor)
    machine = platform(arguments)
    for source in (a, b):
        if source.table is not None:
            releases = list(followed(source.table, machine, releases, say))
    if machines:
        differences = diff_machines(
            all_a, all_b, releases, machine, arguments.governor, arguments.hz
        )
    else:
        differences = diff(a, b, releases, machine, arguments.governor, arguments.hz)
    inputs = [(s.file, s.sha256) for s in (a, b)]
    drivers = dict.fromkeys(subsystem_of(s.table, machine) for s in (a, b) if s.table)
    known = remarks(releases, *drivers, *([arguments.governor] if arguments.governor else []))
    assumptions = not_utilised(arguments.governor, releases) if arguments.governor else ()
    rests = "".join(f"{line}\n" for line in (*assumptions, *known))
    if out.format == "json":
        body = With(None, differences=differences, assumptions=assumptions)
        out.document(envelope("diff", Diff, body, inputs, releases))
    elif differences:
        rows = [(d.stage, d.path, d.a, d.b) for d in differences]
        short = [PurePath(name).stem for name in operands] if machines else names
        heads = tuple(name.upper() for name in short) if short[0] != short[1] else operands
        out.text(columns(("STAGE", "WHAT", *heads), rows) + rests)
    else:
        told = operands if machines or a.name == b.name else names
        both = printable(f"{told[0]} and {told[1]}")
        out.text(f"{both} are equal at every stage\n{rests}")
    return int(bool(differences))
