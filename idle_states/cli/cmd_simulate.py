"""Simulates a workload on a machine whose CPUs idle as a kernel's governor decides, with one table
or several.

WORKLOAD is one that comes with the tool, as NAME or NAME:key=value,... (see --list), a YAML file
with tasks and their programs, or a trace of cpu_idle or a recording, whose CPUs then compute and
sleep as long as it says. It may also be an experiment: a workload with machine, table and settings
that shows a published effect; options replace its settings. Tasks run, block and wake others; each
wake-up is placed as by the scheduler, pays the exit latency of the state that its CPU has reached,
and shapes the next idle period.

With power domains (Arm, RISC-V), clusters and systems power down with their last CPU, in the state
that the kernel's genpd selects, and the CPU that wakes first waits for them. CPUs are numbered as
in the tree; without --topology there are as many.

The machine follows its inputs exactly, but the inputs are a model: the parameters below, printed
with every result. The only throughput predicted is the rate of what the workload counts."""

from ..base.dataclass import dataclass
from ..base.options import Annotated, Option
from ..lab.simulation.request import SimulateRequest
from .output import USUAL, Output


@dataclass(frozen=True, slots=True)
class SimulateCommand:
    """Options of `simulate`. list: the workloads instead."""

    list: Annotated[bool, Option("--list", "the workloads that come with the tool")] = False
    request: SimulateRequest | None = None
    out: Output = USUAL


def run(given: SimulateCommand) -> int:
    from ..base.model.findings import UsageError
    from ..base.wording import joined
    from ..lab.simulation.answer import prepare_simulation
    from ..lab.simulation.sheet import sheet, workloads
    from ..lab.simulation.simulate_document import Listed, Simulated, listed, simulated
    from ..tables.documents.json_output import envelope
    from ..tables.linux.governors import core
    from . import progress
    from .missing_core import note_missing_core
    from .values import say

    out = given.out
    if given.list:
        if out.format == "json":
            out.document(envelope("simulate", Listed, listed()))
        else:
            out.text(workloads())
        return 0
    if given.request is None:
        raise UsageError("expected a workload; see idle-states simulate --list")
    prepared = prepare_simulation(given.request, say)
    note_missing_core()
    if core.available() and (unknown := prepared.uncompiled):
        say(f"the compiled core does not know {joined(unknown)}; the reference is slower")
    found = progress.simulated(prepared)
    if out.html:
        out.page("simulate", sheet(found, prepared.power), prepared.inputs)
    if out.format == "json":
        body = simulated(found, prepared.power)
        out.document(envelope("simulate", Simulated, body, prepared.inputs))
    else:
        out.print_sheet(sheet(found, prepared.power))
    return 0
