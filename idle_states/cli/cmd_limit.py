"""Shows what a latency limit (PM QoS: /dev/cpu_dma_latency, or with --per-cpu a CPU's
pm_qos_resume_latency_us) leaves of a table's states, what the governor then selects, and which
other values do the same. Kernels that are left the same states are shown together.

VALUE_US is a limit in us. A STATE of a CPU (not of a power domain) instead stands for the limit
that keeps this state and what is left as quickly: its exit latency. So do the words of tuned's
force_latency: cstate.id:3, cstate.id_no_zero:3|70, cstate.name:C6; the first that counts is taken,
as tuned takes it. In them 3 is the state's number in sysfs, which is not always that of its name.

With --trace or --workload, one kernel replays or simulates it without the limit and with it: the
counters of each state, what wake-ups wait, and energy where states have figures."""

from typing import TYPE_CHECKING, Annotated

from ..base.dataclass import dataclass
from ..base.options import Options
from ..lab.limit.request import LimitRequest
from .output import USUAL, Output

if TYPE_CHECKING:
    from ..base.model.forms import With
    from ..lab.limit.answer import LimitResult


@dataclass(frozen=True, slots=True)
class LimitCommand:
    """Options of `limit`."""

    asked: LimitRequest
    out: Annotated[Output, Options(html=None, after="--smt-hold-permille")] = USUAL


def run(given: LimitCommand) -> int:
    from ..lab.limit import said as limit_text
    from ..lab.limit.answer import limit
    from ..lab.limit.limit_document import Limit, limited
    from ..tables.documents.json_output import envelope
    from .missing_core import note_missing_core
    from .values import say

    asked, out = given.asked, given.out
    if asked.trace is None and asked.workload is None:
        note_missing_core()
    found = limit(asked, say)
    said, effect, inputs = "", None, found.inputs
    if asked.trace is not None:
        said, effect, inputs = _replayed(found, out)
    elif asked.workload is not None:
        said, effect, inputs = _simulated(found, out)
    if out.format == "json":
        body = limited(found, **{"replay" if asked.trace else "simulate": effect})
        files = (*found.inputs, *inputs)
        out.document(envelope("limit", Limit, body, files, found.request.releases))
    else:
        out.text(limit_text.text(found, out.style) + (said and f"\n{said}"))
    return 0


_Effect = tuple[str, "With", tuple[tuple[str, str], ...]]


def _replayed(found: "LimitResult", out: "Output") -> _Effect:
    from ..base.report.sheet_text import text
    from ..lab.limit.effect import replay_request
    from ..lab.replay.answer import replay
    from ..lab.replay.replay_document import result_of
    from ..lab.replay.said import sheet
    from .missing_core import note_missing_core
    from .progress import ReadProgress
    from .values import say

    asked = replay_request(found)
    note_missing_core()
    notes: list[str] = []
    with ReadProgress(asked.inputs) as progress:
        made = replay(asked, progress.advance, notes.append)
    for note in notes:
        say(note)
    of = made.result, made.name, made.request.kernel, made.request.settings
    said = text(sheet(*of, made.power), out.style)
    return said, result_of(of[0], of[2], of[3], made.power), made.inputs


def _simulated(found: "LimitResult", out: "Output") -> _Effect:
    from ..base.report.sheet_text import text
    from ..lab.limit.effect import simulate_request
    from ..lab.simulation.answer import prepare_simulation
    from ..lab.simulation.said import sheet
    from ..lab.simulation.simulate_document import simulated
    from . import progress
    from .missing_core import note_missing_core
    from .values import say

    prepared = prepare_simulation(simulate_request(found), say)
    note_missing_core()
    made = progress.simulated(prepared)
    said = text(sheet(made, prepared.power), out.style)
    return said, simulated(made, prepared.power), prepared.inputs
