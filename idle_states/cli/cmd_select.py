"""Shows which state a kernel's governor selects in the long run, as exact ranges of idle lengths:
ended by timers or interrupts, with the tick running or stopped, under each latency limit; for
ladder, the idle periods that lead from state to state. With several kernels, or another table,
shows only the differences from the first one, and exits 1 if there are any.

Every idle period is like the one before. 2 to 9 us ends before 10 us; lengths with decimals are
exact to the nanosecond. A running tick ends longer idle periods; snooze is assumed to last as long
as the idle period.

For a latency limit (PM QoS: /dev/cpu_dma_latency, or with --per-cpu a CPU's
pm_qos_resume_latency_us) it also shows which states the limit allows, and which values allow the
same. TIME may be a value of tuned's force_latency: cstate.id:3, cstate.id_no_zero:3|70,
cstate.name:C6; the first valid one applies, as in tuned. Here 3 is the state's number in sysfs,
which may differ from that in its name. none is no limit; n/a, for a CPU, allows no latency. With
--keep the limit is the exit latency of STATE, a state of a CPU, not of a power domain. replay and
simulate --latency-limit show the effect of a limit on a trace or a workload."""

from ..base.dataclass import dataclass
from ..tables.selection.request import SelectRequest
from .output import USUAL, Output


@dataclass(frozen=True, slots=True)
class SelectCommand:
    """Options of `select`."""

    request: SelectRequest
    out: Output = USUAL


def run(given: SelectCommand) -> int:
    from ..tables.selection.answer import journeys, select
    from ..tables.selection.sheet import sheet
    from .missing_core import note_missing_core
    from .values import say

    request, out = given.request, given.out
    note_missing_core()
    found = select(request, say)
    first, changed = found.first, found.changed
    inputs = [(source.file, source.sha256) for source in found.sources]
    if out.html:
        out.page("select", sheet(found, journeys(request, found.sources)), inputs)
    if out.format == "json":
        from ..tables.documents.json_output import envelope
        from ..tables.selection.select_document import Select, selected

        releases = found.releases if found.limits else ()
        out.document(envelope("select", Select, selected(found), inputs, releases))
    else:
        out.print_sheet(sheet(found))
    return int(any(maps or other.domains != first.domains for other, maps in changed))
