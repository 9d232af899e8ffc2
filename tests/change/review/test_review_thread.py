"""review of a thread: what later mails of it say is checked like the first, each at its place."""

import base64
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.change.review import plain_text as review_text
from idle_states.change.review import reply_text as review_reply
from idle_states.change.review.answer import review
from idle_states.change.review.claims.claim import ClaimVerdict, MessageClaim
from idle_states.change.review.request import ReviewRequest
from idle_states.change.review.result import Review
from idle_states.cli import main
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import release
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.spec.library import find
from tests.support.git_history import History

CRITERIA = Criteria((release("4.11"),), ALL_LEVELS, RuleSelection())
BEFORE = c_table.write([find("power9-dd1@84368bbf8")])
AFTER = BEFORE.replace(".latency_ns = 200,", ".latency_ns = 1000,", 1)
FIGURES = """\
    N           Min           Max        Median           Avg        Stddev
x  20            90           110           100           100             5
+  20           190           210           200           200             5
Difference at 95.0% confidence
\t100 +/- 3.20089
\t{percent}% +/- 3.20089%
\t(Student's t, pooled s = 5)
"""
RIGHT, WRONG = FIGURES.format(percent=100), FIGURES.format(percent=50)


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({"hw/slw.c": BEFORE}, "First")
    made.commit({"hw/slw.c": AFTER}, f"slw: Change stop0_lite\n\nMeasured:\n\n{RIGHT}")
    return made


class Thread:
    """A box that begins with the mail of the last commit."""

    def __init__(self, history: History, file: Path) -> None:
        self.history = history
        self.file = file
        directory = file.parent / "mails"
        history.git(
            "format-patch", "-q", "-1", "-o", str(directory), "--add-header=Message-Id: <1>"
        )
        (mail,) = directory.iterdir()
        self.first = mail.read_text()
        self.text = self.first + "\n"
        self.count = 1

    def quoted(self, text: str = "") -> str:
        lines = (text or self.first.partition("\n\n")[2]).splitlines()
        return "A wrote:\n" + "".join(f"> {line}\n" for line in lines)

    def answer(self, text: str, *headers: str, to: str = "<1>") -> None:
        self.count += 1
        head = [
            "From somebody Fri Apr 21 10:00:00 2017",
            "From: B <b@example.com>",
            "Date: Fri, 21 Apr 2017 10:00:00 +0000",
            "Subject: Re: [PATCH] slw: Change stop0_lite",
            f"Message-Id: <{self.count}>",
            f"In-Reply-To: {to}",
            *headers,
        ]
        self.text += "\n".join(head) + f"\n\n{text}\n\n"

    def review(self, **options: object) -> Review:
        self.file.write_text(self.text)
        request = ReviewRequest(
            None, CRITERIA, (self.history.directory,), mail=str(self.file), runs=0
        )
        return review(replace(request, **options))  # type: ignore[arg-type]

    def line(self, text: str) -> int:
        """The last line of the box with a text, from 1."""
        lines = self.text.splitlines()
        return max(number for number, line in enumerate(lines, 1) if text in line)


@pytest.fixture
def thread(history: History, tmp_path: Path) -> Thread:
    return Thread(history, tmp_path / "thread.mbox")


def claims(found: Review) -> list[MessageClaim]:
    return [claim for change in found.changes for claim in change.claims]


def contradicted(found: Review) -> list[tuple[str, str | None, int | None]]:
    return [
        (f.rule, f.location.file, f.location.line)
        for change in found.changes
        for f in change.message
        if f.message.startswith(("an answer", found.letters[0].subject)) or "its text" in f.message
    ]


@pytest.mark.parametrize("per_commit", [False, True])
@pytest.mark.parametrize("tree", [True, False])
def test_figures_of_an_answer_are_checked_where_they_stand(
    thread: Thread, per_commit: bool, tree: bool
) -> None:
    thread.answer(f"{thread.quoted()}\nI see other figures, a 20% increase:\n\n{WRONG}")
    trees = (thread.history.directory,) if tree else ()
    found = thread.review(per_commit=per_commit, trees=trees)
    file = str(thread.file)
    assert contradicted(found) == [
        ("IS513", file, thread.line("a 20% increase")),
        ("IS512", file, thread.line("50% +/-")),
    ]


def test_what_is_quoted_is_not_counted_again(thread: Thread) -> None:
    alone = claims(thread.review())
    assert len(alone) == 4
    thread.answer(thread.quoted() + "\nIt is fine.")
    thread.answer(thread.quoted(thread.quoted()) + "\nIt is.", to="<2>")
    assert claims(thread.review()) == alone
    thread.answer(f"{thread.quoted()}\nMine:\n\n{RIGHT}", to="<3>")
    more = claims(thread.review())
    own = [claim for claim in more if claim.answer]
    assert [claim for claim in more if not claim.answer] == alone
    assert {claim.answer for claim in own} == {f"{thread.file}, mail 4"}
    assert [claim.text for claim in own] == [claim.text for claim in alone]
    assert {claim.verdict for claim in own} == {ClaimVerdict.HOLDS}


def test_nothing_below_a_signature_or_an_original_message_is_the_writers(thread: Thread) -> None:
    for end in ("-- ", "-----Original Message-----", "_" * 47):
        thread.answer(f"Fine.\n{end}\n{WRONG}")
    assert not [claim for claim in claims(thread.review()) if claim.answer]


