"""A signal ends the program as a signal, wherever it comes."""

import argparse
import os
import signal

import pytest

from idle_states import cli


def test_a_signal_while_the_command_line_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """argparse's own clean-up fails when it is interrupted half-way; so does this one."""
    parse = cli._parsed

    def parsed(words: list[str]) -> argparse.Namespace:
        whole = False
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            whole = True
            return parse(words)
        finally:
            assert whole, "interrupted half-way"

    monkeypatch.setattr(cli, "_parsed", parsed)
    assert cli.main(["list"]) == 128 + signal.SIGTERM


def test_a_signal_while_a_class_is_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python 3.11 makes a RuntimeError of what is raised within a __set_name__."""

    class Named:
        def __set_name__(self, owner: type, name: str) -> None:
            signal.raise_signal(signal.SIGTERM)

    def run(arguments: object) -> int:
        type("Made", (), {"name": Named()})
        return 0

    monkeypatch.setattr("idle_states.cli.cmd_list.run", run)
    assert cli.main(["list"]) == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "idle-states: ended by SIGTERM\n"
