"""Options of commands that run a governor: which one, which kernel, over which states."""

import argparse
from typing import TYPE_CHECKING

from ..findings import UsageError
from .options import add_hz, add_kernels, add_platform, machine_table, platform

if TYPE_CHECKING:
    from ..linux.governors.given import GivenStates, GovernorRequest


def add_states(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--states",
        metavar="EXIT/RES,...",
        help="what the kernel holds, instead of a table, in ns: 1000/10000,2000/20000; snooze is "
        "implied as state 0",
    )
    parser.add_argument("--polling", action="store_true", help="with --states: snooze is POLLING")


def add_next_timer(parser: argparse.ArgumentParser, *, calibrates: bool = False) -> None:
    """calibrates: it may also be inferred of the traced decisions, and is by default."""
    fixed = "the next timer ends every idle period, or is far from all"
    if calibrates:
        parser.add_argument(
            "--next-timer",
            choices=("calibrated", "gap", "far"),
            help="for traces of cpu_idle: the next timer is one of which the traced governor "
            f"selects the state entered; or {fixed} (default: calibrated where a dump of the "
            "traced machine's cpuidle sysfs is given and the trace is not too long, else gap)",
        )
        return
    parser.add_argument(
        "--next-timer",
        choices=("gap", "far"),
        default="gap",
        help=f"for traces of cpu_idle: {fixed} (default: gap)",
    )


def add_governor(
    parser: argparse.ArgumentParser,
    *,
    kernels: bool = False,
    recorded: bool = False,
    haltpoll: bool = False,
) -> None:
    """kernels: several of them. recorded: what is not given is None, for a recording's head.
    haltpoll: this governor is known, too, which has no steady states."""
    first = "the recording's, else " if recorded else ""
    names = "menu, teo, ladder or haltpoll" if haltpoll else "menu, teo or ladder"
    add_states(parser)
    parser.add_argument(
        "--governor",
        default=None if recorded else "menu",
        help=f"{names} (default: {first}menu)",
    )
    if kernels:
        add_kernels(parser, "the newest")
    else:
        parser.add_argument(
            "--kernel", metavar="K", help=f"Linux release (default: {first}the newest)"
        )
    add_hz(parser, recorded=recorded)
    add_platform(parser)


def given(arguments: argparse.Namespace) -> "GivenStates | None":
    """--states and --polling. Raises UsageError."""
    from ..linux.governors.given import given_states

    if arguments.states is not None:
        return given_states(arguments.states, arguments.polling)
    if arguments.polling:
        raise UsageError("expected --polling with --states only; for a table the kernel decides")
    return None


def governor(arguments: argparse.Namespace, table: str | None) -> "GovernorRequest":
    """What add_governor() was given; without a table, that of --platform's x86 machine. Raises
    UsageError, BadPlatform, UnknownSkiboot."""
    from ..linux.governors.given import GovernorRequest

    if table is None and arguments.states is None:
        table = machine_table(arguments)
    return GovernorRequest(
        arguments.governor, arguments.hz, table, given(arguments), platform(arguments)
    )
