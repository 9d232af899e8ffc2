"""Conversion of the core's input and output between Python values and bytes."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from .....base.compiled_core import loaded
from .....base.dataclass import fields
from .....base.model.history import WrongRow, check_values
from ..interface import NO_STATE, U64_MAX, Decision, Outcome, Situation, State

try:
    compiled: Any = loaded()
except ImportError:
    compiled = None

Buffer = bytes | bytearray | memoryview

GOVERNORS = ("haltpoll", "ladder", "menu", "teo")
STATES_MAX = 10
"""CPUIDLE_STATE_MAX."""

NONE = 255
"""NO_STATE in packed decisions."""

AS_SELECTED = 255
"""Value of a row's `entered`: the state that the governor selects is entered (what-if replay)."""

ROW = struct.Struct("<qqQQQQIIHBBBBBBII")
"""A row: sleep_length_ns, delta_next_ns, clock_ns, reflect_clock_ns, residency_ns, load,
latency_req_us, nr_iowaiters, disabled (bit n: state n), tick_stopped, rejected, got_tick,
poll_time_limit, entered (a state's number or AS_SELECTED), recorded, cpu_util, cpu_capacity. 72
bytes.

recorded: state that was really entered; with AS_SELECTED, poll_time_limit holds only if the
governor selects this state."""
LATENCY, DISABLED, REJECTED, POLL_TIME_LIMIT, ENTERED, RECORDED = 48, 56, 59, 61, 62, 63
"""Offsets of these fields in a row, in bytes."""

STATE = struct.Struct("<QQQ")

EVENT = struct.Struct("<qQIH?x")
"""An event of cpu_idle: what, time in ns, line from 0 on, CPU, whether the time is in us."""

RING_EVENT = struct.Struct("<qQIH?xQ")
"""An event of a ring buffer: as EVENT, and the time to merge CPUs by."""

PERF_ID = struct.Struct("<QQ")
"""A number of an event, and the place of its PERF_KIND (structs.py)."""

PERIOD = struct.Struct("<QQIHBx")
"""An idle period: start and end in ns, state, CPU, verdict of cpu_idle_miss. The last byte is 1 if
it is followed only for what a governor remembers of it, and not counted."""
SETTLES = 23
"""Offset of this byte."""


class CoreMissing(RuntimeError):
    """The extension is not installed."""


class Unsupported(ValueError):
    """A governor, feature or value that the reference supports and the core does not."""


class CoreFallsShort(UserWarning):
    """The core is installed, but lacks code for a release, so the reference is used."""


class Decisions(NamedTuple):
    """Packed decisions, two bytes each: the state's number, NONE for NO_STATE, and
    1 if the tick stops, else 0."""

    packed: Buffer

    def __len__(self) -> int:
        return len(self.packed) // 2

    @property
    def states(self) -> Buffer:
        """The states' numbers, one byte each."""
        return self.packed[::2]

    def unpacked(self) -> list[Decision]:
        states, stops = self.packed[::2], self.packed[1::2]
        return [
            Decision(NO_STATE if s == NONE else s, bool(stop))
            for s, stop in zip(states, stops, strict=True)
        ]


def pack(rows: Iterable[tuple[Situation, Outcome]], *, as_selected: bool = False) -> bytearray:
    """Packs rows for the core. as_selected: the state that the replay selects is entered, not the
    recorded one."""
    packed = bytearray()
    for situation, outcome in rows:
        # Without cpuidle, of which governors hear as little as of a refused entry.
        without = outcome.state == NO_STATE
        entered = 0 if without else outcome.state
        packed += ROW.pack(
            situation.sleep_length_ns,
            situation.delta_next_ns,
            situation.clock_ns & U64_MAX,
            outcome.clock_ns & U64_MAX,
            outcome.residency_ns,
            situation.load,
            situation.latency_req_us,
            situation.nr_iowaiters,
            mask(situation.disabled),
            situation.tick_stopped,
            outcome.rejected or without,
            outcome.got_tick,
            outcome.poll_time_limit,
            AS_SELECTED if as_selected else entered,
            NONE if without else outcome.state,
            situation.cpu_util,
            situation.cpu_capacity,
        )
    return packed


def unpack(rows: Buffer) -> Iterator[tuple[Situation, Outcome]]:
    """Unpacks rows. An outcome's state may be AS_SELECTED; its other fields are as recorded."""
    for row in ROW.iter_unpack(rows):
        sleep, delta, clock, reflect_clock, residency, load, latency, iowaiters = row[:8]
        disabled, stopped, rejected, got_tick, limit, entered, _, util, capacity = row[8:]
        states = frozenset(number for number in range(16) if disabled >> number & 1)
        yield (
            Situation(
                latency, sleep, delta, bool(stopped), iowaiters, load, clock, states, util, capacity
            ),
            Outcome(entered, residency, bool(rejected), bool(got_tick), bool(limit), reflect_clock),
        )


def mask(disabled: Iterable[int]) -> int:
    """Returns a mask with bit n set for each disabled state n; numbers no table can have are
    ignored."""
    return sum(1 << state for state in disabled if state < STATES_MAX)


@cache
def packed_features(governor: str, features: Any) -> bytes:
    """Packs one u32 for each feature that the core reads, in the core's order; texts as numbers.

    A feature that the core does not read must have its value in the oldest release, which is what
    the core implements. Raises CoreMissing, Unsupported.
    """
    if compiled is None:
        raise CoreMissing(
            "expected the compiled core (idle_states.tables.linux.governors.core._core), found none"
        )
    if governor not in GOVERNORS:
        known_ones = ", ".join(GOVERNORS)
        raise Unsupported(f"expected a governor of the core ({known_ones}), found {governor}")
    try:
        known: dict[str, list[str] | None] = dict(compiled.features(governor))
    except ValueError:
        raise Unsupported(
            "expected the core built from these sources, found an older one; make core"
        ) from None
    given = {field.name: field.default for field in fields(features)}
    if absent := sorted(known.keys() - given.keys()):
        raise Unsupported(f"expected {governor}'s features, found no {', '.join(absent)}")
    for name, oldest in given.items():
        value = getattr(features, name)
        if name not in known and value != oldest:
            raise Unsupported(
                f"expected {governor} without {name}, for which the core has no code, "
                f"found it {value!r}"
            )
    if getattr(features, "bins", False) and not (features.nanoseconds and features.signed):
        raise Unsupported("expected teo's bins with signed times in ns, as in every release")
    numbers = [_number(features, name, texts) for name, texts in known.items()]
    return struct.pack(f"<{len(numbers)}I", *numbers)


def _number(features: Any, name: str, texts: list[str] | None) -> int:
    value = getattr(features, name)
    if texts is not None:
        if value not in texts:
            raise Unsupported(
                f"expected {name} to be one that the core has code for ({texts}), found {value!r}"
            )
        return texts.index(value)
    try:
        check_values(type(features), {name: value}, "the core")
    except WrongRow as error:
        raise Unsupported(str(error)) from None
    return int(value)


def packed_states(states: Sequence[State]) -> bytes:
    """Packs states for the core. Raises Unsupported for too few or too many."""
    if not 1 <= len(states) <= STATES_MAX:
        raise Unsupported(f"expected 1 to {STATES_MAX} states, found {len(states)}")
    return b"".join(STATE.pack(s.exit_ns, s.residency_ns, s.polling) for s in states)
