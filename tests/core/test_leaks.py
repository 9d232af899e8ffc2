"""The C frees what it takes: the process does not grow with the number of calls.

LeakSanitizer is no help here: at its exit Python leaves much unfreed that is nobody's leak.
"""

import ctypes
import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from idle_states import core
from idle_states.core.packing import EVENT
from idle_states.devicetree import fdt
from idle_states.reading.problems import InputProblems
from idle_states.replay.machine import TracedMachine, from_times
from idle_states.replay.observed import Observed
from idle_states.simulation import by_core
from idle_states.traces.periods import Pairing, Periods
from idle_states.traces.text import EXIT, PackedBatch
from idle_states.tune.gaps import Gatherer
from tests.fuzz import corpus
from tests.fuzz.readers import check
from tests.support.simulations import setup

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc/self/statm"),
    pytest.mark.skipif(
        "asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps what is freed"
    ),
]
ROUNDS = 200
MACHINE = TracedMachine("m", from_times([(1_000, 5_000)], True, []), {})
EVENTS = b"".join(
    EVENT.pack(what, 1_000 * number + cpu, number, cpu, False)
    for number, what in enumerate([1, EXIT] * 8)
    for cpu in range(300)
)
GROWTH_MAX_BYTES = 512 << 10


def resident() -> int:
    """Bytes of the process in memory, without what malloc keeps for later."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(call: Callable[[], object], rounds: int = ROUNDS) -> int:
    """Bytes by which the process grows over so many calls. Tried again, twice at most, where that
    is too much: Python takes memory by the MiB."""
    for _ in range(rounds // 4):
        call()
    for _ in range(3):
        before = resident()
        for _ in range(rounds):
            call()
        grown = resident() - before
        if grown < GROWTH_MAX_BYTES:
            break
    return grown


def every_kept_input(reader: str) -> Callable[[], None]:
    inputs = corpus.kept(reader).values()

    def call() -> None:
        for data in inputs:
            check(reader, data)

    return call


@pytest.mark.skipif(fdt._fdt is None, reason="the C reader is not compiled")
def test_reading_blobs() -> None:
    assert growth(every_kept_input("fdt"), 400) < GROWTH_MAX_BYTES


@pytest.mark.skipif(not core.available(), reason="the C core is not compiled")
@pytest.mark.parametrize(("reader", "rounds"), [("trace", 400), ("recording", 40)])
def test_reading_traces(reader: str, rounds: int) -> None:
    assert growth(every_kept_input(reader), rounds) < GROWTH_MAX_BYTES


@pytest.mark.skipif(not core.available(), reason="the C core is not compiled")
def test_pairing_and_counting_traces() -> None:
    def call() -> None:
        pairing, gathered = Pairing(InputProblems()), Gatherer([5_000])
        judge = Observed(MACHINE, True, InputProblems())
        for _ in range(2):
            periods = pairing.feed(PackedBatch(EVENTS, 1))
            judge.sift(periods, misses=False)
            gathered.extend_packed(Periods.of(periods).packed)
        gathered.gaps()

    assert growth(call, 20) < GROWTH_MAX_BYTES


@pytest.mark.skipif(not core.available(), reason="the C core is not compiled")
@pytest.mark.parametrize("governor", ["menu", "teo", "ladder"])
def test_simulating(governor: str) -> None:
    base = setup("server", "cpus=4", governor=governor, duration_ns=1_000_000)
    assert growth(lambda: by_core.simulate(base, 1)) < GROWTH_MAX_BYTES


def test_a_leak_is_seen() -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    assert growth(lambda: libc.memset(libc.malloc(4096), 1, 4096)) >= GROWTH_MAX_BYTES
