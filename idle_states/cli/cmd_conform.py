"""Holds recorded decisions of a real governor against the model's.

VECTORS is a recording with every input (CSV or JSON lines, see idle-states record): the model gets
the same inputs and the same outcomes, and must decide the same. Exits 1 on any disagreement, and
prints the first with all inputs and intermediate values; exits 1, too, if nothing was judged. Exits
3, naming line and columns, if VECTORS is no such recording."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..replay.conform import ConformRequest

SUMMARY = "hold recorded decisions against a governor's model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .governor_options import add_governor
    from .options import add_format

    parser.add_argument("vectors", metavar="VECTORS", help="a recording, - for standard input")
    parser.add_argument("--table", metavar="TABLE", help="revision or file")
    add_governor(parser)
    parser.add_argument(
        "--disabled", metavar="N,...", default="", help="states that were switched off"
    )
    parser.add_argument(
        "--skip",
        metavar="N",
        type=int,
        default=0,
        help="do not judge the first N decisions of each CPU: the recording began in the middle "
        "(default: 0)",
    )
    add_format(parser)


def request(arguments: argparse.Namespace) -> "ConformRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from ..replay.conform import ConformRequest
    from .governor_options import governor
    from .options import kernel, state_numbers

    return ConformRequest(
        vectors=arguments.vectors,
        of=governor(arguments, arguments.table),
        release=kernel(arguments),
        disabled=frozenset(state_numbers(arguments.disabled)),
        skip=arguments.skip,
    )


def run(arguments: argparse.Namespace) -> int:
    from ..forms import With
    from ..linux.grounds import remarks
    from ..replay.conform import conform_to
    from ..report import conform_output
    from ..report.documents.conform import Conform
    from ..report.documents.known import Kernel
    from ..report.json_output import envelope
    from .options import note_missing_core, output, say

    asked, out = request(arguments), output(arguments)
    note_missing_core()
    result, inputs = conform_to(asked, say)
    if out.format == "json":
        body = With(result, known=Kernel(asked.release, asked.of.governor))
        out.document(envelope("conform", Conform, body, inputs))
    else:
        what = f"{asked.of.governor} of Linux {asked.release.name}"
        known = remarks([asked.release], asked.of.governor)
        out.text(conform_output.text(result, what, out.style, known))
    return int(result.first is not None or not result.judged)
