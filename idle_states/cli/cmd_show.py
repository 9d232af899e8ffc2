"""Shows a table stage by stage: its rows, what firmware exports on a platform, what Linux
registers, and a reason for every state that is lost or changed on the way.

SAVES is twice the latency divided by the residency: the share of a state's savings that it adds to
those of the state before, if the residency is the break-even point (docs/thresholds.md)."""

from ..base.dataclass import dataclass
from ..tables.show.request import ShowRequest
from .output import USUAL, Output


@dataclass(frozen=True, slots=True)
class ShowCommand:
    """Options of `show`."""

    request: ShowRequest
    out: Output = USUAL


def run(given: ShowCommand) -> int:
    from ..tables.show.answer import show
    from ..tables.show.sheet import sheet
    from .values import say

    out, way = given.out, show(given.request, say)
    inputs = [(way.source.file, way.source.sha256)]
    if out.html:
        from ..tables.show.page import page

        out.page("show", page(way, given.request.table or ""), inputs)
    if out.format == "json":
        from ..tables.documents.json_output import envelope
        from ..tables.show.show_document import Show

        out.document(envelope("show", Show, way, inputs))
    else:
        out.print_sheet(sheet(way, provenance=given.request.provenance))
    return 0
