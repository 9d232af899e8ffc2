"""review of a mail with several trees: it takes the one that the mail was made on."""

from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable, UsageError
from idle_states.change.review.answer import review
from idle_states.change.review.request import ReviewRequest
from idle_states.change.review.result import Review
from idle_states.tables.linux.built_in.headers import SIGN
from tests.change.review.test_review_mail import (
    AFTER,
    BEFORE,
    CRITERIA,
    FILE,
    format_patch,
    said,
)
from tests.support.git_history import History

FOREIGN = BEFORE + "/* more */\n"
"""The hunk fits it, but not the hash."""
NOT_ITS = BEFORE.replace(".latency_ns = 200,", ".latency_ns = 300,", 1)


class Trees:
    """A sender's tree, whose last commit is mailed, and those that are searched."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.theirs = self.made("theirs", BEFORE)
        self.theirs.commit({FILE: AFTER}, "slw: Raise stop0_lite to 1us")

    def made(self, name: str, content: str, **files: str) -> History:
        history = History(self.directory / name)
        history.commit({FILE: content, **files}, f"The tree {name}")
        return history

    def mailed(self, *trees: History, cut: str = "", words: str = "", **options: str) -> Review:
        """cut: what lines begin with that the mail does not have"""
        (mail,) = format_patch(self.theirs, self.directory, "-1", *words.split()).iterdir()
        lines = mail.read_text().splitlines(keepends=True)
        mail.write_text("".join(line for line in lines if not (cut and line.startswith(cut))))
        directories = tuple(tree.directory for tree in trees)
        request = ReviewRequest(None, CRITERIA, directories, mail=str(mail), runs=0)
        return review(replace(request, **options))  # type: ignore[arg-type]

    def own(self) -> Review:
        return review(ReviewRequest(None, CRITERIA, (self.theirs.directory,), runs=0))


@pytest.fixture
def trees(tmp_path: Path) -> Trees:
    return Trees(tmp_path)


@pytest.mark.parametrize(
    ("cut", "how"),
    [("", "found by the hashes in its diff"), ("index ", "by the lines of its hunks")],
)
def test_the_tree_is_found_and_named(trees: Trees, cut: str, how: str) -> None:
    """The other has neither the content nor the lines."""
    a, b = trees.made("a", NOT_ITS), trees.made("b", BEFORE)
    found = trees.mailed(a, b, cut=cut)
    assert f"in {b.directory}, applied to " in found.remarks[0]
    assert f" (The tree b), {how}" in found.remarks[0]
    assert said(found) == said(trees.own())


def test_the_hashes_count_before_lines_that_fit(trees: Trees) -> None:
    fits, has_it = trees.made("a", FOREIGN), trees.made("b", BEFORE)
    assert f"in {has_it.directory}, applied to " in trees.mailed(fits, has_it).remarks[0]
    assert (
        f"in {fits.directory}, applied to " in trees.mailed(fits, has_it, cut="index ").remarks[0]
    )


def test_the_hashes_of_what_bears_on_tables_count_alone(trees: Trees) -> None:
    """A list of maintainers is another in every tree."""
    trees.theirs.commit({"MAINTAINERS": "A\nB\n"}, "Add a list")
    trees.theirs.commit({FILE: BEFORE, "MAINTAINERS": "A\nA2\nB\n"}, "slw: Lower stop0_lite")
    a, b = trees.made("a", AFTER), trees.made("b", FOREIGN, MAINTAINERS="A\nB\n")
    found = trees.mailed(b, a)
    assert f"in {a.directory}, applied to " in found.remarks[0]
    assert "(The tree a), found by the hashes of 1 of the 2" in found.remarks[0]
    assert "left out: it does not apply, and concerns no table: MAINTAINERS" in found.remarks


def test_a_base_is_one_of_any_tree(trees: Trees) -> None:
    a, b = trees.made("a", NOT_ITS), trees.made("b", BEFORE)
    b.git("tag", "mine")
    found = trees.mailed(a, b, base="mine")
    assert f"in {b.directory}, applied to " in found.remarks[0]
    assert "(The tree b), as told" in found.remarks[0]
    with pytest.raises(Unreadable, match="expected a revision, found 'none'"):
        trees.mailed(a, b, base="none")
    named = trees.mailed(a, trees.theirs, words="--base=HEAD~1")
    assert f"in {trees.theirs.directory}, applied to " in named.remarks[0]
    assert "(The tree theirs), the base that it" in named.remarks[0]


def test_files_that_fit_nowhere_are_named_and_counted(trees: Trees) -> None:
    """The diff shows no names of rows, so that its own lines would tell less."""
    trees.theirs.commit({"include/names.h": "#define A 1\n"}, "Add a header")
    longer = AFTER.replace(".residency_ns = 2000,", ".residency_ns = 10000,", 1)
    trees.theirs.commit({FILE: longer, "include/names.h": "#define A 2\n"}, "slw: Raise it")
    a = trees.made("a", AFTER, **{"include/names.h": "#define A 7\n"})
    b = trees.made("b", NOT_ITS)
    found = trees.mailed(b, a, words="-U1")
    assert f"in {a.directory}, applied to " in found.remarks[0]
    assert "(The tree a), on which most of its lines fit" in found.remarks[0]
    (left,) = [text for text in found.remarks if "it fits nowhere" in text]
    assert left.startswith("left out, because it fits nowhere: include/names.h: expected the lines")
    assert found.unread_lines == 2
    ((table,),) = [change.tables for change in found.changes]
    assert [(d.path, d.a, d.b) for d in table.differences if d.stage == "table"] == [
        ("states.stop0_lite.residency", "2us", "10us")
    ]


def test_a_tree_that_has_the_patch_already_is_reviewed_as_before_it(trees: Trees) -> None:
    later = trees.made("later", AFTER + "/* more */\n")
    found = trees.mailed(later)
    assert f"{FILE} already in {later.directory}: reviewed as before that" in found.remarks[0]
    assert said(found) == said(trees.own())
    assert not found.unread_lines
    # a tree on which it fits counts before one that has it
    found = trees.mailed(later, trees.made("foreign", FOREIGN))
    assert "(The tree foreign), by the lines of its hunks" in found.remarks[0]


def test_of_a_series_the_patches_that_a_tree_has_are_undone(trees: Trees) -> None:
    """The second one changes what the first one did."""
    once = trees.theirs.directory / FILE
    twice = once.read_text().replace(".latency_ns = 1000,", ".latency_ns = 1500,", 1)
    assert twice != AFTER
    trees.theirs.commit({FILE: twice}, "slw: Raise it again")
    later = trees.made("later", AFTER + "/* more */\n")
    mails = format_patch(trees.theirs, trees.directory, "-2")
    request = ReviewRequest(None, CRITERIA, (later.directory,), mail=str(mails), runs=0)
    found = review(request)
    assert "already in" in found.remarks[0]
    ((table,),) = [change.tables for change in found.changes]
    assert ("states.stop0_lite.latency", "200ns", "1500ns") in [
        (d.path, d.a, d.b) for d in table.differences
    ]


DRIVER = """\
#include <linux/cpuidle.h>
#include <linux/other.h>

