"""Processes that work for one."""

import multiprocessing
import os
import signal
import time

import pytest

from idle_states.base.pool import Died
from idle_states.base.workers import processes


@pytest.mark.parametrize("before", [None, "0"])
def test_the_environment_is_as_before(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is started later may need what lies in the current directory."""
    monkeypatch.setenv("PYTHONSAFEPATH", before or "")
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH")
    with processes(1) as pool:
        assert pool.submit(os.getenv, "PYTHONSAFEPATH").result() == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before


@pytest.mark.parametrize("hangup", [signal.SIG_IGN, signal.SIG_DFL])
def test_an_ignored_hangup_stays_ignored(hangup: signal.Handlers) -> None:
    """Under nohup, a terminal that goes away ends neither the program nor its workers."""
    before = signal.signal(signal.SIGHUP, hangup)
    try:
        with processes(1) as pool:
            assert pool.submit(signal.getsignal, signal.SIGHUP).result() == hangup
    finally:
        signal.signal(signal.SIGHUP, before)


def killed_by(number: int) -> None:
    os.kill(os.getpid(), number)


class Unsendable(Exception):
    def __init__(self, one: int, other: int) -> None:
        super().__init__("said")


def fails(other: bool) -> None:
    raise Unsendable(1, 2) if other else KeyError("one")


def test_a_process_that_dies_takes_its_own_task_along() -> None:
    with processes(2) as pool:
        tasks = [
            pool.submit(killed_by, signal.SIGKILL) if number % 5 == 0 else pool.submit(abs, -number)
            for number in range(40)
        ]
        for number, task in enumerate(tasks):
            if number % 5:
                assert task.result() == number
            else:
                with pytest.raises(
                    Died, match=r"signal 9 \(SIGKILL\), by hand or because memory ran out"
                ):
                    task.result()


def test_a_process_killed_while_it_waits_costs_nothing() -> None:
    with processes(1) as pool:
        process = pool.submit(os.getpid).result()
        os.kill(process, signal.SIGKILL)
        # until it is gone: what is written to it before that is lost
        while multiprocessing.active_children():
            time.sleep(0.001)
        assert pool.submit(abs, -3).result() == 3


def test_what_a_task_raises_comes_back() -> None:
    with processes(1) as pool:
        with pytest.raises(KeyError, match="one") as raised:
            pool.submit(fails, False).result()
        assert "in fails" in raised.value.__notes__[0]
        # where distributed was imported before, all exceptions can be sent
        with pytest.raises((RuntimeError, Unsendable), match="said"):
            pool.submit(fails, True).result()
        large = pool.submit(bytes, 30_000_000)
        assert len(large.result()) == 30_000_000


def test_an_exception_ends_the_processes_at_once() -> None:
    def leave() -> None:
        with processes(2) as pool:
            for _ in range(4):
                pool.submit(time.sleep, 600)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        leave()
    assert multiprocessing.active_children() == []