def test_the_subject_of_an_answer_is_no_claim_of_its_own(thread: Thread) -> None:
    """Nor is the first line of its text a subject: it speaks of nothing."""
    thread.answer(f"A 20% increase is something else.\n\nI have:\n\nfirst\n{RIGHT}")
    (first, *_) = (claim for claim in claims(thread.review()) if claim.answer)
    assert (first.text, first.verdict) == ("20% increase", ClaimVerdict.NOT_CHECKED)


def test_what_an_answer_proposes_is_not_held_against_it(thread: Thread) -> None:
    thread.answer("Why not set the latency of stop0_lite to 3us?")
    thread.answer("The residency should be 20 times the latency.")
    found = [claim for claim in claims(thread.review()) if claim.answer]
    assert [claim.verdict for claim in found] == [ClaimVerdict.NOT_CHECKED] * 2
    assert all("it may be a proposal" in claim.against for claim in found)


def test_what_an_answer_says_of_kernels_is_checked_by_its_own_day(thread: Thread) -> None:
    thread.answer("The kernel rounds up the latency to microseconds.")
    assert contradicted(thread.review()) == [
        ("IS514", str(thread.file), thread.line("rounds up the latency"))
    ]


def test_an_encoded_answer_has_its_file_and_the_line_of_its_text(thread: Thread) -> None:
    encoded = base64.encodebytes(f"Mine:\n\n{WRONG}".encode()).decode()
    headers = ("Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64")
    thread.answer(encoded, *headers)
    found = thread.review()
    assert contradicted(found) == [("IS512", str(thread.file), None)]
    (message,) = (f.message for f in found.changes[0].message if "its text" in f.message)
    assert message.startswith(f"{thread.file}, mail 2, line 8 of its text, says '50% +/-")


def test_answers_to_an_older_version_are_left_aside_and_counted(thread: Thread) -> None:
    thread.answer(f"Mine:\n\n{WRONG}")
    thread.answer("Indeed.", to="<2>")
    again = thread.first.replace("[PATCH]", "[PATCH v2]").replace("<1>", "<v2>")
    thread.text += f"{again}\n"
    found = thread.review()
    assert contradicted(found) == []
    assert "2 answers to v1 ignored" in found.remarks
    thread.answer(f"Mine:\n\n{WRONG}", to="<v2>")
    assert [rule for rule, _, _ in contradicted(thread.review())] == ["IS512"]


def test_a_maildir_names_the_mails_file(thread: Thread, tmp_path: Path) -> None:
    (tmp_path / "box/cur").mkdir(parents=True)
    (tmp_path / "box/new").mkdir()
    (tmp_path / "box/cur/1").write_text(thread.first)
    thread.text = ""
    thread.answer(f"Mine:\n\n{WRONG}")
    mail = thread.text.partition("\n")[2]
    (tmp_path / "box/new/2").write_text(mail)
    request = ReviewRequest(None, CRITERIA, (thread.history.directory,), mail=str(tmp_path / "box"))
    line = mail.splitlines().index("\t50% +/- 3.20089%") + 1
    assert contradicted(review(replace(request, runs=0))) == [
        ("IS512", f"{tmp_path}/box/new/2", line)
    ]


def test_an_answer_that_quotes_the_only_copy_of_the_patch_is_both(thread: Thread) -> None:
    """The patch is read from it, and what its writer adds is an answer."""
    thread.text = ""
    thread.count = 0
    thread.answer(f"{thread.quoted()}\nMine:\n\n{WRONG}")
    found = thread.review()
    assert "the patch is read from a reply" in found.remarks
    assert [rule for rule, _, _ in contradicted(found)] == ["IS512"]
    assert sum(not claim.answer for claim in claims(found)) == 4


def test_reports_say_which_mail(thread: Thread, capsys: pytest.CaptureFixture[str]) -> None:
    thread.answer(f"Mine:\n\n{WRONG}")
    found = thread.review()
    text = " ".join(review_text.render(found, notes=True, suppressed=False).split())
    place = f"{thread.file}:{thread.line('50% +/-')}: an answer says '50%"
    assert place in text
    assert f"{thread.file}, mail 2, line 8, contradicted: '50% +/-" in text
    # whose patch it is gets no mail about what somebody else says
    assert "an answer says" not in review_reply.render(found, notes=True)
    line = ["review", str(thread.file), "--tree", str(thread.history.directory), "--runs", "0"]
    assert main([*line, "--kernel", "4.11", "--fail-on", "warning", "--format", "json"]) == 1
    assert f'"answer": "{thread.file}, mail 2"' in capsys.readouterr().out


def test_a_part_of_a_diff_that_an_answer_quotes_is_no_patch(
    history: History, tmp_path: Path
) -> None:
    thread = Thread(history, tmp_path / "box")
    whole = thread.review()
    head, hunk, rest = thread.first.partition("@@ ")
    quoted = thread.quoted((head + hunk + rest[:80] + "\n[...]\n").partition("\n\n")[2])
    thread.answer(f"{quoted}\nLooks good.\n")
    found = thread.review()
    assert [t.differences for c in found.changes for t in c.tables] == [
        t.differences for c in whole.changes for t in c.tables
    ]
