"""Replays idle periods: what a trace shows, judged by a table, or what a governor would have
selected with it.

TRACE is text of ftrace, trace-cmd report or perf script, a trace.dat (through trace-cmd), an exact
recording (CSV or JSON lines), each compressed by gzip or not, or - for standard input. A trace of
cpu_idle gives an estimate, whose assumptions are printed; an exact recording an exact replay. One or
two dumps of cpuidle sysfs (grep . /sys/devices/system/cpu/cpu*/cpuidle/state*/*) may stand alone,
for what the kernel counted since boot or between them, or around a trace, which they check and to
which they give the tables.

Exits 1 if parts of the input could not be used; 3 if none could."""

import argparse
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..linux.releases import Release
    from ..workload.inputs import Input
    from ..workload.machine import CpuTable, Machine
    from ..workload.sysfs import Dump

SUMMARY = "replay a trace with other tables, governors or kernels"
_CPUS = re.compile(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_format, add_platform

    parser.add_argument(
        "inputs", metavar="TRACE", nargs="+", help="trace, recording, or sysfs dumps"
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
    add_platform(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..findings import Severity
    from ..report import replay_json, replay_text
    from ..report.json_output import envelope
    from ..report.style import Style
    from ..workload import run as replays
    from ..workload import sysfs
    from ..workload.inputs import Kind
    from ..workload.machine import Machine, from_sysfs
    from .options import UsageError, emit

    release = _release(arguments)
    settings = _settings(arguments, release)
    with Progress(sys.stderr, arguments.inputs) as progress:
        opened = _open(arguments.inputs, progress.advance)
        dumps = [sysfs.read(source) for source in opened if source.kind is Kind.SYSFS]
        traces = [source for source in opened if source.kind is not Kind.SYSFS]
        if len(traces) > 1 or len(dumps) > 2:
            raise UsageError("expected one trace and up to two sysfs dumps")
        machines, read = _machines(arguments, release)
        polling = release.features.snooze_polling
        dumped = [
            Machine(dump.name, None, from_sysfs(dump, polling, _numbers(arguments.disabled)))
            for dump in dumps
        ]
        traced = dumped[0] if dumped else None
        machines = machines or dumped[:1]
        if not machines:
            raise UsageError("expected a table for the states: --table, --states or sysfs dumps")
        before, after = _in_order(dumps)
        if not traces:
            assert after is not None
            if settings is not None:
                raise UsageError("expected a trace for --governor, found sysfs dumps only")
            result = replays.from_dumps(before, after, machines[0])
        else:
            function = (
                replays.from_trace
                if traces[0].kind in (Kind.TEXT, Kind.DAT)
                else replays.from_recording
            )
            counted = sysfs.difference(before, after) if before and after else None
            if counted is not None and function is replays.from_trace:
                result = replays.from_trace(
                    traces[0], traced or machines[0], machines, release, settings, counted
                )
            else:
                result = function(traces[0], traced or machines[0], machines, release, settings)
        inputs = [(source.name, source.sha256()) for source in opened] + read
    if arguments.format == "json":
        body = replay_json.body(result, release, settings)
        emit(arguments, envelope("replay", body, inputs))
    else:
        style = Style(False) if arguments.output else Style.of()
        name = (traces or opened)[0].name
        emit(arguments, replay_text.render(result, name, release, settings, style))
    return int(any(problem.severity is Severity.ERROR for problem in result.problems))
