"""The governors in C: hours of trace in seconds, the same decisions as the references.

    rows = core.pack(pairs)                  # of a Situation and an Outcome each
    decisions = core.replay("menu", "6.1", table, rows, hz=250)
    decisions.states                         # a byte each

An optional extension: where it was not compiled, or a governor or a feature is one it does not
know, `supports` says so, and the references in `idle_states.linux.governors` do the work, slower.
Buffers in, buffers out; the interpreter's lock is released meanwhile.
"""

import warnings
from collections.abc import Sequence

from ..linux.driver_table import DriverTable
from ..linux.governors import Governor
from ..linux.governors.interface import Outcome, State
from ..linux.releases import Release
from .packing import (
    AS_SELECTED,
    GOVERNORS,
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
    """Whether the extension is there."""
    return compiled is not None


def instruction_set() -> str:
    """What menu is run with on this machine: "x86-64-v3", "baseline"; "" without the extension."""
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
    """Whether the core is there and knows this governor, its features and its states."""
    return 1 <= len(governor.states) <= STATES_MAX and supports(governor.name, governor.features)


def agreed(decisions: Buffer, others: Buffer) -> tuple[int, int]:
    """Of packed decisions: how many are the same, and the first that is not (-1: none)."""
    same, first = compiled.agreed(decisions, others, True)
    return same, first


def specialised(governor: str, features: object) -> bool:
    """Whether it has code compiled for just these features, as for each release's of menu."""
    return bool(compiled.specialised(governor, packed_features(governor, features)))


def replay(
    governor: str,
    kernel: str | Release,
    table: DriverTable | Sequence[State],
    rows: Buffer,
    hz: int = 250,
) -> Decisions:
    """What one CPU's governor decides from boot on, row by row: vectorised Governor.replay().

    governor  menu, teo, ladder, haltpoll
    kernel    a release, e.g. "6.1", "debian-6.1.192"
    table     what the kernel's driver registered, or plain states
    rows      64 bytes each, little-endian, as `pack` makes them (see ROW); AS_SELECTED in `entered`
              lets what is selected be entered
    By the core where it is there and knows the governor, by the reference otherwise.
    Raises UnknownGovernor, UnknownRelease; ValueError for a size that is no whole number of rows.
    """
    reference = Governor.for_kernel(governor, kernel, table, hz)
    if len(rows) % ROW.size:
        raise ValueError(f"expected whole rows of {ROW.size} bytes, found {len(rows)} bytes")
    if can_replay(reference):
        return run(governor, reference.features, reference.states, hz, rows)
    packed = bytearray()
    recorded = memoryview(rows)[ROW.size - 1 :: ROW.size]
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
        packed += bytes((decision.state, decision.stop_tick))
    return Decisions(packed)
