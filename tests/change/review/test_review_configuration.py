"""Tests of what a change alters in the configuration, which is a finding of its own."""

import pytest

from tests.support.commands import Capture, outcome, run
from tests.support.git_history import History
from tests.support.reviewed import AFTER, BEFORE, c_of

BASE = "[idle-states]\nfail-on = warning\nkernels = 6.1\n"
CHANGED = {
    "ignore": "ignore = IS201\n",
    "select": "select = IS1\n",
    "tables": "tables = docs\n",
    "platform": "platform = op920\n",
    "format": "format = junit\n",
}


def told(capsys: Capture, history: History, *words: str) -> list[tuple[str, object, str]]:
    """Path, line and message of the findings about the configuration."""
    review = ("review", "--tree", str(history.directory), "--kernel", "6.1", *words)
    status, document = outcome(capsys, *review, "--fail-on", "warning")
    found = [f for f in document["findings"] if f["rule"] == "IS906"]
    assert all(f["severity"] == "warning" for f in found)
    assert status == 1 or not found
    return [(f["location"]["path"], f["location"]["line"], f["message"]) for f in found]


@pytest.mark.parametrize("key", CHANGED)
def test_setting_that_a_change_adds(key: str, history: History, capsys: Capture) -> None:
    history.commit({"hw/slw.c": c_of(AFTER), "setup.cfg": BASE})
    history.commit({"setup.cfg": BASE + CHANGED[key]})
    value = CHANGED[key].partition("= ")[2].strip()
    message = f"the change sets {key} to {value}; it was not set"
    assert told(capsys, history) == [(f"idle-states.{key}", 4, message)]
    assert told(capsys, history, "--per-commit")[0][2] == message


def test_setting_that_a_change_alters_or_removes(history: History, capsys: Capture) -> None:
    history.commit({"hw/slw.c": c_of(AFTER), "setup.cfg": BASE})
    history.commit({"setup.cfg": "[idle-states]\nfail-on = error\n"})
    assert told(capsys, history) == [
        ("idle-states.kernels", None, "the change removes kernels; before: 6.1"),
        ("idle-states.fail-on", 2, "the change sets fail-on to error; before: warning"),
    ]


def test_review_goes_by_the_base(history: History, capsys: Capture) -> None:
    """A change that brings a finding and ignores its rule, and accepts what reports it."""
    history.commit({"hw/slw.c": c_of(AFTER), "setup.cfg": BASE})
    silenced = "suppress =\n  IS906 idle-states.* trust me\n  IS201 * trust me\n"
    history.commit({"hw/slw.c": c_of(BEFORE), "setup.cfg": BASE + "ignore = IS201\n" + silenced})
    found = told(capsys, history)
    assert [place[:2] for place in found] == [
        ("idle-states.ignore", 4),
        ("idle-states.suppress", 6),
        ("idle-states.suppress", 7),
    ]
    assert "(suppressed by this change: trust me)" in found[0][2]
    status, text, _ = run(capsys, "review", "--tree", str(history.directory), "--kernel", "4.11",
                          "--fail-on", "warning")  # fmt: skip
    assert status == 1
    assert "IS201" in text
    assert "setup.cfg:4" in text


def test_same_configuration_is_no_finding(history: History, capsys: Capture) -> None:
    history.commit({"hw/slw.c": c_of(AFTER), "setup.cfg": BASE})
    history.commit({"setup.cfg": "# lines move\n" + BASE + "[other]\nignore = IS201\n"})
    assert told(capsys, history) == []
    history.commit({"setup.cfg": BASE + "ignore = IS201\n"})
    assert told(capsys, history, "--ignore", "IS906") == []
    assert told(capsys, history, "--config", "none") == []
