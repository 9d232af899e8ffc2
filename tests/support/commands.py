"""Command lines run in this process."""

import json
from typing import Any

import pytest

from idle_states.cli import main

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *words: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command line."""
    capsys.readouterr()
    try:
        status = main(words)
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def outcome(capsys: Capture, *words: str) -> tuple[int, Any]:
    """Exit status of a command line, and the document that it prints as JSON."""
    status, out, err = run(capsys, *words, "--format", "json")
    assert out, err
    return status, json.loads(out)


def document(capsys: Capture, *words: str) -> Any:
    """The document that a command line prints as JSON."""
    return outcome(capsys, *words)[1]
