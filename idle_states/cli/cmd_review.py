"""Reviews a change before it is merged: reads a git repository at both ends of BASE..HEAD and
reports what lies between. Without a range: the last commit. BASE...HEAD is what HEAD brings since
the two parted.

setup.cfg is read as the commits have it, not from the current folder, unless --config names one;
suppressions that the change adds are listed, and do not hide what the change itself brings.

The repository is skiboot, or with --specs one of specs; bare ones will do. Nothing is checked out.
Exits 1 if the change brings findings at or above --fail-on."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..review.request import ReviewRequest

SUMMARY = "review what commits bring to the tables of a repository"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .findings_options import add_accepted, add_report, add_rules
    from .options import add_kernels, add_platform

    parser.add_argument("range", metavar="BASE..HEAD", nargs="?", help="default: the last commit")
    parser.add_argument("--tree", metavar="DIR", required=True, help="the git repository")
    parser.add_argument("--specs", action="store_true", help="its tables are specs, not C")
    parser.add_argument("--per-commit", action="store_true", help="each commit by itself")
    add_kernels(parser, "the long-term releases, the newest, and two of Debian's")
    add_platform(parser)
    parser.add_argument(
        "--governor",
        choices=("menu", "teo", "ladder"),
        default="menu",
        help="whose selection is compared (default: menu)",
    )
    parser.add_argument("--hz", metavar="N", type=int, default=250, help="HZ (default: 250)")
    add_rules(parser)
    add_accepted(parser)
    add_report(parser)


def request(arguments: argparse.Namespace) -> "ReviewRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from pathlib import Path

    from ..review.request import ReviewRequest
    from .findings_options import acceptance, criteria

    return ReviewRequest(
        tree=Path(arguments.tree),
        range=arguments.range,
        criteria=criteria(arguments),
        specs=arguments.specs,
        per_commit=arguments.per_commit,
        governor=arguments.governor,
        hz=arguments.hz,
        acceptance=acceptance(arguments),
    )


def run(arguments: argparse.Namespace) -> int:
    from ..report import review_text
    from ..report.documents.review import Review, compared
    from ..report.formats import render
    from ..report.json_output import envelope
    from ..review.request import reviewed
    from .findings_options import shown
    from .options import note_missing_core, output, say

    out, show = output(arguments), shown(arguments)
    asked = request(arguments)
    if asked.governor:
        note_missing_core()
    found = reviewed(asked, say)
    inputs = compared(found)
    if out.format == "text":
        out.text(review_text.render(found, notes=show.notes, suppressed=show.suppressed))
    elif out.format == "json":
        out.document(envelope("review", Review, found, inputs, asked.criteria.kernels))
    else:
        findings = show.annotated(out.format, found.new)
        out.document(render(out.format, "review", findings, inputs, found.texts))
    return show.status_of(found.new)
