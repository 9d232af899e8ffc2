"""Diffs: read, repaired, applied; held against git's own apply."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading.patch.application import DoesNotApply, applied, positions
from idle_states.base.reading.patch.unified import read_diff
from tests.support.git_history import History
from tests.support.thorough import examples

LINES = st.lists(st.sampled_from(["a", "b", "c", "\t{", "\t},", "", "-", "+ x"]), max_size=30)
LONG = "\t\t.flags = 0*OPAL_PM_DEC_STOP | 0*OPAL_PM_TIMEBASE_STOP | 1*OPAL_USE_PMICR \\"
"""A line that is wider than mailers let one be."""


def text_of(lines: list[str], end: bool = True) -> bytes:
    text = "\n".join(lines)
    return (f"{text}\n" if end and lines else text).encode()


def diff(before: bytes, after: bytes, tmp_path: Path, context: int = 3) -> bytes:
    (tmp_path / "a").write_bytes(before)
    (tmp_path / "b").write_bytes(after)
    words = ["git", "diff", "--no-index", f"-U{context}", "a", "b"]
    done = subprocess.run(words, capture_output=True, cwd=tmp_path)
    text = done.stdout.replace(b" a/b", b" a/f").replace(b" b/b", b" b/f")
    return text.replace(b"a/a", b"a/f").replace(b"--- a/a", b"--- a/f")


@given(before=LINES, after=LINES, moved=LINES, ends=st.booleans(), context=st.integers(0, 4))
@settings(
    deadline=None,
    max_examples=examples(15, 40),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_diff_makes_what_git_apply_makes(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[str],
    after: list[str],
    moved: list[str],
    ends: bool,
    context: int,
) -> None:
    """On the file itself, and on one whose lines have moved."""
    tmp_path = tmp_path_factory.mktemp("apply")
    old, new = text_of(before, ends), text_of(after)
    if old == new or not old or not new:
        return
    patch = diff(old, new, tmp_path, context or 1)
    (change,) = read_diff(patch.decode(), "diff")[0]
    for content in (old, text_of(moved) + old, old + b"\n" * (not ends) + text_of(moved)):
        file = tmp_path / "f"
        file.write_bytes(content)
        done = subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, capture_output=True)
        try:
            made = applied(change, content, "diff")
        except DoesNotApply:
            assert done.returncode, (patch, content)
        else:
            assert not done.returncode, (patch, content, done.stderr)
            assert made == file.read_bytes()


def test_renaming_removing_and_adding(tmp_path: Path) -> None:
    history = History(tmp_path / "tree")
    history.commit({"a b": "1\n2\n3\n4\n5\n6\n", "gone": "x\n", "\u00e4": "1\n"})
    history.commit(
        {"a b": None, "c": "1\n2\n3\n4\n5\n7\n", "gone": None, "new": "y", "\u00e4": "2\n"}
    )
    changes, remarks = read_diff(history.git("show", "--format=", "-M") + "\n", "diff")
    assert [(c.before, c.after) for c in changes] == [
        ("a b", "c"),
        ("gone", None),
        (None, "new"),
        ("\u00e4", "\u00e4"),
    ]
    assert remarks == ()
    assert applied(changes[2], b"", "diff") == b"y"


def test_a_hunk_that_may_stand_in_several_places_says_so() -> None:
    ((change,), _) = read_diff("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n", "diff")
    assert positions(change.hunks[0], b"x\ny\nx\ny\n") == [0, 2]


def wrapped_hunk(*lines: str, old: int, new: int) -> str:
    return "\n".join(["--- a/f", "+++ b/f", f"@@ -1,{old} +1,{new} @@", *lines, ""])


def test_lines_that_a_mailer_broke_are_joined() -> None:
    at = LONG.rindex(" | ")
    text = wrapped_hunk(" {", "-\t200,", f"+{LONG[:at]}", LONG[at + 1 :], " }", old=3, new=3)
    ((change,), remarks) = read_diff(text, "diff")
    assert [line.text for line in change.hunks[0].lines] == ["{", "\t200,", LONG, "}"]
    assert len(remarks) == 1
    assert "1 line of the diff broken by a mailer is joined" in remarks[0]


def test_a_break_before_a_mark_is_found_by_the_counts() -> None:
    """The line after the break begins like a line of the diff, and only the counts tell."""
    broken = "\t\tthese_words_are_wide_enough_to_be_broken_there | another_one"
    text = wrapped_hunk(f"+{broken}", "- 17", " }", old=1, new=2)
    ((change,), remarks) = read_diff(text, "diff")
    assert [line.text for line in change.hunks[0].lines] == [f"{broken} - 17", "}"]
    assert remarks


def test_what_can_be_joined_in_two_ways_is_refused() -> None:
    wide = "+" + "x" * 70
    text = wrapped_hunk(wide, wide, wide, " }", old=1, new=3)
    with pytest.raises(Unreadable, match="2 ways to join") as found:
        read_diff(text, "diff")
    assert found.value.findings[0].location.line == 3


def test_a_hunk_with_other_lines_than_announced_is_refused() -> None:
    with pytest.raises(Unreadable, match="expected 5 lines before and 5 after"):
        read_diff(wrapped_hunk(" a", "-b", "+c", old=5, new=5), "diff")


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "a/../../x", "a/.git/config", "a//x", '"a/\\056\\056/x"', "a/x\0y"]
)
def test_paths_that_lead_out_are_refused(path: str) -> None:
    other = path.replace("a/", "b/", 1)
    for head in (f"diff --git {path} {other}\n", ""):
        text = f"{head}--- {path}\n+++ {other}\n@@ -1 +1 @@\n-a\n+b\n"
        with pytest.raises(Unreadable, match="expected the path of a file within a tree"):
            read_diff(text, "diff")


def test_a_diff_without_prefixes_has_whole_paths(tmp_path: Path) -> None:
    history = History(tmp_path / "tree")
    history.commit({"hw/a.c": "1\n", "f": "1\n", "hw/gone.c": "1\n", "hw/old.c": "1\n2\n3\n"})
    history.commit(
        {"hw/a.c": "2\n", "f": "2\n", "hw/gone.c": None, "hw/old.c": None, "hw/new.c": "1\n2\n3\n"}
    )
    text = history.git("show", "--format=", "-M", "--no-prefix") + "\n"
    assert {(c.before, c.after) for c in read_diff(text, "diff")[0]} == {
        ("hw/a.c", "hw/a.c"),
        ("f", "f"),
        ("hw/gone.c", None),
        ("hw/old.c", "hw/new.c"),
    }


def test_a_hunk_without_context_is_refused_in_words(tmp_path: Path) -> None:
    patch = diff(b"a\nb\nc\n", b"a\nx\nc\n", tmp_path, context=0)
    ((change,), _) = read_diff(patch.decode(), "diff")
    with pytest.raises(DoesNotApply, match="expected lines of context in the hunk at line 2 of f"):
        applied(change, b"a\nb\nc\n", "diff")
    with pytest.raises(DoesNotApply, match="found others"):
        applied(change, b"a\nc\n", "diff")
