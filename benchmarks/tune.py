"""Speed of tune: tables over idle gaps, the governor in the loop or the histogram alone.

    python benchmarks/tune.py [--gaps 1000000] [--tables 64] [--histogram 10000000] [--runs 3]

Pairs are gaps times tables; times are CPU seconds of one thread, the median of several runs. Of the
histogram, building it is measured apart from asking it for 1000 tables. Nobody else replays
governors; for comparison, the plain-Python reference is given a few gaps.
"""

import argparse
import statistics
import time
from array import array
from collections.abc import Callable
from dataclasses import replace
from random import Random

from idle_states import core
from idle_states.linux.releases import release
from idle_states.replay.machine import CpuTable, from_times
from idle_states.replay.replay import Settings
from idle_states.tune.evaluate import TOGETHER, Candidate, EvaluationTask, evaluate, known
from idle_states.tune.gaps import Gatherer
from idle_states.tune.source import CpuGaps

TIMES = ((1, 10), (2, 20), (5, 50), (10, 100), (100, 10_000), (200, 20_000))
KERNEL = "6.12"
FEW = 2_000
"""Gaps for the reference."""


def gaps(count: int) -> list[int]:
    """From 500 ns to 10 ms, log-uniform."""
    random = Random("gaps")
    return [int(10 ** random.uniform(2.7, 7)) for _ in range(count)]


def recorded(lengths: list[int]) -> CpuGaps:
    """As an exact recording has them."""
    rows, clock = bytearray(), 10**9
    for gap in lengths:
        delta = min(gap, 4_000_000 - clock % 4_000_000)
        rows += core.ROW.pack(
            gap, delta, clock, clock + gap + 1000, gap, 0, 2 * 10**9, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0
        )
        clock += gap + 20_000
    return CpuGaps(0, rows=bytes(rows))


def traced(lengths: list[int]) -> CpuGaps:
    """As a trace of cpu_idle has them."""
    periods, clock = array("Q"), 10**9
    for gap in lengths:
        periods.extend((clock, clock + gap, 1))
        clock += gap + 20_000
    return CpuGaps(0, periods=periods.tobytes())


def candidates(count: int) -> list[Candidate]:
    return [
        tuple(residency + number * (place + 1) for place, (_, residency) in enumerate(TIMES))
        for number in range(count)
    ]


def seconds(runs: int, work: Callable[[], object]) -> float:
    taken = []
    for _ in range(runs):
        before = time.process_time()
        work()
        taken.append(time.process_time() - before)
    return statistics.median(taken)


def governed(task: EvaluationTask, tables: list[Candidate]) -> None:
    for at in range(0, len(tables), TOGETHER):
        evaluate(task, tables[at : at + TOGETHER])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gaps", type=int, default=1_000_000)
    parser.add_argument("--tables", type=int, default=64)
    parser.add_argument("--histogram", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    table: CpuTable = from_times([(e * 1000, r * 1000) for e, r in TIMES], polling=True)
    lengths, tables = gaps(arguments.gaps), candidates(arguments.tables)
    print(f"instruction set: {core.instruction_set() or 'no core'}; Linux {KERNEL}")
    for governor in ("menu", "teo", "ladder"):
        settings = Settings(governor, release(KERNEL), 250)
        for what, make in (("recording", recorded), ("trace", traced)):
            task = EvaluationTask(settings, table, (make(lengths),))
            taken = seconds(arguments.runs, lambda task=task: governed(task, tables))
            pairs = len(lengths) * len(tables)
            print(f"{governor}, {what:9} {pairs / taken / 1e6:8.1f} M pairs/s")
    menu = Settings("menu", release(KERNEL), 250)
    few = recorded(lengths[:FEW])

    def reference() -> None:
        governor = menu.governor_of(table)
        for situation, outcome in core.unpack(few.rows):
            state = governor.select(situation).state
            governor.reflect(replace(outcome, state=state))

    print(f"menu, the reference {FEW / seconds(1, reference) / 1e6:8.3f} M pairs/s")
    many = gaps(arguments.histogram)
    limits = [1000 * value - 1 for candidate in candidates(1000) for value in candidate]
    gathered = Gatherer(limits)
    built = seconds(1, lambda: gathered.extend(many))
    histogram = gathered.gaps()
    asked = seconds(
        arguments.runs,
        lambda: [known(histogram, table, candidate) for candidate in candidates(1000)],
    )
    count = len(many)
    print(f"histogram of {count} gaps: built in {built:.2f} s, 1000 tables in {asked:.3f} s")


if __name__ == "__main__":
    main()
