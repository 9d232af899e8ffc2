"""Lists the kernels that are modelled, series by series: at which releases the behaviour of a
governor, a driver or the idle loop changes, and how well each is known. With a name, only this
series or kernel.

With two kernels, A and B: what changed from one to the other, with the meaning of each change, its
commit, and since which release which of the two has it. Exits 1 if they differ.

With --table (or --states): at which releases what is registered or selected changes, how, and by
which commits; between the releases of a series, or of two kernels, if they are named. Maps are of
idle periods that are all alike, as in select. Exits 1 if two kernels differ for the table."""

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..kernels.moves import MovesRequest
    from ..linux.releases import Release
    from .options import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .governor_options import add_states
    from .options import add_format, add_html, add_hz, add_platform

    parser.add_argument(
        "names",
        metavar="KERNEL",
        nargs="*",
        help="a series (6.6), a kernel (6.6.93, a uname -r), or two kernels to compare",
    )
    parser.add_argument("--table", metavar="TABLE", help="where the selection from it changes")
    add_states(parser)
    parser.add_argument(
        "--governor", help="menu, teo, ladder or haltpoll (default: all; for a table: menu)"
    )
    add_hz(parser)
    add_platform(parser)
    add_html(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..findings import UsageError
    from .options import machine_table, output

    out, names = output(arguments), arguments.names
    if arguments.table is None and arguments.states is None:
        arguments.table = machine_table(arguments)
    if arguments.table is not None or arguments.states is not None:
        return _moves(request(arguments), out)
    if arguments.polling:
        raise UsageError("expected --polling with --states only; for a table the kernel decides")
    if out.html:
        raise UsageError("expected --html with --table or --states")
    if len(names) > 2:
        raise UsageError(f"expected at most two kernels, found {' '.join(names)}")
    if len(names) == 2:
        return _comparison(names, arguments.governor, out)
    _series(names[0] if names else None, arguments.governor, out)
    return 0


def request(arguments: argparse.Namespace) -> "MovesRequest":
    """Raises UsageError, UnknownGovernor, BadPlatform, UnknownSkiboot."""
    from ..kernels.moves import MovesRequest
    from ..linux.governors.given import GovernorRequest
    from .governor_options import given
    from .options import platform

    of = GovernorRequest(
        arguments.governor or "menu",
        arguments.hz,
        arguments.table,
        given(arguments),
        platform(arguments),
    )
    return MovesRequest(of, tuple(arguments.names))


def _series(name: str | None, governor: str | None, out: "Output") -> None:
    from ..kernels.series import lines
    from ..report import kernels_text

    found = lines(name, governor)
    if out.format == "json":
        _document(out, series=found)
    else:
        text = kernels_text.series(found, out.style) if name else kernels_text.overview(found)
        out.text(text)


def _comparison(names: Iterable[str], governor: str | None, out: "Output") -> int:
    from ..kernels.behaviour import compare
    from ..linux.releases import release
    from ..report import kernels_text

    a, b = map(release, names)
    _say_taken(a, b)
    found = compare(a, b, governor)
    if out.format == "json":
        _document(out, (), (a, b), comparison=found)
    else:
        out.text(kernels_text.comparison(found, out.style))
    return int(found.differs)


def _moves(asked: "MovesRequest", out: "Output") -> int:
    from ..kernels.walk import moves
    from ..linux.releases import release
    from ..report import kernels_text
    from .missing_core import note_missing_core
    from .options import say

    note_missing_core()
    if len(asked.names) == 2:
        _say_taken(*map(release, asked.names))
    found = moves(asked, say)
    inputs = [(found.source.file, found.source.sha256)] if found.source else []
    if out.html:
        from ..report.html import kernels

        title, headline = kernels_text.title(found), kernels.headline(found)
        out.page("kernels", title, kernels.sections(found), inputs, headline)
    if out.format == "json":
        _document(out, inputs, found.kernels, moves=found)
    else:
        out.text(kernels_text.moves(found, out.style))
    return int(len(asked.names) == 2 and bool(found.moves))


def _say_taken(*releases: "Release") -> None:
    from .options import say

    for taken in releases:
        if taken.note:
            say(f"kernel {taken.name} is {taken.note}")


def _document(
    out: "Output",
    inputs: Iterable[tuple[str, str]] = (),
    kernels: "Sequence[Release]" = (),
    **given: object,
) -> None:
    from ..report.documents.kernels import Kernels, document
    from ..report.json_output import envelope

    out.document(envelope("kernels", Kernels, document(**given), inputs, kernels))
