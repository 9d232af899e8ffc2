"""Checks tables against all rules. Without TABLE: all current revisions."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..check.request import CheckRequest

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


def request(arguments: argparse.Namespace) -> "CheckRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from ..check.request import CheckRequest
    from .findings_options import acceptance, criteria

    return CheckRequest(
        tables=tuple(arguments.tables),
        criteria=criteria(arguments),
        engine=arguments.engine,
        acceptance=acceptance(arguments),
    )


def run(arguments: argparse.Namespace) -> int:
    from ..check.request import checked
    from ..wording import plural
    from .findings_options import shown
    from .options import output

    asked, out, show = request(arguments), output(arguments), shown(arguments)
    found = checked(asked)
    if out.format == "text":
        kernels = plural(len(asked.criteria.kernels), "kernel")
        what = f"{plural(len(found.sources), 'table')}, {kernels}"
        out.text(show.text(found.findings, found.texts, what, out.style))
    else:
        from ..report.formats import render

        out.document(render(out.format, "check", found.findings, found.inputs, found.texts))
    return show.status_of(found.findings)
