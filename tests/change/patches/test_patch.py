"""patch as a command, and what git makes of its patches."""

import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Faulty
from idle_states.base.report.diff import blocks, file_diff
from idle_states.base.resources import resource
from idle_states.change.patches.library import packaged
from idle_states.change.patches.plan import plan
from idle_states.change.patches.tree import PatchedTree
from idle_states.change.patches.write import write
from idle_states.cli import main
from idle_states.tables.rules.catalogue import rule_named
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.base.report.test_output_schema import STRICT
from tests.support import ROOT
from tests.support.patching import (
    DIRECTORY,
    MINIMAL,
    as_repository,
    described,
    git,
    needs_git,
)


def test_check_compares_the_tree_with_the_specs(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["patch", "--check", "--tree", str(tree)]) == 0
    assert "power10: no difference" in capsys.readouterr().out
    file = tree / "hw/slw.c"
    text = file.read_text()
    file.write_text(text.replace(".residency_ns = 450000", ".residency_ns = 45000"))
    assert main(["patch", "--check", "--tree", str(tree)]) == 1
    out = capsys.readouterr().out
    line = text[: text.index(".residency_ns = 450000")].count("\n") + 1
    assert f"hw/slw.c:{line}:19: power10_cpu_idle_states stop3: residency 45us -> 450us\n" in out
    assert "\n-\t\t.residency_ns = 45000,\n+\t\t.residency_ns = 450000,\n" in out
    assert "power7 (power7_cpu_idle_states): the tree has no such table" in out
    assert file.read_text() != text


