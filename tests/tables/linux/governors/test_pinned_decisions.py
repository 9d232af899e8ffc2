"""Tests of what compiled governors decided where a model once decided otherwise: the least input of
each.

The expected answers are those of the releases' own sources, compiled as the oracle does; they are
of the last row.
"""

import importlib
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from idle_states.tables.linux.governors.interface import Outcome, Situation, State
from idle_states.tables.linux.releases import release

US, MS, S = 1_000, 1_000_000, 1_000_000_000
NO_LIMIT_US = 2_000_000_000
HZ = 250
FAR = Situation(NO_LIMIT_US, S, MS)
STOPPED = Situation(NO_LIMIT_US, S, MS, tick_stopped=True)
PAST = Situation(NO_LIMIT_US, S, -1000)
SNOOZE = State(0, 0, True)
NONE = Outcome(0, 0)

Row = tuple[Situation, Outcome]


class Pin(NamedTuple):
    """rows: what happens, and then the last situation; answers: state and stop_tick by kernel."""

    governor: str
    states: Sequence[State]
    past: Sequence[Row]
    asked: Situation
    answers: dict[str, tuple[int, bool]]


def idled(*residencies: int, **kind: bool) -> list[Row]:
    return [(FAR, Outcome(0, ns, clock_ns=ns, **kind)) for ns in residencies]


def without(*numbers: int) -> Situation:
    return Situation(NO_LIMIT_US, S, MS, disabled=frozenset(numbers))


PINS = {
    # Times in u64 until 5.12: an event that is past is beyond every residency.
    "menu, event past": Pin(
        "menu",
        [SNOOZE, State(0, 0)],
        [],
        PAST,
        {"5.4": (1, False), "5.10": (1, False), "5.11": (1, False), "5.13": (0, False)},
    ),
    # Tick stopped, 5 ms predicted: state 1 is taken if it is fit until the event. In us, signed.
    "menu, event past, tick stopped": Pin(
        "menu",
        [State(0, 0), State(1 * US, 10 * MS)],
        idled(*[5 * MS] * 9),
        Situation(NO_LIMIT_US, S, -1000, tick_stopped=True),
        {"5.4": (0, True), "5.10": (1, True), "5.11": (1, True), "5.13": (0, True)},
    ),
    # Only state 1 is enabled. Recent idles refine nothing, but shortened what is expected.
    "teo, recent idles, state 0 disabled": Pin(
        "teo",
        [SNOOZE, State(1 * US, 100 * US)],
        idled(*[20 * US] * 8),
        without(0),
        {"5.4": (1, False), "5.10": (1, False), "5.11": (1, False), "5.13": (1, True)},
    ),
    # State 2 has missed, but the latency limit says state 1 and nobody asks for early hits.
    "teo, limit after a miss": Pin(
        "teo",
        [SNOOZE, State(0, 2 * US), State(4 * US, 49 * US)],
        idled(US),
        Situation(0, S, MS),
        {"5.3": (1, False), "5.4": (0, False)},
    ),
    # Tick stopped, timer far: whatever state is led to, the tick stays stopped.
    "teo, limit, tick stopped": Pin(
        "teo",
        [SNOOZE, State(42 * US, 120 * US)],
        [],
        Situation(8, S, MS, tick_stopped=True),
        {"6.19": (0, False), "7.0": (0, False), "7.1": (0, True), "7.2": (0, True)},
    ),
    # Past timer, polled to the limit: the difference of both wraps, and is no hit.
    "teo, past timer, polling limit": Pin(
        "teo",
        [SNOOZE, State(12 * US, 120 * US)],
        [
            (FAR, Outcome(0, 0, poll_time_limit=True)),
            (Situation(NO_LIMIT_US, -1000, MS), Outcome(0, 0, poll_time_limit=True)),
        ],
        FAR,
        {"6.19": (1, True), "7.0": (0, False), "7.1": (0, False)},
    ),
    # Residencies out of order, tick stopped: the shallowest of at least a tick is the lowest.
    "teo, residencies out of order": Pin(
        "teo",
        [
            State(0, 0),
            State(1 * US, 20 * US),
            State(2 * US, 30 * MS),
            State(3 * US, 40 * US),
            State(4 * US, 50 * US),
        ],
        [],
        STOPPED,
        {"6.19": (4, True), "7.0": (2, True), "7.1": (4, True)},
    ),
    # State 0 alone is long enough for a stopped tick, so no state is too shallow.
    "teo, a long state 0": Pin(
        "teo",
        [State(0, 20 * MS, True), State(2, 0), State(6, 45)],
        [(FAR, NONE)],
        STOPPED,
        {"6.17": (2, False), "debian-6.19.6": (1, False), "7.0": (1, False), "7.1": (2, True)},
    ),
    # Most intercepts of all lie in the bin of the candidate, for the state below it is disabled.
    "teo, peak at the candidate": Pin(
        "teo",
        [
            State(0, 0),
            State(1 * US, 20 * US),
            State(2 * US, 50 * US),
            State(5 * US, 100 * US),
            State(9 * US, 1 * MS),
        ],
        idled(10 * US, 200 * US, 70 * US, 200 * US, 30 * US),
        without(4),
        {"6.19": (1, False), "7.0": (1, False), "7.1": (1, False)},
    ),
}


def decided(pin: Pin, kernel: str) -> tuple[int, bool]:
    package = "idle_states.tables.linux.governors"
    made = getattr(importlib.import_module(f"{package}.{pin.governor}"), pin.governor.capitalize())
    features = importlib.import_module(f"{package}.{pin.governor}_features").features
    model = made(pin.states, features(release(kernel)), HZ)
    for situation, outcome in pin.past:
        state = model.select(situation).state
        limit = outcome.poll_time_limit and pin.states[state].polling
        model.finished(
            Outcome(state, outcome.residency_ns, poll_time_limit=limit, clock_ns=outcome.clock_ns)
        )
    decision = model.select(pin.asked)
    return decision.state, decision.stop_tick


@pytest.mark.parametrize(
    ("name", "kernel"), [(name, kernel) for name, pin in PINS.items() for kernel in pin.answers]
)
def test_as_the_kernel_decided(name: str, kernel: str) -> None:
    assert decided(PINS[name], kernel) == PINS[name].answers[kernel]
