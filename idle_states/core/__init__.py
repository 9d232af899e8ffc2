"""The governors compiled from C: replays hours of trace in seconds, with the reference's decisions.

    rows = core.pack(pairs)                  # pairs of a Situation and an Outcome
    decisions = core.replay("menu", "6.1", table, rows, hz=250)
    decisions.states                         # one byte each

The extension is optional. `supports` tells whether it is installed and knows a governor with its
features; if not, the slower Python reference in `idle_states.linux.governors` does the work. Input
and output are buffers, and the interpreter's lock is released during the replay.
"""

import warnings
from collections.abc import Sequence

from ..linux.driver_table import DriverTable
from ..linux.governors import Governor
from ..linux.governors.interface import NO_STATE, Outcome, State
from ..linux.releases import Release
from .packing import (
    AS_SELECTED,
    GOVERNORS,
    NONE,
    RECORDED,
    ROW,
    STATES_MAX,
    Buffer,
    CoreFallsShort,
    CoreMissing,
    Decisions,
    Unsupported,
    compiled,
    mask,
    pack,
    packed_features,
    unpack,
)
from .streams import FEWEST_TABLES, Stream, Sweep, processors, run, run_cpus, sweep

__all__ = [
    "AS_SELECTED",
    "FEWEST_TABLES",
    "GOVERNORS",
    "RECORDED",
    "ROW",
    "STATES_MAX",
    "Buffer",
    "CoreFallsShort",
    "CoreMissing",
    "Decisions",
    "Stream",
    "Sweep",
    "Unsupported",
    "agreed",
    "available",
    "can_replay",
    "compiled",
    "instruction_set",
    "mask",
    "pack",
    "packed_features",
    "processors",
    "replay",
    "run",
    "run_cpus",
    "specialised",
    "supports",
    "sweep",
    "unpack",
]


def available() -> bool:
    """Whether the extension is installed."""
    return compiled is not None


def instruction_set() -> str:
    """Returns the instruction set that menu uses: "x86-64-v3", "baseline"; "": not installed."""
    return str(compiled.instruction_set()) if available() else ""


def supports(governor: str, features: object) -> bool:
    """Whether the core can replay this governor with these features.

    Warns with CoreFallsShort if it has the governor, but no code for the features.
    """
    try:
        packed_features(governor, features)
    except CoreMissing:
        return False
    except Unsupported as error:
        if governor in GOVERNORS:
            message = f"{error}; the reference decides instead, some hundred times slower"
            warnings.warn(message, CoreFallsShort, stacklevel=2)
        return False
    return True


def can_replay(governor: Governor) -> bool:
    """Whether the core is installed and supports this governor, its features and its states."""
    return 1 <= len(governor.states) <= STATES_MAX and supports(governor.name, governor.features)


def agreed(decisions: Buffer, others: Buffer) -> tuple[int, int]:
    """Compares packed decisions; returns how many agree and the index of the first that does not
    (-1: all agree)."""
    same, first = compiled.agreed(decisions, others, True)
    return same, first


def specialised(governor: str, features: object) -> bool:
    """Whether the core has code compiled for exactly these features, as for each release's menu."""
    return bool(compiled.specialised(governor, packed_features(governor, features)))


def replay(
    governor: str,
    kernel: str | Release,
    table: DriverTable | Sequence[State],
    rows: Buffer,
    hz: int = 250,
) -> Decisions:
    """Returns the decisions of one CPU's governor from boot on: vectorised Governor.replay().

    governor  menu, teo, ladder, haltpoll
    kernel    a release, e.g. "6.1", "debian-6.1.192"
    table     the states that the kernel's driver registered, or plain states
    rows      72 bytes each, little-endian, as made by `pack` (see ROW); with AS_SELECTED in
              `entered`, the selected state is the one entered
    Uses the core if it is installed and supports the governor, otherwise the reference.
    Raises UnknownGovernor, UnknownRelease; ValueError for a size that is no whole number of rows.
    """
    reference = Governor.for_kernel(governor, kernel, table, hz)
    if len(rows) % ROW.size:
        raise ValueError(f"expected whole rows of {ROW.size} bytes, found {len(rows)} bytes")
    if can_replay(reference):
        return run(governor, reference.features, reference.states, hz, rows)
    packed = bytearray()
    recorded = memoryview(rows)[RECORDED :: ROW.size]
    for (situation, outcome), before in zip(unpack(rows), recorded, strict=True):
        decision = reference.select(situation)
        if outcome.state == AS_SELECTED:
            outcome = Outcome(
                decision.state,
                outcome.residency_ns,
                outcome.rejected,
                outcome.got_tick,
                outcome.poll_time_limit and before == decision.state,
                outcome.clock_ns,
            )
        reference.reflect(outcome)
        state = NONE if decision.state == NO_STATE else decision.state
        packed += bytes((state, decision.stop_tick))
    return Decisions(packed)