def test_check_in_json(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["patch", "mambo-stop4", "--check", "--tree", str(tree), "--format", "json"]
    assert main(words) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(STRICT).validate(document)
    assert document["equal"] is False
    assert document["version"] == "7.1"
    (step,) = document["patches"]
    assert step["status"] == "made"
    assert [change["field"] for change in step["changes"]] == ["residency", "flags"]
    assert document["diff"].startswith("diff --git a/hw/slw.c b/hw/slw.c\n")
    assert {Path(item["file"]).name for item in document["inputs"]} == {
        "mambo-stop4.yaml", "slw.c", "slw-p8.c",
    }  # fmt: skip


def test_the_list_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["patch", "--list", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(STRICT).validate(document)
    found = {item["name"]: item["of"] for item in document["packaged"]}
    of_skiboot = {path.stem: "skiboot" for path in DIRECTORY.glob("*.yaml")}
    sources = resource("linux-patches").glob("*.yaml")
    assert found == of_skiboot | {path.stem: "device-tree source" for path in sources}
    assert main(["patch", "--list"]) == 0
    assert "mambo-stop4  " in capsys.readouterr().out


def test_every_change_fits_the_output_schema(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows that come, go and move among them."""
    (tree / "hw/slw.c").write_text(c_table.write([find("power9@1953b41e1"), find("power10")]))
    assert main(["patch", "--check", "--tree", str(tree), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(STRICT).validate(document)
    changes = [change for step in document["patches"] for change in step["changes"]]
    assert {(c["state"], c["after"]) for c in changes if c["field"] == "row"} == {
        ("stop1_lite", ""),
        ("stop2_lite", ""),
    }
    assert "power9-mambo (power9_mambo_cpu_idle_states)" in document["absent"]


def test_the_rule_s_page_is_true(old_tree: Path, tmp_path: Path) -> None:
    """IS934: the example is refused, what to use instead is made."""
    from tests.support.rule_pages import sections

    loaded = rule_named("IS934")
    assert loaded
    examples = sections(loaded.page)
    head = MINIMAL.partition("edits:")[0]
    with pytest.raises(Faulty) as caught:
        plan(PatchedTree(old_tree), [described(head + examples["Example"], tmp_path)])
    assert [finding.rule for finding in caught.value.findings] == ["IS934"]
    made = plan(PatchedTree(old_tree), [described(head + examples["Use instead"], tmp_path)])
    assert made.made


@needs_git
def test_patches_go_through_git_am(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the identity of the tree's git; the result is what --apply makes of the same tree."""
    shutil.copytree(tree, tmp_path / "applied")
    as_repository(tree, "Ä. Ester")
    words = ["patch", str(DIRECTORY), "--tree", str(tree), "-o", str(tmp_path / "out"), "-s"]
    assert main(words) == 0
    written = sorted((tmp_path / "out").iterdir())
    assert [path.name[:5] for path in written] == ["0001-", "0002-", "0003-"]
    out = capsys.readouterr().out
    assert all(f"{path}\n" in out for path in written)
    git("am", "--quiet", *map(str, written), cwd=tree)
    log = git("log", "--reverse", "--format=%an|%ae|%s|%(trailers:key=Signed-off-by)", cwd=tree)
    assert "Ä. Ester|tester@example.org|slw: Bring mambo's stop4 in step" in log
    assert log.count("Signed-off-by: Ä. Ester <tester@example.org>") == 3
    assert git("log", "--format=%b", "-1", cwd=tree).startswith("Since snooze is a polling state")
    assert main(["patch", str(DIRECTORY), "--tree", str(tmp_path / "applied"), "--apply"]) == 0
    for name in ("hw/slw.c", "hw/slw-p8.c"):
        assert (tree / name).read_bytes() == (tmp_path / "applied" / name).read_bytes()
    assert main(["patch", str(DIRECTORY), "--tree", str(tree), "--check"]) == 0


@needs_git
def test_diffs_are_those_of_git(tree: Path) -> None:
    """Blob names, headings, ranges and lines; for values only, to the byte."""
    as_repository(tree)
    assert main(["patch", str(DIRECTORY), "--tree", str(tree), "--apply"]) == 0
    before = git("show", "HEAD:hw/slw.c", cwd=tree)
    ours = file_diff("hw/slw.c", before, (tree / "hw/slw.c").read_text())
    assert ours == git("diff", "--full-index", "HEAD", cwd=tree)


@needs_git
def test_random_diffs_apply(tmp_path: Path) -> None:
    """Lines of few kinds, with and without a newline at the end: git makes the new text of them."""
    rng = random.Random(7)
    git("init", "--quiet", cwd=tmp_path)
    texts: dict[str, tuple[str, str]] = {}
    for number in range(60):
        old = [rng.choice("abcd{}\t") + "\n" for _ in range(rng.randrange(1, 40))]
        new = [rng.choice([line, "x\n", ""]) if rng.random() < 0.2 else line for line in old]
        new += [rng.choice("abc") + "\n" for _ in range(rng.randrange(3))]
        pair = ("".join(old)[: -rng.randrange(1, 3)] + "\n", "".join(new) + "end")
        texts[f"{number}.c"] = pair[:: rng.choice([1, -1])]
    for name, (old_text, _) in texts.items():
        (tmp_path / name).write_text(old_text)
    diff = "".join(file_diff(name, old, new) for name, (old, new) in texts.items())
    git("apply", "-", cwd=tmp_path, text=diff.encode())
    for name, (_, new_text) in texts.items():
        assert (tmp_path / name).read_text() == new_text


@given(st.lists(st.sampled_from("ab{"), max_size=9), st.lists(st.sampled_from("ab{"), max_size=9))
def test_diffs_are_minimal(old: list[str], new: list[str]) -> None:
    """The diff leaves as many lines as the longest common subsequence has."""
    found = blocks(old, new)
    longest = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, j in itertools.product(range(len(old)), range(len(new))):
        both = longest[i][j] + (old[i] == new[j])
        longest[i + 1][j + 1] = max(both, longest[i][j + 1], longest[i + 1][j])
    assert sum(block.b - block.a for block in found) == len(old) - longest[-1][-1]
    assert sum(block.d - block.c for block in found) == len(new) - longest[-1][-1]
    rebuilt, position = [], 0
    for block in found:
        rebuilt += [*old[position : block.a], *new[block.c : block.d]]
        assert len(rebuilt) == block.d
        position = block.b
    assert [*rebuilt, *old[position:]] == new


@needs_git
def test_a_table_goes_through_git_am(old_tree: Path, tmp_path: Path) -> None:
    """The message says value by value what changes, rows included."""
    as_repository(old_tree)
    out = tmp_path / "out"
    assert main(["patch", "power9", "--tree", str(old_tree), "-o", str(out)]) == 0
    git("am", "--quiet", *map(str, out.iterdir()), cwd=old_tree)
    message = git("log", "-1", "--format=%B", cwd=old_tree).split("\n")
    assert message[0] == "slw: Bring power9_cpu_idle_states in line with power9"
    for line in ("stop0_lite: latency 200ns -> 1us", "stop5: added", "stop1_lite: removed"):
        assert line in message
    (table,) = (
        table
        for table in c_table.read((old_tree / "hw/slw.c").read_text(), "hw/slw.c")
        if table.name == "power9_cpu_idle_states"
    )
    assert table.same_values(find("power9"))


FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")


@pytest.mark.slow
@pytest.mark.parametrize("buffered", [True, False])
@needs_full
def test_a_full_standard_output_is_named(buffered: bool, tree: Path) -> None:
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONUNBUFFERED"}
    if not buffered:
        environment["PYTHONUNBUFFERED"] = "1"
    words = ["patch", "mambo-stop4", "--tree", str(tree), "--stdout"]
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "idle_states", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            check=False,
        )
    assert done.stderr == "idle-states: standard output: No space left on device\n"
    assert done.returncode == 3


def limited(words: list[str]) -> "subprocess.CompletedProcess[str]":
    """A command whose files may have one byte."""
    program = (
        "import resource, signal, sys\n"
        "from idle_states.cli import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))\n"
        "sys.exit(main())\n"
    )
    return subprocess.run(
        [sys.executable, "-B", "-c", program, *words], capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_file_that_cannot_be_written_is_named(tree: Path, tmp_path: Path) -> None:
    words = ["patch", "mambo-stop4", "--tree", str(tree)]
    before = (tree / "hw/slw.c").read_bytes()
    done = limited([*words, "--apply"])
    assert (done.returncode, done.stderr) == (3, f"idle-states: {tree}/hw/slw.c: File too large\n")
    assert (tree / "hw/slw.c").read_bytes() == before
    out = tmp_path / "out"
    done = limited([*words, "-o", str(out)])
    assert done.returncode == 3
    assert re.fullmatch(rf"idle-states: {out}/0001-.*\.patch: File too large\n", done.stderr)
    assert list(out.iterdir()) == []


def test_a_table_that_the_tree_lacks_is_told_with_the_tree(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["patch", "power9-dd1", "--tree", str(tree), "--check"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("hw/slw.c: error: ")
    assert "where a table is chosen, found none that can be read" in err
    assert "power9-dd1 asks for it here" in err


def test_a_file_that_changes_meanwhile_is_left_alone(tree: Path) -> None:
    seen = PatchedTree(tree)
    made = plan(seen, [patch for patch in packaged() if patch.name == "mambo-stop4"])
    (tree / "hw/slw.c").write_text("something else\n")
    with pytest.raises(Faulty, match="found it changed meanwhile"):
        write(seen, made.files)
    assert (tree / "hw/slw.c").read_text() == "something else\n"
    assert len(list((tree / "hw").iterdir())) == 2


@needs_git
def test_three_way_merge_finds_the_blobs(tree: Path, tmp_path: Path) -> None:
    as_repository(tree)
    out = tmp_path / "out"
    assert main(["patch", "mambo-stop4", "--tree", str(tree), "-o", str(out)]) == 0
    file = tree / "hw/slw.c"
    moved = file.read_text().replace(
        '.name = "stop4",\n\t\t.latency_ns', '.name = "stop4",\n\n\t\t.latency_ns'
    )
    file.write_text(moved)
    git("commit", "--quiet", "--all", "--message", "moved", cwd=tree)
    git("am", "--quiet", "--3way", *map(str, out.iterdir()), cwd=tree)
    assert "\n\n\t\t.latency_ns" in file.read_text()


@needs_git
def test_a_dirty_tree_is_refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    as_repository(tree)
    (tree / "hw/slw-p8.c").write_text((tree / "hw/slw-p8.c").read_text() + "\n")
    words = ["patch", "mambo-stop4", "--tree", str(tree)]
    for mode in ("--apply", "--stdout"):
        assert main([*words, mode]) == 2
        assert "without uncommitted changes, found hw/slw-p8.c" in capsys.readouterr().err
    assert main([*words, "--check"]) == 1
    assert main([*words, "--apply", "--force"]) == 0
    capsys.readouterr()
    assert main([*words, "--check"]) == 0


@needs_git
@pytest.mark.parametrize("name", ['A. "T" Ester', "O'Tester", "Tester, A. B", "T\\E"])
def test_names_survive_the_mail(name: str, tree: Path, tmp_path: Path) -> None:
    as_repository(tree, name)
    out = tmp_path / "out"
    assert main(["patch", "mambo-stop4", "--tree", str(tree), "-o", str(out), "--signoff"]) == 0
    git("am", "--quiet", *map(str, out.iterdir()), cwd=tree)
    log = git("log", "-1", "--format=%an|%(trailers:key=Signed-off-by,valueonly)", cwd=tree)
    assert log.split("\n")[0] == f"{name}|{name} <tester@example.org>"


def test_patches_are_the_same_every_time(
    tree: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1500000000")
    mails = []
    for _ in range(2):
        assert main(["patch", "mambo-stop4", "--tree", str(tree), "--stdout"]) == 0
        mails.append(capfdbinary.readouterr().out)
    assert mails[0] == mails[1]
    assert b"Date: Fri, 14 Jul 2017 02:40:00 +0000\n" in mails[0]
    assert b"Signed-off-by" not in mails[0]
    assert re.search(rb"\n-- \nidle-states \d[\w.]+\n\n\Z", mails[0])


def test_nothing_is_written_where_one_patch_fails(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    series = tmp_path / "series"
    series.mkdir()
    (series / "1.yaml").write_text(MINIMAL)
    (series / "2.yaml").write_text(
        MINIMAL.replace("mine", "two").replace("1us", "9us").replace("2us", "8us")
    )
    before = (tree / "hw/slw.c").read_bytes()
    for mode in (["--apply"], ["-o", str(tmp_path / "out")]):
        assert main(["patch", str(series), "--tree", str(tree), *mode]) == 1
    assert "two: expected latency 9us or, patched, 8us, found 2us" in capsys.readouterr().err
    assert (tree / "hw/slw.c").read_bytes() == before
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("patch mambo-stop4", 2, "expected --tree DIR"),
        ("patch --tree {tree}", 2, "expected a SERIES or TABLE"),
        ("patch mambo-stop5 --tree {tree}", 2, "patch --list"),
        ("patch mambo-stop4 --tree {tree} --stdout --format json", 2, "a mailbox is no JSON"),
        ("patch pseries-shared --tree {tree} --check", 2, "names none"),
        ("patch power9-dd1 --tree {tree} --check", 1, "where a table is chosen, found none"),
        ("patch power9 --tree {tree}/hw", 3, "expected a tree of skiboot, devicetree-rebasing,"),
        ("patch mt8516-idle-lists --tree {tree}/hw", 3, "Zephyr, U-Boot or Linux, found another"),
        ("patch power9 --tree {tree}/nowhere", 3, "expected a directory"),
    ],
)
def test_bad_input_ends_with_its_status(
    words: str, status: int, message: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.format(tree=tree).split()) == status
    assert message in capsys.readouterr().err


def test_files_keep_their_mode(tree: Path) -> None:
    file = tree / "hw/slw.c"
    file.chmod(0o640)
    assert main(["patch", "mambo-stop4", "--tree", str(tree), "--apply"]) == 0
    assert file.stat().st_mode & 0o7777 == 0o640
    assert sorted(path.name for path in (tree / "hw").iterdir()) == ["slw-p8.c", "slw.c"]


@pytest.mark.slow
def test_a_kill_leaves_every_file_whole(tree: Path, tmp_path: Path) -> None:
    """At whatever moment: each file is as it was or as it is to be."""
    (tmp_path / "p8.yaml").write_text(
        MINIMAL.partition("edits:")[0]
        + "edits:\n  - {table: power8_cpu_idle_states, state: nap, field: latency, "
        "from: 4us, to: 5us}\n" + MINIMAL.partition("edits:\n")[2]
    )
    states: dict[str, list[bytes]] = {}
    names = ("hw/slw.c", "hw/slw-p8.c")
    original = {name: (tree / name).read_bytes() for name in names}
    words = [sys.executable, "-m", "idle_states", "patch", str(tmp_path / "p8.yaml")]
    words += ["--tree", str(tree), "--apply"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = time.monotonic()
    subprocess.run(words, check=True, capture_output=True, env=environment)
    whole = time.monotonic() - started
    wanted = {name: (tree / name).read_bytes() for name in names}
    assert all(wanted[name] != original[name] for name in names)
    rng = random.Random(1)
    for _ in range(8):
        for name in names:
            (tree / name).write_bytes(original[name])
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
        time.sleep(whole * rng.uniform(0.5, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for name in names:
            states.setdefault(name, []).append((tree / name).read_bytes())
    for name in names:
        assert set(states[name]) <= {original[name], wanted[name]}
    subprocess.run(words, check=True, capture_output=True, env=environment)
    assert {name: (tree / name).read_bytes() for name in names} == wanted


@pytest.mark.slow
def test_the_original_tree_of_the_package(skiboot_tree: Path, tmp_path: Path) -> None:
    """A real skiboot 7.0: as the specs say, and patched so that it reads as meant."""
    shutil.copytree(
        skiboot_tree, tmp_path / "tree", ignore=shutil.ignore_patterns("external", "test")
    )
    real = PatchedTree(tmp_path / "tree")
    assert main(["patch", "--check", "--tree", str(real.root)]) == 0
    assert main(["patch", str(DIRECTORY), "--tree", str(real.root), "--apply"]) == 0
    tables = {
        table.name: table
        for name in real.files
        for table in c_table.read((real.root / name).read_text(), name, defines=real.defines)
    }
    from tests.oracle.skiboot import dump_tables

    compiled = dump_tables(real.root)
    for name, table in tables.items():
        assert [row["residency_ns"] for row in compiled[name]] == [
            state.residency_ns for state in table.states
        ]
    stop4 = tables["power9_mambo_cpu_idle_states"].state("stop4")
    like = find("power9").state("stop4")
    assert stop4
    assert like
    assert replace(stop4, where={}).values() == like.values()
