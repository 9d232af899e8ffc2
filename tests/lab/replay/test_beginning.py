"""The time line of a trace's first idle periods: of a short trace, the whole replay."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from idle_states.base.report.sheet import Picture
from idle_states.lab.replay import run
from idle_states.lab.replay.answer import replay
from idle_states.lab.replay.beginning import PERIODS
from idle_states.lab.replay.drawn import time_line
from idle_states.lab.replay.request import ReplayRequest
from idle_states.lab.replay.results import ReplayResult
from idle_states.tables.linux.releases import release
from tests.support import DATA

TRACE = DATA / "traces/mt8196-teo.slice.txt.gz"
TABLES = ("power9", "power9-dd1@84368bbf8")
CPUS = 4
"""The number of CPUs that a time line shows."""


def _replayed(into: Path, lines: int, **more: object) -> tuple[ReplayResult, Picture]:
    """The first lines of the trace that are about the first CPUs."""
    with gzip.open(TRACE, "rt") as trace:
        some = [line for line in trace if "cpu_idle:" in line and int(line[-2]) < CPUS]
    file = into / "short.txt"
    file.write_text("".join(some[:lines]))
    request = ReplayRequest((str(file),), release("6.1"), TABLES, **more)  # type: ignore[arg-type]
    result = replay(request).result
    assert result.beginning is not None
    (picture,) = time_line(result.beginning)
    return result, picture


def _tips(picture: Picture) -> list[tuple[str, str, str]]:
    """(row, name of the state, length), of every band."""
    found = []
    for group in picture.draw().drawn.iterfind("g"):
        label, times, name = (group.findtext("title") or "").rsplit(": ", 2)
        found.append((label, name, times.partition("for ")[2]))
    return found


@pytest.mark.parametrize("governor", ["menu", "teo"])
def test_rows_are_what_the_replay_counts(governor: str, tmp_path: Path) -> None:
    result, picture = _replayed(tmp_path, 150, governors=(governor,))
    assert 20 < result.read.periods <= PERIODS
    rows = picture.table.rows
    shown = Counter((label, name) for label, name, _ in _tips(picture))
    # what lasts less than a microsecond has no width, but is listed
    for cpu, _, length, *columns in rows:
        for what, names in zip(("entered", *TABLES), columns, strict=True):
            shown.update((f"{cpu}: {what}", n) for n in str(names).split() if length == "0 ns")
    counted = Counter(
        {
            (f"CPU {cpu}: {what}", state.name): state.usage
            for account, what in (
                (result.observed, "entered"),
                *((account, account.machine) for account in result.accounts),
            )
            for cpu, figures in account.cpus.items()
            for state in figures.states
            if state.usage
        }
    )
    assert shown == counted
    assert len({label for label, _ in shown}) == CPUS * (1 + len(TABLES))
    assert len(rows) == result.read.periods
    entered = Counter(row[3] for row in rows)
    assert entered == {s.name: s.usage for s in result.observed.total.states if s.usage}


def test_long_traces_have_their_first_periods(tmp_path: Path) -> None:
    result, picture = _replayed(tmp_path, 2000, governors=("menu",))
    assert result.read.periods > PERIODS
    rows = picture.table.rows
    assert len(rows) == PERIODS
    starts = [float(str(row[1]).removesuffix(" ms")) for row in rows]
    assert min(starts) == 0


def test_states_as_entered_have_a_row_alone(tmp_path: Path) -> None:
    _, picture = _replayed(tmp_path, 150)
    assert {label.partition(": ")[2] for label, _, _ in _tips(picture)} == {"entered"}


@pytest.mark.parametrize("core", [True, False])
def test_recordings_have_their_first_decisions(core: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not core:
        monkeypatch.setattr(run.core, "available", lambda: False)
    recording = str(DATA / "recordings/powernv9-menu.txt.gz")
    result = replay(ReplayRequest((recording,), governors=("menu",))).result
    assert result.beginning is not None
    (picture,) = time_line(result.beginning)
    rows = picture.table.rows
    assert len(rows) == PERIODS < result.read.periods
    same = sum(row[3] == row[4] for row in rows)
    account = result.accounts[0]
    assert 0 <= PERIODS - same <= account.compared - account.agreed < PERIODS / 10
    assert {row[0] for row in rows} == {"CPU 0", "CPU 1"}


def test_calibrated_replays_have_a_row_for_each_model() -> None:
    dumps = [str(DATA / f"traces/mt8196-teo.sysfs-{when}.txt") for when in ("before", "after")]
    given = {"governors": ("teo",), "hz": 1000}
    request = ReplayRequest((str(TRACE), *dumps), release("6.6"), **given)  # type: ignore[arg-type]
    result = replay(request).result
    assert result.calibration is not None
    assert result.beginning is not None
    (picture,) = time_line(result.beginning)
    rows = picture.table.rows
    # the inputs were inferred of what was entered
    assert sum(row[3] == row[4] for row in rows) > 0.95 * len(rows) > 50
