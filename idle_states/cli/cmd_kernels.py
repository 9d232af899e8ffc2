"""Lists the modelled kernels, series by series: the releases at which a governor, a driver or the
idle loop changes, and how well each is known. With a name, only this series or kernel.

With two kernels, A and B: what changed from A to B, with the meaning of each change, its commit,
and the release since which one of them has it. Exits 1 if they differ.

With a governor's source (--governor menu.c): the kernels whose governor decides alike, or the
nearest one and the features that differ.

With --table (or --states): the releases at which the registered or selected states change, how, and
by which commits; within a series, or between two kernels, if they are named. Maps are for equal
idle periods, as in select. Exits 1 if two kernels differ for the table.

With --table and --values: every value of the table that firmware or a kernel changes (rounded,
wrapped, cut, replaced, dropped), in which releases, and the rule that reports it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..tables.kernels.request import KernelsRequest
from .output import USUAL, Output
from .status import UNREADABLE
from .values import say

if TYPE_CHECKING:
    from ..tables.kernels.moves import MovesRequest
    from ..tables.linux.releases import Release


@dataclass(frozen=True, slots=True)
class KernelsCommand:
    """Options of `kernels`."""

    request: KernelsRequest
    out: Output = USUAL


def run(given: KernelsCommand) -> int:
    from ..base.model.findings import UsageError
    from ..tables.linux.governors.source.names import is_source
    from ..tables.linux.source_tree.told import PREFIX

    request, out = given.request, given.out
    if request.values:
        _values(request, out)
        return 0
    if request.has_table:
        from ..tables.kernels.moves import MovesRequest

        return _moves(MovesRequest.of_kernels(request), out)
    if out.html:
        raise UsageError("expected --html with --table or --states")
    if request.governor and is_source(request.governor):
        return _identified(request.governor, out)
    if len(request.names) == 1 and request.names[0].startswith(PREFIX):
        return _of_source(request.names[0], out)
    if len(request.names) == 2:
        return _comparison(request.names, request.governor, out)
    series(request.names[0] if request.names else None, request.governor, out)
    return 0


def _identified(governor: str, out: "Output") -> int:
    from ..tables.kernels.identified import identified, sheet

    found = identified(governor)
    if out.format == "json":
        _document(out, identified=found)
    else:
        out.print_sheet(sheet(found))
    return 0


def _of_source(name: str, out: "Output") -> int:
    from ..tables.kernels.from_source import identified_source, sheet
    from ..tables.linux.releases import release

    found = identified_source(release(name))
    if out.format == "json":
        _document(out, source=found)
    else:
        out.print_sheet(sheet(found))
    return 0


def series(name: str | None, governor: str | None, out: "Output") -> None:
    """Lists all series, or one: of a governor, or of all subsystems."""
    from ..base.prepared import product, unpickled

    everything = not name and not governor and out.format != "json"
    if everything and (prepared := product("kernels")) is not None:
        out.print_sheet(unpickled(prepared))
        return
    from ..tables.kernels import sheet
    from ..tables.kernels.series import lines

    found = lines(name, governor)
    if out.format == "json":
        _document(out, series=found)
    else:
        out.print_sheet(sheet.series(found) if name else sheet.overview(found))


def _comparison(names: Iterable[str], governor: str | None, out: "Output") -> int:
    from ..tables.kernels import sheet as kernels_text
    from ..tables.kernels.behaviour import compare
    from ..tables.kernels.from_source import with_governors
    from ..tables.linux.brackets import chosen_end
    from ..tables.linux.releases import release

    a, b = map(release, names)
    if not _are_distinct(a, b):
        return UNREADABLE
    a, b = (with_governors(each) if each.source else chosen_end(each) for each in (a, b))
    found = compare(a, b, governor)
    if out.format == "json":
        _document(out, (), (a, b), comparison=found)
    else:
        out.print_sheet(kernels_text.comparison(found))
    return int(found.differs)


def _moves(request: "MovesRequest", out: "Output") -> int:
    from ..tables.kernels import sheet as kernels_text
    from ..tables.kernels.walk import moves
    from ..tables.linux.releases import release
    from .missing_core import note_missing_core

    note_missing_core()
    if len(request.names) == 2 and not _are_distinct(*map(release, request.names)):
        return UNREADABLE
    found = moves(request, say)
    inputs = [(found.source.file, found.source.sha256)] if found.source else []
    if out.html:
        out.page("kernels", kernels_text.moves(found), inputs)
    if out.format == "json":
        _document(out, inputs, found.kernels, moves=found)
    else:
        out.print_sheet(kernels_text.moves(found))
    return int(len(request.names) == 2 and bool(found.moves))


def _values(request: KernelsRequest, out: "Output") -> None:
    from ..tables.kernels.values import values
    from ..tables.kernels.values_sheet import sheet

    found = values(request)
    inputs = [(found.source.file, found.source.sha256)]
    if out.html:
        out.page("kernels", sheet(found), inputs)
    if out.format == "json":
        _document(out, inputs, request.kernels, values=found)
    else:
        out.print_sheet(sheet(found))


def _are_distinct(a: "Release", b: "Release") -> bool:
    """Says what two kernels are taken as, and whether they are known apart."""
    from ..tables.kernels.told_apart import same_here

    for kernel in (a, b):
        if kernel.note:
            say(f"kernel {kernel.name} is {kernel.note}")
    if why := same_here(a, b):
        say(why)
    return not why


def _document(
    out: "Output",
    inputs: Iterable[tuple[str, str]] = (),
    kernels: "Sequence[Release]" = (),
    **given: object,
) -> None:
    from ..tables.documents.json_output import envelope
    from ..tables.kernels.kernels_document import Kernels, document

    out.document(envelope("kernels", Kernels, document(**given), inputs, kernels))
