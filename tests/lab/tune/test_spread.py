"""Candidate tables evaluated by several processes or a cluster, some of which end early."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.lab.tune import spread
from idle_states.lab.tune.evaluate import Candidate, Outcomes, evaluate
from idle_states.lab.tune.results import Results
from tests.support.tuning import CANDIDATES, RECORDING, task_of


class Dying:
    """Work that takes its process along."""

    fast, together, sampled = False, 1, False

    def evaluate(self, candidates: Sequence[Candidate]) -> list[Outcomes]:
        if (4,) in candidates:
            os._exit(1)
        return [Outcomes(candidate, (0, 0), (0, 0)) for candidate in candidates]


def test_a_process_that_dies_loses_nothing_that_was_done(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    with Results("digest", path) as results:
        spread.on_processors(Dying(), [(1,)], results, lambda count: None, 2)
        many = [(2,), *[(4,)] * 16]
        with pytest.raises(Unreadable) as raised:
            spread.on_processors(Dying(), many, results, lambda count: None, 2)
    message = raised.value.findings[0].message
    assert "a process died, twice: its process ended with exit status 1" in message
    assert f"are kept in {path}" in message
    with Results("digest", path) as again:
        assert (1,) in again.found


@pytest.mark.slow
def test_processes_change_nothing() -> None:
    """Without the core, work is for processes."""
    script = (
        "import sys; sys.modules['idle_states.tables.linux.governors.core._core'] = None\n"
        "from idle_states.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    words = ["tune", "power9-dd1", "--trace", str(RECORDING), "--power", "implied"]
    words += ["--kernel", "6.1", "--format", "json"]
    runs = [
        subprocess.run([sys.executable, *how, *words, "--jobs", jobs], capture_output=True)
        for how, jobs in ((["-m", "idle_states"], "1"), (["-c", script], "2"))
    ]
    assert runs[0].returncode == runs[1].returncode == 0, runs[1].stderr
    assert json.loads(runs[0].stdout) == json.loads(runs[1].stdout)


def test_a_cluster_changes_nothing_and_its_death_loses_nothing(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    from idle_states.base.cluster import DaskCluster

    task, many = (
        task_of(trace),
        CANDIDATES + [(10, 20, 50, 100 + n, 10_000, 20_000) for n in range(20)],
    )
    expected = {each.candidate: each for each in evaluate(task, many)}
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        results = Results("digest")
        workers = DaskCluster(client)
        given = workers.sent(task)
        spread.on_cluster(workers, given, task, many, results, lambda count: None)
        assert results.found == expected
        path = tmp_path / "results"
        # so that some are left when it goes
        monkeypatch.setattr(spread, "_UNDER_WAY", 1)
        with Results("digest", path) as kept:

            def dies(count: int) -> None:
                client.close()

            with pytest.raises(Unreadable) as raised:
                spread.on_cluster(workers, given, task, many, kept, dies)
    assert 0 < len(kept.found) < len(many)
    message = raised.value.findings[0].message
    assert f"{len(kept.found)} results are kept in {path}" in message
    with Results("digest", path) as again:
        assert again.kept == len(kept.found)
        spread.on_processors(
            task, [each for each in many if each not in again.found], again, lambda count: None
        )
        assert again.found == expected


@pytest.mark.slow
def test_a_scheduler_that_is_killed_loses_nothing(trace: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    where = tmp_path / "scheduler.json"
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1"]
    parts = [
        [*words, "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(where)],
        [*worker, "--no-nanny", "--no-dashboard", "--scheduler-file", str(where)],
    ]
    started = [
        subprocess.Popen(part, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path)
        for part in parts
    ]
    try:
        deadline = time.monotonic() + 300
        while not where.is_file() and time.monotonic() < deadline:
            time.sleep(0.1)
        address = json.loads(where.read_text())["address"]
        path = tmp_path / "kept"
        command = ["tune", "power9", "--trace", str(trace), "--power", "implied"]
        command += ["--resume", str(path), "--format", "json"]
        whole = subprocess.run(
            [sys.executable, "-m", "idle_states", *command[:6], *command[8:]],
            capture_output=True,
            check=True,
        )
        tool = subprocess.Popen(
            [sys.executable, "-m", "idle_states", *command, "--scheduler", address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while tool.poll() is None and time.monotonic() < deadline:
            if path.is_file() and path.read_bytes().count(b"\n") > 9:
                started[0].kill()
                break
            time.sleep(0.005)
        out, err = tool.communicate(timeout=300)
        assert tool.returncode == 3, (out, err)
        assert b"results are kept in" in err
        assert b"Traceback" not in err
        count = path.read_bytes().count(b"\n") - 1
        assert count >= 9
        done = subprocess.run(
            [sys.executable, "-m", "idle_states", *command], capture_output=True, check=True
        )
        assert f"continuing from {count} results".encode() in done.stderr
        assert json.loads(done.stdout) == json.loads(whole.stdout)
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_processors_change_nothing(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(trace)
    many = [(10, 20, 50, 100 + n, 10_000, 20_000) for n in range(30)]
    found: list[dict[Candidate, Outcomes]] = []
    for jobs in (1, 3):
        done: list[int] = []
        results = Results("digest")
        spread.on_processors(task, many, results, done.append, jobs)
        assert sum(done) == 30
        found.append(dict(results.found))
    assert found[0] == found[1]
