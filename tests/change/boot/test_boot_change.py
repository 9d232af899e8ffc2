"""boot --patch: what patches make of a tree, and two boots side by side."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.findings import Faulty, Unreadable, UsageError
from idle_states.base.report import sheet_text
from idle_states.base.report.style import Style
from idle_states.change.boot.boot_document import BootedTwice
from idle_states.change.boot.powernv import image as boot_image
from idle_states.change.boot.powernv.boot import PowernvResult
from idle_states.change.boot.powernv.build import BuiltImage
from idle_states.change.boot.powernv.change import change_of
from idle_states.change.boot.powernv.twice import BootPair
from idle_states.change.boot.predict_decisions import entered
from idle_states.change.boot.registered import held_by
from idle_states.change.boot.sheet import sheet
from idle_states.change.patches.tree import PatchedTree
from idle_states.tables.documents.json_output import envelope
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.base.report.test_output_schema import STRICT, Validator
from tests.support.boots import boot_result, recorded_boot, recorded_workload, with_workload


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "hw").mkdir(parents=True)
    tables = [find("power9"), find("power9-mambo"), find("power9-fused"), find("power10")]
    (root / "hw/slw.c").write_text('#include "slw.h"\n\n' + c_table.write(tables))
    (root / "hw/other.c").write_text("one\n")
    (root / ".version").write_text("v7.1\n")
    return root


def mailed(tree: Path, edits: dict[str, str | None], subject: str) -> str:
    """Returns what git format-patch makes of files that become others; None for those removed."""
    words = ["git", "-c", "user.name=A Tester", "-c", "user.email=tester@example.org"]

    def git(*more: str) -> str:
        done = subprocess.run([*words, *more], cwd=tree, capture_output=True, check=True)
        return done.stdout.decode()

    if not (tree / ".git").exists():
        git("init", "--quiet")
        git("add", "--all")
        git("commit", "--quiet", "--message", "base")
    for name, text in edits.items():
        if text is None:
            (tree / name).unlink()
        else:
            (tree / name).write_text(text)
    git("add", "--all")
    git("commit", "--quiet", "--message", subject)
    return git("format-patch", "--stdout", "-1", "HEAD")


def test_a_description_changes_the_files_it_names(tree: Path) -> None:
    change = change_of(PatchedTree(tree), "stop0-lite-15us")
    assert change.subjects == ("slw: Let snooze have short idles again on Linux 6.19 and later",)
    assert list(change.files) == ["hw/slw.c"]
    assert (change.files["hw/slw.c"] or b"").count(b"15000") == 3
    assert change.remarks == ()


def test_what_changes_nothing_is_told_with_its_reason(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        change_of(PatchedTree(tree), "power9-stop0-lite")
    assert "change this tree, found power9-stop0-lite: not for this skiboot" in str(caught.value)
    with pytest.raises(UsageError, match="expected a patch description, a directory of them"):
        change_of(PatchedTree(tree), str(tmp_path / "none"))
    wrong = tmp_path / "wrong.yaml"
    edit = "{table: power9_cpu_idle_states, state: stop1, field: latency, from: 7us, to: 8us}"
    wrong.write_text(f"name: wrong\nsubject: S\nbody: B\nedits:\n  - {edit}\n")
    with pytest.raises(Faulty, match="expected latency 7us or, patched, 8us, found 5us"):
        change_of(PatchedTree(tree), str(wrong))


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_patches_as_mailed_apply_one_after_another(tree: Path, tmp_path: Path) -> None:
    before = {name: (tree / name).read_text() for name in ("hw/slw.c", "hw/other.c")}
    first = before["hw/slw.c"].replace("10000,", "11000,", 1)
    series = mailed(tree, {"hw/slw.c": first, "hw/new.c": "new\n"}, "slw: One")
    second = first.replace("11000,", "12000,", 1)
    series += mailed(tree, {"hw/slw.c": second, "hw/other.c": None}, "slw: Two")
    for name, text in before.items():
        (tree / name).write_text(text)
    (tree / "hw/new.c").unlink()
    (tmp_path / "series.mbox").write_text(series)
    change = change_of(PatchedTree(tree), str(tmp_path / "series.mbox"))
    assert change.subjects == ("slw: One", "slw: Two")
    assert change.files == {
        "hw/slw.c": second.encode(), "hw/new.c": b"new\n", "hw/other.c": None
    }  # fmt: skip
    assert (tree / "hw/slw.c").read_text() == before["hw/slw.c"]
    (tree / "hw/slw.c").write_text(before["hw/slw.c"].replace("10000,", "13000,", 1))
    with pytest.raises(Unreadable, match=r"hunk at line \d+ once in hw/slw.c, found them 2"):
        change_of(PatchedTree(tree), str(tmp_path / "series.mbox"))


def test_the_table_that_is_predicted_is_the_patched_one(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Macros of headers included, which a patch may change, too."""
    monkeypatch.setattr(
        boot_image.build, "lid_of", lambda *_: BuiltImage(tmp_path / "lid", ("a remark",))
    )
    source = PatchedTree(tree)
    change = change_of(source, "stop0-lite-15us")
    made = boot_image.from_tree(source, "powernv9", None, tmp_path, change=change)
    assert made.table.states[0].residency_ns == 15_000
    assert made.remarks == ("a remark",)
    assert (
        boot_image.from_tree(source, "powernv9", None, tmp_path).table.states[0].residency_ns
        == 10_000
    )
    text = (tree / "hw/slw.c").read_text().replace("10000,", "LITE_NS,", 1)
    (tree / "hw/slw.c").write_text(text)
    (tree / "include").mkdir()
    header = "#define OPAL_PM_STOP_INST_FAST 0x00100000\n#define LITE_NS {}\n"
    (tree / "include/opal-api.h").write_text(header.format(10000))
    source = PatchedTree(tree)
    files = {"include/opal-api.h": header.format(17000).encode()}
    made = boot_image.from_tree(
        source, "powernv9", None, tmp_path, change=replace(change, files=files)
    )
    assert made.table.states[0].residency_ns == 17_000


