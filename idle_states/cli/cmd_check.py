"""Checks tables against all rules. Without TABLE: all current revisions."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..findings import Finding
    from ..linux.releases import Release
    from ..sources import Source

SUMMARY = "check tables against the rules"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_check(parser)
    from .findings_options import add_accepted, add_report

    add_accepted(parser)
    add_report(parser)


def add_check(parser: argparse.ArgumentParser) -> None:
    """What is checked, and how."""
    from .findings_options import add_rules
    from .options import add_kernels, add_platform

    parser.add_argument("tables", metavar="TABLE", nargs="*", help="revision or file")
    add_kernels(parser, "the long-term releases, the newest, and two of Debian's")
    add_platform(parser)
    parser.add_argument(
        "--engine",
        choices=("native", "dtschema", "all"),
        default="native",
        help="rules of this tool, the dt-schema binding, or both (default: native)",
    )
    add_rules(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..wording import plural
    from .findings_options import accepted, status, text
    from .options import emit, emit_text

    sources, releases, findings = found(arguments)
    texts = {file: text for source in sources for file, text in source.texts.items()}
    tables = [(source.name, source.file) for source in sources]
    findings = accepted(arguments, findings, tables, texts)
    if arguments.format == "text":
        what = f"{plural(len(sources), 'table')}, {plural(len(releases), 'kernel')}"
        emit_text(arguments, text(arguments, findings, texts, what))
    else:
        from ..report.formats import render

        inputs = [(source.file, source.sha256) for source in sources]
        emit(arguments, render(arguments.format, "check", findings, inputs, texts))
    return status(arguments, findings)


def found(
    arguments: argparse.Namespace,
) -> "tuple[list[Source], list[Release], list[Finding]]":
    """What was checked, the kernels, and the findings."""
    from ..check.check import check
    from ..findings import sort_findings
    from ..linux.releases import DEFAULT
    from ..sources import read_sources
    from ..spec.packaged import current
    from .options import kernels, platform, selection

    releases = kernels(arguments, DEFAULT)
    machine = platform(arguments)
    chosen = selection(arguments)
    sources = [source for text in arguments.tables or current() for source in read_sources(text)]
    findings = []
    if arguments.engine != "dtschema":
        findings += check(sources, releases, machine, chosen)
    if arguments.engine != "native":
        from ..check.dtschema_engine import check as check_with_dtschema

        findings += check_with_dtschema(sources, machine, chosen)
        findings = sort_findings(dict.fromkeys(findings))
    return sources, releases, findings
