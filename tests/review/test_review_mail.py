"""review of what is mailed: it says what a review of the same commits says."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.check.criteria import Criteria
from idle_states.cli import main
from idle_states.findings import Unreadable
from idle_states.linux.releases import release
from idle_states.review.request import ReviewRequest, reviewed
from idle_states.review.review import Review
from idle_states.rules.engine import RuleSelection
from idle_states.skiboot import c_table
from idle_states.skiboot.platform import ALL_LEVELS
from idle_states.spec.library import find
from tests.support.git_history import History

KERNELS = (release("4.11"), release("6.1"))
CRITERIA = Criteria(KERNELS, ALL_LEVELS, RuleSelection())
FILE = "hw/slw.c"


def c_of(*names: str) -> str:
    return c_table.write([find(name) for name in names])


BEFORE = c_of("power9-dd1@84368bbf8", "power9")
AFTER = BEFORE.replace(".latency_ns = 200,", ".latency_ns = 1000,", 1)
assert AFTER != BEFORE


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({FILE: BEFORE, "README": "x\n"}, "First")
    made.commit({FILE: AFTER}, "slw: Raise stop0_lite to 1us")
    return made


def mailed(history: History, mail: Path, **options: object) -> Review:
    request = ReviewRequest(history.directory, None, CRITERIA, mail=str(mail))
    return reviewed(replace(request, **options))  # type: ignore[arg-type]


def said(review: Review) -> list[object]:
    return [
        (t.differences, t.linux, t.selection, t.outcome) for c in review.changes for t in c.tables
    ] + [c.message for c in review.changes]


def format_patch(history: History, tmp_path: Path, *words: str) -> Path:
    directory = tmp_path / "mails"
    history.git("format-patch", "-q", "-o", str(directory), *words)
    return directory


def test_a_mail_says_what_its_commit_says(history: History, tmp_path: Path) -> None:
    mails = format_patch(history, tmp_path, "-1")
    (mail,) = mails.iterdir()
    of_commit = reviewed(ReviewRequest(history.directory, None, CRITERIA))
    assert said(of_commit)[0]
    found = mailed(history, mail)
    assert said(found) == said(of_commit)
    assert found.commits == 1
    assert "found by the hashes in its diff" in found.remarks[0]
    assert len(found.remarks) == 1


def test_nothing_is_written_to_the_repository(history: History, tmp_path: Path) -> None:
    (mail,) = format_patch(history, tmp_path, "-1").iterdir()
    before = sorted(str(p) for p in history.directory.rglob("*"))
    mailed(history, mail)
    assert sorted(str(p) for p in history.directory.rglob("*")) == before


def test_the_base_is_found_by_lines_where_hashes_are_missing(
    history: History, tmp_path: Path
) -> None:
    (mail,) = format_patch(history, tmp_path, "-1").iterdir()
    lines = mail.read_text().splitlines(keepends=True)
    mail.write_text("".join(line for line in lines if not line.startswith("index ")))
    found = mailed(history, mail)
    assert "by the lines of its hunks" in found.remarks[0]
    assert said(found) == said(reviewed(ReviewRequest(history.directory, None, CRITERIA)))


def test_patches_of_a_series_apply_one_after_another(history: History, tmp_path: Path) -> None:
    further = AFTER.replace(".residency_ns = 2000,", ".residency_ns = 10000,", 1)
    history.commit({FILE: further, "README": None}, "slw: Raise its residency to 10us")
    mails = format_patch(history, tmp_path, "-2", "-v2", "--cover-letter", "--base=HEAD~2")
    whole = reviewed(ReviewRequest(history.directory, "HEAD~2..HEAD", CRITERIA))
    found = mailed(history, mails)
    assert "the base that it names" in found.remarks[0]
    assert said(found) == said(whole)
    each = reviewed(ReviewRequest(history.directory, "HEAD~2..HEAD", CRITERIA, per_commit=True))
    single = mailed(history, mails, per_commit=True)
    assert said(single) == said(each)
    subjects = [c.commit.subject for c in single.changes if c.commit]
    assert subjects == ["slw: Raise stop0_lite to 1us", "slw: Raise its residency to 10us"]


def test_a_mail_that_fits_nowhere_is_refused(history: History, tmp_path: Path) -> None:
    (mail,) = format_patch(history, tmp_path, "-1").iterdir()
    mail.write_text(mail.read_text().replace("latency_ns = 200", "latency_ns = 300"))
    with pytest.raises(Unreadable, match="expected the lines of the hunk at line"):
        mailed(history, mail, base="HEAD~1")


def test_the_command_takes_a_mail_for_what_it_is(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (mail,) = format_patch(history, tmp_path, "-1").iterdir()
    tree = str(history.directory)
    words = ["--tree", tree, "--kernel", "4.11", "--format", "json"]
    assert main(["review", str(mail), *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["commits"] == 1
    assert any("found by the hashes" in remark for remark in found["remarks"])
    assert found["changes"][0]["tables"][0]["before"]["name"] == "power9_dd1_cpu_idle_states"
    assert main(["review", "HEAD~1..HEAD", "--base", "HEAD", "--tree", tree]) == 2
