"""A signal ends the program as a signal, wherever it comes."""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from idle_states import cli
from idle_states.cli.cmd_list import ListCommand


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

    def run(given: ListCommand) -> int:
        type("Made", (), {"name": Named()})
        return 0

    monkeypatch.setattr("idle_states.cli.cmd_list.run", run)
    assert cli.main(["list"]) == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "idle-states: ended by SIGTERM\n"


def test_a_signal_while_modules_are_imported() -> None:
    """From the program's first line on, before it has handlers."""
    code = """
import os, sys

class Interrupting:
    def find_spec(self, name, *more):
        if name == "contextlib":
            os.kill(os.getpid(), 2)

sys.modules.pop("contextlib", None)
sys.meta_path.insert(0, Interrupting())
import idle_states.__main__
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


@pytest.mark.slow
def test_a_signal_to_all_processes_of_an_audit(tmp_path: Path) -> None:
    """The signal comes as from a terminal that is closed, or from timeout: one line is said, by one
    of them."""
    for number in range(300):
        text = f"name: s{number}\nextends: power9\n"
        text += f"override: {{stop5: {{latency: {200 + number}us}}}}\n"
        (tmp_path / f"s{number}.yaml").write_text(text)
    words = [sys.executable, "-m", "idle_states", "audit", str(tmp_path), "--jobs", "2"]
    for number in range(8):
        process = subprocess.Popen(
            [*words, "--format", "jsonl", "--config", "none"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None
        # the first is audited before there are workers
        for _ in range(1 + number * 20):
            process.stdout.readline()
        os.killpg(process.pid, signal.SIGTERM)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 128 + signal.SIGTERM
        assert err == b"idle-states: ended by SIGTERM\n"
