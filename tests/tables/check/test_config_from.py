"""The configuration of a revision, for a checkout of a change that may alter it."""

import os
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.tables.check import acceptance
from idle_states.tables.check.acceptance import Acceptance
from idle_states.tables.check.answer import check
from idle_states.tables.check.config import Configuration
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.check.request import CheckRequest
from idle_states.tables.linux.releases import release
from tests.support.commands import Capture, outcome, run
from tests.support.git_history import History

SPEC = "name: mine\nextends: power9\noverride:\n  stop1: {latency: 2050us}\n"
INI = "[idle-states]\n"
CHECK = ("check", "--fail-on", "warning", "--kernel", "6.1")
FAILS = (*CHECK, "--select", "IS206,IS9")
PLANTED = f"{INI}ignore = IS4\nsuppress =\n  IS206 mine:* trust me\n"


@pytest.fixture(autouse=True)
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    made = History(tmp_path / "work")
    made.commit({"mine.yaml": SPEC})
    monkeypatch.chdir(made.directory)
    return made


def found(capsys: Capture, *words: str) -> tuple[int, list[tuple[str, str, Any]]]:
    """Exit status; rule, path and line of findings that count."""
    status, document = outcome(capsys, *FAILS, *words)
    places = [(f["rule"], f["location"]) for f in document["findings"] if f["suppressed"] is None]
    return status, [(rule, where["path"], where["line"]) for rule, where in places]


def test_change_cannot_set_the_rules_it_is_judged_by(history: History, capsys: Capture) -> None:
    history.commit({"setup.cfg": PLANTED})
    assert found(capsys) == (0, [])
    status, findings = found(capsys, "--config-from", "HEAD^")
    assert status == 1
    assert {rule for rule, _, _ in findings} >= {"IS206", "IS906"}
    assert [place for rule, *place in findings if rule == "IS906"] == [
        ["idle-states.ignore", 2],
        ["idle-states.suppress", 4],
    ]
    status, text, _ = run(capsys, *FAILS, "--config-from", "HEAD^")
    assert "setup.cfg:2:1: warning: idle-states.ignore: the change sets ignore to IS4; it" in text
    assert "    2 | ignore = IS4" in text


def test_what_the_revision_accepts_stays_accepted(history: History, capsys: Capture) -> None:
    history.commit({"setup.cfg": f"{INI}suppress =\n  IS206 mine:* so\n  IS201 mine:* unused\n"})
    history.commit({"setup.cfg": None})
    status, findings = found(capsys, "--config-from", "HEAD^", "--ignore", "IS906")
    assert (status, findings) == (0, []), "suppressions that nothing needs are the change's affair"
    status, findings = found(capsys, "--config-from", "HEAD^")
    assert {rule for rule, _, _ in findings} == {"IS906"}
    assert found(capsys)[0] == 1


def test_settings_and_tables_are_the_revisions(history: History, capsys: Capture) -> None:
    history.commit({"a/one.yaml": SPEC, "setup.cfg": f"{INI}tables = a\nselect = IS206\n"})
    history.commit(
        {"setup.cfg": f"{INI}tables = b\n", "b/two.yaml": "name: two\nextends: power9\n"}
    )
    (history.directory / "a").mkdir(exist_ok=True)
    os.chdir("a")
    status, _, errors = run(capsys, *CHECK, "--config-from", "HEAD^")
    assert status == 1
    assert "../setup.cfg of HEAD^ sets select\n" in errors
    assert "looked at ../a/one.yaml" in errors


def test_change_of_a_line_that_says_the_same_is_none(history: History, capsys: Capture) -> None:
    history.commit({"setup.cfg": f"{INI}ignore = IS2, IS4\nsuppress =\n  IS206 a:b   so\n"})
    text = '[tool.idle-states]\nignore = ["IS4", "IS2"]\nsuppress = ["IS206 a:b so"]\n'
    history.commit({"setup.cfg": None, "pyproject.toml": text})
    assert "IS906" not in {rule for rule, _, _ in found(capsys, "--config-from", "HEAD^")[1]}


