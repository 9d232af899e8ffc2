"""Processes that work for one."""

import os
import signal

import pytest

from idle_states.workers import processes


@pytest.mark.parametrize("before", [None, "0"])
def test_the_environment_is_as_before(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is started later may need what lies in the current directory."""
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
