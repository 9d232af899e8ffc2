"""Replays idle periods: what a trace shows, judged by a table, or what a governor would have
selected with it.

TRACE is text of ftrace, trace-cmd report or perf script, a trace.dat (through trace-cmd), or an
exact recording (CSV or JSON lines), compressed by gzip or not; - is standard input. A trace of
cpu_idle gives an estimate, whose assumptions are printed; an exact recording an exact replay.

Dumps of cpuidle sysfs (grep . /sys/devices/system/cpu/cpu*/cpuidle/state*/*) may stand beside a
trace: one gives the tables of the traced machine; with two, before and after, the trace's counters
are checked against the kernel's own. Alone they show what the kernel counted, since boot or
between them.

Exits 1 if it prints errors or warnings: parts of the input could not be used or are out of order.
Notes leave it 0, and so do two warnings that speak of the table rather than of the input: states
entered that the first table does not have, with --governor, and cpu_idle_miss that disagrees with
the table. Exits 3 if nothing of the input could be used."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..linux.releases import Release
    from ..reading.inputs import Input
    from ..replay.energy import Model
    from ..replay.machine import CpuTable, Machine
    from ..replay.replay import Settings
    from ..replay.run import Result
    from .energy_options import Rows

SUMMARY = "replay a trace with other tables, governors or kernels"
_OF_THE_TABLE = frozenset({"other-state", "miss-disagrees"})
"""Warnings that leave the exit status 0."""
_CPUS = re.compile(r"[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .energy_options import add_power
    from .options import add_format, add_html, add_platform

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
        "0-3=FILE for machines with several tables",
    )
    parser.add_argument(
        "--states",
        metavar="EXIT/RES,...",
        help="what the kernel holds, in ns: 1000/10000,2000/20000; snooze is implied as state 0",
    )
    parser.add_argument("--polling", action="store_true", help="with --states: snooze is POLLING")
    parser.add_argument(
        "--disabled", metavar="N,...", default="", help="states switched off, by number"
    )
    parser.add_argument(
        "--governor",
        metavar="G",
        help="menu, teo, ladder, haltpoll (default: judge the states the trace shows)",
    )
    parser.add_argument("--kernel", metavar="K", help="Linux release (default: the newest)")
    parser.add_argument("--hz", metavar="N", type=int, default=250, help="default: 250")
    parser.add_argument(
        "--next-timer",
        choices=("gap", "far"),
        default="gap",
        help="for traces of cpu_idle: the next timer ends every idle period, or is far from all "
        "(default: gap)",
    )
    add_power(parser)
    add_platform(parser)
    add_html(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..files import write_file
    from ..findings import Severity
    from ..report import replay_text
    from ..report.documents.replay import Replay, result_of
    from ..report.json_output import envelope
    from ..report.style import Style
    from .options import UsageError, emit, emit_text, note_missing_core
    from .progress import Read

    release = _release(arguments)
    settings = _settings(arguments, release)
    names = [*arguments.inputs, *arguments.sysfs]
    if not names:
        raise UsageError("expected a trace, a recording or a sysfs dump")
    note_missing_core()
    with Read(names) as progress:
        opened = _open(names, progress.advance)
        result, name, tables, power = _result(arguments, opened, release, settings)
        inputs = [(source.name, source.sha256()) for source in opened] + tables
    if arguments.html:
        from ..report.html import page
        from ..report.html import replay as html_replay

        title = html_replay.title(name, release, settings)
        sections = html_replay.sections(result, power)
        write_file(Path(arguments.html), page.render("replay", title, sections, inputs))
    if arguments.format == "json":
        body = result_of(result, release, settings, power)
        emit(arguments, envelope("replay", Replay, body, inputs))
    else:
        style = Style(False) if arguments.output else Style.of()
        emit_text(arguments, replay_text.render(result, name, release, settings, style, power))
    return int(
        any(
            problem.severity is not Severity.NOTE and problem.kind not in _OF_THE_TABLE
            for problem in result.problems
        )
    )


def _result(
    arguments: argparse.Namespace,
    opened: "list[Input]",
    release: "Release",
    settings: "Settings | None",
) -> "tuple[Result, str, list[tuple[str, str]], Model | None]":
    """The replay, the name of what was replayed, the files that tables came from, and what is known
    of the states' power."""
    from ..reading import sysfs
    from ..reading.inputs import Kind
    from ..replay import run as replays
    from ..replay.machine import Machine, from_sysfs
    from . import energy_options
    from .options import UsageError, state_numbers

    dumps = [sysfs.read(source) for source in opened if source.kind is Kind.SYSFS]
    traces = [source for source in opened if source.kind is not Kind.SYSFS]
    if len(traces) > 1 or len(dumps) > 2:
        raise UsageError("expected one trace and up to two sysfs dumps")
    machines, files, rows = _machines(arguments, release)
    traced = None
    if dumps:
        own = from_sysfs(
            dumps[0], release.features.snooze_polling, state_numbers(arguments.disabled)
        )
        traced = Machine(dumps[0].name, None, own)
    machines = machines or ([traced] if traced else [])
    if not machines:
        raise UsageError("expected a table for the states: --table, --states or a sysfs dump")
    traced = traced or machines[0]
    held = [
        table
        for machine in machines
        for table in (machine.everywhere, *machine.own.values())
        if table is not None
    ]
    power = energy_options.model(arguments, held, rows)
    if not traces:
        if settings is not None:
            raise UsageError("expected a trace for --governor, found sysfs dumps only")
        before = dumps[0] if len(dumps) == 2 else None
        return replays.from_dumps(before, dumps[-1], traced), dumps[-1].name, files, power
    trace = traces[0]
    if trace.kind in (Kind.CSV, Kind.JSONL):
        result = replays.from_recording(trace, traced, machines, release, settings)
    else:
        counted = sysfs.difference(*dumps) if len(dumps) == 2 else None
        # with a governor, tables are what to try, not what the trace was taken with
        result = replays.from_trace(
            trace,
            traced,
            machines,
            release,
            settings,
            counted,
            certain=bool(dumps) or settings is None,
        )
    return result, trace.name, files, power


