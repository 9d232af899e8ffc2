"""What simulate is asked to do: its options as setups."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..linux.releases import Release
    from ..table import IdleTable
    from ..workload.energy import Model
    from ..workload.machine import CpuTable
    from ..workload.programs import Workload
    from ..workload.simulate_setup import Costs, Setup
    from ..workload.topology import Topology
    from .energy_options import Rows

_TIME = re.compile(r"(\d{1,13})(ns|us|ms|s)", re.ASCII)
PERMILLE = "_permille"
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


def setups_of(
    arguments: argparse.Namespace,
) -> "tuple[list[Setup], list[tuple[str, str]], Model | None]":
    """One for each table, the files that were read, and what states draw, if anything says."""
    from ..linux.governors import Governor
    from ..workload import placement, workloads_file
    from ..workload.simulate_setup import Setup, effects_of
    from . import energy_options
    from .options import UsageError

    _check_numbers(arguments)
    release = _release(arguments)
    workload, duration_ns, files = _workload(arguments.workload)
    if arguments.duration is not None:
        duration_ns = _time("--duration", arguments.duration)
    if not 1 <= duration_ns <= _DURATION_MAX_NS:
        raise UsageError(f"expected --duration from 1ns to 1000000s, found {arguments.duration}")
    topology = _topology(arguments, workload)
    try:
        policy = placement.parse(arguments.placement)
    except placement.BadPlacement as error:
        raise UsageError(f"--placement: {error}") from None
    misfit = workloads_file.misfit(workload, topology.cpus, files[0][0] if files else None)
    if misfit is not None:
        if files:
            raise misfit
        raise UsageError(misfit.findings[0].message)
    setups = []
    rows: Rows = []
    for name, table, source, read, named_rows in _tables(arguments, release):
        rows += named_rows
        Governor.for_kernel(arguments.governor, release, table.states, arguments.hz)
        setups.append(
            Setup(
                name,
                topology,
                policy,
                workload,
                table,
                effects_of(table, source, _exits(arguments, table)),
                arguments.governor,
                release,
                arguments.hz,
                duration_ns,
                _costs(arguments),
            )
        )
        files += read
    power = energy_options.model(arguments, [setup.table for setup in setups], rows)
    return setups, files, power


def _check_numbers(arguments: argparse.Namespace) -> None:
    from .options import UsageError

    for name, least, most in (
        ("hz", 1, 10_000),
        ("seed", 0, (1 << 64) - 1),
        ("runs", 1, 10_000),
    ):
        value = getattr(arguments, name)
        if not least <= value <= most:
            raise UsageError(f"expected --{name} from {least} to {most}, found {value}")


def _release(arguments: argparse.Namespace) -> "Release":
    from ..linux.releases import NEWEST
    from .options import UsageError, kernels

    wanted = [arguments.kernel] if arguments.kernel else []
    found = kernels(argparse.Namespace(kernel=wanted), [NEWEST])
    if len(found) != 1:
        raise UsageError(f"expected one kernel, found {arguments.kernel!r}")
    return found[0]


def _workload(text: str) -> "tuple[Workload, int, list[tuple[str, str]]]":
    """The workload, for how long to simulate it unless that is said, and its file."""
    import hashlib

    from ..workload import workloads, workloads_file, workloads_trace
    from ..workload.inputs import Input
    from ..workload.programs import BadWorkload
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
        data = path.read_bytes()
        return (
            workloads_file.read(data, text),
            second,
            [(text, hashlib.sha256(data).hexdigest())],
        )
    if not path.is_file():
        known = ", ".join(workloads.BUILT_IN)
        raise UsageError(f"expected a workload ({known}), YAML or a trace, found {text!r}")
    source = Input(text)
    traced, duration_ns = workloads_trace.read(source)
    return traced, duration_ns, [(text, source.sha256())]


def _topology(arguments: argparse.Namespace, workload: "Workload") -> "Topology":
    from ..workload import topology, topology_file
    from .options import UsageError

    if arguments.topology is None:
        bound = max((task.cpu for task in workload.tasks if task.cpu is not None), default=0)
        return topology.parse(f"cpus={max(8, bound + 1)}")
    path = Path(arguments.topology)
    if arguments.topology not in topology.PRESETS and path.is_file():
        return topology_file.read(path)
    try:
        return topology.parse(arguments.topology)
    except topology.BadTopology as error:
        raise UsageError(f"--topology: {error}") from None


def _tables(
    arguments: argparse.Namespace, release: "Release"
) -> "list[tuple[str, CpuTable, IdleTable | None, list[tuple[str, str]], Rows]]":
    """Name, what the kernel holds, what firmware has, the file, and its rows by Linux's names."""
    from ..compare.journey import journey
    from ..sources import read_table
    from ..workload.machine import from_driver
    from .energy_options import named
    from .options import UsageError, platform

    if arguments.polling and not arguments.states:
        raise UsageError("expected --polling with --states only; for a table the kernel decides")
    found: list[tuple[str, CpuTable, IdleTable | None, list[tuple[str, str]], Rows]] = []
    for text in arguments.table:
        source = read_table(text)
        arrival = journey(source, platform(arguments), [release]).arrivals[0]
        driver = arrival.driver
        if not driver.states:
            raise UsageError(
                f"expected Linux {release.name} to register states of {text}, found none: "
                f"{driver.fatal or 'all are lost; see idle-states show'}"
            )
        table = _switched_off(arguments, from_driver(driver))
        rows = named(arrival, source.table) if source.table else []
        found.append((source.name, table, source.table, [(source.file, source.sha256)], rows))
    if arguments.states:
        table = _switched_off(arguments, _plain(arguments))
        found.append((arguments.states, table, None, [], []))
    if not found:
        raise UsageError("expected a table: --table or --states")
    return found


def _plain(arguments: argparse.Namespace) -> "CpuTable":
    from ..workload.machine import from_times
    from .options import UsageError

    times = []
    for word in arguments.states.split(","):
        match = re.fullmatch(r"(\d{1,15})/(\d{1,15})", word.strip(), re.ASCII)
        if match is None:
            raise UsageError(f"expected EXIT/RESIDENCY in ns such as 1000/10000, found {word!r}")
        times.append((int(match[1]), int(match[2])))
    if len(times) > 9:
        raise UsageError(f"expected at most 9 states besides snooze, found {len(times)}")
    return from_times(times, arguments.polling)


def _switched_off(arguments: argparse.Namespace, table: "CpuTable") -> "CpuTable":
    from dataclasses import replace

    from .options import UsageError

    wanted = [word for word in arguments.disabled.split(",") if word]
    for word in wanted:
        if word not in table.names:
            known = ", ".join(table.names)
            raise UsageError(f"--disabled: expected a state ({known}), found {word!r}")
    return replace(table, disabled=frozenset(table.names.index(word) for word in wanted))


def _exits(arguments: argparse.Namespace, table: "CpuTable") -> dict[str, int]:
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
    from ..workload.simulate_setup import BadParameter, Costs, check_costs
    from .options import UsageError

    values = {}
    for name, _, _ in PARAMETERS:
        text, option = getattr(arguments, name), f"--{name.replace('_', '-')}"
        if not name.endswith(PERMILLE):
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
    from ..spec.scalars import UNITS_NS
    from .options import UsageError

    match = _TIME.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{option}: expected a time with its unit, such as 200ns or 10us, found {text!r}"
        )
    return int(match[1]) * UNITS_NS[match[2]]
