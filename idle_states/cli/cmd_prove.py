"""Shows for each state of a table a witness: idle periods of one CPU, from boot on, after which the
governor selects it; or why no idle periods whatever can lead there.

A witness says of each idle period when the next timer is due, when an interrupt wakes the CPU, and
whether the tick is stopped; then what the governor selects and how long the CPU idles. It is
replayed on the governor's model before it is shown. A latency limit holds only where one is given,
and states stay switched on or off as the driver registers them.

Exits 1 if there is a state that is not switched off and has no witness."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..prove.request import ProveRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .governor_options import add_governor
    from .options import TABLE_HELP, add_format

    parser.add_argument("table", metavar="TABLE", nargs="?", help=TABLE_HELP)
    add_governor(parser, haltpoll=True)
    parser.add_argument(
        "--latency-limit", metavar="US", type=int, help="PM QoS latency limit in us (default: none)"
    )
    parser.add_argument(
        "--wake",
        metavar="NS",
        type=int,
        default=0,
        help="what waking adds to the measured idle (default: 0)",
    )
    parser.add_argument(
        "--periods",
        action="store_true",
        help="try which equal idle periods keep each state, and how long a change of them takes",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="have each proof checked by z3, from a second description of the governor (needs "
        "the package z3-solver)",
    )
    add_format(parser)


def request(arguments: argparse.Namespace) -> "ProveRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from ..linux.idle_loop import NO_LIMIT_US
    from ..prove.request import ProveRequest
    from .governor_options import governor
    from .options import kernel

    limit = arguments.latency_limit
    return ProveRequest(
        governor(arguments, arguments.table),
        kernel(arguments),
        NO_LIMIT_US if limit is None else limit,
        arguments.wake,
        arguments.check,
        arguments.periods,
    )


def run(arguments: argparse.Namespace) -> int:
    from ..forms import With
    from ..prove.request import prove
    from ..report import prove_text
    from ..report.documents.known import Kernel
    from ..report.documents.prove import Prove
    from ..report.json_output import envelope
    from ..sources import read_table
    from .options import output, say

    asked, out = request(arguments), output(arguments)
    found = prove(asked, say)
    if out.format == "json":
        table = asked.of.table
        source = None if table is None else read_table(table)
        inputs = [] if source is None else [(source.file, source.sha256)]
        body = With(found, known=Kernel(asked.release, asked.of.governor))
        out.document(envelope("prove", Prove, body, inputs))
    else:
        out.text(prove_text.text(found, out.style))
    return int(not found.all_selected)