def result(directory: Path, name: str) -> PowernvResult:
    """A boot that was recorded, as if of a tree; and, with a state's name, of another table."""
    booted = with_workload(recorded_boot("powernv9", directory), recorded_workload())
    table = find("power9")
    states = tuple(
        replace(state, residency_ns=15_000) if state.name == name else state
        for state in table.states
    )
    made = boot_result(booted, replace(table, states=states), directory)
    return replace(
        made,
        request=replace(made.request, tree=Path("tree"), patch="mine"),
        found=held_by(booted.sections),
        entered=entered(booted.recorded),
        remarks=("built otherwise",),
    )


def printed(pair: BootPair) -> tuple[str, dict[str, Any]]:
    document = json.loads(envelope("boot", BootedTwice, pair, pair.inputs))
    Validator(STRICT).validate(document)
    return sheet_text.text(sheet(pair), Style(False)), document


def test_two_boots_are_shown_side_by_side(tmp_path: Path) -> None:
    """The second is held to a table it was not booted with: it must be said to differ."""
    before, after = result(tmp_path, ""), result(tmp_path, "stop0_lite")
    pair = BootPair(("slw: Mine",), ("left: a remark",), before, after, tmp_path)
    text, document = printed(pair)
    assert not pair.agree
    assert pair.changes_table
    assert "power9 on powernv9, before and after\n  slw: Mine\n    left: a remark\n" in text
    assert "    built otherwise\n" in text
    lines = text.splitlines()
    (lite,) = (line for line in lines if line.startswith("stop0_lite"))
    assert (lite.count("1/10 us"), lite.count("1/15 us")) == (3, 1)
    assert any(line.split() == ["registered", "agree", "differ"] for line in lines)
    assert "Differences after: registered" in lines
    assert "Differences before: registered" not in lines
    assert "leave alone" not in text
    assert document["changes_table"] is True
    assert document["agree"] is False
    assert document["before"]["agree"] is True
    counts = {state["name"]: state["entered"] for state in document["before"]["found"]}
    assert lite.split()[-2:] == [str(counts["stop0_lite"])] * 2


def test_that_a_patch_makes_the_machine_take_another_table_is_said(tmp_path: Path) -> None:
    one = result(tmp_path, "")
    other = replace(one, place="mine_cpu_idle_states")
    text, _ = printed(BootPair(("slw: Mine",), (), one, other, tmp_path))
    assert "With the patches this machine uses mine_cpu_idle_states in place of power9\n" in text
    assert "leave alone" not in text


def test_that_a_patch_leaves_the_machine_alone_is_said(tmp_path: Path) -> None:
    one = result(tmp_path, "")
    text, document = printed(BootPair(("slw: Mine",), (), one, one, tmp_path))
    assert "The patches do not change the table that this machine uses" in text
    assert document["changes_table"] is False
    assert document["agree"] is True
    assert document["inputs"] == [{"file": "skiboot.lid", "sha256": "0" * 64}]