struct cpuidle_driver {name} = {{
	.states[0] = {{ .name = "on", .exit_latency = {exit}, .target_residency = 20 }},
	.states[1] = {{ .name = "off", .exit_latency = 100, .target_residency = {residency} }},
	.state_count = 2,
}};
"""


@pytest.mark.parametrize(("exit_latency", "unread"), [("10", 0), ("OTHER", 2)])
def test_what_fits_of_a_series_is_reviewed_with_the_tree_and_the_rest_by_its_lines(
    exit_latency: str, unread: int, tmp_path: Path
) -> None:
    """A header from which no table takes anything is none of the rest."""
    one, two = "drivers/cpuidle/cpuidle-one.c", "drivers/cpuidle/cpuidle-two.c"
    files = {
        SIGN: "#define CPUIDLE_FLAG_NONE 0\n",
        "include/linux/other.h": "#define OTHER 7\n",
        one: DRIVER.format(name="one", exit=exit_latency, residency=300),
        two: DRIVER.format(name="two", exit=10, residency=300),
    }
    theirs, ours = History(tmp_path / "theirs"), History(tmp_path / "ours")
    theirs.commit(dict(files), "First")
    changed = {path: text.replace("= 300", "= 400") for path, text in files.items()}
    theirs.commit({**changed, "include/linux/other.h": "#define OTHER 8\n"}, "Raise")
    others = {
        two: files[two].replace("= 20 ", "= 30 "),
        "include/linux/other.h": "#define OTHER 9\n",
    }
    ours.commit({**files, **others}, "Another history")
    (mail,) = format_patch(theirs, tmp_path, "-1").iterdir()
    request = ReviewRequest(None, CRITERIA, (ours.directory,), mail=str(mail), runs=0)
    found = review(request)
    changed_tables = {table.source.name: table for c in found.changes for table in c.tables}
    assert changed_tables.keys() == {"one", "two"}
    for table in changed_tables.values():
        assert ("states.off.residency", "300us", "400us") in [
            (d.path, d.a, d.b) for d in table.differences
        ]
    (left,) = [remark for remark in found.remarks if "fits nowhere: drivers" in remark]
    assert left.startswith(f"left out, because it fits nowhere: {two}: expected the lines")
    assert found.unread_lines == unread
    is_left_out = any("concerns no table: include/linux/other.h" in r for r in found.remarks)
    assert is_left_out == (not unread)


def test_a_table_that_moves_between_files_of_which_one_fits_is_read_by_its_lines(
    tmp_path: Path,
) -> None:
    one, two = "drivers/cpuidle/cpuidle-one.c", "drivers/cpuidle/cpuidle-two.c"
    table = DRIVER.format(name="one", exit=10, residency=300)
    files = {SIGN: "#define CPUIDLE_FLAG_NONE 0\n", one: table, two: "/* theirs */\n"}
    theirs, ours = History(tmp_path / "theirs"), History(tmp_path / "ours")
    theirs.commit(dict(files), "First")
    theirs.commit({one: None, two: files[two] + table.replace("300", "400")}, "Move it")
    ours.commit({**files, two: "/* ours */\n"}, "Another history")
    (mail,) = format_patch(theirs, tmp_path, "-1", "--no-renames").iterdir()
    found = review(ReviewRequest(None, CRITERIA, (ours.directory,), mail=str(mail), runs=0))
    assert found.remarks[0].startswith(f"fits no commit of {ours.directory}")
    ((moved,),) = [change.tables for change in found.changes]
    assert moved.before is not None
    assert moved.after is not None
    assert (moved.before.file, moved.after.file) == (one, two)


def test_what_fits_no_tree_is_read_by_its_lines(trees: Trees) -> None:
    a, b = trees.made("a", NOT_ITS), trees.made("b", NOT_ITS + "\n")
    found = trees.mailed(a, b)
    where = f"fits no commit of {a.directory} or {b.directory}: expected the lines of the hunk"
    assert found.remarks[0].startswith(where)
    assert found.changes[0].tables


def test_commits_are_of_one_tree() -> None:
    with pytest.raises(UsageError, match="expected one --tree for commits"):
        ReviewRequest("HEAD~1..HEAD", CRITERIA, (Path("a"), Path("b")))
