"""Lists the kernels that are modelled, series by series: at which releases the behaviour of a
governor, a driver or the idle loop changes, and how well each is known. With a name, only this
series or kernel.

With two kernels, A and B: what changed from one to the other, with the meaning of each change, its
commit, and since which release which of the two has it. Exits 1 if they differ.

With --table (or --states): at which releases what is registered or selected changes, how, and by
which commits; between the releases of a series, or of two kernels, if they are named. Maps are of
idle periods that are all alike, as in select. Exits 1 if two kernels differ for the table."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass, field
from ..base.options import Annotated, Argument, Option
from ..tables.linux.asked import GIVEN, HZ, PLATFORM, GivenStates, all_levels
from .output import USUAL, Output

if TYPE_CHECKING:
    from ..tables.kernels.moves import MovesRequest
    from ..tables.linux.platforms import AnyPlatform
    from ..tables.linux.releases import Release


@dataclass(frozen=True, slots=True)
class KernelsCommand:
    """Options of `kernels`.

    names   none, a series, a kernel, or two to compare
    table, states, hz, platform  of a governor's request: where its selection changes
    """

    names: Annotated[
        tuple[str, ...],
        Argument(
            "KERNEL", "a series (6.6), a kernel (6.6.93, a uname -r), or two kernels to compare"
        ),
    ] = ()
    table: Annotated[
        str | None,
        Option("--table", "where the selection from it changes", metavar="TABLE", is_table=True),
    ] = None
    states: Annotated[GivenStates | None, GIVEN] = None
    governor: Annotated[
        str | None,
        Option("--governor", "menu, teo, ladder or haltpoll (default: all; for a table: menu)"),
    ] = None
    hz: Annotated[int, HZ] = 250
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)
    out: Output = USUAL


def run(given: KernelsCommand) -> int:
    from ..base.model.findings import UsageError
    from ..tables.linux.asked import GovernorRequest, table_of

    out, names = given.out, given.names
    if given.table or given.states or table_of(given.platform):
        from ..tables.kernels.moves import MovesRequest

        governor = given.governor or "menu"
        of = GovernorRequest(governor, given.hz, given.table, given.states, given.platform)
        return _moves(MovesRequest(of, names), out)
    if out.html:
        raise UsageError("expected --html with --table or --states")
    if len(names) > 2:
        raise UsageError(f"expected at most two kernels, found {' '.join(names)}")
    if len(names) == 2:
        return _comparison(names, given.governor, out)
    _series(names[0] if names else None, given.governor, out)
    return 0


def _series(name: str | None, governor: str | None, out: "Output") -> None:
    from ..tables.kernels import said as kernels_text
    from ..tables.kernels.series import lines

    found = lines(name, governor)
    if out.format == "json":
        _document(out, series=found)
    else:
        out.said(kernels_text.series(found) if name else kernels_text.overview(found))


def list_series(out: Output) -> None:
    """Lists all series."""
    _series(None, None, out)


def _comparison(names: Iterable[str], governor: str | None, out: "Output") -> int:
    from ..tables.kernels import said as kernels_text
    from ..tables.kernels.behaviour import compare
    from ..tables.linux.releases import release

    a, b = map(release, names)
    _say_taken(a, b)
    found = compare(a, b, governor)
    if out.format == "json":
        _document(out, (), (a, b), comparison=found)
    else:
        out.said(kernels_text.comparison(found))
    return int(found.differs)


def _moves(asked: "MovesRequest", out: "Output") -> int:
    from ..tables.kernels import said as kernels_text
    from ..tables.kernels.walk import moves
    from ..tables.linux.releases import release
    from .missing_core import note_missing_core
    from .values import say

    note_missing_core()
    if len(asked.names) == 2:
        _say_taken(*map(release, asked.names))
    found = moves(asked, say)
    inputs = [(found.source.file, found.source.sha256)] if found.source else []
    if out.html:
        out.page("kernels", kernels_text.moves(found), inputs)
    if out.format == "json":
        _document(out, inputs, found.kernels, moves=found)
    else:
        out.said(kernels_text.moves(found))
    return int(len(asked.names) == 2 and bool(found.moves))


def _say_taken(*releases: "Release") -> None:
    from .values import say

    for taken in releases:
        if taken.note:
            say(f"kernel {taken.name} is {taken.note}")


def _document(
    out: "Output",
    inputs: Iterable[tuple[str, str]] = (),
    kernels: "Sequence[Release]" = (),
    **given: object,
) -> None:
    from ..tables.documents.json_output import envelope
    from ..tables.kernels.kernels_document import Kernels, document

    out.document(envelope("kernels", Kernels, document(**given), inputs, kernels))
