"""Options that say what is simulated, but for the table: workload, machine, time, parameters."""

import argparse
import re
from typing import TYPE_CHECKING

from ..findings import UsageError

if TYPE_CHECKING:
    from ..simulation.given import WorkloadRequest
    from ..simulation.setup import Costs

_PERMILLE = "_permille"
PARAMETERS = (
    ("switch", "600ns", "from an idle period or another task to a task's first instruction"),
    ("wake", "500ns", "a waker's work for each task it wakes"),
    ("idle_entry", "300ns", "from a task's last instruction to the governor"),
    ("turn", "1us", "from an idle period that led to nothing to the governor"),
    ("ipi", "1100ns", "until an idle CPU that does not poll hears of a wake-up"),
    ("snooze_overshoot", "1500ns", "polling is over so long after its time limit"),
    ("jitter", "0ns", "up to so much more for every exit, uniform"),
    ("slice", "3ms", "a task that shares its CPU yields after so long"),
    ("background", "1s", "the kernel's own timer on every CPU"),
    ("smt_busy_permille", "101", "what a computing sibling takes of a thread's speed"),
    ("smt_hold_permille", "43", "what a sibling takes that idles and holds its share"),
)
"""Fields of Costs, their defaults as text; kept here so that --help imports nothing."""


def add_workload(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, *, placements: bool = False
) -> None:
    """All but WORKLOAD itself, and but the parameters. placements: several may be compared."""
    again = "; may be repeated to compare" if placements else ""
    parser.add_argument(
        "--topology",
        metavar="T",
        help="preset (clusters-24, power8, power9, power9-fused, power10, lpar-smt8, smt4, smt8, "
        "smt8-fused), cpus=16,threads=4 with ,fused=yes ,pair=2 ,quad=2 ,cluster=8 or ,llc=16, "
        "a device tree or YAML (default: cpus=8, or the CPUs to which all tasks are bound)",
    )
    parser.add_argument(
        "--placement",
        metavar="P",
        action="append" if placements else "store",
        default=[] if placements else "",
        help="recent_used_cpu=on|off,cpu_smt_mask=cpu_smallcore_map|cpu_sibling_map,"
        "sched_cluster=0|1 or cluster=off|spread|pack (default: the first of each; recent and "
        f"smt=small|big are short for the first two){again}",
    )
    parser.add_argument("--duration", metavar="TIME", help="to simulate (default: 1s; a trace's)")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="default: 1")
    parser.add_argument(
        "--runs", metavar="N", type=int, default=1, help="seeds from --seed on (default: 1)"
    )


def add_parameters(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("parameters that no table or kernel says")
    group.add_argument(
        "--exit",
        metavar="STATE=TIME",
        action="append",
        default=[],
        help="the exit latency that the hardware really has (default: the table's)",
    )
    for name, default, text in PARAMETERS:
        per_mille = name.endswith(_PERMILLE)
        group.add_argument(
            f"--{name.replace('_', '-')}",
            metavar="N" if per_mille else "TIME",
            default=default,
            help=f"{text} (default: {default})",
        )


def workload(arguments: argparse.Namespace) -> "WorkloadRequest":
    """What add_workload() and add_parameters() were given, and WORKLOAD. Raises UsageError."""
    from ..simulation.given import WorkloadRequest

    return WorkloadRequest(
        workload=arguments.workload,
        topology=arguments.topology,
        placement=arguments.placement if isinstance(arguments.placement, str) else "",
        duration=arguments.duration,
        seed=arguments.seed,
        runs=arguments.runs,
        costs=_costs(arguments),
        exits=tuple(arguments.exit),
    )


def _costs(arguments: argparse.Namespace) -> "Costs":
    from ..simulation.given import time_ns
    from ..simulation.setup import Costs

    values = {}
    for name, _, _ in PARAMETERS:
        text, option = getattr(arguments, name), f"--{name.replace('_', '-')}"
        if not name.endswith(_PERMILLE):
            values[name] = time_ns(option, text)
        elif re.fullmatch(r"\d{1,4}", text, re.ASCII):
            values[name] = int(text)
        else:
            raise UsageError(f"{option}: expected a number, found {text!r}")
    return Costs(**values)
