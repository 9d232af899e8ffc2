"""The page of show, which begins with how far each state gets."""

from ...base.dataclass import replace
from ...base.model.units import format_time
from ...base.report.html.markers import RowEvent
from ...base.report.sheet import Section, Sheet, Worded
from ..pipeline import Journey
from ..sources.told import options_from
from ..why import sheet as why_sheet
from ..why import ways
from ..why.answer import why
from ..why.request import WhyRequest
from .sheet import journey_stages, sheet


def page(journey: Journey, table: str) -> Sheet:
    """Returns the page of a table. Of one that was read on a machine it has the states' use."""
    whole = sheet(journey, provenance=True)
    if options_from(table):
        found = why(WhyRequest(machine=table))
        headline = (*why_sheet.sheet(found).headline, *whole.headline)
        return replace(whole, headline=headline, sections=(ways.of_machine(found), *whole.sections))
    state2way, columns = {}, journey_stages(journey)
    stage = ways.stage_of(journey.table.origin.form)
    for row, state in enumerate(journey.table.states):
        words = f"{format_time(state.latency_ns)} to {format_time(state.residency_ns or 0)}"
        way = state2way[state.name] = [RowEvent(stage, words, *ways.KEPT)]
        for head, cells, _, reasons in columns:
            mark = ways.LOST if cells[row] == "-" else ways.KEPT
            at = head.page if isinstance(head, Worded) else str(head)
            way.append(RowEvent(at, reasons.get(row, cells[row]), *mark))
    return replace(whole, sections=(Section("States", (ways.drawn(state2way),)), *whole.sections))
