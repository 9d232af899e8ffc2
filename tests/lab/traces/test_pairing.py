"""Pairing by the compiled core, held to the reference: any order of events, any borders between."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from idle_states.base.reading.problems import InputProblems, Problem
from idle_states.lab.traces.periods import Pairing, Period, Periods, idle_ns
from idle_states.lab.traces.text import EXIT, LOST, MISS, Batch
from idle_states.tables.linux.governors.core.packing import EVENT, PERIOD, compiled
from tests.support.compiled import NO_CORE
from tests.support.thorough import examples

pytestmark = pytest.mark.skipif(compiled is None, reason=NO_CORE)

Event = tuple[int, int, int]
"""CPU, what, time in ns."""
LIMITS = {0: 1 << 32, 1: 3, 2: None, 3: 8}
"""CPU -> states in its table; None: it has none."""
GREAT = (1 << 32) + 5
"""A state that takes more than 32 bits, as text may have it."""
CPUS = st.sampled_from(sorted(LIMITS))
STATES = st.sampled_from((0, 1, 2, 7, GREAT))
TURNS = st.tuples(
    CPUS,
    st.sampled_from((0, 1, 2)),
    st.integers(0, 3_000_000),
    st.integers(0, 3_000_000),
    st.sampled_from((0, 0, 1, 2)),
)
"""CPU, state, time until it idles, time that it does, number of cpu_idle_miss."""
ODD = st.one_of(
    st.tuples(CPUS, STATES, st.integers(0, 10**10)),
    st.tuples(CPUS, st.just(EXIT), st.integers(0, 10**10)),
    st.tuples(CPUS, st.just(LOST), st.integers(0, 10)),
    st.builds(
        lambda cpu, state, below, ns: (cpu, MISS - 2 * state - below, ns),
        CPUS,
        STATES,
        st.booleans(),
        st.integers(0, 10**10),
    ),
)


def events_of(
    turns: Sequence[tuple[int, int, int, int, int]], odd: Sequence[tuple[int, bool, Event]]
) -> list[Event]:
    """A trace in plain order, with odd events put in, or in the place of others."""
    found: list[Event] = []
    now_ns = 10**9
    for cpu, state, busy_ns, asleep_ns, misses in turns:
        found.append((cpu, state, now_ns + busy_ns))
        now_ns += busy_ns + asleep_ns
        found.append((cpu, EXIT, now_ns))
        found += [(cpu, MISS - 2 * state - misses % 2, now_ns + 1)] * misses
    for place, instead, event in odd:
        at = place % (len(found) + 1)
        found[at : at + instead] = [event]
    return found


def paired(
    events: Sequence[Event], borders: Sequence[int], *, core: bool
) -> tuple[list[Period], int, tuple[int, ...], tuple[int, int] | None, tuple[Problem, ...]]:
    problems = InputProblems()
    pairing = Pairing(problems, LIMITS.__getitem__, core=compiled if core else None)
    periods: list[Period] = []
    places = sorted({0, len(events), *(border % (len(events) + 1) for border in borders)})
    for start, stop in pairwise(places):
        packed = b"".join(
            EVENT.pack(what, ns, line, cpu, False)
            for line, (cpu, what, ns) in enumerate(events[start:stop])
        )
        periods += pairing.feed(Batch(packed, start + 1))
    periods += pairing.finish()
    return periods, pairing.misses, pairing.cpus, pairing.span_ns, problems.listing()


@given(
    st.lists(TURNS, max_size=60),
    st.lists(st.tuples(st.integers(0, 200), st.booleans(), ODD), max_size=6),
    st.lists(st.integers(0, 200), max_size=4),
)
@example(
    [(0, 1, 5, 5, 0)] * 2, [(1, True, (0, GREAT, 10**9)), (2, False, (0, EXIT, 2 * 10**9))], []
)
@example([(1, 0, 5, 5, 1)] * 90, [(0, False, (1, EXIT, 5)), (3, False, (1, LOST, 2))], [1, 100])
@settings(max_examples=examples(100, 300), deadline=None)
def test_the_core_pairs_as_the_reference_does(
    turns: list[tuple[int, int, int, int, int]],
    odd: list[tuple[int, bool, Event]],
    borders: list[int],
) -> None:
    events = events_of(turns, odd)
    assert paired(events, borders, core=True) == paired(events, [], core=False)


def test_only_what_is_odd_goes_to_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the core goes on where the reference stops."""
    referred = []
    pair = Pairing._pair

    def counted(self: Pairing, events: Sequence[Any]) -> list[Period]:
        referred.append(len(events))
        return pair(self, events)

    monkeypatch.setattr(Pairing, "_pair", counted)
    turns = [(0, 1, 1_000, 2_000, 1)] * 1_000
    events = events_of(turns, [(1_500, False, (0, LOST, 3))])
    found = paired(events, [], core=True)[0]
    assert len(found) == 1_000
    # the CPU's first event, and the loss, each with some after it
    assert referred == [32, 64]


def test_periods_are_the_same_packed_and_not() -> None:
    some = [(5, 2, 1_000, 2_000, 3), (0, 0, 7, 7, 0), (5, 1, 3_000, 4_000, 1)]
    packed = Periods.of(some)
    assert list(packed) == some
    assert (len(packed), packed[1], packed[-2:]) == (3, some[1], some[1:])
    assert [(cpu, list(Periods(own))) for cpu, own in packed.by_cpu] == [
        (5, [some[0], some[2]]),
        (0, [some[1]]),
    ]
    assert Periods.of([(0, GREAT, 1, 2, 0)])[0][1] == (1 << 32) - 1


@given(st.lists(st.integers(0, 2**64 - 1), max_size=9))
@example([2**64 - 1] * 3)
def test_the_core_adds_lengths_up(lengths: list[int]) -> None:
    packed = Periods.of([(0, 1, 0, length, 0) for length in lengths]).packed
    assert idle_ns(packed) == idle_ns(packed, None) == sum(lengths)


OBSERVED = bytes(32), bytes(8), True, b"", bytearray(48), bytearray(48), bytearray()


@pytest.mark.parametrize(
    ("name", "given_to_it", "message"),
    [
        ("pair", (bytearray(63), b"", 0), "expected 0 bytes of CPUs"),
        ("pair", (bytearray(64), bytes(25), 0), "expected 24 bytes of events"),
        ("pair", (bytearray(64), bytes(24), 2), "expected a start within"),
        ("by_cpu", (PERIOD.pack(1, 2, 0, 8192, 0),), "expected CPUs below 8192"),
        ("gather", (b"", b"", b"", bytearray()), "bytes of first"),
        ("observe", (*OBSERVED[:1], b"", *OBSERVED[2:]), "bytes of exits"),
        ("observe", (*OBSERVED[:5], bytearray(), bytearray()), "of suspects"),
        ("observe", (*OBSERVED[:6], bytearray(1)), "expected 0 bytes of refused"),
    ],
)
def test_buffers_of_other_sizes_are_refused(
    name: str, given_to_it: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(compiled, name)(*given_to_it)


def test_a_cpu_beyond_those_kept_is_left_to_the_reference() -> None:
    event = EVENT.pack(1, 5, 0, 1, False)
    assert compiled.pair(bytearray(64), event, 0) == (0, 0, b"")
