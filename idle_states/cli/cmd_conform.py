"""Holds recorded decisions of a real governor against the model's.

VECTORS is a recording with every input (CSV or JSON lines, see idle-states record): the model gets
the same inputs and the same outcomes, and must decide the same. Exits 1 on any disagreement, and
prints the first with all inputs and intermediate values; exits 1, too, if nothing was judged. Exits
3, naming line and columns, if VECTORS is no such recording."""

import argparse

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


def run(arguments: argparse.Namespace) -> int:
    from ..linux.governors import Governor
    from ..reading.inputs import Input
    from ..replay.conform import conform
    from ..report import conform_output
    from ..report.documents.conform import Conform
    from ..report.json_output import envelope
    from ..report.style import Style
    from ..traces.recording import check_kind
    from .governor_options import states
    from .options import UsageError, emit, emit_text, note_missing_core, state_numbers

    release, table = states(arguments, arguments.table)
    disabled = state_numbers(arguments.disabled)
    held = len(Governor.for_kernel(arguments.governor, release, table, arguments.hz).states)
    if max(disabled, default=0) >= held:
        raise UsageError(f"expected --disabled with states 0 to {held - 1}, found {max(disabled)}")
    if arguments.skip < 0:
        raise UsageError(f"expected 0 or more decisions to skip, found {arguments.skip}")
    source = Input(arguments.vectors)
    check_kind(source)
    note_missing_core()
    result = conform(
        source,
        lambda: Governor.for_kernel(arguments.governor, release, table, arguments.hz),
        frozenset(disabled),
        arguments.skip,
        None if arguments.vectors == "-" else lambda: Input(arguments.vectors),
    )
    if arguments.format == "json":
        inputs = [(arguments.vectors, source.sha256())]
        emit(arguments, envelope("conform", Conform, result, inputs))
    else:
        what = f"{arguments.governor} of Linux {release.name}"
        style = Style(False) if arguments.output else Style.of()
        emit_text(arguments, conform_output.text(result, what, style))
    return int(result.first is not None or not result.judged)
