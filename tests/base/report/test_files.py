"""Files are written whole or not at all, keep what they were, and leave nothing beside."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from idle_states.base.files import replacing, write_file
from idle_states.base.signals import Ended, deferred, handled
from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.thorough import few


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664, 0o755, 0o400])
def test_a_file_keeps_its_mode(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("before")
    path.chmod(kept)
    with umask(0o022):
        assert main(["list", "--format", "json", "-o", str(path)]) == 0
    assert mode(path) == kept
    assert path.read_text().startswith("{")
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_gets_what_the_umask_leaves(mask: int, expected: int, tmp_path: Path) -> None:
    with umask(mask):
        write_file(tmp_path / "new", "x")
    assert mode(tmp_path / "new") == expected


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    os.chown(path, 12345, 54321)
    path.chmod(0o4750)
    write_file(path, "y")
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (12345, 54321, 0o4750)


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 127)
    write_file(path, "x")
    assert path.read_text() == "x"


def test_a_link_that_the_user_did_not_name_is_replaced(tmp_path: Path) -> None:
    """patch -o DIR: what is there may be a stranger's, as the names of its files can be told."""
    tree = tmp_path / "tree"
    (tree / "hw").mkdir(parents=True)
    (tree / "hw/slw.c").write_text(c_table.write([find("power9@84368bbf8")]))
    name = "0001-slw-Bring-power9_cpu_idle_states-in-line-with-power9.patch"
    for target in ("victim", "nothing"):
        (tmp_path / "victim").write_text("mine")
        (tree / name).unlink(missing_ok=True)
        (tree / name).symlink_to(f"../{target}")
        assert main(["patch", "power9", "--tree", str(tree), "-o", str(tree)]) == 0
        assert (tmp_path / "victim").read_text() == "mine"
        assert not (tmp_path / "nothing").exists()
        assert (tree / name).read_text().startswith("From ")


@pytest.mark.parametrize(
    ("words", "closed"),
    few(
        2,
        [
            *((words, ">&-") for words in ("list --format json", "show power9", "patch --list")),
            *(("list", closed) for closed in (">&-", "<&- >&-", "<&- >&- 2>&-")),
        ],
    ),
)
def test_a_closed_standard_output_is_an_error(words: str, closed: str, tmp_path: Path) -> None:
    command = f"{sys.executable} -m idle_states {words} {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 3
    expected = b"" if "2>" in closed else b"Bad file descriptor\n"
    assert done.stderr.endswith(expected)
    assert done.stderr.count(b"\n") == bool(expected)


def test_text_is_written_as_utf8_whatever_it_holds(tmp_path: Path) -> None:
    write_file(tmp_path / "a", "é \udcff")
    assert (tmp_path / "a").read_bytes() == "é \\udcff".encode()


def send(number: int) -> None:
    """The handler has run when this returns."""
    signal.raise_signal(number)


@pytest.mark.usefixtures("hangup_heeded")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_file_as_it_was(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("before")

    def begin() -> None:
        with handled(), replacing(path) as file:
            file.write(b"half")
            send(number)

    with pytest.raises((Ended, KeyboardInterrupt)):
        begin()
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("step", ["tempfile.mkstemp", "os.replace"])
def test_a_signal_in_a_step_waits_for_its_end(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is the old or the new one, and nothing is left beside."""
    path = tmp_path / "a"
    path.write_text("before")
    module, _, name = step.partition(".")
    real = getattr(__import__(module), name)

    def interrupted(*words: object, **options: object) -> object:
        result = real(*words, **options)
        send(signal.SIGTERM)
        return result

    monkeypatch.setattr(step, interrupted)
    with pytest.raises(Ended), handled():
        write_file(path, "after")
    monkeypatch.undo()
    assert path.read_text() == ("after" if step == "os.replace" else "before")
    assert os.listdir(tmp_path) == ["a"]


def test_a_second_signal_does_not_disturb_the_cleaning_up(tmp_path: Path) -> None:
    path = tmp_path / "a"

    def ended_twice() -> None:
        with handled():
            try:
                send(signal.SIGTERM)
            finally:
                send(signal.SIGINT)
                path.touch()

    with pytest.raises(Ended):
        ended_twice()
    assert path.exists()


def test_signals_do_afterwards_what_they_did_before() -> None:
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with handled():
            send(signal.SIGHUP)  # as with nohup
            with deferred():
                pass
    finally:
        signal.signal(signal.SIGHUP, before[2])
    after = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert after == before


@pytest.mark.usefixtures("hangup_heeded")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_exit_status_tells_the_signal(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from idle_states.cli import cmd_list

    def ended(given: cmd_list.ListCommand) -> int:
        send(number)
        return 0

    monkeypatch.setattr(cmd_list, "run", ended)
    assert main(["list"]) == 128 + number
    said = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
    assert capsys.readouterr().err == f"idle-states: {said}\n"
