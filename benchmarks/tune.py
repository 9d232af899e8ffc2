"""tune: of a table and of an x86 machine's kernel parameter, end to end; and within this process
tables over idle gaps, the governor in the loop or the histogram alone.

Pairs are gaps times tables, on one thread. Of the histogram, building it is measured apart from
asking it for 1000 tables. Nobody else replays governors; beside them, the plain-Python reference is
given a few gaps, and sha256sum an x86 machine's trace, whose sum tune prints, too.
"""

from array import array
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

from idle_states.lab.replay.machine import CpuTable, from_times
from idle_states.lab.replay.replay import Settings
from idle_states.lab.tune.evaluate import TOGETHER, Candidate, EvaluationTask, evaluate, offline
from idle_states.lab.tune.gaps import Gatherer
from idle_states.lab.tune.source import CpuGaps
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.releases import release

from .measuring import TOOL, Missing, Work, program, timed
from .traces import trace

TIMES = ((1, 10), (2, 20), (5, 50), (10, 100), (100, 10_000), (200, 20_000))
KERNEL = "6.12"
GAPS, TABLES = 100_000, 64
FEW = 2_000
"""Gaps for the reference."""
LINES, X86_LINES = 100_000, 1_000_000
TUNE = (*TOOL, "tune")
X86 = ("--to", "cmdline", "--platform", "skx", "--kernel", "7.0", "--power", "implied")


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


def whole(folder: Path, scale: float) -> list[Work]:
    """tune as a command: of a trace of eight CPUs, of a workload, of an x86 CPU."""
    lines, x86_lines = round(LINES * scale), round(X86_LINES * scale)
    eight = str(trace(folder / "eight", lines))
    one = str(trace(folder / "one", x86_lines, states=4, cpus=1))
    power9 = (*TUNE, "power9", "--power", "implied", "--kernel", KERNEL)
    found = [
        Work(f"tune, trace, {each}", [*power9, "--trace", eight, "--governor", each], lines)
        for each in ("menu", "teo")
    ]
    workload = [*power9, "--workload", "schbench", "--governor", "menu"]
    found.append(Work("tune, workload schbench, menu", workload, rounds=3))
    found += [
        Work(
            f"tune --to cmdline, {each}",
            [*TUNE, *X86, "--trace", one, "--governor", each],
            x86_lines,
        )
        for each in ("none", "menu")
    ]
    return [*found, Work("sha256sum, the same trace", program("sha256sum", one), x86_lines)]


def works(folder: Path, scale: float) -> list[Work]:
    found, few = whole(folder, scale), min(FEW, count := round(GAPS * scale))
    if not core.available():
        return [*found, Work("tune, tables", Missing("the core is not compiled"))]
    table: CpuTable = from_times([(e * 1000, r * 1000) for e, r in TIMES], polling=True)
    tables, lengths = candidates(TABLES), gaps(count)
    for governor in ("menu", "teo", "ladder"):
        settings = Settings(governor, release(KERNEL), 250)
        for what, make in (("recording", recorded), ("trace", traced)):
            task = EvaluationTask(settings, table, (make(lengths),))
            run = partial(timed, partial(governed, task, tables))
            found.append(Work(f"tune, tables, {governor}, {what}", run, count * TABLES))
    menu, rows = Settings("menu", release(KERNEL), 250), recorded(lengths[:few]).rows

    def reference() -> None:
        governor = menu.governor_of(table)
        for situation, outcome in core.unpack(rows):
            governor.reflect(replace(outcome, state=governor.select(situation).state))

    many = gaps(5 * count)
    limits = [1000 * value - 1 for candidate in candidates(1000) for value in candidate]
    gathered = Gatherer(limits)
    gathered.extend(many)
    histogram = gathered.gaps()
    build = partial(timed, lambda: Gatherer(limits).extend(many))
    ask = partial(timed, lambda: [offline(histogram, table, each) for each in candidates(1000)])
    return [
        *found,
        Work("tune, tables, menu's reference", partial(timed, reference), few),
        Work("tune, histogram built, gaps", build, len(many)),
        Work("tune, histogram asked, tables", ask, 1000),
    ]
