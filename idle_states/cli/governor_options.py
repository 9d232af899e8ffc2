"""Options of commands that run a governor: which one, which kernel, over which states."""

import argparse
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..linux.driver_table import DriverTable
    from ..linux.governors import State
    from ..linux.releases import Release
    from ..pipeline import Arrival
    from ..sources.source import Source


def add_governor(parser: argparse.ArgumentParser, *, kernels: bool = False) -> None:
    """kernels: several of them."""
    from .options import add_kernels, add_platform

    parser.add_argument(
        "--states",
        metavar="S",
        help="what the kernel holds, instead of TABLE: EXIT/RESIDENCY in ns, snooze implied as "
        "state 0: 1000/10000,2000/20000",
    )
    parser.add_argument("--polling", action="store_true", help="with --states: snooze is POLLING")
    parser.add_argument("--governor", default="menu", help="menu, teo or ladder (default: menu)")
    if kernels:
        add_kernels(parser, "the newest")
    else:
        parser.add_argument("--kernel", metavar="K", help="Linux release (default: the newest)")
    parser.add_argument("--hz", metavar="N", type=int, default=250, help="HZ (default: 250)")
    add_platform(parser)


def states(
    arguments: argparse.Namespace, table: str | None
) -> "tuple[Release, DriverTable | list[State]]":
    """The kernel, and what its governor selects from: registered for a table, or as given.

    Raises UsageError and what reading a table raises.
    """
    from ..linux.releases import NEWEST, release

    chosen = release(arguments.kernel or NEWEST)
    return chosen, states_on(arguments, table, chosen)


def states_on(
    arguments: argparse.Namespace, table: str | None, chosen: "Release"
) -> "DriverTable | list[State]":
    """`states` for one kernel."""
    from .options import UsageError, say

    if arguments.hz not in range(1, 100_001):
        raise UsageError(f"expected HZ from 1 to 100000, found {arguments.hz}")
    if (table is None) == (arguments.states is None):
        raise UsageError("expected a table or --states, one of the two")
    if arguments.states is not None:
        return _parsed(arguments.states, arguments.polling)
    if arguments.polling:
        raise UsageError("expected --polling with --states only; for a table the kernel decides")
    assert table is not None
    source, arrival = registered(arguments, table, chosen)
    held = source.table.held if source.table else None
    off = [state.name for state in held.states if state.disabled] if held else []
    if off:
        say(
            f"{table} was taken with {', '.join(off)} switched off; shown is what is selected with "
            "every state on"
        )
    return arrival.driver


def registered(
    arguments: argparse.Namespace, table: str, chosen: "Release"
) -> "tuple[Source, Arrival]":
    """A revision or file, and what a kernel registers of it: a state at least.

    Raises UsageError and what reading a table raises.
    """
    from ..pipeline import journey
    from ..sources import read_table
    from .options import UsageError, platform

    source = read_table(table)
    arrival = journey(source, platform(arguments), [chosen]).arrivals[0]
    if not arrival.driver.states:
        raise UsageError(
            f"expected Linux {chosen.name} to register states of {table}, found none: "
            f"{arrival.driver.fatal or 'all are lost; see idle-states show'}"
        )
    return source, arrival


def _parsed(text: str, polling: bool) -> "list[State]":
    from ..linux.governors import State

    return [State(0, 0, polling), *(State(*pair) for pair in times(text))]


def times(text: str) -> list[tuple[int, int]]:
    """Exit latency and residency in ns of 1000/10000,2000/20000. Raises UsageError."""
    from .options import UsageError

    found = []
    for word in text.split(","):
        match = re.fullmatch(r"(\d{1,15})/(\d{1,15})", word.strip(), re.ASCII)
        if match is None:
            raise UsageError(f"expected EXIT/RESIDENCY in ns such as 1000/10000, found {word!r}")
        found.append((int(match[1]), int(match[2])))
    if len(found) > 9:
        raise UsageError(f"expected at most 9 states besides snooze, found {len(found)}")
    return found
