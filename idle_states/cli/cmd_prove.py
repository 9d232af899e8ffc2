"""Shows for each state of a table a witness: idle periods of one CPU, from boot on, after which the
governor selects it; or a proof that no idle periods can lead there.

A witness tells for each idle period when the next timer is due, when an interrupt wakes the CPU,
and whether the tick is stopped; then what the governor selects and how long the CPU idles. It is
replayed on the governor's model before it is shown. A latency limit holds only where one is given,
and states stay switched on or off as the driver registers them.

Exits 1 if an enabled state has no witness."""

from ..base.dataclass import dataclass
from ..tables.prove.request import ProveRequest
from .output import USUAL, Output


@dataclass(frozen=True, slots=True)
class ProveCommand:
    """Options of `prove`."""

    request: ProveRequest
    out: Output = USUAL


def run(given: ProveCommand) -> int:
    from ..tables.prove.answer import prove
    from ..tables.prove.sheet import sheet
    from ..tables.sources import read_table
    from .values import say

    request, out = given.request, given.out
    found = prove(request, say)
    inputs = []
    if request.of.table is not None and (out.html or out.format == "json"):
        source = read_table(request.of.table)
        inputs.append((source.file, source.sha256))
    if out.html:
        out.page("prove", sheet(found), inputs)
    if out.format == "json":
        from ..base.model.forms import With
        from ..tables.documents.json_output import envelope
        from ..tables.documents.known_document import Kernel
        from ..tables.prove.prove_document import Prove

        body = With(found, known=Kernel(request.release, request.of.governor))
        out.document(envelope("prove", Prove, body, inputs))
    else:
        out.print_sheet(sheet(found))
    return int(not found.all_selected)
