"""Replays idle periods: how a trace's states fit a table, or what a governor would have selected.

TRACE is text of ftrace, trace-cmd report or perf script, a trace.dat, a perf.data, or an exact
recording (CSV or JSON lines); text may be compressed by gzip; - is standard input. The output of
collect --record's script is recognised and converted first. The head of a recording names its
kernel, HZ and states; options override it, with a note where they differ. A trace of cpu_idle gives
an estimate, whose assumptions are printed; an exact recording an exact replay.

A trace of cpu_idle is compared with the model of its governor: table and states from the dump of
the traced machine (else the first table), --traced-governor and --traced-kernel (else the first
--governor and --kernel). With a dump, inputs are inferred with which that model selects the states
entered; every table is replayed with them, with bounds for what stays unknown (docs/replaying.md).

Power domains of a table (Arm, RISC-V) are replayed with their CPUs: a domain is off while all its
CPUs are in their last state, in the state that the kernel's genpd selects by their next timers; the
CPU that wakes first pays for powering it up.

Dumps of cpuidle sysfs (grep . /sys/devices/system/cpu/cpu*/cpuidle/state*/*) can be given with a
trace: one gives the tables of the traced machine; with two, before and after, the trace's counters
are compared with the kernel's own. Without a trace they show what the kernel counted, since boot or
between them.

Exits 1 if it prints errors or warnings: parts of the input could not be used or are out of order.
Notes leave it 0, and so do two warnings about the table rather than the input: states entered that
the first table lacks, with --governor, and cpu_idle_miss events that disagree with the table. Exits
3 if nothing of the input could be used."""

from ..base.dataclass import dataclass
from ..base.options import Annotated, Option
from ..lab.replay.request import ReplayRequest
from .output import USUAL, Output, expect_known


@dataclass(frozen=True, slots=True)
class ReplayCommand:
    """Options of `replay`. per_cpu: text has each CPU too; perfetto: file of a trace."""

    request: ReplayRequest
    per_cpu: Annotated[
        bool,
        Option(
            "--per-cpu", "in text, show each CPU as well as all CPUs together", after="--platform"
        ),
    ] = False
    perfetto: Annotated[
        str | None,
        Option(
            "--perfetto",
            "write each CPU's recorded and modelled states along time, for ui.perfetto.dev",
            metavar="FILE",
            after="--per-cpu",
        ),
    ] = None
    out: Output = USUAL

    def __post_init__(self) -> None:
        self.out.expect_apart("--perfetto", self.perfetto)


def run(given: ReplayCommand) -> int:
    from contextlib import ExitStack

    from ..base.files import replacing
    from ..lab.replay.answer import replay
    from ..lab.replay.sheet import sheet
    from .missing_core import note_missing_core
    from .progress import ReadProgress
    from .values import say

    request, out = given.request, given.out
    note_missing_core()
    notes: list[str] = []
    with ExitStack() as files, ReadProgress(request.files) as progress:
        trace = None
        if given.perfetto:
            from ..base.report.perfetto import PerfettoTrace

            trace = PerfettoTrace(files.enter_context(replacing(given.perfetto)).write)
        # text does not name the inputs by their SHA-256
        hashed = out.format != "text" or out.html is not None
        found = replay(request, progress.advance, notes.append, trace, hashed=hashed)
        if given.perfetto:
            expect_known(given.perfetto)
    for note in notes:
        say(note)
    if out.html:
        out.page("replay", sheet(found, page=True), found.inputs)
    if out.format == "json":
        from ..lab.replay.replay_document import Replay, result_of
        from ..tables.documents.json_output import envelope

        out.document(envelope("replay", Replay, result_of(found), found.inputs))
    else:
        out.print_sheet(sheet(found, per_cpu=given.per_cpu))
    return int(found.doubtful)
