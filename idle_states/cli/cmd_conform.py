"""Compares recorded decisions of a real governor with a governor model.

VECTORS is a recording with every input (CSV or JSON lines, see idle-states collect --record): the
model gets the same inputs and outcomes, and must decide the same. The head of a converted recording
names kernel, governor, HZ and states; options override it, with a note where they differ. If few
decisions agree, packaged tables, kernels, HZ and governors are tried on the beginning of the
recording, and the fitting ones are named.

Exits 1 on any disagreement, and prints the first with all inputs and intermediate values; also
exits 1 if no decision could be compared. Exits 3, with line and columns, if VECTORS is not such a
recording."""

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
