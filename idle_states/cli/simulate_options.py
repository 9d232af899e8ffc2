"""What simulate is asked to do: its options as setups."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..linux.releases import Release
    from ..replay.energy import Model
    from ..replay.machine import CpuTable
    from ..simulation.setup import Setup
    from ..table import IdleTable
    from .energy_options import Rows


def setups_of(
    arguments: argparse.Namespace,
) -> "tuple[list[Setup], range, list[tuple[str, str]], Model | None]":
    """One for each table, seeds, the files that were read, and what states draw, if anything
    says. Raises UsageError, and what reading files raises."""
    from ..linux.governors import Governor
    from ..simulation.setup import Setup, effects_of
    from . import energy_options
    from .options import UsageError
    from .workload_options import exits, given

    if not 1 <= arguments.hz <= 10_000:
        raise UsageError(f"expected --hz from 1 to 10000, found {arguments.hz}")
    release = _release(arguments)
    of = given(arguments)
    setups, files = [], list(of.files)
    rows: Rows = []
    for name, table, source, read, named_rows in _tables(arguments, release):
        rows += named_rows
        Governor.for_kernel(arguments.governor, release, table.states, arguments.hz)
        setups.append(
            Setup(
                name,
                of.topology,
                of.policy,
                of.workload,
                table,
                effects_of(table, source, exits(arguments, table)),
                arguments.governor,
                release,
                arguments.hz,
                of.duration_ns,
                of.costs,
            )
        )
        files += read
    power = energy_options.model(arguments, [setup.table for setup in setups], rows)
    return setups, of.seeds, files, power


def _release(arguments: argparse.Namespace) -> "Release":
    from ..linux.releases import NEWEST
    from .options import UsageError, kernels

    wanted = [arguments.kernel] if arguments.kernel else []
    found = kernels(argparse.Namespace(kernel=wanted), [NEWEST])
    if len(found) != 1:
        raise UsageError(f"expected one kernel, found {arguments.kernel!r}")
    return found[0]


def _tables(
    arguments: argparse.Namespace, release: "Release"
) -> "list[tuple[str, CpuTable, IdleTable | None, list[tuple[str, str]], Rows]]":
    """Name, what the kernel holds, what firmware has, the file, and its rows by Linux's names."""
    from ..replay.machine import from_driver, from_times
    from .energy_options import named
    from .governor_options import registered, times
    from .options import UsageError

    if arguments.polling and not arguments.states:
        raise UsageError("expected --polling with --states only; for a table the kernel decides")
    found: list[tuple[str, CpuTable, IdleTable | None, list[tuple[str, str]], Rows]] = []
    for text in arguments.table:
        source, arrival = registered(arguments, text, release)
        table = _switched_off(arguments, from_driver(arrival.driver))
        rows = named(arrival, source.table) if source.table else []
        found.append((source.name, table, source.table, [(source.file, source.sha256)], rows))
    if arguments.states:
        table = _switched_off(arguments, from_times(times(arguments.states), arguments.polling))
        found.append((arguments.states, table, None, [], []))
    if not found:
        raise UsageError("expected a table: --table or --states")
    return found


def _switched_off(arguments: argparse.Namespace, table: "CpuTable") -> "CpuTable":
    from dataclasses import replace

    from .options import UsageError

    wanted = [word for word in arguments.disabled.split(",") if word]
    for word in wanted:
        if word not in table.names:
            known = ", ".join(table.names)
            raise UsageError(f"--disabled: expected a state ({known}), found {word!r}")
    return replace(table, disabled=frozenset(table.names.index(word) for word in wanted))
