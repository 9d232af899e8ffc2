"""review of what is mailed: it says what a review of the same commits says."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.change.review.answer import review
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
from tests.support.thorough import slow

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
    request = ReviewRequest(None, CRITERIA, (history.directory,), mail=str(mail))
    return review(replace(request, **options))  # type: ignore[arg-type]


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
    of_commit = review(ReviewRequest(None, CRITERIA, (history.directory,)))
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
    assert said(found) == said(review(ReviewRequest(None, CRITERIA, (history.directory,))))


def test_the_base_has_not_what_the_mail_adds(history: History, tmp_path: Path) -> None:
    """The table is as before the mail long after the file was added, too."""
    again = AFTER.replace(".residency_ns = 2000,", ".residency_ns = 10000,", 1)
    history.commit({FILE: again, "new.h": "x\n"}, "slw: Raise its residency to 10us")
    history.git("format-patch", "-q", "-1", "-o", str(tmp_path / "mails"))
    history.commit({FILE: AFTER}, "slw: Take it back")
    (mail,) = (tmp_path / "mails").iterdir()
    found = mailed(history, mail)
    assert "found by the hashes" in found.remarks[0]
    assert said(found) == said(
        review(ReviewRequest("HEAD~2..HEAD~1", CRITERIA, (history.directory,)))
    )


def test_patches_of_a_series_apply_one_after_another(history: History, tmp_path: Path) -> None:
    further = AFTER.replace(".residency_ns = 2000,", ".residency_ns = 10000,", 1)
    history.commit({FILE: further, "README": None}, "slw: Raise its residency to 10us")
    mails = format_patch(history, tmp_path, "-2", "-v2", "--cover-letter", "--base=HEAD~2")
    whole = review(ReviewRequest("HEAD~2..HEAD", CRITERIA, (history.directory,)))
    found = mailed(history, mails)
    assert "the base that it names" in found.remarks[0]
    assert said(found) == said(whole)
    each = review(ReviewRequest("HEAD~2..HEAD", CRITERIA, (history.directory,), per_commit=True))
    single = mailed(history, mails, per_commit=True)
    assert said(single) == said(each)
    subjects = [c.commit.subject for c in single.changes if c.commit]
    assert subjects == ["slw: Raise stop0_lite to 1us", "slw: Raise its residency to 10us"]


COVER = """\
From: A <a@example.com>
Date: Thu, 20 Apr 2017 10:00:00 +0000
Subject: [PATCH 0/2] Raise stop0_lite

The kernel rounds up the latency to microseconds; currently skiboot
exposes a residency of 5us for stop0_lite.

