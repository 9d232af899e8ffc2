"""A review as a reply by mail, and as a comment on a pull request."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.change.review import markdown as review_markdown
from idle_states.change.review import plain_text as review_text
from idle_states.change.review import reply_text as review_reply
from idle_states.change.review.answer import review
from idle_states.change.review.request import ReviewRequest
from idle_states.change.review.result import Review
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import release
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.spec.library import find
from tests.support.forms import faults
from tests.support.git_history import History

CRITERIA = Criteria((release("4.11"), release("6.1")), ALL_LEVELS, RuleSelection())
FILE = "hw/slw.c"
TABLES = c_table.write([find(n) for n in ("power9", "power9-mambo", "power9-fused")])
MAIL = """\
From: A Person <a@example.com>
Date: Thu, 20 Apr 2017 10:00:00 +0000
Message-Id: <first@example.com>
Subject: [PATCH] slw: Raise stop0_lite

However, the kernel rounds up the latency to microseconds, and the
table follows.

---
diff --git a/hw/slw.c b/hw/slw.c
--- a/hw/slw.c
+++ b/hw/slw.c
@@ -654,6 +654,6 @@ static struct cpu_idle_states power9_dd1_cpu_idle_states[] = {
 \t{
 \t\t.name = "stop0_lite",
-\t\t.latency_ns = 200,
-\t\t.residency_ns = 2000,
+\t\t.latency_ns = 20000,
+\t\t.residency_ns = 10000,
 \t\t.flags = 0*OPAL_PM_DEC_STOP \\
 \t\t       | 0*OPAL_PM_TIMEBASE_STOP  \\
"""


def mailed(tmp_path: Path, text: str = MAIL) -> Review:
    mail = tmp_path / "one.eml"
    mail.write_text(text)
    return review(ReviewRequest(None, CRITERIA, mail=str(mail), runs=0))


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({FILE: TABLES}, "First")
    made.commit({FILE: TABLES.replace(".latency_ns = 5000,", ".latency_ns = 6000,", 1)}, "slw: x")
    return made


def of(history: History, governor: str = "menu") -> Review:
    return review(ReviewRequest(None, CRITERIA, (history.directory,), governor=governor, runs=0))


def test_a_mail_is_named_as_one(tmp_path: Path) -> None:
    text = review_text.render(mailed(tmp_path), notes=False, suppressed=False)
    assert "the mail <first@example.com>, line 3 of its message, says" in " ".join(text.split())
    assert not re.search(r"commit [0-9a-f]{9}|[0-9a-f]{9}\.\.", text)
    nameless = mailed(tmp_path, MAIL.replace("Message-Id: <first@example.com>\n", ""))
    said = " ".join(f.message for f in nameless.new)
    assert f"the mail {tmp_path}/one.eml, line 3 of" in said


def test_the_worst_comes_first_and_the_count_last(tmp_path: Path) -> None:
    lines = review_text.render(mailed(tmp_path), notes=False, suppressed=False).splitlines()
    assert lines[1].startswith("Worst: warning IS206 ")
    found = replace(mailed(tmp_path), kernels=("7.3",))
    *_, grounds, result = review_text.render(found, notes=False, suppressed=False).split("\n\n")
    assert grounds.startswith("powernv and menu of Linux 7.3: not checked itself")
    assert result.startswith("New findings: 0 errors, 3 warnings ")


def test_a_reply_quotes_what_it_answers(tmp_path: Path) -> None:
    found = mailed(tmp_path)
    text = review_reply.render(found, notes=True)
    assert not faults("reply", text.encode())
    answered = text.split("\n\n")
    assert answered[1:3] == [
        "3 warnings about idle states, explained below.",
        "On Thu, 20 Apr 2017 10:00:00 +0000, A Person <a@example.com> wrote:\n"
        "> However, the kernel rounds up the latency to microseconds, and the",
    ]
    assert answered[3].startswith("the kernels of 2017-04-20 (Linux 4.9, 4.10 and 4.11) truncate:")
    assert " ".join(answered[3].split()).endswith("rounds up [warning IS514 misstated-rounding]")
    assert answered[4].splitlines() == [
        "> +++ b/hw/slw.c",
        "> @@ -654,6 +654,6 @@ static struct cpu_idle_states power9_dd1_cpu_idle_states[] = {",
        ">  \t{",
        ">  \t\t.name = \"stop0_lite\",",
        "> -\t\t.latency_ns = 200,",
        "> -\t\t.residency_ns = 2000,",
        "> +\t\t.latency_ns = 20000,",
    ]  # fmt: skip
    assert " ".join(answered[5].split()) == (
        "stop0_lite has an exit latency of 20us, not below its target residency of 10us [warning "
        "IS206 latency-not-below-residency]. The target residency includes entry and exit, so it "
        "is longer than the exit alone. Where it is not, the fields were swapped, a unit is wrong, "
        "or an absurd latency hides the state from cpuidle."
    )
    # of a row that the diff does not show
    assert answered[6].startswith("hw/slw.c:659: stop1_lite has an exit latency")
    assert " ".join(answered[7].split()) == (
        "How it was read: from the lines that the diff shows. Judged by Linux 4.11 and 6.1, whose "
        "code was compiled and compared."
    )
    unsure = review_reply.render(replace(found, kernels=("7.3",)), notes=True)
    assert "except for: powernv and menu of Linux 7.3: not checked itself" in " ".join(
        unsure.split()
    )


def test_a_reply_to_a_commit_quotes_its_diff(history: History) -> None:
    text = review_reply.render(of(history), notes=False)
    assert not faults("reply", text.encode())
    assert "> -\t\t.latency_ns = 5000,\n> +\t\t.latency_ns = 6000,\n\nhw/slw.c:278: stop1" in text
    assert text.count("IS502") == 2


def test_a_comment_names_the_forgotten_siblings(history: History) -> None:
    text = review_markdown.render(of(history), notes=False)
    assert not faults("comment", text.encode())
    assert "| power9_cpu_idle_states | stop1 | 5us → **6us** |\n" in text
    _, _, rest = text.partition("**Forgotten siblings**\n\n")
    assert [line.startswith("- warning IS502") for line in rest.splitlines()[:3]] == [
        True,
        True,
        False,
    ]


def test_a_comment_is_found_again_by_its_anchor(history: History) -> None:
    first = of(history)
    history.commit({FILE: TABLES.replace(".latency_ns = 5000,", ".latency_ns = 7000,", 1)}, "v2")
    again = of(history)
    assert first.head != again.head
    assert review_markdown.anchor(first) == review_markdown.anchor(again)
    assert review_markdown.anchor(first) != review_markdown.anchor(of(history, "teo"))
    assert review_markdown.render(again, notes=False).startswith(review_markdown.anchor(first))


def test_anchors_of_series_differ_and_those_of_their_versions_do_not(tmp_path: Path) -> None:
    def anchor(text: str) -> str:
        return review_markdown.anchor(mailed(tmp_path, text))

    second = MAIL.replace("[PATCH]", "[PATCH v2]").replace("= 20000,", "= 1000,")
    assert anchor(MAIL) == anchor(second)
    assert anchor(MAIL) != anchor(MAIL.replace("slw: Raise", "slw: Lift"))


def test_forty_lines_are_seen_whatever_changes(tmp_path: Path) -> None:
    made = History(tmp_path / "tree")
    made.commit({FILE: TABLES}, "First")
    changed = re.sub(r"\.(latency|residency)_ns = ([0-9]+)", r".\1_ns = 3\2", TABLES)
    made.commit({FILE: changed.replace("= 31000,", "= 200,")}, "slw: x")
    text = review_markdown.render(of(made), notes=True)
    assert not faults("comment", text.encode())
    assert "rows more" in text
    assert " more\n" in text


def test_nothing_changed_is_said_in_both_forms(history: History) -> None:
    history.commit({"README": "x\n"}, "Say more")
    assert review_reply.render(of(history), notes=True) == ""
    text = review_markdown.render(of(history), notes=False)
    assert text.splitlines()[1] == "### No table changes."
    assert not faults("comment", text.encode())
