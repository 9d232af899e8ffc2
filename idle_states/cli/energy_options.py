"""Options that say what states draw, for commands that reckon energy."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..replay.power import PowerRequest


def add_power(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--power",
        metavar="NAME=P,...",
        help="what states draw, relative to an awake CPU (snooze=1,stop0=0.9,stop2=0.4-0.6) or in "
        "watts (awake=4W,C1=1.44W); implied: what the first table's residencies imply; "
        "assumed: on POWER, as POWER8's by what they stop (default: the specs' figures, where they "
        "have any)",
    )
    parser.add_argument(
        "--tau",
        choices=("exit", "both"),
        help="how long entering and leaving a state takes: its exit latency, or twice that "
        "(default: exit; both with --power implied)",
    )


def power(arguments: argparse.Namespace) -> "PowerRequest":
    """The power request that the options of add_power() make."""
    from ..replay.power import PowerRequest

    return PowerRequest(arguments.power or "", arguments.tau or "")
