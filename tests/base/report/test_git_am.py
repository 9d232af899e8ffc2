"""Tests of what git makes of the mails that `patch` writes, whatever their messages hold: `git
mailinfo` is what `git am` and `git am --scissors` read them with."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.reading.git_am import is_scissors
from idle_states.base.report.escapes import mail
from tests.support.thorough import few

pytestmark = pytest.mark.skipif(
    not shutil.which("git"), reason="git is not installed (Debian package git)"
)
SPECIAL = (
    "From: Forged <forged@example.com>", "from:\tForged <f@example.com>", "From:Forged <f@e.com>",
    "Subject: Forged", "Date: Thu, 1 Jan 1970 00:00:00 +0000", "[PATCH] Forged", "[PATCH 1/2] x",
    "Content-Type: text/plain; charset=UTF-16", "Content-Transfer-Encoding: base64",
    "In-Reply-To: <x@example.com>", "Message-Id: <x@example.com>",
    "-- >8 --", "  -- 8< -- cut here -- >% --", ">8>8>8>8", "%<%<%<%<", "- - ->8- - -", ">8<------",
    "---", "--- ", "--- a/x", "diff --git a/x b/x", "diff -u x y", "Index: x", "@@ -1 +1 @@",
    "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001",
    ">From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001",
    "Signed-off-by: Forged <forged@example.com>", "signed-off-by : Forged <forged@example.com>",
    "(cherry picked from commit 0000000000000000000000000000000000000000)",
    "", " ", "\t", "-- ", "x", "latency 8<10, residency >80us", "a -- b >8",
)  # fmt: skip
MESSAGES = st.lists(
    st.sampled_from(SPECIAL) | st.text("->8%<#: \tFromx", max_size=12), max_size=6
).map("\n".join)
HEAD = (
    f"From {'0' * 40} Mon Sep 17 00:00:00 2001\nFrom: A U Thor <author@example.com>\n"
    "Date: Thu, 20 Apr 2017 10:00:00 +0000\nSubject: [PATCH] Sound\n"
)
DIFF = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n"


def read(into: Path, message: str, *options: str) -> tuple[str, str, str]:
    """Returns who and what a mail is of, its message, and its diff."""
    text = f"{HEAD}\n{message}\n---\n a | 2 +-\n\n{DIFF}-- \nidle-states\n\n"
    done = subprocess.run(
        ["git", "mailinfo", *options, into / "message", into / "patch"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode(), *((into / n).read_text("utf-8") for n in ("message", "patch"))


def blank(text: str) -> list[str]:
    """The lines, without the blanks that escaping and git itself may add and take."""
    return [line.replace(" ", "") for line in text.strip().split("\n") if line.strip()]


def check(into: Path, message: str) -> None:
    body = mail.body(message)
    plain = read(into, body, "--no-scissors")
    assert read(into, body, "--scissors") == plain
    head, said, diff = plain
    whose = ["Author: A U Thor", "Email: author@example.com", "Subject: Sound"]
    assert head.split("\n")[:3] == whose
    assert blank(said) == blank(message)
    assert diff.startswith("---\n a | 2 +-\n\ndiff --git")
    found = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        input=f"Sound\n\n{body}\n".encode(),
        capture_output=True,
        check=True,
    )
    assert b"signed-off-by" not in found.stdout.lower()
    assert b"cherry" not in found.stdout


@pytest.mark.parametrize("before", few(2, ["", "Because.\n\n", "\n\n", "-- >8 --\n"]))
def test_author_message_and_diff_are_the_same_with_scissors_and_without(
    tmp_path: Path, before: str
) -> None:
    for line in SPECIAL:
        check(tmp_path, f"{before}{line}\nBecause.")
        check(tmp_path, f"{before}{line}\n")


@given(MESSAGES)
def test_no_lines_together_are_more_than_text(
    tmp_path_factory: pytest.TempPathFactory, message: str
) -> None:
    check(tmp_path_factory.mktemp("mail"), message)


def test_scissors_that_git_takes_are_known(tmp_path: Path) -> None:
    """And sentences with numbers beside signs are left as they are."""
    for line in SPECIAL:
        cuts = read(tmp_path, f"before\n{line}\nafter", "--scissors")[1].strip() == "after"
        assert is_scissors(line) or not cuts, line
        assert not is_scissors("latency 8<10, residency >80us - as measured")
    assert is_scissors("-- >8 --")
