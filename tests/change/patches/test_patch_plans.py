"""Tests of what a description makes of a tree, before anything is written."""

import re
from pathlib import Path

import pytest

from idle_states.base.model.findings import Faulty, Unreadable
from idle_states.base.report.diff import file_diff
from idle_states.change.patches import description
from idle_states.change.patches.library import packaged, table_of
from idle_states.change.patches.plan import MADE, NOT_MEANT, PRESENT, plan
from idle_states.change.patches.tree import PatchedTree
from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.patching import MINIMAL, as_repository, described, git, needs_git


def test_two_values_on_the_tables_of_2017(old_tree: Path) -> None:
    """By the table's former name; two lines and no others."""
    dd1 = [patch for patch in packaged() if patch.name == "power9-dd1-stop0-lite"]
    made = plan(PatchedTree(old_tree), dd1)
    assert [(c.table, c.state, c.before, c.after) for c in made.steps[0].changes] == [
        ("power9_dd1_cpu_idle_states", "stop0_lite", "200ns", "1us"),
        ("power9_dd1_cpu_idle_states", "stop0_lite", "2us", "10us"),
    ]
    diff = file_diff("hw/slw.c", made.tree.files["hw/slw.c"], made.files["hw/slw.c"])
    lines = [line for line in diff.split("\n") if re.match(r"[-+](?![-+])", line)]
    assert lines == [
        "-\t\t.latency_ns = 200,",
        "-\t\t.residency_ns = 2000,",
        "+\t\t.latency_ns = 1000,",
        "+\t\t.residency_ns = 10000,",
    ]


def test_releases_decide_what_is_meant(tree: Path, old_tree: Path) -> None:
    status = {step.patch.name: step.status for step in plan(PatchedTree(tree), packaged()).steps}
    assert status == {
        "mambo-stop4": MADE,
        "power9-dd1-stop0-lite": NOT_MEANT,
        "power9-stop0-lite": NOT_MEANT,
        "power9-stop8-residency": MADE,
        "stop0-lite-15us": MADE,
    }
    status = {
        step.patch.name: step.status for step in plan(PatchedTree(old_tree), packaged()).steps
    }
    assert status == {
        "mambo-stop4": NOT_MEANT,
        "power9-dd1-stop0-lite": MADE,
        "power9-stop0-lite": MADE,
        "power9-stop8-residency": NOT_MEANT,
        "stop0-lite-15us": NOT_MEANT,
    }


def test_without_a_release_edits_decide(tree: Path) -> None:
    (tree / ".version").unlink()
    steps = {step.patch.name: step for step in plan(PatchedTree(tree), packaged()).steps}
    assert steps["power9-dd1-stop0-lite"].status == NOT_MEANT
    assert "release unknown" in steps["power9-dd1-stop0-lite"].reason
    assert steps["mambo-stop4"].status == MADE


def test_a_release_that_nothing_tells_is_said(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bounds are not left out silently; a patch without any has nothing to say."""
    words = ["--tree", str(tree), "--stdout"]
    assert main(["patch", "mambo-stop4", *words]) == 0
    assert capsys.readouterr().err == ""
    (tree / ".version").unlink()
    assert main(["patch", "mambo-stop4", *words]) == 0
    assert capsys.readouterr().err == (
        "idle-states: mambo-stop4: the release of this tree is unknown; the patch is for "
        "5.11-rc1 and later\n"
    )
    described(MINIMAL, tmp_path)
    assert main(["patch", str(tmp_path / "mine.yaml"), *words]) == 0
    assert capsys.readouterr().err == ""


@needs_git
def test_only_release_tags_tell_the_release(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a tag of one's own on a later commit, nor one on the release's, hides it."""
    (tree / ".version").unlink()
    as_repository(tree)
    git("tag", "-a", "-m", "release", "v5.9", cwd=tree)
    git("tag", "-a", "-m", "mine", "mywork", cwd=tree)
    assert PatchedTree(tree).version == "5.9"
    git("commit", "--quiet", "--allow-empty", "--message", "more", cwd=tree)
    git("tag", "-a", "-m", "mine", "vacation", cwd=tree)
    git("tag", "v2", cwd=tree)
    assert PatchedTree(tree).version == "5.9"
    assert main(["patch", "mambo-stop4", "--tree", str(tree), "--stdout"]) == 0
    out, err = capsys.readouterr()
    assert "diff --git" not in out
    assert "it is 5.9, the patch is for 5.11-rc1 and later" in err


def test_a_series_is_there_once_it_was_made(tree: Path, tmp_path: Path) -> None:
    """Also where a later patch moves a value on that an earlier one has set."""
    second = MINIMAL.replace("mine", "again").replace("1us, to: 2us", "2us, to: 3us")
    patches = [described(MINIMAL, tmp_path), described(second, tmp_path)]
    made = plan(PatchedTree(tree), patches)
    assert [step.status for step in made.steps] == [MADE, MADE]
    assert ".latency_ns = 3000," in made.files["hw/slw.c"]
    for name, text in made.files.items():
        (tree / name).write_text(text)
    assert [step.status for step in plan(PatchedTree(tree), patches).steps] == [PRESENT, PRESENT]


def test_an_unexpected_value_stops_everything(tree: Path, tmp_path: Path) -> None:
    edits = (
        "  - {table: power9_cpu_idle_states, state: stop1, field: latency, from: 5us, to: 6us}\n"
    )
    text = MINIMAL.replace("from: 1us", "from: 300ns") + edits
    with pytest.raises(Faulty) as caught:
        plan(PatchedTree(tree), [described(text, tmp_path)])
    (finding,) = caught.value.findings
    assert finding.rule == "IS934"
    assert "expected latency 300ns or, patched, 2us, found 1us" in finding.message
    line = (tree / "hw/slw.c").read_text().split("\n")[(finding.location.line or 0) - 1]
    assert line == "\t\t.latency_ns = 1000,"
    assert finding.location.file == "hw/slw.c"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("power9_cpu", "power12_cpu", "expected a table power12_cpu_idle_states in the tree"),
        ("stop0_lite,", "stop3,", "expected one row stop3"),
        ("to: 2us", "to: 2us, file: hw/slw-p8.c", "in hw/slw-p8.c in the tree"),
    ],
)
def test_what_the_tree_has_not_got_is_said(
    old: str, new: str, message: str, tree: Path, tmp_path: Path
) -> None:
    with pytest.raises(Faulty, match=message):
        plan(PatchedTree(tree), [described(MINIMAL.replace(old, new), tmp_path)])


