"""Holds recorded decisions of a real governor against the model's.

VECTORS is a recording with every input (CSV or JSON lines, see idle-states collect --record): the
model gets the same inputs and the same outcomes, and must decide the same. Of a converted recording
the head says kernel, governor, HZ and states; what is given here wins, and where it differs, that
is said. Where few decisions agree, packaged tables, kernels, HZ and governors are tried on the
recording's beginning, and what fits is named.

Exits 1 on any disagreement, and prints the first with all inputs and intermediate values; exits 1,
too, if nothing was judged. Exits 3, naming line and columns, if VECTORS is no such recording."""

from ..base.dataclass import dataclass
from ..base.options import Annotated
from ..lab.replay.conform_request import ConformRequest
from .output import NO_PAGE, USUAL, Output


@dataclass(frozen=True, slots=True)
class ConformCommand:
    """Options of `conform`."""

    request: ConformRequest
    out: Annotated[Output, NO_PAGE] = USUAL


def run(given: ConformCommand) -> int:
    from ..lab.replay import conform_sheet as conform_output
    from ..lab.replay.conform import conform
    from ..tables.linux.grounds import remarks
    from .missing_core import note_missing_core
    from .values import say

    request, out = given.request, given.out
    note_missing_core()
    result, inputs = conform(request, say)
    by = result.basis
    if out.format == "json":
        from ..base.model.forms import With
        from ..lab.replay.conform_document import Conform
        from ..tables.documents.json_output import envelope
        from ..tables.documents.known_document import Kernel

        body = With(result, known=Kernel(by.release, by.governor))
        out.document(envelope("conform", Conform, body, inputs))
    else:
        out.text(conform_output.text(result, out.style, remarks([by.release], by.governor)))
    return int(result.first is not None or not result.judged)
