"""Finds target residencies and snooze time-out that cost least over a workload's idle gaps.

Gaps come from a trace of cpu_idle, an exact recording (--trace), a simulated workload (--workload)
or a list (--gaps: CSV of gap_ns,count). Tables with other residencies are tried, the governor in
the loop with every gap and its memory, or, with --governor none and of lists, as if every gap were
known when it begins. Beside the best: the break-even rule, what the present values cost more, how
sharp the optimum is, and tables that trade p99 wake latency for energy.

Energy needs what states draw: figures of the spec, or --power. None are public for POWER9 and
POWER10; --power implied takes the rows' word for it.

What was evaluated is kept until the end: after an interruption the same command line goes on."""

import argparse
import errno
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..replay.replay import Settings
    from ..tune.evaluate import Work
    from ..tune.search import Objective
    from ..tune.tuning import Tuning
    from ..tune.waits import Wait
    from .tune_inputs import Subject

SUMMARY = "find residencies that cost least over a workload's idle gaps"
NONE = "none"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .energy_options import add_power
    from .governor_options import add_governor
    from .options import add_format, add_html
    from .workload_options import add_parameters, add_workload

    parser.add_argument("table", metavar="TABLE", nargs="?", help="revision or file")
    parser.add_argument("--trace", metavar="T", help="trace of cpu_idle, or exact recording")
    parser.add_argument(
        "--workload", metavar="W", help="to simulate: as WORKLOAD of idle-states simulate"
    )
    parser.add_argument("--gaps", metavar="FILE", help="CSV of gap_ns,count")
    add_governor(parser)
    parser.add_argument(
        "--next-timer",
        choices=("gap", "far"),
        default="gap",
        help="for traces of cpu_idle: the next timer ends every idle period, or is far from all "
        "(default: gap)",
    )
    parser.add_argument(
        "--objective",
        choices=("energy", "latency", "weighted"),
        default="energy",
        help="least energy; least wake latency at the present table's energy; or both, weighted "
        "(default: energy)",
    )
    parser.add_argument(
        "--latency-weight",
        metavar="N",
        default="10",
        help="for --objective weighted: a ns of wake latency costs as much as N ns awake "
        "(default: 10)",
    )
    add_power(parser)
    parser.add_argument("--jobs", metavar="N", type=int, help="at a time (default: one per CPU)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="run on a Dask cluster")
    parser.add_argument(
        "--resume", metavar="FILE", help="keep what was evaluated there, and go on from it"
    )
    add_workload(parser.add_argument_group("what --workload simulates"))
    add_parameters(parser)
    add_html(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..replay.replay import Settings
    from ..report import printer, tune_text
    from ..report.documents.tune import Tune
    from ..report.json_output import envelope
    from ..report.style import Style
    from . import tune_inputs
    from .options import UsageError, emit, emit_text, note_missing_core

    given = [arguments.trace, arguments.workload, arguments.gaps]
    if given.count(None) != 2:
        raise UsageError("expected idle gaps from --trace, --workload or --gaps, one of the three")
    if arguments.workload is not None and arguments.governor == NONE:
        raise UsageError("expected a governor for --workload, found --governor none")
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError(f"expected at least one process, found --jobs {arguments.jobs}")
    alone = arguments.governor == NONE or arguments.gaps is not None
    for option in ("scheduler", "resume"):
        if alone and getattr(arguments, option) is not None:
            raise UsageError(f"expected a governor for --{option}, found none to ask")
    _check_writable(arguments.html)
    _check_writable(arguments.output)
    _check_writable(arguments.resume, appended=True)
    if not alone:
        note_missing_core()
    objective = _objective(arguments)
    subject = tune_inputs.subject(arguments)
    governor = "menu" if arguments.governor == NONE else arguments.governor
    settings = Settings(governor, subject.release, arguments.hz, arguments.next_timer)
    if not alone:
        settings.governor_of(subject.table)
    with ExitStack() as kept:
        tuning = _tune(arguments, settings, subject, objective, alone, kept)
        inputs = [*subject.files, *tuning.source.files]
        if arguments.format == "json":
            emit(arguments, envelope("tune", Tune, tuning, inputs))
        else:
            style = Style(False) if arguments.output else Style.of()
            emit_text(arguments, tune_text.render(tuning, style))
        printer.flush()
        if arguments.html:
            _page(arguments.html, tuning, inputs)
    return 0


def _check_writable(name: str | None, *, appended: bool = False) -> None:
    """Before hours of work. Raises OSError."""
    if not name:
        return
    target = os.path.realpath(name)
    directory = os.path.dirname(target)
    # a file is replaced by one from beside it, a device is written to
    as_it_is = os.path.exists(target) and (appended or not os.path.isfile(target))
    fault = 0
    if os.path.isdir(target):
        fault = errno.EISDIR
    elif not os.path.isdir(directory):
        fault = errno.ENOENT
    elif not os.access(target if as_it_is else directory, os.W_OK):
        fault = errno.EACCES
    if fault:
        raise OSError(fault, os.strerror(fault), name)


def _page(file: str, tuning: "Tuning", inputs: list[tuple[str, str]]) -> None:
    from pathlib import Path

    from ..files import write_file
    from ..report.html import page, tune

    rendered = page.render("tune", tune.title(tuning), tune.sections(tuning), inputs)
    write_file(Path(file), rendered)


def _objective(arguments: argparse.Namespace) -> "Objective":
    from fractions import Fraction

    from ..tune.search import Objective
    from .options import UsageError

    text = arguments.latency_weight
    if not text.isascii() or not text.replace(".", "", 1).isdecimal() or len(text) > 12:
        raise UsageError(f"expected --latency-weight of 0 or more, such as 2.5, found {text!r}")
    return Objective(arguments.objective, Fraction(text))


def _tune(
    arguments: argparse.Namespace,
    settings: "Settings",
    subject: "Subject",
    objective: "Objective",
    alone: bool,
    kept: ExitStack,
) -> "Tuning":
    """alone: without a governor. kept: what is evaluated, until it ends."""
    from ..replay.polling import polling
    from ..tune.candidates import Grid
    from ..tune.evaluate import Task
    from ..tune.search import search
    from ..tune.tuning import Tuning
    from ..tune.waits import cuts, waits
    from . import tune_inputs, tune_running

    table, power = subject.table, subject.power
    timeout_ns = polling(table, settings.release, settings.hz).limit_ns
    grid = Grid(table, power)
    work: Work
    if arguments.workload is not None:
        source, work = tune_inputs.simulation(arguments, settings, subject)
    else:
        exact_at = [*grid.cuts(), *cuts(table, power, timeout_ns, objective.stall)]
        source = tune_inputs.source(arguments, exact_at)
        work = Task(settings, table, source.cpus)
    if alone:
        tuned = search(table, power, objective, grid, tune_running.known(source, table))
    else:
        results = kept.enter_context(tune_running.keeping(arguments, work, source))
        with tune_running.running(arguments, work, results) as evaluate:
            tuned = search(table, power, objective, grid, evaluate)
    polled: tuple[Wait, ...] = ()
    if source.gaps.count:
        polled = waits(source.gaps, table, power, timeout_ns, objective.stall)
    return Tuning(
        subject.name,
        source,
        None if alone else settings,
        settings.release,
        table,
        power,
        tuned,
        polled,
        timeout_ns,
    )