def test_files_have_aliases_too(tree: Path, old_tree: Path, tmp_path: Path) -> None:
    text = MINIMAL.partition("edits:")[0] + (
        "aliases: {files: {hw/slw-p8.c: [hw/slw.c]}}\nedits:\n"
        "  - {table: power8_cpu_idle_states, file: hw/slw-p8.c, state: nap, field: latency, "
        "from: 4us, to: 5us}\n"
    )
    patch = described(text, tmp_path)
    assert list(plan(PatchedTree(tree), [patch]).files) == ["hw/slw-p8.c"]
    assert list(plan(PatchedTree(old_tree), [patch]).files) == ["hw/slw.c"]


def test_a_table_becomes_a_spec_beside_the_description(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "short.yaml").write_text("name: short\nextends: power10\ndrop: [stop3]\n")
    edit = "  - {table: power10_cpu_idle_states, becomes: short.yaml}\n"
    patch = described(MINIMAL.partition("edits:")[0] + "edits:\n" + edit, tmp_path)
    made = plan(PatchedTree(tree), [patch])
    tables = c_table.read(made.files["hw/slw.c"], "hw/slw.c")
    (found,) = (table for table in tables if table.name == "power10_cpu_idle_states")
    (becoming,) = patch.edits
    assert isinstance(becoming, description.TableEdit)
    assert found.same_values(table_of(becoming))
    assert [state.name for state in found.states] == ["stop0_lite", "stop0", "stop2"]


def test_what_is_no_skiboot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"expected a skiboot tree, with hw/slw\.c"):
        PatchedTree(tmp_path)
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw/slw.c").write_text("int main(void) { return 0; }\n")
    with pytest.raises(Unreadable, match="arrays of struct cpu_idle_states"):
        PatchedTree(tmp_path)
    with pytest.raises(Unreadable, match="expected a directory"):
        PatchedTree(tmp_path / "hw/slw.c")
    outside = tmp_path / "outside.c"
    outside.write_text(c_table.write([find("power9")]))
    (tmp_path / "tree/hw").mkdir(parents=True)
    (tmp_path / "tree/hw/slw.c").symlink_to(outside)
    with pytest.raises(Unreadable, match=r"found slw\.c outside it"):
        PatchedTree(tmp_path / "tree")


def test_bytes_that_are_no_text_stay(tree: Path, tmp_path: Path) -> None:
    file = tree / "hw/slw.c"
    odd = b"/* \xff\xfe caf\xe9 \xc3\xa9 */\r\n"
    file.write_bytes(odd + file.read_bytes())
    (tmp_path / "mine.yaml").write_text(MINIMAL)
    assert main(["patch", str(tmp_path / "mine.yaml"), "--tree", str(tree), "--apply"]) == 0
    assert file.read_bytes().startswith(odd)
    assert b".latency_ns = 2000," in file.read_bytes()
