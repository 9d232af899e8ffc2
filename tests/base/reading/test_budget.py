"""Time and memory of one input: what ends it, and that nothing else notices."""

import json
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits, opening
from idle_states.base.reading.budget import within_budget
from idle_states.base.reading.processes import Bounds
from idle_states.base.reading.unexpected import on_input
from idle_states.cli import main
from tests.support import hostile

SHELL = "/bin/sh"


@pytest.fixture(autouse=True)
def _undisturbed() -> Iterator[None]:
    def found() -> tuple[object, ...]:
        timers = [
            signal.getitimer(timer)[0] for timer in (signal.ITIMER_PROF, signal.ITIMER_VIRTUAL)
        ]
        return *timers, signal.getsignal(signal.SIGPROF), resource.getrlimit(resource.RLIMIT_DATA)

    before = found()
    yield
    assert found() == before


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "INPUT_S", 0.2)
    monkeypatch.setattr(limits, "INPUT_S_PER_MIB", 0)
    monkeypatch.setattr(limits, "INPUT_MEMORY_BYTES", 64 << 20)
    monkeypatch.setattr(limits, "INPUT_MEMORY_PER_BYTE", 0)


def work(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


@pytest.mark.usefixtures("tight")
def test_endless_work_is_a_finding_on_its_input() -> None:
    ended = []

    def endless() -> None:
        try:
            while True:
                try:
                    work(60)
                except Exception:
                    ended.append("swallowed")
        finally:
            ended.append("cleaned up")

    with pytest.raises(Unreadable) as raised, on_input("a.dts", 1000):
        endless()
    (finding,) = raised.value.findings
    assert ended == ["cleaned up"]
    assert (finding.rule, finding.location.file) == ("IS930", "a.dts")
    assert "more than 0.2 s of processor time, the limit for an input of 1000 by" in finding.message


@pytest.mark.usefixtures("tight")
def test_pattern_that_goes_back_for_ever_is_ended() -> None:
    with pytest.raises(Unreadable, match="processor time"), within_budget("x"):
        re.match("(a+)+$", "a" * 64 + "b")


@pytest.mark.usefixtures("tight")
def test_memory_is_a_finding_on_its_input_and_is_free_afterwards() -> None:
    def endless() -> None:
        held = []
        while True:
            held.append(bytes(1 << 20))

    for _ in range(3):
        with pytest.raises(Unreadable) as raised, on_input("a.c", 7):
            endless()
        assert "more than 64 MiB of memory, the limit for an input of 7 by" in str(raised.value)
        with within_budget("b.c"):
            assert len(bytes(48 << 20)) == 48 << 20


@pytest.mark.usefixtures("tight")
def test_what_is_read_within_allows_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "INPUT_S_PER_MIB", 20)
    monkeypatch.setattr(limits, "INPUT_MEMORY_PER_BYTE", 128)
    (tmp_path / "a").write_bytes(bytes(1 << 20))
    with within_budget("x"):
        opening.read(tmp_path / "a")
        work(0.6)
        assert len(bytes(128 << 20)) == 128 << 20
    with within_budget("x", 1 << 20):
        work(0.6)
        assert len(bytes(128 << 20)) == 128 << 20


@pytest.mark.usefixtures("tight")
def test_inner_input_is_the_same() -> None:
    def parts() -> None:
        for _ in range(1000):
            with within_budget("inner"):
                work(0.1)

    with pytest.raises(Unreadable, match="outer"), within_budget("outer"):
        parts()


@pytest.mark.usefixtures("tight")
def test_other_threads_go_on() -> None:
    done = []

    def worked() -> None:
        with within_budget("x"):
            work(0.5)
        done.append(True)

    thread = threading.Thread(target=worked)
    thread.start()
    thread.join()
    assert done


@pytest.mark.usefixtures("tight")
def test_program_has_limits_of_its_own() -> None:
    from idle_states.base.reading import launching

    with within_budget("x"):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] > 0
        done = launching.run(SHELL, ["-c", "ulimit -S -d"], Bounds(), "x")
    assert done.output == b"unlimited\n"


def test_work_that_never_returns_to_python_ends_with_its_process() -> None:
    text = (
        "import hashlib\n"
        "from idle_states.base.reading import budget, limits\n"
        "limits.INPUT_S = 0.1\n"
        "with budget.within_budget('x'):\n"
        "    hashlib.pbkdf2_hmac('sha256', b'x', b'y', 2**31 - 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], check=False)
    assert done.returncode == -signal.SIGVTALRM


def test_the_other_inputs_are_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = hostile.make("macro-quotes-doubling.dts", tmp_path)
    good = tmp_path / "good.dtb"
    good.write_bytes(hostile.REAL.read_bytes())
    assert main(["audit", str(good)]) in (0, 1)
    capsys.readouterr()
    monkeypatch.setattr(limits, "INPUT_S", 0.7)
    assert main(["audit", "--format", "json", str(bad), str(good)]) == 3
    first, second = json.loads(capsys.readouterr().out)["inputs"]
    assert first["kind"] == "unreadable"
    assert "processor time" in first["findings"][0]["message"]
    assert second["states"]