Raise its latency to 1us, and its residency to 10us.
"""


@pytest.mark.parametrize("tree", [True, False])
@pytest.mark.parametrize("per_commit", [True, False])
def test_a_cover_letter_is_held_against_the_whole_series(
    history: History, tmp_path: Path, tree: bool, per_commit: bool
) -> None:
    further = AFTER.replace(".residency_ns = 2000,", ".residency_ns = 10000,", 1)
    history.commit({FILE: further}, "slw: Raise its residency to 10us")
    mails = format_patch(history, tmp_path, "-2", "--numbered")
    (mails / "0000-cover.patch").write_text(COVER)
    trees = (history.directory,) if tree else ()
    found = review(ReviewRequest(None, CRITERIA, trees, mail=str(mails), per_commit=per_commit))
    claims = [c for change in found.changes for c in change.claims if not c.commit]
    assert [(c.text.split()[0], c.line, c.rule) for c in claims] == [
        ("kernel", 3, "IS514"),
        ("residency", 3, "IS515"),
        ("latency", 6, ""),
        ("residency", 6, ""),
    ]
    assert [c.verdict.value for c in claims[2:]] == ["holds", "holds"]
    messages = [f.message for change in found.changes for f in change.message]
    assert sum(text.startswith("the cover letter says 'kernel") for text in messages) == 1


def test_a_mail_that_fits_nowhere_is_refused(history: History, tmp_path: Path) -> None:
    (mail,) = format_patch(history, tmp_path, "-1").iterdir()
    mail.write_text(mail.read_text().replace("latency_ns = 200", "latency_ns = 300"))
    with pytest.raises(Unreadable, match="expected the lines of the hunk at line"):
        mailed(history, mail, base="HEAD~1")


OTHERS = {
    "MAINTAINERS": ("A\nB\n", "A\nA2\nB\n", "X\nY\n"),
    "Documentation/bindings/cpu.yaml": ("a: 1\nb: 2\n", "a: 1\nb: 3\n", "c: 1\n"),
    "include/names.h": ("#define A 1\n", "#define A 1\n#define NEW 2\n", "#define B 1\n"),
    "include/code.h": ("int f(void);\n", "int f(int);\n", "int g(void);\n"),
    "drivers/cpuidle/cpuidle.c": ("int a;\n", "int b;\n", "int c;\n"),
}
"""Path -> (the sender's content, what the patch makes of it, that of the tree it is applied to)."""


@pytest.mark.parametrize("path", OTHERS)
def test_a_file_that_bears_on_no_table_refuses_no_mail(path: str, tmp_path: Path) -> None:
    before, after, foreign = OTHERS[path]
    theirs = History(tmp_path / "theirs")
    theirs.commit({FILE: BEFORE, path: before}, "First")
    theirs.commit({FILE: AFTER, path: after}, "slw: Raise stop0_lite to 1us")
    mail = format_patch(theirs, tmp_path / "mail", "-1")
    ours = History(tmp_path / "ours")
    ours.commit({FILE: BEFORE, path: foreign}, "Another history")
    found = mailed(ours, mail)
    request = ReviewRequest("HEAD~1..HEAD", CRITERIA, (theirs.directory,))
    assert said(found) == said(review(request))
    assert f"left out: it does not apply, and concerns no table: {path}" in found.remarks


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("include/names.h", "#define A 1\n", "#define A 2\n"),
        ("include/names.h", "enum {\nA,\n};\n", "enum {\nA0,\nA,\n};\n"),
        ("hw/other.c", "int a;\n", "int b;\n"),
        (
            "drivers/idle/x.c",
            "struct cpuidle_state a[] = {\n};\n",
            "struct cpuidle_state a[] = {\n{0}};\n",
        ),
    ],
)
def test_a_file_that_may_bear_on_a_table_and_fits_nowhere_is_read_by_its_lines(
    path: str, before: str, after: str, tmp_path: Path
) -> None:
    theirs = History(tmp_path / "theirs")
    theirs.commit({FILE: BEFORE, path: before}, "First")
    theirs.commit({path: after}, "Change it")
    mail = format_patch(theirs, tmp_path / "mail", "-1")
    ours = History(tmp_path / "ours")
    ours.commit({FILE: BEFORE, path: "/* another */\n"}, "Another history")
    found = mailed(ours, mail)
    assert any(f"fits no commit of {ours.directory}" in remark for remark in found.remarks)
    assert bool(found.unread_lines) == (path != "hw/other.c")
    with pytest.raises(Unreadable, match=path):
        mailed(ours, mail, base="HEAD")


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


def test_what_a_version_does_otherwise_than_the_one_before_is_said(
    history: History, tmp_path: Path
) -> None:
    (old,) = format_patch(history, tmp_path, "-1").iterdir()
    history.git("reset", "-q", "--hard", "HEAD~1")
    again = AFTER.replace(".latency_ns = 1000,", ".latency_ns = 2000,", 1)
    history.commit({FILE: again}, "slw: Raise stop0_lite to 2us")
    history.git("format-patch", "-q", "-v2", "-1", "-o", str(tmp_path / "thread"))
    (tmp_path / "thread" / "0000-v1.patch").write_bytes(old.read_bytes())
    found = mailed(history, tmp_path / "thread")
    assert [r for r in found.remarks if r.startswith("v2 against v1")] == [
        "v2 against v1: power9_dd1_cpu_idle_states: states.stop0_lite.latency 200ns -> 2us, "
        "was 200ns -> 1us"
    ]


def without_tree(mail: Path) -> Review:
    return review(ReviewRequest(None, CRITERIA, mail=str(mail)))


def test_without_a_tree_what_the_diff_shows_is_completed(history: History, tmp_path: Path) -> None:
    (mail,) = format_patch(history, tmp_path, "-1").iterdir()
    with_tree, found = mailed(history, mail), without_tree(mail)
    for other, own in zip(with_tree.changes[0].tables, found.changes[0].tables, strict=True):
        assert own.differences == other.differences
        assert own.linux == other.linux
        assert own.selection == other.selection
    assert found.remarks[0].startswith("reviewed without a tree")
    assert "packaged power9-dd1@84368bbf8, which agrees" in found.remarks[1]
    places = {f.location.line for f in (*found.new, *found.fixed)}
    assert places == {f.location.line for f in (*with_tree.new, *with_tree.fixed)}


