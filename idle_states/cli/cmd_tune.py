"""Finds target residencies and snooze time-out that cost least over a workload's idle gaps.

Gaps come from a trace of cpu_idle, an exact recording (--trace), a simulated workload (--workload)
or a list (--gaps: CSV of gap_ns,count). Tables with other residencies are tried, the governor in
the loop with every gap and its memory, or, with --governor none and of lists, as if every gap were
known when it begins. Beside the best: the break-even rule, what the present values cost more, how
sharp the optimum is, and tables that trade p99 wake latency for energy.

Energy needs what states draw: figures of the spec, or --power. None are public for POWER9 and
POWER10; --power implied takes the rows' word for it. For an x86 machine, --to cmdline prints
intel_idle.table= with the best of the tables that its driver accepts.

What was evaluated is kept until the end: after an interruption the same command line goes on."""

import argparse
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ..tune.judging import Objective
    from ..tune.request import TuneRequest

NONE = "none"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .energy_options import add_power
    from .governor_options import add_governor, add_next_timer
    from .options import add_format, add_html
    from .workload_options import add_parameters, add_workload

    parser.add_argument("table", metavar="TABLE", nargs="?", help="revision or file")
    parser.add_argument("--trace", metavar="T", help="trace of cpu_idle, or exact recording")
    parser.add_argument(
        "--workload", metavar="W", help="to simulate: as WORKLOAD of idle-states simulate"
    )
    parser.add_argument("--gaps", metavar="FILE", help="CSV of gap_ns,count; the last may be 1025+")
    add_governor(parser)
    add_next_timer(parser)
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
    parser.add_argument(
        "--measured",
        metavar="MEASURED",
        action="append",
        default=[],
        help="what waking up really takes, while the governor believes the table: as MEASURED of "
        "idle-states fit, or spec, what the spec records; may be repeated",
    )
    parser.add_argument("--jobs", metavar="N", type=int, help="at a time (default: one per CPU)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="run on a Dask cluster")
    parser.add_argument(
        "--resume", metavar="FILE", help="keep what was evaluated there, and go on from it"
    )
    parser.add_argument(
        "--search-over",
        metavar="N",
        help="try tables over so many idle periods of a trace or recording, evenly spread, where "
        "there are more; what is reported is evaluated over all (default: 500000; all: no sample)",
    )
    add_workload(parser.add_argument_group("what --workload simulates"))
    add_parameters(parser)
    parser.add_argument(
        "--to",
        choices=("cmdline",),
        help="print nothing but intel_idle.table= with the best table that the driver accepts",
    )
    add_html(parser)
    add_format(parser)


def request(arguments: argparse.Namespace) -> "TuneRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from pathlib import Path

    from ..dataclass import replace
    from ..tune.request import TuneRequest
    from .energy_options import power
    from .governor_options import governor
    from .options import kernel
    from .workload_options import workload

    of, governed = governor(arguments, arguments.table), arguments.governor != NONE
    return TuneRequest(
        of=of if governed else replace(of, governor="menu"),
        release=kernel(arguments),
        objective=_objective(arguments),
        trace=arguments.trace,
        workload=None if arguments.workload is None else workload(arguments),
        gaps=arguments.gaps,
        governed=governed,
        next_timer=arguments.next_timer,
        power=power(arguments),
        jobs=arguments.jobs,
        scheduler=arguments.scheduler,
        resume=None if arguments.resume is None else Path(arguments.resume),
        search_over=_search_over(arguments.search_over),
        at_boot=arguments.to is not None,
        measured=tuple(arguments.measured),
    )


def run(arguments: argparse.Namespace) -> int:
    from ..files import check_writable
    from ..report import printer, tune_text
    from ..report.documents.tune import Tune
    from ..report.generated import argument_line
    from ..report.json_output import envelope
    from ..tune.request import tune
    from .missing_core import note_missing_core
    from .options import output, say
    from .progress import Bar

    asked, out = request(arguments), output(arguments)
    for name in (out.html, out.file):
        check_writable(name)
    check_writable(arguments.resume, appended=True)
    if not asked.alone:
        note_missing_core()
    with tune(asked, say=say, bar=Bar) as tuning:
        if tuning.boot is not None:
            if searched := tuning.searched():
                say(searched)
            out.text(argument_line(tuning.boot, tuning.release, say))
        elif out.format == "json":
            out.document(envelope("tune", Tune, tuning, tuning.files))
        else:
            out.text(tune_text.render(tuning, out.style))
        printer.flush()
        if out.html:
            from ..report.html import tune as html_tune

            title, headline = html_tune.title(tuning), html_tune.headline(tuning)
            out.page("tune", title, html_tune.sections(tuning), tuning.files, headline)
    return 0


def _search_over(text: str | None) -> int | Literal["all"] | None:
    """Raises UsageError."""
    from ..findings import UsageError

    if text is None:
        return None
    if text == "all":
        return "all"
    if text.isdecimal() and len(text) > 18:
        raise UsageError(f"expected --search-over of up to 18 digits, or all, found {text!r}")
    if not text.isascii() or not text.isdecimal():
        raise UsageError(f"expected --search-over of 1 or more, or all, found {text!r}")
    return int(text)


def _objective(arguments: argparse.Namespace) -> "Objective":
    from fractions import Fraction

    from ..findings import UsageError
    from ..tune.judging import Objective

    text = arguments.latency_weight
    if not text.isascii() or not text.replace(".", "", 1).isdecimal() or len(text) > 12:
        raise UsageError(f"expected --latency-weight of 0 or more, such as 2.5, found {text!r}")
    return Objective(arguments.objective, Fraction(text))
