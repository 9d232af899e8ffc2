"""The measurement of `review` on mail archives, on a mirror made here of mails written here."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.change.review.test_review_mail import AFTER, FILE
from tests.support.git_history import History
from tools.archives import __main__ as archives
from tools.archives.mirrors import Archive
from tools.archives.page import GOVERNOR, START, section
from tools.archives.verdicts import COLUMNS, needs_tree, verdicts
from tools.archives.ways import NOT_MADE, Found, Outcome, Runs, Thread

HEAD = "\t".join(COLUMNS)
REPLY = """\
From: B <b@example.com>
Subject: Re: [PATCH] {subject}
Message-ID: <reply@example.com>
In-Reply-To: <patch@example.com>
Date: Fri, 21 Apr 2017 10:00:00 +0000

The latency exceeds the residency now.
"""
SPOILT = AFTER.replace(".latency_ns = 1000,", ".latency_ns = 9000000,", 1)


class Lists:
    """A tree, and a mirror of the mails about one patch of it."""

    def __init__(self, directory: Path) -> None:
        self.tree = History(directory / "tree")
        self.tree.commit({FILE: AFTER}, "First")
        theirs = History(directory / "theirs")
        theirs.commit({FILE: AFTER}, "First")
        theirs.commit({FILE: SPOILT}, "slw: Raise stop0_lite")
        mail = theirs.git("format-patch", "-1", "--stdout")
        mail = mail.partition("\n")[2].replace(
            "\nDate:", "\nMessage-ID: <patch@example.com>\nDate:", 1
        )
        self.mirror = History(directory / "mirror")
        for text in (mail, REPLY.format(subject="slw: Raise stop0_lite"), self.other):
            self.mirror.commit({"m": text}, "A mail")

    other = "From: C <c@example.com>\nSubject: Hello\nMessage-ID: <other@example.com>\n\nHello\n"


@pytest.fixture
def lists(tmp_path: Path) -> Lists:
    return Lists(tmp_path)


def test_threads_are_the_mails_that_answer_each_other(lists: Lists, tmp_path: Path) -> None:
    for _ in ("read", "from the index"):
        archive = Archive([lists.mirror.directory], tmp_path / "index")
        assert archive.thread("reply@example.com") == ("patch@example.com", "reply@example.com")
        assert archive.thread("other@example.com") == ("other@example.com",)
        assert archive.content("other@example.com").decode() == lists.other
        lists.mirror.git("checkout", "-q", "HEAD")


def test_the_page_is_written_of_all_ways(
    lists: Lists,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"By hand.\n{START}old")
    monkeypatch.setattr(archives, "HERE", tmp_path)
    monkeypatch.setattr(archives, "BUILD", tmp_path / "build")
    monkeypatch.setattr(archives, "PAGE", page)
    (tmp_path / "patches.txt").write_text("patch@example.com\nelsewhere@example.com\n")
    row = "patch@example.com\tIS206\tstop0_lite\ttrue\treply@example.com\tlatency above residency"
    gone = "patch@example.com\tIS205\tstop9\ttrue\t\tnothing"
    missed = "patch@example.com\t\tstop1\tmissed\treply@example.com\tanother fault"
    (tmp_path / "verdicts.tsv").write_text("\n".join((HEAD, row, gone, missed, "")))
    (tmp_path / "differences.tsv").write_text("thread\tcompared\treason\n")
    words = [str(lists.mirror.directory), str(lists.tree.directory)]
    assert archives.main(words) == 1
    output = capsys.readouterr().out
    assert output == "no finding for the verdict: patch@example.com IS205 stop9\n"
    text = page.read_text()
    assert text.startswith(f"By hand.\n{START}\n1 of 2 listed mails in 1 thread; 1 tree")
    assert "Of 2 faults that a person named in the thread" in text
    assert "`review` finds 1 (50.00 %)" in text
    assert "| thread, then commits | 1 | 0 | 0 |" in text
    assert "| mail, then thread | 1 | 0 | 0 |" in text
    assert "| `patch@example.com` | IS206" in text
    assert "| an answer to all | 1 (100.00 %) | 1 (100.00 %) | 1 (100.00 %) |" in text
    assert "| commits | 1 | " in text
    kept = {file: file.stat().st_mtime_ns for file in (tmp_path / "build/runs").iterdir()}
    assert len(kept) == 4
    archives.main(words)
    assert {file: file.stat().st_mtime_ns for file in kept} == kept


def test_what_was_run_by_other_sources_is_run_again(
    lists: Lists, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = lists.mirror.git("show", "HEAD~2:m").encode() + b"\n"
    runs = tmp_path / "runs"
    made = Runs(runs, []).mailed("a", lambda: box)
    (file,) = runs.iterdir()
    file.write_text(file.read_text().replace('"status": ', '"status": 7'))
    assert Runs(runs, []).mailed("a", lambda: box).status == 70 + made.status
    monkeypatch.setattr("tools.archives.ways._digest", lambda: "others")
    assert Runs(runs, [], keep=True).mailed("a", lambda: box).status == 70 + made.status
    assert Runs(runs, []).mailed("a", lambda: box).status == made.status


FINDING = Found("IS204", "error", "x:/a", "too long", "a.dts")
ONE = Outcome(1, 1.0, 30, (FINDING,), ("t: a 1 -> 2",), base="abc")


def test_ways_that_disagree_are_named() -> None:
    other = replace(ONE, found=(), effects=("t: a 1 -> 3",))
    refused = Outcome(3, 1.0, 30, refusal="x: error: expected a patch [IS930 unreadable-input]")
    thread = Thread(("p",), {"p": ONE}, {"p": ONE}, ONE, other)
    text = section([thread, Thread(("q",), {"q": refused}, {"q": refused}, ONE, ONE)], [], 2, 1)
    assert "| thread, then commits | 1 | 0 | 1 |" in text
    assert "only the first: IS204 a, only the first: t: a 1 -> 2, only the second: t: a 1" in text
    assert "| refused, no answer | 1 (50.00 %) | 1 (50.00 %) | 0 (0.00 %) |" in text
    assert "| no answer: expected a patch | 1 | 1 | 0 |" in text
    explained = section([thread], [], 1, 1, 1, {("p", "thread, then commits"): "of a reason"})
    assert "| thread, then commits | 0 | 1 | 0 |" in explained
    assert "| of a reason |" in explained


@pytest.mark.parametrize(
    ("more", "of_tables", "of_governors"),
    [("", 0, 1), ("x.c: 2 changed lines of tables ignored", 1, 0)],
)
def test_a_governor_that_is_named_is_no_unread_table(
    more: str, of_tables: int, of_governors: int
) -> None:
    said = (f"menu.c {GOVERNOR}: --tree DIR --run", more)
    unread = Outcome(3, 1.0, 30, remarks=said, unread=7)
    text = section([Thread(("p",), {"p": unread}, {"p": unread}, unread, unread)], [], 1, 1)
    rows = {row.split(" | ")[0]: row.split(" | ")[1] for row in text.splitlines() if " | " in row}
    assert rows["| an answer that leaves changed lines of tables unread"][0] == str(of_tables)
    assert rows["| a governor's source alone, which it names"][0] == str(of_governors)


def test_a_verdict_on_a_mail_that_fits_no_tree_needs_no_finding() -> None:
    (judged,) = verdicts(f"{HEAD}\np\tIS204\ta\ttrue\tr\tbecause\n")
    unfit = Outcome(0, 1.0, 30, remarks=("fits no commit of x: expected",))
    for outcome, expected in ((unfit, True), (replace(unfit, remarks=()), False), (ONE, False)):
        thread = Thread(("p",), {"p": outcome}, {"p": outcome}, outcome, outcome)
        assert needs_tree(judged, [thread]) == expected
        text = section([thread], [judged], 1, 1)
        assert ("the finding needs a tree that the mail applies to" in text) == expected
        assert "Of 1 fault" in text


@pytest.mark.parametrize(
    ("verdict", "rule", "false"), [("false", "IS204", "50.0"), ("intended", "IS204", "0.0")]
)
def test_false_alarms_are_counted_by_verdict(verdict: str, rule: str, false: str) -> None:
    judged = verdicts(f"{HEAD}\n<p>\t{rule}\ta\t{verdict}\t\tbecause\n")
    silent = Outcome(0, 1.0, 30)
    threads = [
        Thread(("p",), {"p": ONE}, {"p": ONE}, ONE, ONE),
        Thread(("q",), {"q": silent}, {"q": silent}, silent, silent),
    ]
    (row,) = [r for r in section(threads, judged, 2, 1).splitlines() if r.startswith("| error |")]
    assert row.endswith(f"| 0 | {false} |")


@pytest.mark.parametrize(
    "line",
    [
        "p\tIS204\ta\tmaybe\t\tbecause",
        "p\tIS204\ta\tmissed\tr\tbecause",
        "p\t\ta\ttrue\t\tbecause",
        "p\tIS204\ta\ttrue\t\t",
        "p\tIS204\ta\ttrue",
    ],
)
def test_a_line_that_is_no_verdict_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="line 2: expected"):
        verdicts(f"{HEAD}\n{line}\n")


def test_the_kept_verdicts_and_patches_are_read() -> None:
    here = archives.HERE
    judged = verdicts((here / "verdicts.tsv").read_text("utf-8"))
    names = (here / "patches.txt").read_text("utf-8").split()
    assert len(names) == len(set(names)) == 299
    assert len({(v.message_id, v.rule, v.where) for v in judged}) == len(judged)


def test_what_was_not_run_is_said_and_judges_nothing() -> None:
    """A verdict on a mail that was not reviewed with the trees is neither found nor missed."""
    none = Outcome(NOT_MADE, 0, 0, refusal="not run")
    judged = verdicts(f"{HEAD}\np\tIS204\ta\ttrue\tr\tbecause\n")
    silent = Outcome(0, 1.0, 30)
    text = section([Thread(("p",), {"p": silent}, {"p": none}, none, none)], judged, 1, 1, 2)
    assert "Not run: 1 of 1 by mail and 1 of 1 by thread." in text
    assert "Runs of 2 successive versions" in text
    assert "0 verdicts on these mails." in text
    assert "| mail, without a tree | 1 | " in text
    assert "| mail | " not in text.partition("## Time")[2].partition("## Faults")[0]


def test_threads_before_and_after_are_among_those_measured_and_judged() -> None:
    """Each finding that the page names of one has a verdict on a mail of that thread."""
    text = archives.PAGE.read_text("utf-8").partition("## Seven threads")[2].partition(START)[0]
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    listed = (archives.HERE / "patches.txt").read_text("utf-8").split()
    judged = verdicts((archives.HERE / "verdicts.tsv").read_text("utf-8"))
    assert len(rows) == 7
    for name, _, now, _ in rows:
        message_id = name.strip("| `")
        assert message_id in listed
        own = {one.rule for one in judged if one.message_id == message_id and one.rule}
        assert set(re.findall(r"IS(?!9)[0-9]+", now)) <= own
