"""Holds recorded decisions of a real governor against the model's.

VECTORS is a recording with every input (CSV or JSON lines, see idle-states record): the model gets
the same inputs and the same outcomes, and must decide the same. Of a converted recording the head
says kernel, governor, HZ and states; what is given here wins, and where it differs, that is said.
Where few decisions agree, packaged tables, kernels, HZ and governors are tried on the recording's
beginning, and what fits is named.

Exits 1 on any disagreement, and prints the first with all inputs and intermediate values; exits 1,
too, if nothing was judged. Exits 3, naming line and columns, if VECTORS is no such recording."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..replay.conform import ConformRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .governor_options import add_governor
    from .options import add_format

    parser.add_argument("vectors", metavar="VECTORS", help="a recording, - for standard input")
    parser.add_argument("--table", metavar="TABLE", help="revision or file")
    add_governor(parser, recorded=True)
    parser.add_argument(
        "--disabled",
        metavar="N,...",
        help="states that were switched off (default: the recording's)",
    )
    parser.add_argument(
        "--skip",
        metavar="N",
        type=int,
        help="do not judge the first N decisions of each CPU: the recording began in the middle "
        "(default: the recording's, else 0)",
    )
    add_format(parser)


def request(arguments: argparse.Namespace) -> "ConformRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from ..linux.governors.given import NamedGovernor
    from ..replay.conform import ConformRequest
    from .governor_options import given
    from .options import kernel, platform, state_numbers

    off = arguments.disabled
    return ConformRequest(
        vectors=arguments.vectors,
        of=NamedGovernor(
            arguments.governor,
            arguments.hz,
            arguments.table,
            given(arguments),
            platform(arguments),
        ),
        release=kernel(arguments) if arguments.kernel else None,
        disabled=None if off is None else frozenset(state_numbers(off)),
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
    from .missing_core import note_missing_core, of_conform
    from .options import output, say

    asked, out = request(arguments), output(arguments)
    note_missing_core(lambda: of_conform(asked))
    result, inputs = conform_to(asked, say)
    by = result.basis
    if out.format == "json":
        body = With(result, known=Kernel(by.release, by.governor))
        out.document(envelope("conform", Conform, body, inputs))
    else:
        out.text(conform_output.text(result, out.style, remarks([by.release], by.governor)))
    return int(result.first is not None or not result.judged)
