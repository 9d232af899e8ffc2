"""The inputs of several tests of tune: tables, candidates, gaps, a recording."""

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from idle_states.base.reading.inputs import Input
from idle_states.lab.replay.machine import CpuTable, from_times
from idle_states.lab.replay.replay import Settings
from idle_states.lab.tune.evaluate import Candidate, EvaluationTask
from idle_states.lab.tune.source import read
from idle_states.tables.linux.releases import release
from tests.support.vectors import DIRECTORY

RECORDING = DIRECTORY / "menu-debian6.1.192-p9-poll1.csv.gz"
TWO = "snooze=1,state1=0.5,state2=0"
GAPS = st.lists(st.integers(0, 5_000_000), min_size=1, max_size=60)
P9 = ((1, 10), (2, 20), (5, 50), (10, 100), (100, 10_000), (200, 20_000))
CANDIDATES: list[Candidate] = [
    (10, 20, 50, 100, 10_000, 20_000),
    (20, 40, 100, 200, 20_000, 40_000),
    (1, 2, 3, 4, 100, 200),
    (10, 10, 10, 100, 100, 100),
    (10, 20, 50, 100, 320_000, 320_000),
]


def table_of(*times: tuple[int, int]) -> CpuTable:
    """Times in us."""
    return from_times([(exit_us * 1000, res_us * 1000) for exit_us, res_us in times], True)


def task_of(name: Path, governor: str = "menu", kernel: str = "6.1", **more: Any) -> EvaluationTask:
    table = table_of(*P9)
    source = read(Input(str(name)))
    return EvaluationTask(Settings(governor, release(kernel), 250, **more), table, source.cpus)
