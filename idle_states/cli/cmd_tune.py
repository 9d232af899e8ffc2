"""Finds the target residencies and snooze time-out that cost least over a workload's idle gaps.

Gaps come from a trace of cpu_idle, an exact recording (--trace), a simulated workload (--workload)
or a list (--gaps: CSV of gap_ns,count). Tables with other residencies are tried with the governor's
model and its memory, gap by gap; with --governor none, and for lists, as if every gap's length were
known in advance. Shown with the best: the break-even rule, the extra cost of the present values,
the sharpness of the optimum, and tables that trade p99 wake latency for energy.

Energy needs the power of each state: figures of the spec, or --power. None are public for POWER9
and POWER10; --power implied assumes that each residency is the break-even point. For an x86
machine, --to cmdline prints intel_idle.table= with the best of the tables that its driver accepts.

Results are kept until the end: after an interruption the same command line continues."""

from ..base.dataclass import dataclass
from ..base.options import Annotated, Options
from ..lab.tune.request import TuneRequest
from .output import USUAL, Output, deliver


@dataclass(frozen=True, slots=True)
class TuneCommand:
    """Options of `tune`."""

    request: TuneRequest
    out: Annotated[Output, Options(after="--to")] = USUAL


def run(given: TuneCommand) -> int:
    from ..base.files import check_writable
    from ..base.model.forms import With
    from ..base.report import printer
    from ..lab.tune.answer import tune_each
    from ..lab.tune.rivals import compared, rivals
    from ..lab.tune.sheet import sheet
    from ..lab.tune.tune_document import Tune
    from ..tables.documents.json_output import envelope
    from ..tables.generate.answer import argument_line
    from .missing_core import note_missing_core
    from .progress import Bar
    from .values import say

    request, out = given.request, given.out
    for name in (out.html, out.file):
        check_writable(name)
    check_writable(None if request.resume is None else str(request.resume), appended=True)
    if not request.alone:
        note_missing_core()
    with tune_each(request, say=say, bar=Bar) as tunings:
        tuning = tunings[0]
        page = sheet(tuning) if len(tunings) == 1 else compared(tunings)
        if tuning.boot is not None:
            if searched := tuning.searched():
                say(searched)
            out.text(argument_line(tuning.boot, tuning.release, say))
        elif out.format == "json":
            body = With(tuning, governors=rivals(tunings))
            out.document(envelope("tune", Tune, body, tuning.files))
        else:
            out.print_sheet(page)
        deliver()
        printer.flush()
        if out.html:
            out.page("tune", page, tuning.files)
        deliver()
    return 0