def test_revision_that_is_not_there_ends_the_check(history: History, capsys: Capture) -> None:
    status, _, errors = run(capsys, *FAILS, "--config-from", "0" * 40)
    assert status == 3
    assert "expected the commit 0000" in errors
    (history.directory / ".git/shallow").write_text(history.git("rev-parse", "HEAD") + "\n")
    assert "git fetch --deepen" in run(capsys, *FAILS, "--config-from", "0" * 40)[2]
    assert run(capsys, *FAILS, "--config-from", "HEAD", "--config", "setup.cfg")[0] == 2


def test_damaged_configuration_of_the_change_is_an_error(history: History, capsys: Capture) -> None:
    history.commit({"setup.cfg": f"{INI}ignore = IS2\n"})
    Path("setup.cfg").write_text(f"{INI}nonsense = 1\n")
    assert run(capsys, *FAILS, "--config-from", "HEAD")[0] == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of other users")
def test_checkout_of_another_user_is_judged_all_the_same(history: History, capsys: Capture) -> None:
    history.commit({"setup.cfg": f"{INI}suppress =\n  IS206 mine:* so\n"})
    for path in (history.directory, *history.directory.rglob("*")):
        os.lchown(path, 4242, 4242)
    assert found(capsys, "--config-from", "HEAD") == (0, [])
    assert found(capsys)[0] == 1


def test_baseline_is_the_revisions(history: History, capsys: Capture) -> None:
    """A change cannot add its own findings to it; one outside of the repository is the user's."""
    run(capsys, "check", "mine.yaml", "--kernel", "6.1", "--write-baseline", "../outside.json")
    words = ("--config-from", "HEAD^", "--baseline")
    Path("known.json").write_text('{"schema_version": 1, "findings": []}')
    history.commit({})
    history.commit({"known.json": Path("../outside.json").read_bytes()})
    assert found(capsys, "--baseline", "known.json") == (0, [])
    for name in ("known.json", str(Path("known.json").absolute())):
        assert found(capsys, *words, name)[0] == 1
    assert found(capsys, "--config-from", "HEAD", "--baseline", "known.json")[0] == 0
    assert found(capsys, *words, "../outside.json")[0] == 0
    status, _, errors = run(capsys, *FAILS, "--config-from", "HEAD^^", "--baseline", "known.json")
    assert status == 3
    assert "known.json: error: expected the file in" in errors


def test_audit_takes_it_too(history: History, capsys: Capture) -> None:
    history.commit({"setup.cfg": PLANTED})
    words = ("audit", "mine.yaml", *FAILS[1:])
    assert run(capsys, *words)[0] == 0
    status, _, errors = run(capsys, *words, "--config-from", "HEAD^")
    assert status == 1
    assert "setup.cfg:2:1: the change sets ignore to IS4; it was not set" in errors


def test_request_without_a_command_line(history: History) -> None:
    history.commit({"setup.cfg": PLANTED})
    criteria = Criteria((release("6.1"),))
    for revision, rules in (("HEAD^", {"IS206", "IS906"}), (None, set())):
        asked = CheckRequest(("mine.yaml",), criteria, acceptance=Acceptance(revision=revision))
        counting = {f.rule for f in check(asked).findings if f.counts}
        assert counting & {"IS206", "IS906"} == rules
    with pytest.raises(Unreadable):
        check(CheckRequest(("mine.yaml",), criteria, acceptance=Acceptance(revision="none")))


def test_the_revision_is_read_once(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """For its settings, for what it accepts, and for what the folder's alters of it."""
    asked = []

    def counted(revision: str) -> Configuration | None:
        asked.append(revision)
        return read(revision)

    read = acceptance._configuration_at
    monkeypatch.setattr(acceptance, "_configuration_at", counted)
    found(capsys, "--config-from", "HEAD")
    assert asked == ["HEAD"]
