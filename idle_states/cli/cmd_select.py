"""Shows which state a kernel's governor selects in the long run, as exact ranges of idle lengths:
ended by timers or interrupts, with the tick running or stopped, under each latency limit."""

import argparse

SUMMARY = "show which state a governor selects, as exact ranges"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .governor_options import add_governor
    from .options import add_format

    parser.add_argument("table", metavar="TABLE", nargs="?", help="revision or file")
    add_governor(parser)
    parser.add_argument(
        "--latency-limit",
        metavar="US",
        type=int,
        action="append",
        default=[],
        help="PM QoS latency limit in us; may be repeated (default: none)",
    )
    parser.add_argument(
        "--wake",
        metavar="NS",
        type=int,
        default=0,
        help="what waking adds to the measured idle, to find ranges that lock in",
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..compare.selection import select
    from ..linux.governors.steady import NO_LIMIT_US
    from ..report import select_output
    from ..report.json_output import envelope
    from ..report.style import Style
    from .governor_options import states
    from .options import emit

    release, table = states(arguments, arguments.table)
    limits = arguments.latency_limit or [NO_LIMIT_US]
    selection = select(arguments.governor, release, table, arguments.hz, limits, arguments.wake)
    if arguments.format == "json":
        emit(arguments, envelope("select", select_output.body(selection)))
    else:
        style = Style(False) if arguments.output else Style.of()
        emit(arguments, select_output.text(selection, style))
    return 0
