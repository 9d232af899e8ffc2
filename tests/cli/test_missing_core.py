"""The note before slow work where the compiled core is missing."""

import pytest

from idle_states.cli.missing_core import note_missing_core
from idle_states.tables.linux.governors import core


def test_without_the_core(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "available", lambda: False)
    note_missing_core()
    errors = capsys.readouterr().err
    assert (
        errors.count("; the Python reference is used instead and takes much longer. To get ") == 1
    )
    assert errors.count("\n") == 1


def test_there_is_nothing_to_say_with_the_core(capsys: pytest.CaptureFixture[str]) -> None:
    if not core.available():
        pytest.skip("the core is not there")
    note_missing_core()
    assert capsys.readouterr().err == ""
