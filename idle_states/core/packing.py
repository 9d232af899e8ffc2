"""What the core is given and what it answers, as bytes."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from ..linux.governors.interface import U64_MAX, Decision, Outcome, Situation, State

try:
    compiled: Any = import_module(f"{__package__}._core")
except ImportError:
    compiled = None

Buffer = bytes | bytearray | memoryview

GOVERNORS = ("haltpoll", "ladder", "menu", "teo")
STATES_MAX = 10
"""CPUIDLE_STATE_MAX."""

AS_SELECTED = 255
"""In a row's `entered`: what the governor selects is entered, as in a what-if replay."""

ROW = struct.Struct("<qqQQQQIIHBBBBBB")
"""A row: sleep_length_ns, delta_next_ns, clock_ns, reflect_clock_ns, residency_ns, load,
latency_req_us, nr_iowaiters, disabled (bit n: state n), tick_stopped, rejected, got_tick,
poll_time_limit, entered (a state's number or AS_SELECTED), recorded. 64 bytes.

recorded: with AS_SELECTED, poll_time_limit holds if this is the state selected."""

STATE = struct.Struct("<QQQ")

TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    "menu": {
        "typical_unknown": ("", "late", "zeros"),
        "stopped_tick": ("", "capped", "event", "timer"),
        "early_tick": ("keep", "polls"),
    },
    "teo": {
        "utilisation": ("", "any", "deep enough"),
        "stopped_tick": ("span", "residency", "last"),
        "tick_intercepts": ("all", "beyond", "within"),
        "tick_idles": ("endless", "measured", "unless"),
    },
    "ladder": {},
    "haltpoll": {},
}
"""Governor -> feature that is a text -> its values, in the order of their numbers in C."""


class CoreMissing(RuntimeError):
    """The extension was not compiled."""


class Unsupported(ValueError):
    """A governor, feature or value the core does not know; the reference does."""


class Decisions(NamedTuple):
    """Packed decisions: two bytes each, the state's number and whether the tick stops (0, 1)."""

    packed: Buffer

    def __len__(self) -> int:
        return len(self.packed) // 2

    @property
    def states(self) -> Buffer:
        """The states' numbers, a byte each."""
        return self.packed[::2]

    def unpacked(self) -> list[Decision]:
        states, stops = self.packed[::2], self.packed[1::2]
        return [Decision(s, bool(stop)) for s, stop in zip(states, stops, strict=True)]


def pack(rows: Iterable[tuple[Situation, Outcome]], *, as_selected: bool = False) -> bytearray:
    """Rows as the core reads them. as_selected: what was entered is left to the replay."""
    packed = bytearray()
    for situation, outcome in rows:
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
            outcome.rejected,
            outcome.got_tick,
            outcome.poll_time_limit,
            AS_SELECTED if as_selected else outcome.state,
            outcome.state,
        )
    return packed


def unpack(rows: Buffer) -> Iterator[tuple[Situation, Outcome]]:
    """The reverse; an outcome's state may be AS_SELECTED, and is of the recorded state else."""
    for row in ROW.iter_unpack(rows):
        sleep, delta, clock, reflect_clock, residency, load, latency, iowaiters = row[:8]
        disabled, stopped, rejected, got_tick, limit, entered, _ = row[8:]
        states = frozenset(number for number in range(16) if disabled >> number & 1)
        yield (
            Situation(latency, sleep, delta, bool(stopped), iowaiters, load, clock, states),
            Outcome(entered, residency, bool(rejected), bool(got_tick), bool(limit), reflect_clock),
        )


def mask(disabled: Iterable[int]) -> int:
    """Bit n: state n, of those a table may have."""
    return sum(1 << state for state in disabled if state < STATES_MAX)


@cache
def packed_features(governor: str, features: Any) -> bytes:
    """Raises CoreMissing, Unsupported."""
    if compiled is None:
        raise CoreMissing("expected the compiled core (idle_states.core._core), found none")
    if governor not in GOVERNORS:
        known_ones = ", ".join(GOVERNORS)
        raise Unsupported(f"expected a governor of the core ({known_ones}), found {governor}")
    # A keyword of C has an underscore there.
    known = [name.removesuffix("_") for name in compiled.features(governor)]
    names = [field.name for field in fields(features)]
    if names != known:
        other = sorted(set(names) ^ set(known)) or names
        raise Unsupported(f"expected {governor}'s features as the core was compiled, found {other}")
    numbers = []
    for name in names:
        value = getattr(features, name)
        texts = TEXTS[governor].get(name)
        if texts is not None:
            if value not in texts:
                raise Unsupported(f"expected {name} to be one of {texts}, found {value!r}")
            value = texts.index(value)
        numbers.append(int(value))
    return struct.pack(f"<{len(numbers)}I", *numbers)


def packed_states(states: Sequence[State]) -> bytes:
    """Raises Unsupported for too few or too many."""
    if not 1 <= len(states) <= STATES_MAX:
        raise Unsupported(f"expected 1 to {STATES_MAX} states, found {len(states)}")
    return b"".join(STATE.pack(s.exit_ns, s.residency_ns, s.polling) for s in states)
