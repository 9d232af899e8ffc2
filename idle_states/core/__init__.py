"""The governors in C: hours of trace in seconds, the same decisions as the references.

    if core.available():
        decisions = core.replay("menu", features(release("6.1")), states, 250, core.pack(rows))

An optional extension: where it was not compiled, or a governor or a feature is one it does not
know, `supports` says so, and the references in `idle_states.linux.governors` do the work.
"""

import os
import struct
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from ..linux.governors.interface import U64_MAX, Decision, Outcome, Situation, State

try:
    _core: Any = import_module(f"{__name__}._core")
except ImportError:
    _core = None

Buffer = bytes | bytearray | memoryview

GOVERNORS = ("haltpoll", "ladder", "menu", "teo")
STATES_MAX = 10
"""CPUIDLE_STATE_MAX."""

AS_SELECTED = 255
"""In a row's `entered`: what the governor selects is entered, as in a what-if replay."""

ROW = struct.Struct("<qqQQQQIIHBBBBBx")
"""A row: sleep_length_ns, delta_next_ns, clock_ns, reflect_clock_ns, residency_ns, load,
latency_req_us, nr_iowaiters, disabled (bit n: state n), tick_stopped, rejected, got_tick,
poll_time_limit, entered (a state's number or AS_SELECTED). 64 bytes."""

_STATE = struct.Struct("<QQQ")

_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
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

    packed: bytearray

    def unpacked(self) -> list[Decision]:
        states, stops = self.packed[::2], self.packed[1::2]
        return [Decision(s, bool(stop)) for s, stop in zip(states, stops, strict=True)]


def available() -> bool:
    """Whether the extension is there."""
    return _core is not None


def instruction_set() -> str:
    """What menu is run with on this machine: "x86-64-v3", "baseline"; "" without the extension."""
    return str(_core.instruction_set()) if available() else ""


def supports(governor: str, features: object) -> bool:
    """Whether the core can replay this governor with these features."""
    try:
        _packed_features(governor, features)
    except (CoreMissing, Unsupported):
        return False
    return True


def specialised(governor: str, features: object) -> bool:
    """Whether it has code compiled for just these features, as for each release's of menu."""
    return bool(_core.specialised(governor, _packed_features(governor, features)))


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
            sum(1 << state for state in situation.disabled),
            situation.tick_stopped,
            outcome.rejected,
            outcome.got_tick,
            outcome.poll_time_limit,
            AS_SELECTED if as_selected else outcome.state,
        )
    return packed


def replay(
    governor: str,
    features: object,
    states: Sequence[State],
    hz: int,
    rows: Buffer,
    *,
    any_features: bool = False,
) -> Decisions:
    """Decisions of one CPU from boot on, row by row.

    features      the governor's features, e.g. menu_features.features(release)
    rows          as `pack` makes them
    any_features  run the code for any features even where there is some for just these
    Raises CoreMissing, Unsupported; ValueError for buffers of the wrong size.
    """
    packed = _packed_features(governor, features)
    decisions = bytearray(len(rows) // ROW.size * 2)
    _core.replay(governor, packed, _packed_states(states), hz, rows, decisions, not any_features)
    return Decisions(decisions)


def replay_cpus(
    governor: str,
    features: object,
    states: Sequence[State],
    hz: int,
    cpus: Sequence[Buffer],
    threads: int | None = None,
) -> list[Decisions]:
    """`replay` of several CPUs' rows, on as many threads as there are processors."""
    workers = max(1, min(threads or os.cpu_count() or 1, len(cpus)))
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda rows: replay(governor, features, states, hz, rows), cpus))


def sweep(
    governor: str,
    features: object,
    tables: Sequence[Sequence[State]],
    hz: int,
    rows: Buffer,
    *,
    threads: int = 1,
    level: int = 4,
) -> list[Decisions]:
    """`replay` of the same rows with each of several tables; rows should be packed as_selected.

    menu's tables are decided side by side in vector lanes: eight with x86-64-v4 (AVX-512), four
    with x86-64-v3 (AVX2), one otherwise. level: the highest of these (4, 3, 0) to use.
    """
    packed = _packed_features(governor, features)
    step = -(-len(tables) // max(threads, 1)) if governor == "menu" else 1
    step = -(-step // 8) * 8 if governor == "menu" else 1
    groups = [tables[start : start + step] for start in range(0, len(tables), step)]

    def group(some: Sequence[Sequence[State]]) -> list[Decisions]:
        if governor != "menu":
            return [replay(governor, features, states, hz, rows) for states in some]
        size = len(rows) // ROW.size * 2
        padding = STATES_MAX * _STATE.size
        places = b"".join(_packed_states(states).ljust(padding, b"\0") for states in some)
        counts = struct.pack(f"<{len(some)}I", *map(len, some))
        decisions = bytearray(size * len(some))
        _core.sweep(packed, places, counts, hz, rows, decisions, level)
        return [Decisions(decisions[i * size : (i + 1) * size]) for i in range(len(some))]

    if len(groups) < 2 or threads < 2:
        return [decisions for some in groups for decisions in group(some)]
    with ThreadPoolExecutor(threads) as pool:
        return [decisions for some in pool.map(group, groups) for decisions in some]


@cache
def _packed_features(governor: str, features: Any) -> bytes:
    if not available():
        raise CoreMissing("expected the compiled core (idle_states.core._core), found none")
    if governor not in GOVERNORS:
        known_ones = ", ".join(GOVERNORS)
        raise Unsupported(f"expected a governor of the core ({known_ones}), found {governor}")
    # A keyword of C has an underscore there.
    known = [name.removesuffix("_") for name in _core.features(governor)]
    names = [field.name for field in fields(features)]
    if names != known:
        other = sorted(set(names) ^ set(known)) or names
        raise Unsupported(f"expected {governor}'s features as the core was compiled, found {other}")
    numbers = []
    for name in names:
        value = getattr(features, name)
        texts = _TEXTS[governor].get(name)
        if texts is not None:
            if value not in texts:
                raise Unsupported(f"expected {name} to be one of {texts}, found {value!r}")
            value = texts.index(value)
        numbers.append(int(value))
    return struct.pack(f"<{len(numbers)}I", *numbers)


def _packed_states(states: Sequence[State]) -> bytes:
    if not 1 <= len(states) <= STATES_MAX:
        raise Unsupported(f"expected 1 to {STATES_MAX} states, found {len(states)}")
    return b"".join(_STATE.pack(s.exit_ns, s.residency_ns, s.polling) for s in states)
