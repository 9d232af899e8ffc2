"""Descriptions, series and the command `patch`, on a tree of our own making."""

import importlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.findings import Faulty, Finding, Unreadable
from idle_states.patches import description, fields
from idle_states.patches.library import packaged, table_of
from idle_states.patches.plan import MADE, NOT_MEANT, PRESENT, plan
from idle_states.patches.tree import PatchedTree
from idle_states.patches.write import write
from idle_states.report.patch_diff import blocks, file_diff
from idle_states.resources import resource
from idle_states.skiboot import c_table
from idle_states.spec.library import find
from idle_states.table import IdleTable
from tests.report.test_output_schema import STRICT
from tests.support import ROOT

DIRECTORY = resource("skiboot-patches")
SCHEMA = json.loads(resource("schemas", "skiboot-patch.schema.json").read_text("utf-8"))
MINIMAL = """\
name: mine
subject: "slw: Mine"
body: Because.
edits:
  - {table: power9_cpu_idle_states, state: stop0_lite, field: latency, from: 1us, to: 2us}
"""
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


def tree_of(directory: Path, tables: dict[str, list[IdleTable]], version: str = "") -> Path:
    """A tree with the tables of each file, as our writer has them."""
    for name, content in tables.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text('#include "slw.h"\n\n' + c_table.write(content))
    if version:
        (directory / ".version").write_text(f"{version}\n")
    return directory


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A new skiboot, with POWER8 in a file of its own."""
    new = [find(name) for name in ("power9", "power9-mambo", "power9-fused", "power10")]
    old = [find(name) for name in ("power8", "power8-nap-only")]
    return tree_of(tmp_path / "tree", {"hw/slw.c": new, "hw/slw-p8.c": old}, "v7.1")


@pytest.fixture
def old_tree(tmp_path: Path) -> Path:
    """The tables of April 2017, all in one file."""
    names = ("power8", "power9@84368bbf8", "power9-dd1@84368bbf8")
    files = {"hw/slw.c": [find(name) for name in names]}
    return tree_of(tmp_path / "old", files, "skiboot-5.5.0-11-gf32ad58f9")


def described(text: str, directory: Path) -> description.Patch:
    file = directory / "mine.yaml"
    file.write_text(text)
    return description.read(file, "mine.yaml")


def git(*words: str, cwd: Path, text: bytes | None = None) -> str:
    done = subprocess.run(["git", *words], cwd=cwd, input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def as_repository(directory: Path, name: str = "A Tester") -> None:
    for words in (
        ("init", "--quiet"),
        ("config", "user.name", name),
        ("config", "user.email", "tester@example.org"),
        ("config", "commit.gpgsign", "false"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "base"),
    ):
        git(*words, cwd=directory)


# Descriptions


@pytest.mark.parametrize("path", sorted(DIRECTORY.glob("*.yaml")), ids=lambda path: path.stem)
def test_packaged_descriptions_are_sound(path: Path) -> None:
    """Named as their file, with evidence; the schema and the reader agree on them."""
    text = path.read_text("utf-8")
    patch = description.read(path, path.name)
    assert patch.name == path.stem
    assert patch.evidence
    assert patch.since
    assert "schemas/skiboot-patch.schema.json" in text.split("\n")[0]
    document = json.loads(json.dumps(yaml.safe_load(text), default=str))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    for line in patch.body.splitlines():
        assert len(line) <= 75
    readme = (DIRECTORY / "README.md").read_text("utf-8")
    assert f"[{patch.name}]({path.name})" in readme


@pytest.mark.parametrize(
    "command",
    [item.command for patch in packaged() for item in patch.evidence if item.command],
)
def test_commands_given_as_evidence_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = command.split()
    assert words[0] == "idle-states"
    assert main(words[1:]) in (0, 1)
    assert capsys.readouterr().out


def ranges(out: str) -> str:
    """The first map of `select`, that of interrupts with the tick running."""
    return " ".join(out.split("tick running\n")[1].split("\n\n")[0].split())


def test_what_the_15us_variant_claims(capsys: pytest.CaptureFixture[str]) -> None:
    fifteen = "select --states 1000/15000,2000/20000,5000/50000,10000/100000 --polling --kernel "
    for command, wanted in (
        ("select power9 --platform op920 --kernel 6.19", "2 to 20 us stop0_lite"),
        (fifteen + "6.19", "2 to 14 us snooze"),
        (fifteen + "6.18", "2 to 20 us state1"),
        (fifteen + "6.12", "2 to 20 us state1"),
        (fifteen + "debian-6.12.117", "2 to 14 us snooze"),
    ):
        main([*command.split(), "--governor", "menu"])
        assert wanted in ranges(capsys.readouterr().out)


def test_what_the_stop8_patch_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "longer.yaml"
    spec.write_text("name: longer\nextends: power9\noverride:\n  stop8: {residency: 40ms}\n")
    for table, state in (("power9", "stop5"), (str(spec), "stop8")):
        main(["show", table, "--kernel", "6.12", "--platform", "nvram-disable-mask=0x100000"])
        assert re.search(rf"offlines CPUs with PSSCR \w+ \({state}\)", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("old", "new", "rule", "message"),
    [
        ("name: mine\n", "", "IS921", "expected 'name'"),
        ("name: mine", "name: My Patch", "IS922", "a name such as"),
        ("body:", "boddy:", "IS920", "did you mean 'body'"),
        ("slw: Mine", "[slw] Mine", "IS922", "without [ first"),
        ("Because.", "|\n  a\n\n  --- a", "IS922", "header, a diff or its end"),
        ("Because.", "'From: somebody'", "IS922", "header, a diff or its end"),
        ("body:", "since: x\nbody:", "IS925", "expected a skiboot release"),
        ("body:", "since: '7.0'\nuntil: '6.0'\nbody:", "IS924", "until after since"),
        ("body:", "date: 2017-13-01\nbody:", "IS922", "a date such as"),
        ("body:", "evidence: [{claim: x}]\nbody:", "IS921", "source or command"),
        ("field: latency", "field: latencies", "IS925", "did you mean 'latency'"),
        ("from: 1us", "from: 1", "IS923", "expected a unit"),
        ("from: 1us, ", "", "IS921", "expected 'from'"),
        ("latency, from: 1us, to: 2us", "psscr.rl, from: 1, to: 16", "IS924", "at most 0xf"),
        ("latency, from: 1us, to: 2us", "flags.DEC_STOP, from: 0, to: 2", "IS924", "at most 0x1"),
        ("latency, from: 1us, to: 2us", "flags, from: [X], to: 0", "IS925", "expected a flag"),
        ("table: power9_cpu_idle_states", "table: a-b", "IS922", "the name of a C array"),
        ("to: 2us", "to: 2us, becomes: power9", "IS922", "no state beside becomes"),
        ("to: 2us", "to: 2us, file: ../slw.c", "IS922", "a path in the tree"),
        ("  - {", "  - stop1\n  - {", "IS922", "expected a mapping"),
    ],
)
def test_what_is_wrong_with_a_description_is_said(
    old: str, new: str, rule: str, message: str, tmp_path: Path
) -> None:
    assert old in MINIMAL
    with pytest.raises(Faulty) as caught:
        described(MINIMAL.replace(old, new, 1), tmp_path)
    finding = caught.value.findings[0]
    assert (finding.rule, message in finding.message) == (rule, True), finding.message
    assert finding.location.line


def test_no_edits_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Faulty, match="expected at least one edit"):
        described(MINIMAL.partition("edits:")[0] + "edits: []\n", tmp_path)


@given(st.integers(0, len(MINIMAL)), st.integers(0, 12), st.text(max_size=8))
def test_any_text_is_read_or_refused(at: int, length: int, text: str) -> None:
    changed = MINIMAL[:at] + text + MINIMAL[at + length :]
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "mine.yaml")
        file.write_bytes(changed.encode("utf-8", "surrogatepass"))
        findings: tuple[Finding, ...] = ()
        try:
            patch = description.read(file, "mine.yaml")
        except (Faulty, Unreadable) as refused:
            patch, findings = None, refused.findings
    assert all(finding.location.line for finding in findings)
    assert findings or (patch and patch.edits and patch.subject == patch.subject.strip())


def test_a_directory_with_one_description_is_a_series(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What else lies in it is an error, not a device tree."""
    series = tmp_path / "series"
    series.mkdir()
    (series / "1.yaml").write_text(MINIMAL)
    (series / "2.yaml").write_text("name: other\n")
    assert main(["patch", str(series), "--tree", str(tree), "--check"]) == 1
    assert "2.yaml:1:1: error: expected 'subject'" in capsys.readouterr().err


def test_every_field_can_be_read_and_set() -> None:
    state = find("power9").states[3]
    for name in fields.FIELDS:
        value = fields.value_in(state, name)
        assert value is not None
        other: fields.Value = "x" if isinstance(value, str) else 1 - value if value < 2 else 1
        changed = fields.with_value(state, name, other)
        assert fields.value_in(changed, name) == other
        assert fields.with_value(changed, name, value).values() == state.values()


# Plans


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
        "idle-states: mambo-stop4: this tree does not tell its release; "
        "the patch is for 5.11-rc1 and later\n"
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


# The command


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

    page = importlib.import_module("idle_states.rules.is934_cannot_patch").__doc__
    assert page
    examples = sections(page)
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
    """As many lines stay as the longest common subsequence has."""
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
    assert err.startswith(f"{tree}: error: ")
    assert "expected a table power9_ndd1_cpu_idle_states" in err


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
        ("patch power9-dd1 --tree {tree} --check", 1, "expected a table power9_ndd1"),
        ("patch power9 --tree {tree}/hw", 3, "expected a skiboot tree"),
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
