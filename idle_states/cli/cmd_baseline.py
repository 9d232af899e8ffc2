"""Keeps a baseline: the findings there are today, so that check counts only new ones.

    idle-states baseline write hw/slw.c            all findings that count -> the file
    idle-states check hw/slw.c --baseline FILE     only what is not in it
    idle-states baseline prune hw/slw.c            drops what is no longer found

The file is JSON, meant to be committed. A finding is known by its rule and its logical path."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ..check.baseline import FILE
    from .cmd_check import add_check

    parser.add_argument("action", choices=("write", "prune"))
    add_check(parser)
    parser.add_argument(
        "--file", metavar="FILE", default=FILE, help=f"the baseline (default: {FILE})"
    )
    parser.add_argument("--config", metavar="FILE", help="suppressions, as for check")
    parser.set_defaults(baseline=None, platform=None)


def run(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from ..check import baseline
    from ..check.request import checked
    from ..files import write_file
    from ..report import printer
    from ..report.escapes.text import printable
    from ..wording import plural
    from .cmd_check import request

    path = Path(arguments.file)
    before = baseline.read(path) if arguments.action == "prune" else None
    findings = checked(request(arguments)).findings
    after = baseline.of(findings, arguments.file) if before is None else before.pruned(findings)
    write_file(path, after.text())
    dropped = f", {len(before.known) - len(after.known)} dropped" if before else ""
    printer.say_text(f"{printable(str(path))}: {plural(len(after.known), 'finding')}{dropped}\n")
    return 0
