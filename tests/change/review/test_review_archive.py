"""review of a whole list: by the recipes of docs/ci.md, on lists and trees made here."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from idle_states.base.reading import limits
from idle_states.change.review.archived import bears
from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support import ROOT
from tests.support.git_history import History

from .test_review_reply import BAD, GOOD, mail

Capture = pytest.CaptureFixture[str]
FAST = "--kernel 4.11 --runs 0 "


def recipe(beginning: str) -> str:
    """The block of docs/ci.md that begins so, with words that make it fast."""
    blocks = re.findall(r"(?:^    .*\n)+", (ROOT / "docs/ci.md").read_text(), re.M)
    shown = [re.sub("^    ", "", block, flags=re.M) for block in blocks]
    (found,) = (block for block in shown if block.startswith(beginning))
    return found.replace("idle-states review ", f"run review {FAST}")


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    words = f"run() {{ '{sys.executable}' -m idle_states \"$@\"; }}\n{script}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(
        ["sh", "-c", words], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.fixture
def tree(tmp_path: Path) -> History:
    made = History(tmp_path / "linux")
    made.commit({"hw/slw.c": c_table.write([find("power9-dd1@84368bbf8")])}, "First")
    return made


def posted(tree: History, text: str, subject: str, *, name: str, version: str = "") -> str:
    """A mail of a change to the tree, which is not made there."""
    file = tree.directory / "hw/slw.c"
    before = file.read_text()
    file.write_text(before.replace(".latency_ns = 200,", text, 1))
    diff = tree.git("diff")
    file.write_text(before)
    return mail(name, f"[PATCH{version}] {subject}", f"x\n---\n{diff}\n").partition("\n")[2]


def test_a_list_in_git_by_its_recipe(tree: History, tmp_path: Path) -> None:
    upstream = History(tmp_path / "list")
    high, higher = ".latency_ns = 20000,", ".latency_ns = 30000,"
    upstream.commit({"m": posted(tree, high, "slw: Raise", name="v1")}, "slw: Raise")
    upstream.commit({"m": mail("n", "Re: lunch", "idle talk").partition("\n")[2]}, "Re: lunch")
    once = recipe("git clone --mirror").replace("https://lore.kernel.org/linux-pm/0", "list")
    assert run(once, tmp_path).returncode == 0
    again = recipe("git -C linux-pm.git fetch")
    assert run(again, tmp_path).returncode == 0
    log = tmp_path / "log"
    assert "0 mails, of them 0 threads to review" in log.read_text()
    assert list((tmp_path / "replies").iterdir()) == []

    upstream.commit({"m": mail("o", "Hello", "x").partition("\n")[2]}, "Hello")
    newer = posted(tree, higher, "slw: Raise", name="v2", version=" v2")
    head = upstream.commit({"m": newer}, "slw: Raise")
    run(again, tmp_path)
    assert "2 mails, of them 1 thread to review" in log.read_text()
    (reply,) = (tmp_path / "replies").iterdir()
    assert reply.name.startswith("v2@example-com-")
    text = " ".join(reply.read_text().split())
    assert "In-Reply-To: <v2@example.com>" in text
    # version 1 was sent before the mark, in a thread of its own
    assert "was in v1 already" in text
    assert (tmp_path / "mark").read_text().strip() == head

    # nothing new: nothing is written again
    reply.unlink()
    run(again, tmp_path)
    assert list((tmp_path / "replies").iterdir()) == []


def test_a_mark_does_not_move_past_mails_that_were_not_gone_through(
    tree: History, tmp_path: Path
) -> None:
    upstream = History(tmp_path / "list")
    upstream.commit({"m": mail("n", "Hello", "x")}, "Hello")
    once = recipe("git clone --mirror").replace("https://lore.kernel.org/linux-pm/0", "list")
    run(once, tmp_path)
    (tmp_path / "mark").write_text("0" * 40 + "\n")
    run(recipe("git -C linux-pm.git fetch"), tmp_path)
    assert (tmp_path / "mark").read_text() == "0" * 40 + "\n"


@pytest.mark.parametrize("which", ["b4 mbox", "b4 am", "cd linux"])
def test_what_b4_makes_by_its_recipes(tree: History, tmp_path: Path, which: str) -> None:
    if shutil.which("b4") is None:
        pytest.skip("needs b4 on PATH (pip install b4)")
    first = posted(tree, ".latency_ns = 20000,", "slw: Raise", name="v1")
    again = posted(tree, ".latency_ns = 30000,", "slw: Raise", name="v2", version=" v2")
    again = again.replace("Date: Thu, 20", "In-Reply-To: <v1@example.com>\nDate: Fri, 21", 1)
    line = "From mboxrd@z Thu Jan  1 00:00:00 1970\n"
    (tmp_path / "box").write_text(f"{line}{first}\n{line}{again}\n")
    # b4 has a copy of what it would fetch, and no way to anything else
    script = re.sub(
        "^b4 [a-z]+",
        rf"\g<0> --use-local-mbox '{tmp_path}/box' --no-cache",
        recipe(which),
        flags=re.M,
    )
    done = run(
        script,
        tmp_path,
        msgid="v2@example.com",
        HOME=str(tmp_path),
        https_proxy="http://127.0.0.1:1",
    )
    if which == "b4 mbox":
        reply = (tmp_path / "reply.eml").read_text()
        assert "In-Reply-To: <v2@example.com>" in reply, done.stderr
        assert "was in v1 already" in " ".join(reply.split())
    else:
        assert "1 table changed: " in done.stdout, done.stderr
        assert "latency 200ns -> 30us" in done.stdout


def test_a_large_box_is_reviewed_for_the_one_thread_that_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    noise = mail("n", "Re: lunch", "words\n" * 2000)
    box = tmp_path / "box"
    box.write_text(noise * 3 + mail("1", "[PATCH] slw: Raise", f"x\n---\n{BAD}") + noise)
    monkeypatch.setattr(limits, "MAIL_BOX_BYTES", 10_000)
    words = ["review", str(box), *FAST.split()]
    assert main(words) == 0
    assert "1 table changed: 2 new findings" in capsys.readouterr().out
    box.write_text(box.read_text() + mail("2", "[PATCH] slw: Lift", f"x\n---\n{GOOD}"))
    assert main(words) == 3
    errors = capsys.readouterr().err
    assert "found 2 ('[PATCH] slw: Raise', '[PATCH] slw: Lift'); --format reply -o" in errors
    folder = tmp_path / "replies"
    folder.mkdir()
    assert main([*words, "--format", "reply", "-o", str(folder)]) == 0
    assert len(list(folder.iterdir())) == 1
    errors = capsys.readouterr().err
    assert "6 mails, of them 2 threads to review" in errors
    assert "[PATCH] slw: Lift: nothing to reply: no new error" in errors
    assert "1 reply in" in errors


def test_a_thread_that_cannot_be_reviewed_stops_no_other(tmp_path: Path, capsys: Capture) -> None:
    one = mail("1", "[PATCH 1/1] slw: Raise", f"x\n---\n{BAD}")
    other = mail("2", "[PATCH 1/1] slw: Another", f"x\n---\n{BAD}", to="1")
    box, folder = tmp_path / "box", tmp_path / "replies"
    box.write_text(one + other + mail("3", "[PATCH] slw: Lift", f"x\n---\n{BAD}"))
    folder.mkdir()
    line = ["review", str(box), *FAST.split(), "--format", "reply", "-o", str(folder)]
    assert main(line) == 3
    assert len(list(folder.iterdir())) == 1
    assert "expected the mails of one thread" in capsys.readouterr().err


def test_a_mail_that_claims_the_id_of_another_is_left_aside(
    tmp_path: Path, capsys: Capture
) -> None:
    box, folder = tmp_path / "box", tmp_path / "replies"
    claimed = mail("1", "[PATCH 1/1] slw: Another", f"x\n---\n{GOOD}")
    box.write_text(mail("1", "[PATCH 1/1] slw: Raise", f"x\n---\n{BAD}") + claimed)
    folder.mkdir()
    line = ["review", str(box), *FAST.split(), "--format", "reply", "-o", str(folder)]
    assert main(line) == 0
    assert "1 mail with the id of an earlier one ignored" in capsys.readouterr().err
    (reply,) = folder.iterdir()
    assert "Subject: Re: [PATCH 1/1] slw: Raise\n" in reply.read_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("talk of idle states and cpu-idle-states\n", False),
        ("--- a/x.dtsi\n+++ b/x.dtsi\n@@ -1 +1 @@\n-a = <1>;\n+\tentry-latency-us = <1>;\n", True),
        ("--- a/x.dtsi\n+++ b/x.dtsi\n@@ -1 +1 @@\n \tentry-latency-us;\n-a\n+b\n", False),
        ("> --- a/x.dtsi\n> +++ b/x.dtsi\n> @@ -1 +1 @@\n> +\tentry-latency-us = <1>;\n", False),
        ("--- a/drivers/idle/i.c\n+++ b/drivers/idle/intel_idle.c\n@@ -1 +1 @@\n-a\n+b\n", True),
        ("--- a/net/x.c\n+++ b/net/x.c\n@@ -1 +1 @@\n-idle\n+idle_task\n", False),
    ],
)
def test_words_of_a_diff_that_bear_on_tables(text: str, expected: bool) -> None:
    assert bears(f"Subject: x\n\n{text}".encode()) is expected
