"""Replays idle periods: what a trace shows, judged by a table, or what a governor would have
selected with it.

TRACE is text of ftrace, trace-cmd report or perf script, a trace.dat, a perf.data, or an exact
recording (CSV or JSON lines); text may be compressed by gzip; - is standard input. What record's
script printed is told by its content and converted first, as record --convert does. The head of a
recording says its kernel, HZ and states; what is given here wins, and where it differs, that is
said. A trace of cpu_idle gives an estimate, whose assumptions are printed; an exact recording an
exact replay.

A trace of cpu_idle is held to the model of what decided in it, which is told from the dump of the
traced machine, else the first table, and from --traced-governor and --traced-kernel where those
asked for are others. With a dump, inputs are inferred of which that model selects what was entered,
and every table is replayed with them, with bounds for what they leave open (docs/replaying.md).

Where a table is of CPUs in power domains (Arm, RISC-V), these are replayed with them: each is off
while all its CPUs are in their last state, in the state that the kernel's genpd takes by their next
timers, and costs the CPU that wakes first what coming up takes.

Dumps of cpuidle sysfs (grep . /sys/devices/system/cpu/cpu*/cpuidle/state*/*) may stand beside a
trace: one gives the tables of the traced machine; with two, before and after, the trace's counters
are checked against the kernel's own. Alone they show what the kernel counted, since boot or
between them.

Exits 1 if it prints errors or warnings: parts of the input could not be used or are out of order.
Notes leave it 0, and so do two warnings that speak of the table rather than of the input: states
entered that the first table does not have, with --governor, and cpu_idle_miss that disagrees with
the table. Exits 3 if nothing of the input could be used."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..replay.request import ReplayRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .energy_options import add_power
    from .governor_options import add_next_timer, add_states
    from .options import add_format, add_html, add_hz, add_platform

    parser.add_argument(
        "inputs", metavar="TRACE", nargs="*", help="trace, recording, or sysfs dumps"
    )
    parser.add_argument(
        "--sysfs",
        metavar="DUMP",
        nargs="+",
        default=[],
        help="dumps of cpuidle sysfs: one, or before and after",
    )
    parser.add_argument(
        "--table",
        metavar="[CPUS=]TABLE",
        action="append",
        default=[],
        help="revision or file, also a dump of cpuidle sysfs; may be repeated to compare; "
        "0-3=FILE for machines with several tables; of a device tree, each CPU has its own",
    )
    add_states(parser)
    parser.add_argument(
        "--disabled", metavar="N,...", default="", help="states switched off, by number"
    )
    parser.add_argument(
        "--governor",
        metavar="G",
        help="menu, teo, ladder, haltpoll (default: judge the states the trace shows)",
    )
    parser.add_argument(
        "--kernel", metavar="K", help="Linux release (default: the recording's, else the newest)"
    )
    add_hz(parser, recorded=True)
    add_next_timer(parser, calibrates=True)
    parser.add_argument(
        "--traced-governor",
        metavar="G",
        help="governor that decided in a trace of cpu_idle (default: --governor)",
    )
    parser.add_argument(
        "--traced-kernel",
        metavar="K",
        help="Linux release that was traced (default: --kernel)",
    )
    add_power(parser)
    add_platform(parser)
    parser.add_argument(
        "--per-cpu", action="store_true", help="as text, each CPU too, not all together alone"
    )
    add_html(parser)
    add_format(parser)


def request(arguments: argparse.Namespace) -> "ReplayRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from ..linux.releases import release
    from ..replay.replay import WHERE_SHORT
    from ..replay.request import ReplayRequest
    from .energy_options import power
    from .governor_options import given
    from .options import kernel, machine_table, platform, state_numbers

    states, own = given(arguments), machine_table(arguments)
    alone = own is not None and states is None and not arguments.sysfs
    return ReplayRequest(
        inputs=(*arguments.inputs, *arguments.sysfs),
        release=kernel(arguments) if arguments.kernel else None,
        tables=tuple(arguments.table or ([own] if alone and own else [])),
        states=states,
        disabled=tuple(state_numbers(arguments.disabled)),
        governor=arguments.governor,
        hz=arguments.hz,
        next_timer=arguments.next_timer or WHERE_SHORT,
        traced_by=arguments.traced_governor,
        traced_release=release(arguments.traced_kernel) if arguments.traced_kernel else None,
        platform=platform(arguments),
        power=power(arguments),
    )


def run(arguments: argparse.Namespace) -> int:
    from ..replay.request import replay
    from ..report import replay_text
    from ..report.documents.replay import Replay, result_of
    from ..report.json_output import envelope
    from .missing_core import note_missing_core, of_replay
    from .options import output, say
    from .progress import ReadProgress

    asked, out = request(arguments), output(arguments)
    note_missing_core(lambda: of_replay(asked))
    notes: list[str] = []
    with ReadProgress(asked.inputs) as progress:
        found = replay(asked, progress.advance, notes.append)
    for note in notes:
        say(note)
    result, power = found.result, found.power
    release, settings = found.request.kernel, found.request.settings
    if out.html:
        from ..report.html import replay as html_replay

        known = replay_text.known(release, settings)
        title = html_replay.title(found.name, release, settings)
        headline = html_replay.headline(result, power)
        sections = html_replay.sections(result, power, known)
        out.page("replay", title, sections, found.inputs, headline)
    if out.format == "json":
        body = result_of(result, release, settings, power)
        out.document(envelope("replay", Replay, body, found.inputs))
    else:
        out.text(
            replay_text.render(
                result,
                found.name,
                release,
                settings,
                out.style,
                power,
                per_cpu=arguments.per_cpu,
            )
        )
    return int(found.doubtful)
