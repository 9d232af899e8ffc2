"""Shows which state a kernel's governor selects in the long run, as exact ranges of idle lengths:
ended by timers or interrupts, with the tick running or stopped, under each latency limit; for
ladder, which idles lead from state to state. With several kernels, or another table, shows only
what they change for the first one, and exits 1 if there is any.

Every idle period is like the one before. 2 to 9 us ends before 10 us; lengths with decimals are
exact to the nanosecond. A tick that is kept ends an idle period longer than it; snooze is taken to
last as long as the idle period does."""

from typing import Annotated

from ..base.dataclass import dataclass
from ..base.options import Option
from ..tables.selection.request import SelectRequest
from .output import USUAL, Output


@dataclass(frozen=True, slots=True)
class SelectCommand:
    """Options of `select`. plot: a picture's file, .svg or .png."""

    asked: SelectRequest
    plot: Annotated[
        str | None,
        Option(
            "--plot",
            "draw the maps too: .svg or .png (needs matplotlib)",
            metavar="FILE",
            after="--wake",
        ),
    ] = None
    out: Output = USUAL


def run(given: SelectCommand) -> int:
    from ..tables.documents.json_output import envelope
    from ..tables.selection import said as select_output
    from ..tables.selection import said_changes as select_changes
    from ..tables.selection import said_domains as select_domains
    from ..tables.selection.answer import journeys, select
    from ..tables.selection.select_document import Select, with_changes
    from .missing_core import note_missing_core
    from .values import say

    asked, out, plot = given.asked, given.out, given.plot
    note_missing_core()
    _check_plot(plot)
    found = select(asked, say)
    first, changed = found.first, found.changed
    if plot:
        from pathlib import Path

        from ..base.files import write_file
        from ..tables.selection.plot import picture

        write_file(Path(plot), picture(found.selections, plot.rpartition(".")[2]))
    if out.html:
        from ..tables.selection.page import sheet

        sources = found.sources
        made = sheet(found.selections, changed, journeys(asked, sources))
        out.page("select", made, [(source.file, source.sha256) for source in sources])
    if out.format == "json":
        inputs = [(source.file, source.sha256) for source in found.sources]
        out.document(envelope("select", Select, with_changes(first, changed), inputs))
    else:
        text = select_changes.text(first, changed, out.style) if changed else None
        of_domains = select_domains.text(found.selections, out.style)
        out.text((text or select_output.text(first, out.style)) + of_domains)
    return int(any(maps or other.domains != first.domains for other, maps in changed))


def _check_plot(file: str | None) -> None:
    from ..base.model.findings import UsageError

    if file is not None and not file.endswith((".svg", ".png")):
        raise UsageError(f"expected --plot FILE.svg or FILE.png, found {file!r}")
    if file is not None:
        from ..tables.selection.plot import require

        require()