def test_the_current_folder_s_repository_is_the_tree(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = format_patch(history, tmp_path, "-1")
    named = mailed(history, mail)
    monkeypatch.chdir(history.directory)
    assert said(without_tree(mail)) == said(named)
    last = review(ReviewRequest(None, CRITERIA))
    assert said(last) == said(review(ReviewRequest(None, CRITERIA, (history.directory,))))
    other = History(tmp_path / "other")
    other.commit({"README": "x\n"}, "No tables")
    monkeypatch.chdir(other.directory)
    assert any("without a tree" in remark for remark in without_tree(mail).remarks)


def test_a_row_that_is_added_was_not_there_before(tmp_path: Path) -> None:
    """The packaged table of today has the row; the one that the diff was made on has not."""
    history = History(tmp_path / "tree")
    old, stop5 = find("power9@51974cab7"), find("power9@1953b41e1").state("stop5")
    assert stop5 is not None
    at = [state.name for state in old.states].index("stop8")
    new = replace(old, states=(*old.states[:at], stop5, *old.states[at:]))
    history.commit({FILE: c_table.write([old])})
    history.commit({FILE: c_table.write([new])}, "slw: Add stop5")
    (mail,) = format_patch(history, tmp_path, "-1").iterdir()
    found = without_tree(mail)
    assert any("packaged power9@51974cab7, which agrees" in remark for remark in found.remarks)
    ((table,),) = [change.tables for change in found.changes]
    ((other,),) = [change.tables for change in mailed(history, mail).changes]
    assert table.after is not None
    assert other.after is not None
    assert table.after.table is not None
    assert other.after.table is not None
    names = [state.name for state in table.after.table.states]
    assert names == [state.name for state in other.after.table.states]
    rows = [d for d in table.differences if d.stage == "table"]
    assert rows == [d for d in other.differences if d.stage == "table"]
    assert [(d.path, d.a) for d in rows] == [("states.stop5", "absent")]


@pytest.mark.parametrize("name", ["power8", "power9", "power9-mambo", "power10"])
@pytest.mark.parametrize("context", [1, *slow(3, 8)])
def test_every_row_is_followed_without_a_tree(name: str, context: int, tmp_path: Path) -> None:
    """Each time of a table raised by itself: the difference is what a tree would give."""
    table = find(name)
    text = c_table.write([table])
    lines = text.splitlines(keepends=True)
    history = History(tmp_path / "tree")
    history.commit({FILE: text})
    places = [at for at, line in enumerate(lines) if "_ns = " in line][:: 3 if context == 3 else 5]
    assert places
    for number, at in enumerate(places):
        changed = [*lines]
        old = int(lines[at].split("=")[1].strip(" ,\n"))
        new = old + 1000
        changed[at] = lines[at].replace(str(old), str(new))
        history.commit({FILE: "".join(changed)}, f"Change {number}")
        mails = tmp_path / f"mails{number}"
        history.git("format-patch", "-q", f"-U{context}", "-1", "-o", str(mails))
        history.git("reset", "-q", "--hard", "HEAD~1")
        (mail,) = mails.iterdir()
        found = without_tree(mail)
        if any(" ignored" in remark for remark in found.remarks):
            # one line of context reaches the name from the latency alone
            assert context < 3
            continue
        ((change,),) = [c.tables for c in found.changes]
        ((difference,),) = [change.differences]
        assert difference.path.startswith("states.")
        assert change.before is not None
        assert change.after is not None
        assert change.before.table is not None
        assert change.after.table is not None
        pairs = zip(change.before.table.states, change.after.table.states, strict=True)
        fields = ("latency_ns", "residency_ns")
        moved = [
            (getattr(a, f), getattr(b, f))
            for a, b in pairs
            for f in fields
            if getattr(a, f) != getattr(b, f)
        ]
        assert moved == [(old, new)]


def test_a_comment_behind_a_name_does_not_hide_it(tmp_path: Path) -> None:
    mail = tmp_path / "x.diff"
    mail.write_text(
        "--- a/hw/slw.c\n+++ b/hw/slw.c\n"
        "@@ -40,4 +40,4 @@ static struct cpu_idle_states power9_cpu_idle_states[] = {\n"
        ' \t{\n \t\t.name = "stop0_lite", /* Enter stop0 with no state loss */\n'
        "-\t\t.latency_ns = 1000, /* was\n+\t\t.latency_ns = 200, /* was\n"
        " \t\t\ta guess */ .residency_ns = 10000,\n"
    )
    found = without_tree(mail)
    assert not any(" ignored" in remark for remark in found.remarks)
    ((table,),) = [c.tables for c in found.changes]
    assert table.differences[0].path == "states.stop0_lite.latency"


def test_a_table_that_nothing_packaged_agrees_with_is_read_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    mail = tmp_path / "x.diff"
    mail.write_text(
        "--- a/hw/slw.c\n+++ b/hw/slw.c\n"
        "@@ -40,8 +40,8 @@ static struct cpu_idle_states mine[] = {\n"
        ' \t{\n \t\t.name = "one",\n-\t\t.latency_ns = 2000,\n+\t\t.latency_ns = 3000,\n'
        " \t\t.residency_ns = 20000,\n \t\t.flags = 0*OPAL_PM_DEC_STOP \\\n"
        " \t\t       | 1*OPAL_PM_TIMEBASE_STOP \\\n"
        " \t\t       | 0*OPAL_PM_LOSE_USER_CONTEXT \\\n \t\t       | 0 \\\n"
    )
    found = without_tree(mail)
    assert any("are not known" in remark for remark in found.remarks)
    ((table,),) = [c.tables for c in found.changes]
    assert [(d.path, d.a, d.b) for d in table.differences] == [("states.one.latency", "2us", "3us")]


def test_a_mail_without_rows_says_so(tmp_path: Path) -> None:
    mail = tmp_path / "x.diff"
    mail.write_text("--- a/core/x.c\n+++ b/core/x.c\n@@ -1 +1 @@\n-int a;\n+int b;\n")
    found = without_tree(mail)
    assert not found.new
    assert "the diff shows no named row of an idle-state table" in found.remarks


def test_a_change_that_the_diff_does_not_show_whole_is_said(tmp_path: Path) -> None:
    """The flags stand on many lines, three of which are seen."""
    mail = tmp_path / "x.diff"
    mail.write_text(
        "--- a/hw/slw.c\n+++ b/hw/slw.c\n"
        "@@ -40,3 +40,3 @@ static struct cpu_idle_states power9_cpu_idle_states[] = {\n"
        " \t\t       | 0*OPAL_PM_TIMEBASE_STOP \\\n-\t\t       | 0*OPAL_PM_LOSE_USER_CONTEXT \\\n"
        "+\t\t       | 1*OPAL_PM_LOSE_USER_CONTEXT \\\n \t\t.latency_ns = 5,\n"
    )
    found = without_tree(mail)
    assert "hw/slw.c: 2 changed lines ignored, because the diff does not show the whole" in (
        " ".join(found.remarks)
    )


_CUT = (
    "--- a/hw/slw.c\n+++ b/hw/slw.c\n"
    "@@ -40,3 +40,3 @@ static struct cpu_idle_states power9_cpu_idle_states[] = {\n"
    " \t\t       | 0*OPAL_PM_TIMEBASE_STOP \\\n-\t\t       | 0*OPAL_PM_LOSE_USER_CONTEXT \\\n"
    "+\t\t       | 1*OPAL_PM_LOSE_USER_CONTEXT \\\n \t\t.latency_ns = 5,\n"
)
_CODE = "@@ -90,2 +90,2 @@ void slw_init(void)\n-\tint a;\n+\tint b;\n \treturn;\n"


@pytest.mark.parametrize("form", ["text", "markdown", "reply", "json", "sarif", "github", "junit"])
def test_changed_lines_that_were_not_read_are_in_the_head_and_in_the_exit_status(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mail = tmp_path / "x.diff"
    mail.write_text(_CUT + _CODE)
    assert main(["review", str(mail), "--format", form]) == 3
    out, errors = capsys.readouterr()
    if form == "json":
        assert json.loads(out)["unread_lines"] == 2
    elif form in ("text", "markdown"):
        head = " ".join(out.split()[:24])
        assert "No change of a table is read: 2 changed lines were not read." in head
    else:
        assert "2 changed lines were not read" in errors


def test_other_code_that_a_patch_changes_is_none_that_was_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mail = tmp_path / "x.diff"
    mail.write_text(f"--- a/hw/slw.c\n+++ b/hw/slw.c\n{_CODE}")
    assert main(["review", str(mail)]) == 0
    assert capsys.readouterr().out.startswith("No table changes.")


_ROW = (
    "--- a/hw/slw.c\n+++ b/hw/slw.c\n"
    "@@ -336,{} +336,{} @@ static struct cpu_idle_states power9_cpu_idle_states[] = {{\n"
    ' \t\t.name = "stop0_lite",\n{}'
)


@pytest.mark.parametrize(
    "hunk",
    [
        _ROW.format(3, 2, "-\t\t.latency_ns = 1000,\n \t\t.residency_ns = 10000,\n"),
        _ROW.format(2, 4, "+#ifdef CONFIG_OTHER\n \t\t.latency_ns = 1000,\n+#endif\n"),
        _CODE.replace("int a", "nr_states = ARRAY_SIZE(a)").replace("int b", "nr_states = 2"),
        _CODE.replace("int a", "wait()").replace("int b", "states[0].latency_ns = 200"),
        _CODE.replace("int a", "states = a").replace("int b", "states = b"),
        "@@ -3 +3 @@\n-#define OPAL_PM_TIMEBASE_STOP 2\n+#define OPAL_PM_TIMEBASE_STOP 4\n",
        "@@ -3 +3 @@\n-struct cpu_idle_states a[] = {\n+struct cpu_idle_states a[2] = {\n",
    ],
    ids=["member", "conditional", "number", "write", "choice", "macro", "size"],
)
def test_what_changes_a_table_but_is_no_value_is_none_that_passes(
    hunk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The row's other values come from the packaged table, which has what the change takes away."""
    mail = tmp_path / "x.diff"
    mail.write_text(hunk if hunk.startswith("---") else f"--- a/hw/slw.c\n+++ b/hw/slw.c\n{hunk}")
    assert main(["review", str(mail)]) == 3
    assert capsys.readouterr().out.startswith("No change of a table is read: ")


def test_a_comment_within_a_row_is_none_that_was_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mail = tmp_path / "x.diff"
    head, body = _CUT.split("[] = {\n")
    said = body.replace("0*OPAL_PM_LOSE", "* a").replace("1*OPAL_PM_LOSE", "* a")
    said = said.replace("       | * a_USER_CONTEXT \\", " * kept")
    assert "-\t\t * kept\n" in said
    mail.write_text(f"{head}[] = {{\n{said}")
    assert main(["review", str(mail)]) == 0
    assert capsys.readouterr().out.startswith("No table changes.")


def test_a_device_tree_in_no_known_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mail = tmp_path / "x.diff"
    mail.write_text(
        "--- a/x.dtsi\n+++ b/x.dtsi\n@@ -1 +1 @@\n-\tmin-residency-us = <1>;\n"
        "+\tmin-residency-us = <2>;\n"
    )
    assert main(["review", str(mail)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "x.dtsi shows a part of state-at-line-1, min-residency-us <1> -> <2>" in out


@pytest.mark.parametrize(
    ("name", "before", "after", "is_spec"),
    [
        ("mine.yaml", "extends: power9\n", "extends: power9-dd1\n", True),
        ("mine.yml", "  stop2: {latency: 10us}\n", "  stop2: {latency: 20us}\n", True),
        ("binding.yaml", "  exit-latency-us: true\n", "  exit-latency-us: false\n", False),
        ("notes.txt", "latency: 10us\n", "latency: 20us\n", False),
    ],
)
def test_a_spec_in_a_mail_asks_for_its_tree(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    before: str,
    after: str,
    is_spec: bool,
) -> None:
    history = History(tmp_path / "tree")
    history.commit({name: before}, "First")
    history.commit({name: after}, "Second")
    mails = format_patch(history, tmp_path, "-1")
    assert main(["review", str(mails)]) == (3 if is_spec else 0)
    told = " ".join("".join(capsys.readouterr()).split())
    assert (f"{name} is a spec, which is compared only as a whole: --specs --tree" in told) == (
        is_spec
    )
