"""A process that ends early, here or on a cluster, takes no other file's results along, and slow
inputs are handed out in small numbers."""

import faulthandler
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from idle_states.base import cluster as clusters
from idle_states.base.pool import Job, Pool
from idle_states.cli import main
from idle_states.tables.audit import audit as audits
from idle_states.tables.audit import fleet as fleets
from idle_states.tables.audit.audit import Setting
from idle_states.tables.audit.audited import NOT_LOOKED_AT, Audited
from idle_states.tables.audit.fleet import audit_all
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.sources.source import Source
from idle_states.tables.sources.walk import Walk
from tests.support.releases import kernels_of
from tests.support.shared import building

SETTING = Setting(Criteria(kernels_of(["6.1"])))
FILES = 200
BAD = ("s007.yaml", "s150.yaml")
"""The inputs whose process ends."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with building(tmp_path_factory, "mortal") as directory:
        for number in range(FILES):
            path = directory / f"s{number:03}.yaml"
            if not path.exists():
                path.write_text(
                    f"name: s{number}\nextends: power9\n"
                    f"override: {{stop5: {{latency: {200 + number}us}}}}\n"
                )
        return directory


@pytest.fixture(scope="module")
def undisturbed(fleet: Path) -> dict[str, Audited]:
    return {each.file: each for each in audit(fleet, 1)}


def audit(fleet: Path, workers: int) -> list[Audited]:
    found = audit_all(Walk().inputs([str(fleet)]), SETTING, workers)
    return [each for some in found for each in some]


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crashed() -> None:
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), signal.SIGSEGV)


def beyond_its_time() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + 1, used + 2))
    while True:
        pass


def ended() -> None:
    os._exit(3)


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        (killed, "ended by signal 9 (SIGKILL)"),
        (crashed, "ended by signal 11 (SIGSEGV)"),
        pytest.param(
            beyond_its_time, "ended by signal 24 (SIGXCPU)", marks=pytest.mark.slow, id="time"
        ),
        (ended, "ended with exit status 3"),
    ],
)
def test_a_dead_worker_is_a_finding_on_its_file(
    ends: Any,
    said: str,
    fleet: Path,
    undisturbed: dict[str, Audited],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = audits.audit
    # whose time is limited takes seconds to end
    bad = BAD[:1] if ends is beyond_its_time else BAD

    def mortal(source: Source, setting: Setting) -> Audited:
        if source.file.endswith(bad):
            ends()
        return real(source, setting)

    monkeypatch.setattr(audits, "audit", mortal)
    found = audit(fleet, 2)
    assert [each.file for each in found] == list(undisturbed)
    for each in found:
        if each.file.endswith(bad):
            (finding,) = each.findings
            assert finding.rule == "IS990"
            assert finding.location.file == each.file
            assert said in finding.message
        else:
            assert each == undisturbed[each.file]


def children(parent: int) -> list[int]:
    task = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(word) for word in task.read_text().split()]


@pytest.mark.skipif(
    not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="no list of children"
)
def test_a_worker_killed_by_hand_costs_nothing(fleet: Path, tmp_path: Path) -> None:
    """Its work is done by another."""
    words = [sys.executable, "-m", "idle_states", "audit", str(fleet), "--format", "jsonl"]
    words += ["--kernel", "6.1", "--config", "none"]
    whole = subprocess.run([*words, "--jobs", "1"], capture_output=True, check=True)
    with subprocess.Popen(
        [*words, "--jobs", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as tool:
        assert tool.stdout
        # the first is audited before there are workers
        lines = [tool.stdout.readline()]
        deadline = time.monotonic() + 60
        while not (found := children(tool.pid)) and time.monotonic() < deadline:
            time.sleep(0.001)
        os.kill(found[0], signal.SIGKILL)
        out, err = tool.communicate(timeout=300)
    assert (tool.returncode, err) == (0, "")
    assert "".join(lines) + out == whole.stdout.decode()


def test_commands_end_with_3(
    fleet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = audits.audit

    def mortal(source: Source, setting: Setting) -> Audited:
        if source.file.endswith(BAD):
            killed()
        return real(source, setting)

    monkeypatch.setattr(audits, "audit", mortal)
    words = ["audit", str(fleet), "--jobs", "2", "--kernel", "6.1", "--config", "none"]
    assert main([*words, "--format", "sarif"]) == 3
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    dead = [result for result in results if result["ruleId"] == "IS990"]
    assert len(dead) == len(BAD)
    assert len(results) > len(dead)


# On a cluster


def mortal_chunk(setting: bytes, sent: bytes) -> Any:
    """For the workers of a cluster: ends the process of one that has a bad file."""
    results = fleets._audit_chunk(setting, sent)
    for each in pickle.loads(results[1]):
        if each[0].file.endswith(BAD[0]):
            killed()
    return results


@pytest.fixture
def distributed() -> Any:
    return pytest.importorskip("distributed", reason="the extra dask is not installed")


@pytest.mark.slow
def test_a_dead_worker_of_a_cluster(
    distributed: Any, fleet: Path, undisturbed: dict[str, Audited]
) -> None:
    import dask

    with (
        # a task is given up with the first worker, not with the fourth
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        clusters.connected(cluster.scheduler_address) as workers,
    ):
        paths = islice(Walk().inputs([str(fleet)]), 20)
        spread = fleets._spread(workers, paths, SETTING, 5, 2, mortal_chunk)
        found = [each for some in spread for each in some]
    assert [each.file for each in found] == list(undisturbed)[:20]
    for each in found:
        if each.file.endswith(BAD[0]):
            (finding,) = each.findings
            assert finding.rule == "IS990"
            assert "KilledWorker" in finding.message
        else:
            assert each == undisturbed[each.file]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["nanny", "cluster"])
def test_a_cluster_that_goes_away(
    how: str,
    distributed: Any,
    fleet: Path,
    undisturbed: dict[str, Audited],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Reported is what was done; the rest is counted, and named."""
    # shorter than the cluster takes to start another worker
    monkeypatch.setattr(clusters, "NO_WORKER_SECONDS", 0.1)
    monkeypatch.setattr(fleets, "CLUSTER_CHUNK", 20)
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, processes=True
    )
    real = fleets._spread

    def spread(*arguments: Any) -> Iterator[Any]:
        for number, found in enumerate(real(*arguments)):
            yield found
            if number == 30:
                if how == "nanny":
                    cluster.workers[0].auto_restart = False
                    os.kill(cluster.workers[0].pid, signal.SIGKILL)
                else:
                    cluster.close()

    monkeypatch.setattr(fleets, "_spread", spread)
    monkeypatch.setattr(fleets, "_UNDER_WAY", 0.2)
    words = ["audit", str(fleet), "--scheduler", cluster.scheduler_address, "--format", "jsonl"]
    with cluster:
        assert main([*words, "--kernel", "6.1", "--config", "none"]) == 3
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["file"] for line in lines] == list(undisturbed)
    kinds = [line["kind"] for line in lines]
    count = kinds.count(NOT_LOOKED_AT)
    assert kinds == ["spec"] * (FILES - count) + [NOT_LOOKED_AT] * count
    assert 30 < FILES - count < FILES
    assert f"not audited: {count} of {FILES} inputs" in err
    assert "Traceback" not in err


# Lengths of chunks


class Inline(Pool):
    """A pool that does its work at once."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Job:
        task = Job(self)
        task.settle(function(*arguments))
        return task

    def proceed(self) -> None:
        raise AssertionError("all is done")


@pytest.mark.parametrize(
    ("seconds", "sizes"),
    [(0.0001, [64, 256, 512, 512]), (0.005, [64, 100, 100]), (10, [64, 1, 1, 1])],
)
def test_chunks_are_as_long_as_their_inputs_take(seconds: float, sizes: list[int]) -> None:
    """ACPI tables take seconds each, device trees a fraction of a millisecond."""
    found = []

    def chunk(_: bytes, sent: bytes) -> tuple[float, bytes]:
        paths = pickle.loads(sent)[1]
        found.append(len(paths))
        return len(paths) * seconds, pickle.dumps([[path] for path in paths])

    paths = [Path(str(number)) for number in range(sum(sizes))]
    spread: Any = fleets._spread(Inline(), iter(paths), SETTING, 512, 1, chunk)
    assert [each for some in spread for each in some] == paths
    assert found == sizes
