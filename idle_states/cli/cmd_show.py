"""Shows a table stage by stage: its rows, what firmware exports on a platform, what Linux
registers, and a reason for every state that is lost or changed on the way.

SAVES is twice the latency divided by the residency: of the power that a state saves, the share that
the state before does not save already, if the residency is its break-even (docs/thresholds.md)."""

from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..base.options import Annotated
from ..tables.linux.asked import PLATFORM, TABLE_OF_MACHINE, kernels, table_or_machine
from .output import NO_PAGE, USUAL, Output

if TYPE_CHECKING:
    from ..tables.linux.platforms import AnyPlatform
    from ..tables.linux.releases import Release


@dataclass(frozen=True, slots=True)
class ShowCommand:
    """Options of `show`. table: None for that of the platform, an x86 machine."""

    releases: Annotated["tuple[Release, ...]", kernels()]
    platform: Annotated["AnyPlatform", PLATFORM]
    table: Annotated[str | None, TABLE_OF_MACHINE] = None
    out: Annotated[Output, NO_PAGE] = USUAL


def run(given: ShowCommand) -> int:
    from ..tables.documents.json_output import envelope
    from ..tables.pipeline import followed, journey
    from ..tables.show.said import sheet
    from ..tables.show.show_document import Show
    from ..tables.sources import read_table
    from .values import say

    out, machine, releases = given.out, given.platform, given.releases
    source = read_table(table_or_machine(given.table, machine))
    if source.table is not None:
        releases = tuple(followed(source.table, machine, releases, say))
    way = journey(source, machine, releases)
    if out.format == "json":
        out.document(envelope("show", Show, way, [(source.file, source.sha256)]))
    else:
        out.said(sheet(way))
    return 0
