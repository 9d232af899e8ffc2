"""tune: tables over idle gaps, the governor in the loop or the histogram alone.

Pairs are gaps times tables, on one thread. Of the histogram, building it is measured apart from
asking it for 1000 tables. Nobody else replays governors; beside them, the plain-Python reference is
given a few gaps.
"""

from array import array
from dataclasses import replace
from functools import partial
from random import Random

from idle_states.lab.replay.machine import CpuTable, from_times
from idle_states.lab.replay.replay import Settings
from idle_states.lab.tune.evaluate import TOGETHER, Candidate, EvaluationTask, evaluate, offline
from idle_states.lab.tune.gaps import Gatherer
from idle_states.lab.tune.source import CpuGaps
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.releases import release

from .measuring import Given, Work, timed

TIMES = ((1, 10), (2, 20), (5, 50), (10, 100), (100, 10_000), (200, 20_000))
KERNEL = "6.12"
GAPS, TABLES = 200_000, 64
FEW = 2_000
"""Gaps for the reference."""
REFERENCE = "tune, menu, the reference"


def gaps(count: int) -> list[int]:
    """From 500 ns to 10 ms, log-uniform."""
    random = Random("gaps")
    return [int(10 ** random.uniform(2.7, 7)) for _ in range(count)]


def recorded(lengths: list[int]) -> CpuGaps:
    """Returns the periods as an exact recording has them."""
    rows, clock = bytearray(), 10**9
    for gap in lengths:
        delta = min(gap, 4_000_000 - clock % 4_000_000)
        rows += core.ROW.pack(
            gap, delta, clock, clock + gap + 1000, gap, 0, 2 * 10**9, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0
        )
        clock += gap + 20_000
    return CpuGaps(0, rows=bytes(rows))


def traced(lengths: list[int]) -> CpuGaps:
    """Returns the periods as a trace of cpu_idle has them."""
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


def governed(task: EvaluationTask, tables: list[Candidate]) -> None:
    for at in range(0, len(tables), TOGETHER):
        evaluate(task, tables[at : at + TOGETHER])


def works(given: Given) -> list[Work]:
    if not core.available():
        given.missing["tune"] = "the core is not compiled"
        return []
    table: CpuTable = from_times([(e * 1000, r * 1000) for e, r in TIMES], polling=True)
    tables, sizes = candidates(TABLES), given.sizes(GAPS)
    lengths, found = gaps(sizes[-1]), []
    for governor in ("menu", "teo", "ladder"):
        settings = Settings(governor, release(KERNEL), 250)
        for what, make in (("recording", recorded), ("trace", traced)):
            series = f"tune, {governor}, {what}"
            for count in sizes if governor == "menu" else sizes[-1:]:
                task = EvaluationTask(settings, table, (make(lengths[:count]),))
                name = series if count == sizes[-1] else f"{series}, {count} gaps"
                run = partial(timed, partial(governed, task, tables))
                peers = {REFERENCE: None}
                work = Work(name, run, count * TABLES, peers, series, count == sizes[-1])
                found.append(work if governor == "menu" else replace(work, series=""))
    menu, few = Settings("menu", release(KERNEL), 250), recorded(lengths[:FEW])

    def reference() -> None:
        governor = menu.governor_of(table)
        for situation, outcome in core.unpack(few.rows):
            state = governor.select(situation).state
            governor.reflect(replace(outcome, state=state))

    found.append(Work(REFERENCE, partial(timed, reference), min(FEW, len(lengths)), ours=False))
    many = gaps(5 * sizes[-1])
    limits = [1000 * value - 1 for candidate in candidates(1000) for value in candidate]
    gathered = Gatherer(limits)
    gathered.extend(many)
    histogram = gathered.gaps()
    build = partial(timed, lambda: Gatherer(limits).extend(many))
    ask = partial(timed, lambda: [offline(histogram, table, each) for each in candidates(1000)])
    return [
        *found,
        Work("tune, histogram built, gaps", build, len(many)),
        Work("tune, histogram asked, tables", ask, 1000),
    ]