def _open(names: list[str], advance: Callable[[int], None]) -> "list[Input]":
    from ..reading.inputs import Input

    return [Input(name, advance) for name in names]


def _release(arguments: argparse.Namespace) -> "Release":
    from ..linux.releases import NEWEST
    from .options import UsageError, kernels

    wanted = [arguments.kernel] if arguments.kernel else []
    found = kernels(argparse.Namespace(kernel=wanted), [NEWEST])
    if len(found) != 1:
        raise UsageError(f"expected one kernel, found {arguments.kernel!r}")
    return found[0]


def _settings(arguments: argparse.Namespace, release: "Release") -> "Settings | None":
    """Raises UsageError also for a governor that the release does not have."""
    from ..linux.governors import Governor, State
    from ..replay.replay import Settings
    from .options import UsageError

    if not 1 <= arguments.hz <= 10_000:
        raise UsageError(f"expected --hz from 1 to 10000, found {arguments.hz}")
    if arguments.governor is None:
        return None
    try:
        states = [State(0, 0), State(1, 1)]
        Governor.for_kernel(arguments.governor, release, states, arguments.hz)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return Settings(arguments.governor, release, arguments.hz, arguments.next_timer)


def _machines(
    arguments: argparse.Namespace, release: "Release"
) -> "tuple[list[Machine], list[tuple[str, str]], Rows]":
    """What --table and --states name. A table for some CPUs joins those before it, until one of
    its CPUs has a table already: then another machine begins. With the files they came from, and
    the rows of their specs."""
    from ..replay.machine import Machine, from_times
    from .governor_options import times
    from .options import state_numbers

    machines: list[Machine] = []
    files: list[tuple[str, str]] = []
    rows: Rows = []
    own: dict[int, CpuTable] = {}
    names: list[str] = []

    def close() -> None:
        if own:
            machines.append(Machine(" ".join(names), None, dict(own)))
        own.clear()
        names.clear()

    for text in arguments.table:
        before, equals, after = text.partition("=")
        cpus = _cpus(before) if equals and _CPUS.fullmatch(before) else None
        table, read, written = _table(text if cpus is None else after, cpus, arguments, release)
        files += read
        rows += written
        if cpus is None:
            close()
            machines.append(table)
            continue
        if any(cpu in own for cpu in cpus):
            close()
        own.update({cpu: found for cpu in cpus if (found := table.table(cpu)) is not None})
        names.append(text)
    close()
    if arguments.states:
        every = from_times(
            times(arguments.states), arguments.polling, state_numbers(arguments.disabled)
        )
        machines.append(Machine(arguments.states, every, {}))
    return machines, files, rows


def _table(
    text: str, cpus: list[int] | None, arguments: argparse.Namespace, release: "Release"
) -> "tuple[Machine, list[tuple[str, str]], Rows]":
    """A table by name or file. Raises UsageError if it has nothing for these CPUs."""
    from ..reading import opening, sysfs
    from ..reading.inputs import Input, Kind
    from ..replay.machine import Machine, from_driver, from_sysfs
    from ..spec.packaged import resolve_name
    from .energy_options import named
    from .governor_options import registered
    from .options import UsageError, state_numbers

    if resolve_name(text) is None and opening.is_file(text) and _is_dump(text):
        source = Input(text)
        assert source.kind is Kind.SYSFS
        dump = sysfs.read(source)
        own = from_sysfs(dump, release.features.snooze_polling, state_numbers(arguments.disabled))
        missing = [cpu for cpu in cpus or () if cpu not in own]
        if missing:
            raise UsageError(f"expected CPU {missing[0]} in {text}, found {_ranges(list(own))}")
        return Machine(text, None, own), [(text, source.sha256())], []
    found, arrival = registered(arguments, text, release)
    table = from_driver(arrival.driver, state_numbers(arguments.disabled))
    written = named(arrival, found.table) if found.table else []
    return Machine(found.name, table, {}), [(found.file, found.sha256)], written


def _is_dump(text: str) -> bool:
    from ..findings import Unreadable
    from ..reading.inputs import Input, Kind

    try:
        source = Input(text)
    except Unreadable:
        return False
    source.close()
    return source.kind is Kind.SYSFS


def _cpus(text: str) -> list[int]:
    """CPUs of 0-3,5. Raises UsageError."""
    from ..reading.inputs import CPU_MAX
    from .options import UsageError

    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        low, high = int(first[:6]), int((last or first)[:6])
        if not low <= high <= CPU_MAX:
            raise UsageError(f"expected CPUs such as 0-3,5 up to {CPU_MAX}, found {text!r}")
        found += range(low, high + 1)
    return found


def _ranges(cpus: list[int]) -> str:
    return f"CPUs {min(cpus)} to {max(cpus)}" if cpus else "none"
