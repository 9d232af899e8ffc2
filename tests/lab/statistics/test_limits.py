"""Tests of what files of results may have: devices, size and number of samples."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits
from idle_states.cli import main
from idle_states.lab.statistics import reading
from idle_states.lab.statistics.answer import stats
from idle_states.lab.statistics.numbers import is_number
from idle_states.lab.statistics.request import StatsRequest


def test_a_device_is_no_file_of_results(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "/dev/zero", "/dev/zero"]) == 3
    assert "expected a regular file, found a device" in capsys.readouterr().err


@pytest.mark.slow
def test_ninety_megabytes_of_integers_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345\n" * (94_000_000 // 6))
    # in less memory than the file's lines would take
    bounded = 'ulimit -v 700000; exec "$@"'
    words = [sys.executable, "-m", "idle_states", "stats", path, path]
    done = subprocess.run(["sh", "-c", bounded, "sh", *words], capture_output=True, timeout=60)
    assert done.returncode == 3
    assert b"expected at most 67108864 bytes" in done.stderr


@pytest.mark.parametrize("text", ["1\n2\n3\n4\n", "name 1 2 3\n"])
def test_samples_are_counted(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text(text)
    monkeypatch.setattr(limits, "STATISTICS_LINES", 3)
    with pytest.raises(Unreadable, match="expected at most 3 lines or samples"):
        reading.named_samples(reading.open_file(str(path)))


def test_files_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("1\n2\n3\n")
    assert stats(StatsRequest((str(path),) * 3))
    monkeypatch.setattr(limits, "STATISTICS_LINES", 8)
    with pytest.raises(Unreadable, match="expected at most 8 lines or samples in all files"):
        stats(StatsRequest((str(path),) * 3))
    monkeypatch.setattr(limits, "STATISTICS_BYTES", 17)
    with pytest.raises(Unreadable, match="expected at most 17 bytes in all files"):
        stats(StatsRequest((str(path),) * 3))


def test_named_samples_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("name 1 2 3\n")
    assert stats(StatsRequest((str(path),) * 2, form="mmtests"))
    monkeypatch.setattr(limits, "STATISTICS_LINES", 7)
    with pytest.raises(Unreadable, match="expected at most 7 lines or samples in all files"):
        stats(StatsRequest((str(path),) * 2, form="mmtests"))


def test_a_pipe_is_read_where_it_is_the_operand() -> None:
    command = f'"{sys.executable}" -m idle_states stats <(seq 9) <(seq 2 10)'
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert b"no difference proven" in done.stdout


@pytest.mark.parametrize(
    "text", ["1" * 1_000_000 + "!", "." + "1" * 1_000_000 + "!", "+" * 1_000_000]
)
def test_what_is_no_number_takes_no_time(text: str) -> None:
    started = time.process_time()
    assert not is_number(text)
    assert time.process_time() - started < 1
