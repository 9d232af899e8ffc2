"""Options that say what is simulated, but for the table: workload, machine, time, parameters."""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..replay.machine import CpuTable
    from ..simulation.placement import Policy
    from ..simulation.programs import Workload
    from ..simulation.setup import Costs
    from ..simulation.topology import Topology

_TIME = re.compile(r"(\d{1,13})(ns|us|ms|s)", re.ASCII)
_PERMILLE = "_permille"
_CPUS = 8
_DURATION_MAX_NS = 1_000_000_000_000_000
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


@dataclass(frozen=True, slots=True)
class Given:
    """What is simulated. files: with their SHA-256."""

    workload: "Workload"
    topology: "Topology"
    policy: "Policy"
    duration_ns: int
    seeds: range
    costs: "Costs"
    files: tuple[tuple[str, str], ...]


def add_workload(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """All but WORKLOAD itself, and but the parameters."""
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
        default="",
        help="recent=on|off,smt=small|big,cluster=off|spread|pack (default: the first of each)",
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


def given(arguments: argparse.Namespace) -> Given:
    """Raises UsageError, and Unreadable for a file's fault."""
    from ..simulation import placement, workloads_file
    from .options import UsageError

    seeds = _seeds(arguments)
    workload, duration_ns, files = _workload(arguments.workload)
    if arguments.duration is not None:
        duration_ns = _time("--duration", arguments.duration)
    if not 1 <= duration_ns <= _DURATION_MAX_NS:
        raise UsageError(f"expected --duration from 1ns to 1000000s, found {arguments.duration}")
    topology, machine_files = _topology(arguments, workload)
    try:
        policy = placement.parse(arguments.placement)
    except placement.BadPlacement as error:
        raise UsageError(f"--placement: {error}") from None
    misfit = workloads_file.misfit(workload, topology.cpus, files[0][0] if files else None)
    if misfit is not None:
        if files:
            raise misfit
        raise UsageError(misfit.findings[0].message)
    costs = _costs(arguments)
    return Given(workload, topology, policy, duration_ns, seeds, costs, (*files, *machine_files))


def _seeds(arguments: argparse.Namespace) -> range:
    from .options import UsageError

    if not 1 <= arguments.runs <= 10_000:
        raise UsageError(f"expected --runs from 1 to 10000, found {arguments.runs}")
    most = (1 << 64) - arguments.runs
    if not 0 <= arguments.seed <= most:
        raise UsageError(f"expected --seed from 0 to {most}, found {arguments.seed}")
    return range(arguments.seed, arguments.seed + arguments.runs)


def _workload(text: str) -> "tuple[Workload, int, list[tuple[str, str]]]":
    """The workload, for how long to simulate it unless that is said, and its file."""
    import hashlib

    from ..reading import opening
    from ..reading.inputs import Input
    from ..simulation import workloads, workloads_file, workloads_trace
    from ..simulation.programs import BadWorkload
    from .options import UsageError

    second = 1_000_000_000
    try:
        found = workloads.built_in(text)
    except BadWorkload as error:
        raise UsageError(str(error)) from None
    if found is not None:
        return found, second, []
    path = Path(text)
    if path.suffix.lower() in (".yaml", ".yml"):
        data = opening.read(path)
        return (
            workloads_file.read(data, text),
            second,
            [(text, hashlib.sha256(data).hexdigest())],
        )
    if opening.kind_of(path) not in (opening.FILE, "a pipe"):
        known = ", ".join(workloads.BUILT_IN)
        raise UsageError(f"expected a workload ({known}), YAML or a trace, found {text!r}")
    source = Input(text)
    traced, duration_ns = workloads_trace.read(source)
    return traced, duration_ns, [(text, source.sha256())]


def _topology(
    arguments: argparse.Namespace, workload: "Workload"
) -> "tuple[Topology, list[tuple[str, str]]]":
    """The machine, and its file."""
    import hashlib

    from ..reading import opening
    from ..simulation import topology, topology_file
    from .options import UsageError

    if arguments.topology is None:
        bound = [task.cpu for task in workload.tasks if task.cpu is not None]
        # others would idle, and most of what is counted would be theirs
        least = 1 if len(bound) == len(workload.tasks) else _CPUS
        return topology.parse(f"cpus={max([least, *(cpu + 1 for cpu in bound)])}"), []
    path = Path(arguments.topology)
    if arguments.topology not in topology.PRESETS and opening.is_file(path):
        digest = hashlib.sha256(opening.read(path)).hexdigest()
        return topology_file.read(path), [(arguments.topology, digest)]
    try:
        return topology.parse(arguments.topology), []
    except topology.BadTopology as error:
        raise UsageError(f"--topology: {error}") from None


def exits(arguments: argparse.Namespace, table: "CpuTable") -> dict[str, int]:
    """State -> the exit latency in ns that the hardware really has. Raises UsageError."""
    from .options import UsageError

    found = {}
    for text in arguments.exit:
        name, equals, time = text.partition("=")
        if not equals or name not in table.names:
            known = ", ".join(table.names)
            raise UsageError(f"--exit: expected STATE=TIME with a state ({known}), found {text!r}")
        found[name] = _time("--exit", time)
    return found


def _costs(arguments: argparse.Namespace) -> "Costs":
    from ..simulation.setup import BadParameter, Costs, check_costs
    from .options import UsageError

    values = {}
    for name, _, _ in PARAMETERS:
        text, option = getattr(arguments, name), f"--{name.replace('_', '-')}"
        if not name.endswith(_PERMILLE):
            values[name] = _time(option, text)
        elif re.fullmatch(r"\d{1,4}", text, re.ASCII):
            values[name] = int(text)
        else:
            raise UsageError(f"{option}: expected a number, found {text!r}")
    costs = Costs(**values)
    try:
        check_costs(costs)
    except BadParameter as error:
        raise UsageError(str(error)) from None
    return costs


def _time(option: str, text: str) -> int:
    from ..units import UNITS_NS
    from .options import UsageError

    match = _TIME.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{option}: expected a time with its unit, such as 200ns or 10us, found {text!r}"
        )
    return int(match[1]) * UNITS_NS[match[2]]
