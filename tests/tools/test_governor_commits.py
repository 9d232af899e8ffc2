"""docs/governor-commits.md: what review says of commits to governors, as it was recorded."""

import json
import shutil
from pathlib import Path

import pytest

from idle_states.change.review import governors
from tests.support import DATA
from tests.support.git_history import History
from tools.governor_commits import PAGE, RECORD, Sources, page, rows, run

TIMER = (DATA / "governors/timer.c").read_text()
TWICE = TIMER.replace("target_residency_ns <= sleep_ns", "target_residency_ns * 2 <= sleep_ns")
FILE = "drivers/cpuidle/governors/menu.c"


def test_the_page_is_what_was_recorded() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m tools.governor_commits"


def test_every_commit_is_recorded_and_none_else() -> None:
    assert {row["name"] for row in rows()} == json.loads(RECORD.read_text("utf-8")).keys()


def test_what_later_trees_have_is_made_of_the_mails() -> None:
    """Or the record could be of other changes than those that were merged."""
    assert sum("confirms" in row for row in rows()) >= 7


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_commit_is_reviewed_by_its_mail_or_by_the_file_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(governors, "table_names", lambda: ("power9",))
    clone, archive = History(tmp_path / "trees/linux"), History(tmp_path / "mails")
    clone.commit({FILE: TIMER}, "First")
    clone.commit({FILE: TWICE}, "menu: Demand twice the residency\n\nNo functional change.")
    before, after = (clone.git("rev-parse", f"{name}:{FILE}") for name in ("HEAD~1", "HEAD"))
    mail = clone.git("format-patch", "--stdout", "-1") + "\n"
    name = archive.commit({"m": mail}, "mail")
    sources = Sources(tmp_path / "trees", tmp_path / "mails")
    row = {"name": "x", "governor": "menu", "kernel": "6.1", "before": before}
    by_mail = run({**row, "mail": name[:12], "confirms": after[:7]}, sources)
    by_file = run({**row, "after": after}, sources)
    assert by_mail["differ"] == by_file["differ"] > 0
    assert by_mail["claims"] == ["'No functional change.': contradicted"]
    assert by_mail["wfi"][1] > by_mail["wfi"][0]
    with pytest.raises(AssertionError):
        run({**row, "mail": name, "confirms": before}, sources)
