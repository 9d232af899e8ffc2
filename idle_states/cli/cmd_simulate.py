"""Simulates a workload on a machine whose CPUs idle as a kernel's governor has it, with one table
or several.

WORKLOAD is one that comes with the tool, as NAME or NAME:key=value,... (see --list), a YAML file
with tasks and their programs, or a trace of cpu_idle, whose CPUs then compute and sleep as long as
traced. Tasks run, block and wake others; each wake-up is placed as the scheduler does, pays the
exit latency of the state its CPU has come to, and makes the next idle period what it is.

What the machine does is exact for what it is given; what it is given is a model: see the parameters
below, whose values are printed with every result. Throughput is not predicted, but for the rate of
what the workload counts."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..replay.energy import Model
    from ..simulation.setup import Run, Setup
    from ..simulation.summary import Summary

SUMMARY = "simulate a workload with tables, governors, kernels, topologies"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .energy_options import add_power
    from .options import add_format, add_html, add_platform
    from .workload_options import add_parameters, add_workload

    parser.add_argument("workload", metavar="WORKLOAD", nargs="?", help="name or file")
    parser.add_argument("--list", action="store_true", help="the workloads that come with the tool")
    parser.add_argument(
        "--table",
        metavar="TABLE",
        action="append",
        default=[],
        help="revision or file; may be repeated to compare",
    )
    parser.add_argument(
        "--states",
        metavar="EXIT/RES,...",
        help="what the kernel holds, in ns: 1000/10000,2000/20000; snooze is implied as state 0",
    )
    parser.add_argument("--polling", action="store_true", help="with --states: snooze is POLLING")
    parser.add_argument(
        "--disabled", metavar="NAME,...", default="", help="states switched off, by name"
    )
    parser.add_argument("--governor", default="menu", help="menu, teo, ladder or haltpoll")
    parser.add_argument("--kernel", metavar="K", help="Linux release (default: the newest)")
    parser.add_argument("--hz", metavar="N", type=int, default=250, help="HZ (default: 250)")
    add_workload(parser)
    parser.add_argument(
        "--bistable",
        action="store_true",
        help="tell whether 1 us of jitter would change the result",
    )
    add_power(parser)
    add_parameters(parser)
    add_platform(parser)
    add_html(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..report import simulate_text
    from ..report.documents.simulate import Simulate, simulated
    from ..report.json_output import envelope
    from ..report.style import Style
    from .options import UsageError, emit, emit_text, note_missing_core
    from .simulate_options import setups_of

    if arguments.list:
        emit_text(arguments, simulate_text.workloads())
        return 0
    if arguments.workload is None:
        raise UsageError("expected a workload; see idle-states simulate --list")
    setups, seeds, inputs, power = setups_of(arguments)
    note_missing_core()
    _note_reference(setups)
    found = [_simulated(setup, seeds, arguments.bistable) for setup in setups]
    if arguments.html:
        _page(arguments.html, found, inputs, power)
    if arguments.format == "json":
        emit(arguments, envelope("simulate", Simulate, simulated(found, power), inputs))
    else:
        style = Style(False) if arguments.output else Style.of()
        emit_text(arguments, simulate_text.render(found, style, power))
    return 0


def _page(
    file: str, found: "list[Summary]", inputs: list[tuple[str, str]], power: "Model | None"
) -> None:
    from ..files import write_file
    from ..report.html import page, simulate

    sections = simulate.sections(found, power)
    rendered = page.render("simulate", simulate.title(found), sections, inputs)
    write_file(Path(file), rendered)


def _note_reference(setups: "list[Setup]") -> None:
    """Says on stderr that it will be slow although the core is there."""
    from .. import core
    from ..simulation import by_core as simulate_core
    from .options import say

    if core.available() and not all(map(simulate_core.knows, setups)):
        governor = setups[0].governor
        say(f"the compiled core does not know {governor}; the reference is slower")


def _simulated(setup: "Setup", seeds: range, bistable: bool) -> "Summary":
    from dataclasses import replace

    from ..simulation.summary import UNNOTICED_NS, summary

    runs = _runs(setup, seeds)
    jittered = None
    if bistable:
        costs = replace(setup.costs, jitter=setup.costs.jitter + UNNOTICED_NS)
        jittered = _runs(replace(setup, costs=costs), seeds[:1])[0]
    return summary(setup, runs, jittered)


def _runs(setup: "Setup", seeds: range) -> "list[Run]":
    from ..simulation import by_core as simulate_core
    from ..simulation import simulate
    from .progress import Simulated

    with Simulated(setup.name, len(seeds) * setup.duration_ns) as shown:
        if simulate_core.knows(setup):
            return simulate_core.simulate_all(setup, seeds, shown.advance)
        runs = []
        for seed in seeds:
            runs.append(simulate.simulate(setup, seed))
            shown.advance(setup.duration_ns)
        return runs
