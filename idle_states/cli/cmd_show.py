"""Shows a table stage by stage: its rows, what firmware exports on a platform, what Linux
registers, and a reason for every state that is lost or changed on the way.

SAVES is twice the latency divided by the residency: of the power that a state saves, the share that
the state before does not save already, if the residency is its break-even (docs/thresholds.md)."""

from ..base.dataclass import dataclass
from ..base.options import Annotated
from ..tables.show.request import ShowRequest
from .output import NO_PAGE, USUAL, Output


@dataclass(frozen=True, slots=True)
class ShowCommand:
    """Options of `show`."""

    asked: ShowRequest
    out: Annotated[Output, NO_PAGE] = USUAL


def run(given: ShowCommand) -> int:
    from ..tables.documents.json_output import envelope
    from ..tables.show.answer import show
    from ..tables.show.said import sheet
    from ..tables.show.show_document import Show
    from .values import say

    out, way = given.out, show(given.asked, say)
    if out.format == "json":
        source = way.source
        out.document(envelope("show", Show, way, [(source.file, source.sha256)]))
    else:
        out.said(sheet(way, provenance=given.asked.provenance))
    return 0
