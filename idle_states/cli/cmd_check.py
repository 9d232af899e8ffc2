"""Checks tables against all rules. Without TABLE: all current revisions."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..findings import Finding
    from ..sources import Source

SUMMARY = "check tables against the rules"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_format, add_kernels, add_platform

    parser.add_argument("tables", metavar="TABLE", nargs="*", help="revision or file")
    add_kernels(parser, "the long-term releases, the newest, and two of Debian's")
    add_platform(parser)
    parser.add_argument(
        "--engine",
        choices=("native", "dtschema", "all"),
        default="native",
        help="rules of this tool, the dt-schema binding, or both (default: native)",
    )
    parser.add_argument(
        "--select",
        metavar="RULES",
        action="append",
        default=[],
        help="only these rules, by code or its beginning: IS203,IS4",
    )
    parser.add_argument(
        "--ignore", metavar="RULES", action="append", default=[], help="not these rules"
    )
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "note"),
        default="error",
        help="exit 1 if there are findings as bad as this (default: error)",
    )
    parser.add_argument("--notes", action="store_true", help="show notes too")
    parser.add_argument(
        "--suppressed", action="store_true", help="show suppressed findings with their reasons"
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..compare.check import check
    from ..findings import Severity, sort_findings, worst
    from ..linux.releases import DEFAULT
    from ..report.json_output import envelope, findings_body
    from ..sources import read_sources
    from ..spec.library import current
    from .options import emit, kernels, platform, selection

    releases = kernels(arguments, DEFAULT)
    machine = platform(arguments)
    chosen = selection(arguments)
    sources = [source for text in arguments.tables or current() for source in read_sources(text)]
    findings = []
    if arguments.engine != "dtschema":
        findings += check(sources, releases, machine, chosen)
    if arguments.engine != "native":
        from ..compare.dtschema_engine import check as check_with_dtschema

        findings += check_with_dtschema(sources, machine, chosen)
        findings = sort_findings(dict.fromkeys(findings))
    if arguments.format == "json":
        inputs = [(source.file, source.sha256) for source in sources]
        emit(arguments, envelope("check", findings_body(findings), inputs))
    else:
        emit(arguments, _text(arguments, findings, sources, len(releases)))
    worst_found = worst(findings)
    limit = Severity[arguments.fail_on.upper()]
    return int(worst_found is not None and worst_found >= limit)


def _text(
    arguments: argparse.Namespace,
    findings: "list[Finding]",
    sources: "list[Source]",
    kernel_count: int,
) -> str:
    from ..report.findings_text import render, summary
    from ..report.style import Style, plural

    style = Style(False) if arguments.output else Style.of()
    texts = {file: text for source in sources for file, text in source.texts.items()}
    notes = arguments.notes or arguments.fail_on == "note"
    body = render(findings, texts, style, notes=notes, suppressed=arguments.suppressed)
    what = f"{plural(len(sources), 'table')}, {plural(kernel_count, 'kernel')}"
    line = summary(findings, what, style, notes=notes)
    return f"{body}{chr(10) if body else ''}{line}\n"
