"""Simulates a workload on a machine whose CPUs idle as a kernel's governor has it, with one table
or several.

WORKLOAD is one that comes with the tool, as NAME or NAME:key=value,... (see --list), a YAML file
with tasks and their programs, or a trace of cpu_idle or a recording, whose CPUs then compute and
sleep as long as it says. It may also be an experiment: a workload with the machine, table and
settings to compare under which a published effect shows; each option that is given replaces its
own. Tasks run, block and wake others; each wake-up is placed as the scheduler
does, pays the exit latency of the state its CPU has come to, and makes the next idle period what it
is.

Where a table is of CPUs in power domains (Arm, RISC-V), its clusters and systems go down with their
last CPU, in the state that the kernel's genpd takes, and the CPU that wakes first waits for them.
CPUs are numbered as in the tree, and without --topology there are as many.

What the machine does is exact for what it is given; what it is given is a model: see the parameters
below, whose values are printed with every result. Throughput is not predicted, but for the rate of
what the workload counts."""

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
