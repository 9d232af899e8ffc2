"""Options that say what states draw, for commands that reckon energy."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..pipeline import Arrival
    from ..replay.energy import Model
    from ..replay.machine import CpuTable
    from ..table import IdleState, IdleTable

    Rows = list[tuple[str, IdleState]]

IMPLIED = "implied"


def add_power(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--power",
        metavar="NAME=P,...",
        help="what states draw, relative to an awake CPU (snooze=1,stop0=0.9,stop2=0.4-0.6) or in "
        "watts (awake=4W,C1=1.44W); implied: what the first table's residencies imply "
        "(default: the specs' figures, where they have any)",
    )
    parser.add_argument(
        "--tau",
        choices=("exit", "both"),
        help="how long entering and leaving a state takes: its exit latency, or twice that "
        "(default: exit; both with --power implied)",
    )


def named(arrival: "Arrival", table: "IdleTable") -> "Rows":
    """Rows of a table by the names that a kernel gives them."""
    return [
        (state.name, table.states[row])
        for row, state in sorted(arrival.registered.items())
        if row < len(table.states)
    ]


def model(
    arguments: argparse.Namespace, tables: "Sequence[CpuTable]", rows: "Rows"
) -> "Model | None":
    """What is known of the states' power; None if nothing is.

    tables: as kernels hold them; rows: of their specs, where there are any, whose times are not
    rounded. Raises UsageError.
    """
    from ..replay import energy
    from .options import UsageError

    written: dict[str, IdleState] = {}
    for name, state in rows:
        written.setdefault(name, state)
    try:
        if not arguments.power:
            return energy.from_specs(rows, arguments.tau or energy.TAU_EXIT)
        times: dict[str, tuple[int, int]] = {}
        for table in tables:
            for name, held in zip(table.names, table.states, strict=True):
                times.setdefault(name, _times(written.get(name), held.exit_ns, held.residency_ns))
        if arguments.power == IMPLIED:
            first = [(name, *times[name]) for name in (tables[0].names if tables else ())]
            if len(first) < 2:
                raise UsageError("expected a table with two states or more for --power implied")
            return energy.from_rows(first, arguments.tau or energy.TAU_BOTH)
        latencies = {name: exit_ns for name, (exit_ns, _) in times.items()}
        return energy.from_words(arguments.power, latencies, arguments.tau or energy.TAU_EXIT)
    except energy.BadPower as error:
        raise UsageError(str(error)) from None


def _times(row: "IdleState | None", exit_ns: int, residency_ns: int) -> tuple[int, int]:
    """As the spec has them, where there is one: the kernel's are in whole us."""
    if row is None:
        return exit_ns, residency_ns
    return row.latency_ns, residency_ns if row.residency_ns is None else row.residency_ns
