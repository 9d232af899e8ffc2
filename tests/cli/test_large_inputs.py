"""Folders of many files and traces of any length: what they take does not grow with them.

MANY_FILES=200000 and TRACE_MIB=5120 make them as large as that (default: 1,500 and 24). They lie in
pytest's temporary directory, except for a trace that is text, which comes through a pipe.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import DATA, ROOT

MANY_FILES = int(os.environ.get("MANY_FILES", "1500"))
TRACE_MIB = int(os.environ.get("TRACE_MIB", "24"))
MORE_KIB = 8 << 10
"""The memory that the larger of two runs may need beyond the smaller."""

pytestmark = pytest.mark.slow


def _run(*words: str, pipe: subprocess.Popen[bytes] | None = None) -> tuple[int, str, int]:
    """Exit status, standard output, and the peak of memory in KiB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "idle_states", *words],
        cwd=ROOT,
        stdin=pipe.stdout if pipe else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process.stdout as pipe_out:
        out = pipe_out.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, out, used.ru_maxrss


def _folder(top: Path, count: int, data: bytes, end: str) -> Path:
    """So many files of this content, 1,000 a directory: links to one there, for the disk's sake."""
    for at in range(count):
        directory = top / f"d{at // 1000}"
        if at % 1000 == 0:
            directory.mkdir(parents=True)
            (directory / f"first{end}").write_bytes(data)
        else:
            (directory / f"f{at}{end}").hardlink_to(directory / f"first{end}")
    return top


def test_an_audit_forgets_each_of_many_tables(tmp_path: Path) -> None:
    board = (DATA / "trees" / "powernv9.dtb").read_bytes()
    peaks = []
    for count in (MANY_FILES // 5, MANY_FILES):
        folder = _folder(tmp_path / str(count), count, board, ".dtb")
        exit_status, out, peak_kib = _run("audit", "--jobs", "1", "--config", "none", str(folder))
        assert exit_status == 0
        assert out.startswith(f"{count} inputs, {count} tables of idle states, 1 different one\n")
        peaks.append(peak_kib)
    assert peaks[1] < peaks[0] + MORE_KIB


def test_a_check_finds_the_table_among_many_files(tmp_path: Path) -> None:
    peaks = []
    for count in (MANY_FILES // 5, MANY_FILES - 1):
        folder = _folder(tmp_path / str(count), count, b"int x;\n", ".c")
        (folder / "mine.yaml").write_text("name: mine\nextends: power9\n")
        _, out, peak_kib = _run("check", "--config", "none", str(folder))
        assert re.search(r"^1 table, ", out, re.MULTILINE)
        peaks.append(peak_kib)
    assert peaks[1] < peaks[0] + MORE_KIB


@pytest.mark.parametrize("form", ["text", "dat"])
def test_a_trace_may_be_of_any_length(form: str, tmp_path: Path) -> None:
    peaks = []
    for mib in (TRACE_MIB // 4, TRACE_MIB):
        words = [sys.executable, "-m", "tests.support.long_traces", form, str(mib << 20)]
        if form == "text":
            with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE) as written:
                exit_status, out, peak_kib = _run("replay", "--table", "power9", "-", pipe=written)
        else:
            with (tmp_path / "trace.dat").open("wb") as file:
                subprocess.run(words, cwd=ROOT, stdout=file, check=True)
            exit_status, out, peak_kib = _run("replay", "--table", "power9", file.name)
        assert exit_status == 0
        events, periods = map(int, re.findall(r"([0-9]+) (?:events|idle periods)", out)[:2])
        assert events == 2 * periods > mib << 13
        peaks.append(peak_kib)
    assert peaks[1] < peaks[0] + MORE_KIB
