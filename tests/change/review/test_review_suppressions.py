"""Suppressions, which are part of what is reviewed."""

import json
from typing import Any

import jsonschema
import pytest

from idle_states.cli import main
from tests.base.report.test_output_schema import STRICT
from tests.support.git_history import History
from tests.support.reviewed import (
    AFTER,
    BEFORE,
    c_of,
    spec,
)

CONFIG = "[idle-states]\nsuppress =\n    IS201 power9_cpu_idle_states[*].* {}\n"


def judged(
    capsys: pytest.CaptureFixture[str], history: History, *words: str
) -> tuple[int, dict[str, Any]]:
    more = ["--kernel", "4.11", "--fail-on", "warning", "--select", "IS201,IS905"]
    status = main(["review", "--tree", str(history.directory), *more, "--format", "json", *words])
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(STRICT).validate(document)
    return status, document


def test_change_cannot_silence_findings_about_itself(
    history: History, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    history.commit({"hw/slw.c": c_of(AFTER)})
    history.commit({"hw/slw.c": c_of(BEFORE), "setup.cfg": CONFIG.format("trust me")})
    # as in CI, where the change is checked out and one stands in it
    monkeypatch.chdir(history.directory)
    for words in ([], ["--per-commit"]):
        status, document = judged(capsys, history, *words)
        assert status == 1
        found = document["findings"]
        assert {f["rule"] for f in found} == {"IS201"}
        assert all("(suppressed by this change: trust me)" in f["message"] for f in found)
        [added] = document["changes"][0]["suppressions"]
        assert added == {
            "rules": ["IS201"],
            "path": "power9_cpu_idle_states[*].*",
            "reason": "trust me",
            "until": "",
            "file": "setup.cfg",
            "line": 3,
        }
    main(["review", "--tree", ".", "--kernel", "4.11"])
    out = capsys.readouterr().out
    assert "Suppressions that the change adds\n  setup.cfg:3: IS201 power9_cpu" in out
    # who names a configuration has it
    assert judged(capsys, history, "--config", "setup.cfg")[0] == 0
    assert judged(capsys, history, "--config", "none")[0] == 1


def test_what_was_accepted_before_stays_accepted(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"hw/slw.c": c_of(AFTER), "setup.cfg": CONFIG.format("since long")})
    history.commit({"hw/slw.c": c_of(BEFORE)})
    status, document = judged(capsys, history)
    assert (status, document["findings"]) == (0, [])
    assert document["changes"][0]["suppressions"] == []
    # what no change brings is not new; that it is accepted from now on is said
    history.commit({"setup.cfg": None})
    history.commit({"setup.cfg": CONFIG.format("again")})
    status, document = judged(capsys, history)
    assert (status, document["findings"]) == (0, [])
    assert [one["reason"] for one in document["changes"][0]["suppressions"]] == ["again"]


def test_comment_that_a_change_adds_hides_nothing_it_brings(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"mine.yaml": spec("mine", "extends: power9\n")})
    row = "extends: power9\noverride:\n  stop0:\n    latency: 300ns{}\n"
    reason = "  # idle-states: ignore[IS201] trust me"
    history.commit({"mine.yaml": spec("mine", row.format(reason))})
    status, document = judged(capsys, history, "--specs")
    assert (status, len(document["findings"])) == (1, 1)
    assert "(suppressed by this change: trust me)" in document["findings"][0]["message"]
    [added] = document["changes"][0]["suppressions"]
    assert (added["rules"], added["reason"], added["file"]) == (["IS201"], "trust me", "mine.yaml")
    # it was there before: nothing new
    history.commit({"mine.yaml": "\n" + spec("mine", row.format(reason))})
    assert judged(capsys, history, "--specs")[0] == 0


def test_configuration_of_a_commit_that_is_wrong_is_a_finding(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"hw/slw.c": c_of(AFTER)})
    history.commit({"setup.cfg": "[idle-states]\nsuppress =\n    nonsense\n"})
    status, document = judged(capsys, history)
    assert status == 1
    [finding] = document["findings"]
    assert (finding["rule"], finding["location"]["file"], finding["location"]["line"]) == (
        "IS905",
        "setup.cfg",
        3,
    )
