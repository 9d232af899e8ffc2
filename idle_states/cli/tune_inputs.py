"""What `tune` is given: the table, what its states draw, and the idle gaps."""

import argparse
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..linux.releases import Release
    from ..table import IdleTable
    from ..workload.energy import Model
    from ..workload.machine import CpuTable
    from ..workload.replay import Settings
    from ..workload.tune.evaluate import Work
    from ..workload.tune.source import Source
    from .energy_options import Rows


@dataclass(frozen=True, slots=True)
class Subject:
    """What is tuned. table: as the kernel holds it; power: of every state of it; rows: of the
    spec or tree, None for --states; files: with their SHA-256."""

    name: str
    release: "Release"
    table: "CpuTable"
    power: "Model"
    rows: "IdleTable | None"
    files: "tuple[tuple[str, str], ...]"


def subject(arguments: argparse.Namespace) -> Subject:
    """Raises UsageError and what reading a table raises."""
    from ..compare.journey import journey
    from ..linux.driver_table import DriverTable
    from ..sources import read_table
    from ..workload.machine import from_driver, from_times
    from .energy_options import named
    from .governor_options import states
    from .options import UsageError, platform

    release, found = states(arguments, arguments.table)
    files: tuple[tuple[str, str], ...] = ()
    rows: Rows = []
    spec = None
    if isinstance(found, DriverTable):
        source = read_table(arguments.table)
        arrival = journey(source, platform(arguments), [release]).arrivals[0]
        spec, name, files = source.table, source.name, ((source.file, source.sha256),)
        table = from_driver(found)
        rows = named(arrival, spec) if spec else []
    else:
        times = [(state.exit_ns, state.residency_ns) for state in found[1:]]
        table, name = from_times(times, arguments.polling), arguments.states
    if len(table.states) < 2:
        raise UsageError(f"expected a state besides {table.names[0]}, found none")
    return Subject(name, release, table, _power(arguments, table, rows), spec, files)


def _power(arguments: argparse.Namespace, table: "CpuTable", rows: "Rows") -> "Model":
    from .energy_options import model
    from .options import UsageError

    power = model(arguments, [table], rows)
    names = table.names if power is None else [n for n in table.names if n not in power.states]
    if power is None or names:
        example = ",".join(f"{name}=0.9" for name in table.names[:2])
        raise UsageError(
            f"expected to know what states draw, found no figure for {', '.join(names)}; give "
            f"them (--power {example},...), or take the rows' word for it (--power implied)"
        )
    return power


def source(arguments: argparse.Namespace, cuts: list[int]) -> "Source":
    """Idle gaps of a trace, a recording or a list. Raises Unreadable, OSError."""
    from ..workload.inputs import Input
    from ..workload.tune.source import read, read_list
    from .progress import Bar

    name = arguments.trace or arguments.gaps
    size = os.path.getsize(name) if os.path.isfile(name) else 0
    with Bar("bytes read") as bar:
        bar.expect(size)
        source = Input(name, bar.advance)
        return read_list(source, cuts) if arguments.gaps else read(source, cuts)


def simulation(
    arguments: argparse.Namespace, settings: "Settings", subject: Subject
) -> "tuple[Source, Work]":
    """A workload that is simulated. Raises UsageError, and Unreadable for a workload's file."""
    from ..workload import placement, topology
    from ..workload.programs import BadWorkload
    from ..workload.simulate_setup import BadParameter, Setup, effects_of
    from ..workload.tune.simulated import Simulation
    from ..workload.tune.source import simulated
    from ..workload.workloads import built_in, described
    from ..workload.workloads_file import misfit, read
    from .options import UsageError

    if not 1 <= arguments.runs <= 10_000 or not 0 <= arguments.seed < 1 << 64:
        raise UsageError("expected --runs from 1 to 10000, --seed from 0 to 2^64 - 1")
    duration_ns = _time_ns("--duration", arguments.duration)
    text, digest = arguments.workload, ""
    try:
        workload = built_in(text)
        if workload is None and not Path(text).is_file():
            known = ", ".join(each.name for each in described())
            raise UsageError(f"expected a workload ({known}) or a file, found {text!r}")
        if workload is None:
            data = Path(text).read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            workload = read(data, text)
        machine = topology.parse(arguments.topology)
        policy = placement.parse(arguments.placement)
    except (BadWorkload, BadParameter, topology.BadTopology, placement.BadPlacement) as error:
        raise UsageError(str(error)) from None
    wrong = misfit(workload, machine.cpus, text if digest else None)
    if wrong is not None:
        raise wrong
    setup = Setup(
        subject.name,
        machine,
        policy,
        workload,
        subject.table,
        effects_of(subject.table, subject.rows),
        settings.governor,
        settings.release,
        settings.hz,
        duration_ns,
    )
    seeds = tuple(range(arguments.seed, arguments.seed + arguments.runs))
    return simulated(text, digest), Simulation(setup, seeds)


def _time_ns(option: str, text: str) -> int:
    """A time with its unit, from 1 ns to 1000 s. Raises UsageError."""
    from ..spec.scalars import UNITS_NS
    from .options import UsageError

    match = re.fullmatch(r"(\d{1,12})(ns|us|ms|s)", text, re.ASCII)
    found = int(match[1]) * UNITS_NS[match[2]] if match else 0
    if not 1 <= found <= 1000 * UNITS_NS["s"]:
        raise UsageError(f"expected {option} from 1ns to 1000s, found {text!r}")
    return found
