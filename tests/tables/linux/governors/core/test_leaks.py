"""The C frees what it takes: no call leaves a block behind.

LeakSanitizer is no help here: at its exit Python leaves much unfreed that is nobody's leak.
"""

import ctypes
import gc
import os
import sys
from collections.abc import Callable

import pytest

from idle_states.base.reading.problems import InputProblems
from idle_states.lab.replay.machine import TracedMachine, from_times
from idle_states.lab.replay.observed import Observed
from idle_states.lab.simulation import by_core
from idle_states.lab.traces.periods import Pairing, Periods
from idle_states.lab.traces.text import EXIT, Batch
from idle_states.lab.tune.gaps import Gatherer
from idle_states.tables.devicetree import fdt
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.governors.core.packing import EVENT
from tests.fuzz import corpus
from tests.fuzz.readers import check
from tests.support.simulations import setup

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(libc, "mallinfo2"), reason="no mallinfo2, as glibc 2.33 has"),
    pytest.mark.skipif(
        "asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps what is freed"
    ),
]
ROUNDS = 40
MACHINE = TracedMachine("m", from_times([(1_000, 5_000)], True, []), {})
EVENTS = b"".join(
    EVENT.pack(what, 1_000 * number + cpu, number, cpu, False)
    for number, what in enumerate([1, EXIT] * 8)
    for cpu in range(300)
)
LEAST = 16
"""Bytes that malloc takes at least."""


class Mallinfo(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
        " spare".split()
    ]


def held() -> tuple[int, int]:
    """Blocks that Python's allocator has given away, and bytes that malloc has."""
    gc.collect()
    libc.mallinfo2.restype = Mallinfo
    info = libc.mallinfo2()
    return sys.getallocatedblocks(), info.uordblks + info.hblkhd


def leaks(call: Callable[[], object], rounds: int = ROUNDS) -> bool:
    """Tells whether so many calls leave as many blocks, in each of ten tries: what is remembered
    once comes to an end."""
    # what other tests left behind need not be looked at each time
    gc.collect()
    gc.freeze()
    for _ in range(rounds // 4 + 1):
        call()
    for _ in range(10):
        blocks, size = held()
        for _ in range(rounds):
            call()
        more_blocks, more_size = held()
        if more_blocks - blocks < rounds and more_size - size < rounds * LEAST:
            return False
    return True


def every_kept_input(reader: str) -> Callable[[], None]:
    inputs = corpus.kept(reader).values()

    def call() -> None:
        for data in inputs:
            check(reader, data)

    return call


@pytest.mark.skipif(fdt._fdt is None, reason="the C reader is not compiled")
def test_reading_blobs() -> None:
    assert not leaks(every_kept_input("fdt"))


@pytest.mark.skipif(not core.available(), reason="the C core is not compiled")
@pytest.mark.parametrize(("reader", "rounds"), [("trace", ROUNDS), ("recording", 10)])
def test_reading_traces(reader: str, rounds: int) -> None:
    assert not leaks(every_kept_input(reader), rounds)


@pytest.mark.skipif(not core.available(), reason="the C core is not compiled")
def test_pairing_and_counting_traces() -> None:
    def call() -> None:
        pairing, gathered = Pairing(InputProblems()), Gatherer([5_000])
        judge = Observed(MACHINE, True, InputProblems())
        for _ in range(2):
            periods = pairing.feed(Batch(EVENTS, 1))
            judge.sift(periods, misses=False)
            gathered.extend_packed(Periods.of(periods).packed)
        gathered.gaps()

    assert not leaks(call)


@pytest.mark.skipif(not core.available(), reason="the C core is not compiled")
@pytest.mark.parametrize("governor", ["menu", "teo", "ladder"])
def test_simulating(governor: str) -> None:
    base = setup("server", "cpus=4", governor=governor, duration_ns=1_000_000)
    assert not leaks(lambda: by_core.simulate(base, 1))


def test_a_leak_is_seen() -> None:
    kept: list[object] = []
    assert leaks(lambda: libc.malloc(1))
    assert leaks(lambda: kept.append(object()))
    assert not leaks(lambda: libc.free(ctypes.c_void_p(libc.malloc(5000))))
