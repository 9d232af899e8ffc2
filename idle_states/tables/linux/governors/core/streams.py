"""Replay with governor state kept between calls: chunks of rows give the decisions of one pass."""

import os
import struct
from array import array
from collections.abc import Sequence
from functools import cache

from .. import Governor
from ..interface import Outcome, State
from .packing import (
    ROW,
    STATE,
    STATES_MAX,
    Buffer,
    Decisions,
    compiled,
    packed_features,
    packed_states,
)

FEWEST_TABLES = 3
"""Below this number of tables, replaying them one after the other is faster than a sweep."""
SWEPT = ("menu", "teo", "ladder")
"""Governors that a Sweep replays."""
_DECISION_SIZE = 2
_LED = struct.Struct("<QQ")


class Stream:
    """One CPU's governor from boot on.

    any_features  run the code for any features even where there is some for just these
    Raises CoreMissing, Unsupported; ValueError for HZ out of range.
    """

    def __init__(
        self,
        governor: str,
        features: object,
        states: Sequence[State],
        hz: int,
        *,
        any_features: bool = False,
    ) -> None:
        self._given = (governor, packed_features(governor, features), packed_states(states), hz)
        self._specialised = not any_features
        self.memory = bytearray(compiled.memory_size)
        """The governor's state in the core; all 0 at boot."""

    @classmethod
    def of(cls, governor: Governor, earlier: Outcome | None = None) -> "Stream":
        """Returns the stream of a governor. earlier: the idle period before it was switched on; of
        state 0 and without a length, as None, there was none."""
        stream = cls(governor.name, governor.features, governor.states, governor.hz)
        if earlier is not None and (earlier.state or earlier.residency_ns):
            stream.switched_on(earlier)
        return stream

    def switched_on(self, earlier: Outcome) -> None:
        """See Governor.switched_on()."""
        compiled.switched_on(*self._given, self.memory, earlier.state, earlier.residency_ns)

    def replay(self, rows: Buffer) -> Decisions:
        """Returns the decisions of the next rows, as made by `pack`. ValueError for a partial row.
        Releases the GIL; a stream must not be used by two threads at once."""
        decisions = bytearray(len(rows) // ROW.size * _DECISION_SIZE)
        compiled.replay(*self._given, self.memory, rows, decisions, self._specialised)
        return Decisions(decisions)

    def settled(
        self, lengths: "array[int]", circumstances: tuple[int, int, int, int, int], history: Buffer
    ) -> list[bytes]:
        """The states selected once settled, OBSERVED bytes for each length, as
        linux/governors/settling.py has it; the memory stays.

        lengths        of an idle period and to the next timer, in turn, in ns
        circumstances  tick stopped, timer driven, latency limit in us, waking in ns,
                       mask of the states that are switched off
        history        rows before the first idle period, whose situation does not matter
        """
        memory = bytearray(compiled.memory_size)
        fixed = struct.pack("<5Q", *circumstances)
        settled: list[bytes] = compiled.settle(*self._given, memory, fixed, history, lengths)
        return settled

    def led(self, scene: Buffer, steps: Buffer) -> list[tuple[int, int]]:
        """Plays histories, each from boot on; returns for each state the steps that first lead to
        it: where their history begins, and behind which step it is, 0 where none do.

        scene, steps: as prove/playing.py packs them. ValueError for haltpoll.
        """
        found = bytearray(_LED.size * (len(self._given[2]) // STATE.size))
        compiled.play(*self._given, bytearray(compiled.memory_size), scene, steps, found)
        return [*_LED.iter_unpack(found)]

    @property
    def given(self) -> tuple[str, bytes, bytes, int]:
        """Returns governor, features, states and HZ in the form of the extension's functions."""
        return self._given


class Sweep:
    """Replays a governor of one kernel with several tables over the same rows, in parallel vector
    lanes.

    Each lane holds one table: menu has eight lanes with x86-64-v4 (AVX-512), four with x86-64-v3
    (AVX2), and two elsewhere; teo and ladder have twice as many. level: the highest of these to use
    (4, 3, 0). streams: one for each table, with the same features and HZ, not of haltpoll; the
    sweep starts from their state and does not change it.
    """

    def __init__(self, streams: Sequence[Stream], *, level: int = 4) -> None:
        kinds = {(governor, features, hz) for governor, features, _, hz in map(_given, streams)}
        if len(kinds) != 1 or next(iter(kinds))[0] not in SWEPT:
            raise ValueError("expected streams of one governor with the same features and HZ")
        self._governor, self._features, self._hz = next(iter(kinds))
        states = [stream.given[2] for stream in streams]
        self._states = b"".join(each.ljust(STATES_MAX * STATE.size, b"\0") for each in states)
        self._counts = struct.pack(
            f"<{len(states)}I", *(len(each) // STATE.size for each in states)
        )
        self._level = level
        self.memories = bytearray(b"".join(stream.memory for stream in streams))
        self.in_lanes = False
        """Tells whether lanes decided the last rows; else tables were replayed one after the
        other."""

    def replay(self, rows: Buffer) -> list[Decisions]:
        """Returns the next decisions, by table. rows should be packed with as_selected."""
        size = len(rows) // ROW.size * _DECISION_SIZE
        tables = len(self._counts) // 4
        decisions = memoryview(bytearray(size * tables))
        self.in_lanes = compiled.sweep(
            self._governor,
            self._features,
            self._states,
            self._counts,
            self._hz,
            self.memories,
            rows,
            decisions,
            self._level,
        )
        places = (slice(i * size, (i + 1) * size) for i in range(tables))
        return [Decisions(decisions[place]) for place in places]


def _given(stream: Stream) -> tuple[str, bytes, bytes, int]:
    return stream.given


def run(
    governor: str,
    features: object,
    states: Sequence[State],
    hz: int,
    rows: Buffer,
    *,
    any_features: bool = False,
) -> Decisions:
    """Replays all rows with a new `Stream`."""
    return Stream(governor, features, states, hz, any_features=any_features).replay(rows)


@cache
def processors() -> int:
    """Returns the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
