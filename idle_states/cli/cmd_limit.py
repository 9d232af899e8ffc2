"""Shows what a latency limit (PM QoS: /dev/cpu_dma_latency, or with --per-cpu a CPU's
pm_qos_resume_latency_us) leaves of a table's states, what the governor then selects, and which
other values do the same. Kernels that are left the same states are shown together.

VALUE_US is a limit in us. A STATE of a CPU (not of a power domain) instead stands for the limit
that keeps this state and what is left as quickly: its exit latency. So do the words of tuned's
force_latency: cstate.id:3, cstate.id_no_zero:3|70, cstate.name:C6; the first that counts is taken,
as tuned takes it. In them 3 is the state's number in sysfs, which is not always that of its name.

With --trace or --workload, one kernel replays or simulates it without the limit and with it: the
counters of each state, what wake-ups wait, and energy where states have figures."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..forms import With
    from ..limit.request import LimitRequest, LimitResult
    from .options import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .energy_options import add_power
    from .governor_options import add_governor, add_next_timer
    from .options import TABLE_HELP, add_format
    from .workload_options import add_parameters, add_workload

    parser.add_argument("limit", metavar="VALUE_US|STATE", help="limit, state, or tuned's words")
    parser.add_argument("table", metavar="TABLE", nargs="?", help=TABLE_HELP)
    parser.add_argument(
        "--per-cpu", action="store_true", help="the limit is a CPU's pm_qos_resume_latency_us"
    )
    add_governor(parser, kernels=True)
    parser.add_argument("--trace", metavar="T", help="trace of cpu_idle, or exact recording")
    parser.add_argument(
        "--workload", metavar="W", help="to simulate: as WORKLOAD of idle-states simulate"
    )
    add_next_timer(parser)
    add_power(parser)
    add_workload(parser.add_argument_group("what --workload simulates"))
    add_parameters(parser)
    add_format(parser)


def request(arguments: argparse.Namespace) -> "LimitRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from ..findings import UsageError
    from ..limit.request import LimitRequest
    from ..linux.releases import NEWEST
    from .energy_options import power
    from .governor_options import governor
    from .options import kernels, table_or_machine
    from .workload_options import workload

    if (arguments.table or "").isdecimal():
        raise UsageError(
            f"expected LIMIT before TABLE, found {arguments.limit} before {arguments.table}"
        )
    table = None if arguments.states is not None else table_or_machine(arguments)
    return LimitRequest(
        governor(arguments, table if arguments.table is None else arguments.table),
        tuple(kernels(arguments, [NEWEST], arguments.governor)),
        arguments.limit,
        arguments.per_cpu,
        arguments.trace,
        None if arguments.workload is None else workload(arguments),
        arguments.next_timer,
        power(arguments),
    )


def run(arguments: argparse.Namespace) -> int:
    from ..limit.request import limits
    from ..report import limit_text
    from ..report.documents.limit import Limit, limited
    from ..report.json_output import envelope
    from .missing_core import note_missing_core
    from .options import output, say

    asked, out = request(arguments), output(arguments)
    if asked.trace is None and asked.workload is None:
        note_missing_core()
    found = limits(asked, say)
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
    from ..limit.effect import replay_request
    from ..replay.request import replay
    from ..report import replay_text
    from ..report.documents.replay import result_of
    from .missing_core import note_missing_core, of_replay
    from .options import say
    from .progress import ReadProgress

    asked = replay_request(found)
    note_missing_core(lambda: of_replay(asked))
    notes: list[str] = []
    with ReadProgress(asked.inputs) as progress:
        made = replay(asked, progress.advance, notes.append)
    for note in notes:
        say(note)
    of = made.result, made.name, made.request.kernel, made.request.settings
    said = replay_text.render(*of, out.style, made.power)
    return said, result_of(of[0], of[2], of[3], made.power), made.inputs


def _simulated(found: "LimitResult", out: "Output") -> _Effect:
    from ..limit.effect import simulate_request
    from ..report import simulate_text
    from ..report.documents.simulate import simulated
    from ..simulation.request import prepare
    from . import progress
    from .missing_core import note_missing_core, of_simulation
    from .options import say

    prepared = prepare(simulate_request(found), say)
    note_missing_core(lambda: of_simulation(prepared))
    made = progress.simulated(prepared)
    said = simulate_text.render(made, out.style, prepared.power)
    return said, simulated(made, prepared.power), prepared.inputs
