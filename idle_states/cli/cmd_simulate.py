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

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..simulation.experiments import Experiment
    from ..simulation.request import SimulateRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .energy_options import add_power
    from .governor_options import add_states
    from .options import add_format, add_html, add_hz, add_platform
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
    add_states(parser)
    parser.add_argument(
        "--disabled", metavar="NAME,...", default="", help="states switched off, by name"
    )
    parser.add_argument("--governor", default="menu", help="menu, teo, ladder or haltpoll")
    parser.add_argument("--kernel", metavar="K", help="Linux release (default: the newest)")
    add_hz(parser)
    add_workload(parser, placements=True)
    parser.add_argument(
        "--sequence",
        metavar="N",
        type=int,
        nargs="?",
        const=64,
        help="show the first N wake-ups, from which CPU to which, and on which CPUs each task runs "
        "in turn (default: 64)",
    )
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


def request(arguments: argparse.Namespace) -> "SimulateRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from ..findings import UsageError
    from ..simulation.experiments import EXPERIMENTS
    from ..simulation.request import SimulateRequest
    from .energy_options import power
    from .governor_options import given
    from .options import kernel, machine_table, platform
    from .workload_options import workload

    if arguments.workload is None:
        raise UsageError("expected a workload; see idle-states simulate --list")
    experiment = EXPERIMENTS.get(arguments.workload)
    if experiment is not None:
        _fill_in(arguments, experiment)
    states, own = given(arguments), machine_table(arguments)
    tables = arguments.table or ([own] if own and states is None else [])
    return SimulateRequest(
        workload=workload(arguments),
        release=kernel(arguments),
        tables=tuple(tables),
        states=states,
        disabled=tuple(name for name in arguments.disabled.split(",") if name),
        governor=arguments.governor,
        hz=arguments.hz,
        platform=platform(arguments),
        power=power(arguments),
        bistable=arguments.bistable,
        placements=tuple(arguments.placement),
        wake_ups=_wake_ups(arguments),
    )


def _fill_in(arguments: argparse.Namespace, experiment: "Experiment") -> None:
    """Gives options that were not given the experiment's values."""
    arguments.workload = experiment.workload
    own = arguments.table or arguments.states
    for name, value in experiment.options.items():
        if not getattr(arguments, name) and not (name == "table" and own):
            setattr(arguments, name, value)


def _wake_ups(arguments: argparse.Namespace) -> int:
    """Raises UsageError."""
    from ..findings import UsageError

    if arguments.sequence is not None and arguments.sequence < 1:
        raise UsageError(f"expected --sequence of 1 or more, found {arguments.sequence}")
    return arguments.sequence or 0


def run(arguments: argparse.Namespace) -> int:
    from .. import core
    from ..report import simulate_text
    from ..report.documents.simulate import Listed, Simulated, listed, simulated
    from ..report.json_output import envelope
    from ..simulation.request import prepare
    from . import progress
    from .missing_core import note_missing_core, of_simulation
    from .options import output, say

    out = output(arguments)
    if arguments.list:
        if out.format == "json":
            out.document(envelope("simulate", Listed, listed()))
        else:
            out.text(simulate_text.workloads())
        return 0
    prepared = prepare(request(arguments), say)
    note_missing_core(lambda: of_simulation(prepared))
    if core.available() and not prepared.compiled:
        governor = prepared.setups[0].governor
        say(f"the compiled core does not know {governor}; the reference is slower")
    found = progress.simulated(prepared)
    if out.html:
        from ..report.html import simulate

        sections = simulate.sections(found, prepared.power)
        headline = simulate.headline(found, prepared.power)
        out.page("simulate", simulate.title(found), sections, prepared.inputs, headline)
    if out.format == "json":
        body = simulated(found, prepared.power)
        out.document(envelope("simulate", Simulated, body, prepared.inputs))
    else:
        out.text(simulate_text.render(found, out.style, prepared.power))
    return 0
