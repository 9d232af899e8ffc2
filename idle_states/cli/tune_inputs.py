"""What `tune` is given: the table, what its states draw, and the idle gaps."""

import argparse
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..linux.releases import Release
    from ..replay.energy import Model
    from ..replay.machine import CpuTable
    from ..replay.replay import Settings
    from ..table import IdleTable
    from ..tune.evaluate import Work
    from ..tune.source import Source
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
    from ..linux.driver_table import DriverTable
    from ..replay.machine import from_driver, from_times
    from .energy_options import named
    from .governor_options import registered, states
    from .options import UsageError

    release, found = states(arguments, arguments.table)
    files: tuple[tuple[str, str], ...] = ()
    rows: Rows = []
    spec = None
    if isinstance(found, DriverTable):
        source, arrival = registered(arguments, arguments.table, release)
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
    from ..reading.inputs import Input
    from ..tune.source import read, read_list
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
    """A workload that is simulated. Raises UsageError, and Unreadable for a file's fault."""
    from ..simulation.setup import Setup, effects_of
    from ..tune.simulated import Simulation
    from ..tune.source import simulated
    from .workload_options import exits, given

    of = given(arguments)
    setup = Setup(
        subject.name,
        of.topology,
        of.policy,
        of.workload,
        subject.table,
        effects_of(subject.table, subject.rows, exits(arguments, subject.table)),
        settings.governor,
        settings.release,
        settings.hz,
        of.duration_ns,
        of.costs,
    )
    return simulated(arguments.workload, of.files), Simulation(setup, tuple(of.seeds))
