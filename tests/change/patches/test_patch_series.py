"""Later versions, cover letters and threads of the patches that patch writes."""

import email
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.git_history import History

DESCRIPTION = """\
name: {name}
subject: "slw: Raise {state} by {by}"
body: Because of measurements.
edits:
  - {{table: power9_cpu_idle_states, state: {state}, field: latency, from: {old}, to: {new}}}
"""


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    tables = c_table.write([find("power9"), find("power9-fused")])
    made.commit({"hw/slw.c": tables, ".version": "v7.1\n"})
    made.git("config", "user.name", "A Person")
    made.git("config", "user.email", "a@example.com")
    return made


@pytest.fixture
def series(tmp_path: Path) -> Path:
    found = tmp_path / "series"
    found.mkdir()
    one = DESCRIPTION.format(name="one", state="stop1", by="1us", old="5us", new="6us")
    two = DESCRIPTION.format(name="two", state="stop2", by="2us", old="10us", new="12us")
    (found / "1.yaml").write_text(one)
    (found / "2.yaml").write_text(two)
    return found


def patch(history: History, series: Path, out: Path, *words: str) -> int:
    line = ["patch", str(series), "--tree", str(history.directory), "-o", str(out), *words]
    return main(line)


def test_a_version_says_what_changed_and_git_takes_it(
    history: History, series: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert patch(history, series, out, "-v", "2", "--changes", "as --- asked\nby two") == 0
    files = sorted(out.iterdir())
    assert [file.name[:8] for file in files] == ["v2-0001-", "v2-0002-"]
    first = files[0].read_text()
    assert "\nSubject: [PATCH v2 1/2] slw: Raise stop1 by 1us\n" in first
    assert "\n---\nChanges since v1:\n- as --- asked\n- by two\n\n hw/slw.c | 2 +-\n" in first
    assert "Changes since" not in files[1].read_text()
    history.git("am", "-q", *map(str, files))
    message = history.git("log", "-1", "--format=%B", "HEAD~1")
    assert "Changes since" not in str(message)
    text = (history.directory / "hw/slw.c").read_text()
    assert text.count("= 6000,") == 1
    assert text.count("= 12000,") == 1


def test_a_cover_letter_begins_a_thread(history: History, series: Path, tmp_path: Path) -> None:
    out, again = tmp_path / "out", tmp_path / "again"
    assert patch(history, series, out, "--cover-letter") == 0
    assert patch(history, series, again, "--cover-letter") == 0
    files = sorted(out.iterdir())
    assert files[0].name == "0000-cover-letter.patch"
    mails = [email.message_from_string(file.read_text().partition("\n")[2]) for file in files]
    ids = [mail["Message-Id"] for mail in mails]
    assert len(set(ids)) == 3
    assert [mail["In-Reply-To"] for mail in mails] == [None, ids[0], ids[0]]
    assert [mail["Subject"][:11] for mail in mails] == [f"[PATCH {n}/2]" for n in range(3)]
    letter = files[0].read_text()
    assert "stop1: latency 5us -> 6us" in letter
    assert "Reviewed: 1 table changed, which affects 1 other: " in letter
    assert letter.count("IS502 sibling-drift") == 2
    assert " 1 file changed, 2 insertions(+), 2 deletions(-)\n" in letter
    assert [_undated(file) for file in files] == [_undated(f) for f in sorted(again.iterdir())]
    history.git("am", "-q", *map(str, files[1:]))


def _undated(file: Path) -> list[str]:
    return [line for line in file.read_text().splitlines() if not line.startswith("Date: ")]


def test_another_version_is_another_thread(history: History, series: Path, tmp_path: Path) -> None:
    for number in ("1", "2"):
        words = ("--cover-letter", "-v", number)
        assert patch(history, series, tmp_path / number, *words) == 0
    one, two = (sorted((tmp_path / n).iterdir())[0].read_text() for n in ("1", "2"))
    assert one.partition("Message-Id: ")[2][:20] != two.partition("Message-Id: ")[2][:20]
    assert "[PATCH v2 0/2]" in two


@pytest.mark.parametrize("words", [("-v", "0"), ("--changes", "x")])
def test_versions_that_make_no_sense_are_refused(
    history: History, series: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert patch(history, series, tmp_path / "out", *words) == 2
    assert not (tmp_path / "out").exists()
