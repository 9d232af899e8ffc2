"""review: what lies between two commits of a repository of C tables or specs."""

import json
import os
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.check.check import check
from idle_states.check.criteria import Criteria
from idle_states.cli import main
from idle_states.findings import Finding, Severity, Unreadable
from idle_states.linux.releases import release
from idle_states.reading.git import Repository
from idle_states.review import tree as review_tree
from idle_states.review.findings import outcome
from idle_states.review.result import Review, Reviewed
from idle_states.review.review import Yardstick, ends, review
from idle_states.review.selection import Selector
from idle_states.rules.engine import RuleSelection
from idle_states.skiboot import c_table
from idle_states.skiboot.platform import ALL_LEVELS
from idle_states.sources import Source
from idle_states.spec.library import find
from idle_states.table import Firmware, IdleState, IdleTable, Register
from tests.report.test_output_schema import STRICT
from tests.support import DATA, random_tables
from tests.support.git_history import History
from tests.support.thorough import examples

KERNELS = tuple(release(name) for name in ("4.11", "5.10", "6.6"))
SARIF = json.loads((DATA / "schemas/sarif-2.1.0.json").read_text("utf-8"))
BEFORE, AFTER = "power9@84368bbf8", "power9@51974cab7"
MESSAGE = "slw: Modify stop0_lite\n\nRaise its exit latency from 200ns to 1us."


def c_of(*tables: IdleTable | str) -> str:
    return c_table.write([find(t) if isinstance(t, str) else t for t in tables])


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "tree")


@pytest.fixture
def stop0_lite(history: History) -> History:
    """The change that this tool began with: one commit after another."""
    history.commit({"hw/slw.c": c_of(BEFORE)}, "First")
    history.commit({"hw/slw.c": c_of(AFTER)}, MESSAGE)
    return history


def reviewed(history: History, text: str | None = None, **options: Any) -> Review:
    repository = Repository(history.directory)
    try:
        base, head = ends(repository, text)
        return review(repository, base, head, Yardstick(Criteria(KERNELS)), **options)
    finally:
        repository.close()


def only(found: Review) -> Reviewed:
    [change] = found.changes
    return change


def rules(findings: list[Finding] | tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings}


def run(capsys: pytest.CaptureFixture[str], history: History, *words: str) -> tuple[int, str]:
    status = main(["review", "--tree", str(history.directory), "--config", "none", *words])
    return status, capsys.readouterr().out


# What a change is said to bring.


def test_change_of_values_is_followed_to_the_kernels(stop0_lite: History) -> None:
    [table] = only(reviewed(stop0_lite)).tables
    assert [(d.path, d.a, d.b) for d in table.differences] == [
        ("states.stop0_lite.latency", "200ns", "1us"),
        ("states.stop0_lite.residency", "2us", "10us"),
        ("states.stop0.latency", "300ns", "2us"),
        ("states.stop0.residency", "3us", "20us"),
    ]
    told = {
        kernel: {d.path: (d.a, d.b) for d in group.differences}
        for group in table.linux
        for kernel in group.kernels
    }
    assert told["4.11"]["states.stop0_lite"] == ("0/2 us", "1/10 us")
    assert told["5.10"]["states.stop0_lite"] == told["6.6"]["states.stop0_lite"]
    assert told["5.10"]["states.stop0_lite"] == ("1/2 us", "1/10 us")
    assert [group.kernels for group in table.linux] == [("4.11",), ("5.10", "6.6")]


def test_fixed_findings_are_told_with_their_kernels(stop0_lite: History) -> None:
    found = only(reviewed(stop0_lite))
    assert "IS201" in rules(found.fixed)
    assert rules(found.new) == {"IS510"}
    assert {f.kernels for f in found.fixed if "IS401" in f.stands_for} == {("4.11",)}


def test_selection_changes_are_told(stop0_lite: History) -> None:
    [table] = only(reviewed(stop0_lite)).tables
    [of_4_11] = [group for group in table.selection if "4.11" in group.kernels]
    assert ("idle 2us", "stop0_lite", "snooze") in [(d.path, d.a, d.b) for d in of_4_11.differences]


def test_selection_that_rests_on_a_guess_says_so(
    stop0_lite: History, capsys: pytest.CaptureFixture[str]
) -> None:
    """teo of 6.6 asks for utilisation, menu does not; nor does what compares no table."""
    said = "teo of Linux 6.6 asks for utilisation: CPUs are taken as not utilised"
    words = ["--kernel", "6.6", "--governor"]
    for governor, expected in (("teo", [said]), ("menu", [])):
        _, text = run(capsys, stop0_lite, *words, governor)
        assert (said in " ".join(text.split())) == bool(expected)
        _, document = run(capsys, stop0_lite, *words, governor, "--format", "json")
        assert json.loads(document)["assumptions"] == expected
    stop0_lite.commit({"README": "text"}, "Say something")
    assert reviewed(stop0_lite).assumptions == ()


def test_selection_is_told_for_the_lengths_tried() -> None:
    """Every length between those a difference names was found to differ so."""
    a, b = (source(find(name)) for name in (BEFORE, AFTER))
    for _, differences in Selector("menu", 250).differences(a, b, KERNELS, ALL_LEVELS):
        spans = [d.path.removeprefix("idle ") for d in differences]
        assert len(set(spans)) == len(spans)
        assert all(d.a != d.b for d in differences)


def test_message_that_is_silent_about_a_state(stop0_lite: History) -> None:
    [finding] = only(reviewed(stop0_lite)).message
    assert finding.rule == "IS510"
    line = (stop0_lite.directory / "hw/slw.c").read_text().splitlines()[finding.location.line - 1]  # type: ignore[operator]
    assert line.strip() == ".latency_ns = 2000,"


def test_lines_that_move_are_no_change(history: History) -> None:
    history.commit({"hw/slw.c": c_of(BEFORE)})
    history.commit({"hw/slw.c": "\n/* one\n   more */\n#define X 1\n" + c_of(BEFORE)})
    assert only(reviewed(history)).tables == ()


def test_rows_that_move_bring_no_findings(history: History) -> None:
    table = find(BEFORE)
    first = replace(table.states[0], name="stop1_fast")
    history.commit({"hw/slw.c": c_of(table)})
    history.commit({"hw/slw.c": c_of(replace(table, states=(first, *table.states)))})
    found = only(reviewed(history))
    concerned = {finding.location.path.partition("]")[0] for finding in found.new}
    assert "power9_cpu_idle_states[0" in concerned
    assert not any("stop4" in f.message or "stop5" in f.message for f in found.new)
    assert [f for f in found.fixed if f.rule in ("IS201", "IS303")] == []


def test_renamed_table_is_the_same_table(history: History) -> None:
    table = find("power9-dd1@84368bbf8")
    other = replace(table, firmware=Firmware(array="power9_ndd1_cpu_idle_states"))
    history.commit({"hw/slw.c": c_of(table, "power10")})
    history.commit({"hw/slw.c": c_of(other, "power10")})
    [changed] = only(reviewed(history)).tables
    assert changed.before
    assert changed.after
    assert changed.before.name == "power9_dd1_cpu_idle_states"
    assert changed.after.name == "power9_ndd1_cpu_idle_states"
    assert changed.differences == changed.linux == changed.selection == ()
    assert changed.outcome.fixed == ()


def test_table_that_moves_to_another_file(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"hw/slw.c": c_of("power8", "power9")})
    history.commit({"hw/slw.c": c_of("power9"), "hw/slw-p12.c": c_of("power8")})
    found = only(reviewed(history))
    [table] = found.tables
    assert (table.differences, table.linux, found.new, found.fixed) == ((), (), [], [])
    _, text = run(capsys, history)
    assert "moved from hw/slw.c" in text


def test_added_and_removed_tables(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    history.commit({"hw/slw.c": c_of("power10")})
    history.commit({"hw/slw.c": c_of("power8")})
    added, removed = only(reviewed(history)).tables
    assert (added.before, removed.after) == (None, None)
    assert "nap" in "".join(d.path for d in added.differences)
    assert {d.a for d in added.differences if d.path.startswith("states.")} == {"absent"}
    assert rules(added.outcome.new)
    assert added.outcome.fixed == removed.outcome.new == ()
    _, text = run(capsys, history)
    assert "power8_cpu_idle_states (hw/slw.c), added" in text


def test_first_commit_brings_everything(history: History) -> None:
    history.commit({"hw/slw.c": c_of("power9")})
    found = reviewed(history)
    assert (found.base, found.commits) == ("", 1)
    assert [table.before for table in only(found).tables] == [None]


MACRO = """\
#include <slw.h>
static struct cpu_idle_states power9_cpu_idle_states[] = {
	{
		.name = "stop0_lite",
		.latency_ns = EXIT_NS,
		.residency_ns = 10 * EXIT_NS,
		.flags = 1*OPAL_PM_STOP_INST_FAST,
		.pm_ctrl_reg_val = 0x330,
		.pm_ctrl_reg_mask = OPAL_PM_PSSCR_MASK },
};
"""


@pytest.mark.parametrize("per_commit", [False, True])
def test_header_alone_may_change_a_table(history: History, per_commit: bool) -> None:
    header = "#define BASE_NS {}\n#define EXIT_NS (2 * BASE_NS)\n#define OTHER {}\n"
    history.commit({"hw/slw.c": MACRO, "include/slw.h": header.format(500, 1)})
    history.commit({"include/slw.h": header.format(500, 2)})
    assert all(change.tables == () for change in reviewed(history, per_commit=per_commit).changes)
    history.commit({"include/slw.h": header.format(700, 2)})
    [table] = only(reviewed(history, per_commit=per_commit)).tables
    assert [(d.a, d.b) for d in table.differences] == [("1us", "1400ns"), ("10us", "14us")]


# Ranges.


def test_total_and_per_commit(stop0_lite: History) -> None:
    stop0_lite.commit({"README": "x"}, "Nothing of tables")
    stop0_lite.commit({"hw/slw.c": c_of(BEFORE)}, "Back again")
    total = only(reviewed(stop0_lite, "HEAD~3..HEAD"))
    assert total.tables == ()
    # what a message said remains said
    assert rules(total.message) == {"IS510"}
    each = reviewed(stop0_lite, "HEAD~3..HEAD", per_commit=True)
    assert each.commits == 3
    forth, back = each.changes
    assert forth.commit
    assert forth.commit.message.strip() == MESSAGE
    assert rules(forth.tables[0].outcome.fixed) == rules(back.tables[0].outcome.new)


def test_complaint_about_an_earlier_commit_is_placed_at_the_end(stop0_lite: History) -> None:
    table = find(AFTER)
    first = replace(table.states[0], name="stop0_fast")
    moved = replace(table, states=(first, *table.states))
    stop0_lite.commit({"hw/slw.c": "\n\n" + c_of(moved)})
    [finding] = only(reviewed(stop0_lite, "HEAD~2..HEAD")).message
    assert finding.location.path == "power9_cpu_idle_states[2].latency_ns"
    lines = (stop0_lite.directory / "hw/slw.c").read_text().splitlines()
    assert finding.location.line
    assert "= 2000" in lines[finding.location.line - 1]
    stop0_lite.commit({"hw/slw.c": c_of("power10")})
    [finding] = only(reviewed(stop0_lite, "HEAD~3..HEAD")).message
    assert finding.location.line is None


def test_three_dots_leave_out_what_the_base_has_alone(history: History) -> None:
    history.commit({"hw/slw.c": c_of("power9")})
    history.git("switch", "-q", "-c", "topic")
    history.commit({"a": "topic"})
    history.git("switch", "-q", "main")
    history.commit({"hw/slw.c": c_of(BEFORE)})
    assert only(reviewed(history, "main..topic")).tables
    assert only(reviewed(history, "main...topic")).tables == ()
    assert only(reviewed(history, "..topic")).tables


def test_merged_branch_is_reviewed_commit_by_commit(history: History) -> None:
    first = history.commit({"hw/slw.c": c_of(BEFORE)})
    history.git("switch", "-q", "-c", "topic")
    history.commit({"hw/slw.c": c_of(AFTER)}, "On the side")
    history.git("switch", "-q", "main")
    history.commit({"a": "b"})
    history.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
    changes = reviewed(history, f"{first}..HEAD", per_commit=True).changes
    assert [c.commit.subject for c in changes if c.commit] == ["On the side"]


def diverged(history: History) -> str:
    """A topic that changes one table and a main that changes another, in the same file."""
    one, other = find(BEFORE), find("power8")
    slow = replace(other, states=(replace(other.states[0], latency_ns=100), *other.states[1:]))
    first = history.commit({"hw/slw.c": c_of(AFTER, other) + "\n" * 9})
    history.git("switch", "-q", "-c", "topic")
    history.commit({"hw/slw.c": c_of(one, other)}, "On the side")
    history.git("switch", "-q", "main")
    history.commit({"hw/slw.c": c_of(AFTER, slow)}, "On main")
    history.git("merge", "-q", "--no-ff", "-s", "ours", "--no-commit", "topic")
    (history.directory / "hw/slw.c").write_text(c_of(one, slow))
    return first


def test_merge_does_not_count_again_what_it_merges(history: History) -> None:
    first = diverged(history)
    history.commit({}, "Merge")
    whole = reviewed(history, f"{first}..HEAD")
    single = reviewed(history, f"{first}..HEAD", per_commit=True)
    assert {c.commit.subject for c in single.changes if c.commit} == {"On the side", "On main"}

    def told(found: Review) -> list[tuple[str, str]]:
        return sorted((f.rule, f.message) for f in found.new)

    assert len(told(whole)) > 2
    assert told(single) == told(whole)


def test_merge_that_changes_something_itself_is_shown(history: History) -> None:
    first = diverged(history)
    table = find(BEFORE)
    last = replace(table.states[-1], name="stop15", latency_ns=0)
    evil = replace(table, states=(*table.states[:-1], last))
    history.commit({"hw/slw.c": c_of(evil, "power8")}, "Evil")
    changes = reviewed(history, f"{first}..HEAD", per_commit=True).changes
    [merge] = [c for c in changes if c.commit and c.commit.subject == "Evil"]
    assert [t.source.name for t in merge.tables] == ["power9_cpu_idle_states"]
    assert any("stop15" in finding.message for finding in merge.new)
    assert not any("stop0_lite has an exit" in finding.message for finding in merge.new)


# Both ways round.


def source(table: IdleTable) -> Source:
    [read] = c_table.read(c_table.write([table]), "hw/slw.c")
    return Source(read.name, "hw/slw.c", "", read)


@st.composite
def random_table(draw: st.DrawFn) -> IdleTable:
    rng = random.Random(draw(st.integers(0, 2**32)))
    states = random_tables.states(rng, 6, longest_name=15)
    kept: list[IdleState] = [s for s in find(BEFORE).states if rng.random() < 0.5]
    mixed = [*kept, *states]
    rng.shuffle(mixed)
    firmware = Firmware(array="power9_cpu_idle_states")
    return IdleTable("x", tuple(mixed), Register.PSSCR, firmware=firmware)


Told = set[tuple[str, str, tuple[str, ...], str]]


def told(*groups: tuple[Finding, ...]) -> Told:
    return {
        (f.rule, f.location.path, f.kernels, f.message) for findings in groups for f in findings
    }


@settings(max_examples=examples(15, 20))
@given(random_table(), random_table())
def test_backwards_new_is_fixed_and_fixed_is_new(a: IdleTable, b: IdleTable) -> None:
    one, other = ((s.table, check([s], KERNELS)) for s in (source(table) for table in (a, b)))
    forth, back = outcome(one, other), outcome(other, one)
    assert told(forth.new) == told(back.fixed, back.silenced)
    assert told(forth.fixed, forth.silenced) == told(back.new)
    assert outcome(one, one).new == outcome(one, one).fixed == ()


def test_backwards_in_a_repository(stop0_lite: History) -> None:
    forth = only(reviewed(stop0_lite, "HEAD~1..HEAD"))
    back = only(reviewed(stop0_lite, "HEAD..HEAD~1"))
    assert forth.fixed
    [there], [again] = forth.tables, back.tables
    assert told(there.outcome.fixed) == told(again.outcome.new)
    assert told(there.outcome.new) == told(again.outcome.fixed)
    assert [(d.b, d.a) for d in there.differences] == [(d.a, d.b) for d in again.differences]


def test_finding_that_spreads_to_a_kernel_is_new_there() -> None:
    base = find("power9")
    slow = replace(base.states[1], latency_ns=0)
    both = source(replace(base, states=(base.states[0], slow, *base.states[2:])))
    some = replace(base.states[1], latency_ns=200)
    only_old = source(replace(base, states=(base.states[0], some, *base.states[2:])))
    kernels_only = RuleSelection(select=("IS4",))
    found = outcome(
        *((s.table, check([s], KERNELS, selection=kernels_only)) for s in (only_old, both))
    )
    assert {f.kernels for f in found.new if f.rule == "IS401"} == {("5.10", "6.6")}


# Specs.


def spec(name: str, text: str) -> str:
    return f"name: {name}\n{text}"


CHILD = "extends: base\noverride:\n  stop1: {latency: 6us}\n"


def test_specs_read_their_ancestors_at_the_same_end(history: History) -> None:
    files = {
        "specs/base.yaml": spec("base", "extends: power9\n"),
        "specs/child.yaml": spec("child", CHILD),
        "ci.yaml": "jobs: {build: {extends: nothing}}\n",
    }
    history.commit(files)
    slow = spec("base", "extends: power9\noverride:\n  stop0: {latency: 300ns}\n")
    history.commit({"specs/base.yaml": slow})
    found = only(reviewed(history, specs=True))
    assert [table.source.name for table in found.tables] == ["base", "child"]
    assert [d.path for d in found.tables[1].differences][:1] == ["states.stop0.latency"]
    [new] = [f for f in found.tables[1].outcome.new if f.rule == "IS201"]
    assert (new.location.file, new.location.line) == ("specs/base.yaml", 4)


def test_no_spelling_of_a_key_hides_a_spec(history: History) -> None:
    history.commit({"mine.yaml": spec("mine", "extends: power9\n")})
    hidden = '"n\\x61me": mine\n"\\u0065xtends": power9\noverride:\n  stop0: {latency: 300ns}\n'
    history.commit({"mine.yaml": hidden, "new.yaml": hidden.replace("mine", "new")})
    found = only(reviewed(history, specs=True))
    assert [table.source.name for table in found.tables] == ["mine", "new"]
    assert all(table.after is not None for table in found.tables)
    assert all("IS201" in rules(table.outcome.new) for table in found.tables)


def test_ancestor_that_appears_beside_replaces_the_packaged_one(history: History) -> None:
    history.commit({"mine.yaml": spec("mine", "extends: power9-dd1\n")})
    history.commit({"power9-dd1.yaml": spec("power9-dd1", "extends: power10\n")})
    history.commit({"power9-dd1.yaml": None})
    there, back = reviewed(history, "HEAD~2..HEAD", specs=True, per_commit=True).changes
    for change, names in ((there, {"mine", "power9-dd1"}), (back, {"mine", "power9-dd1"})):
        assert {table.source.name for table in change.tables} == names
    [forth] = [t for t in there.tables if t.source.name == "mine"]
    [again] = [t for t in back.tables if t.source.name == "mine"]
    assert forth.before == again.after
    assert forth.differences


def test_message_about_specs(history: History) -> None:
    rows = "extends: power9\noverride:\n  stop4: {{latency: {}}}\n  stop5: {{latency: {}}}\n"
    history.commit({"mine.yaml": spec("mine", rows.format("90us", "190us"))})
    history.commit(
        {"mine.yaml": spec("mine", rows.format("91us", "191us"))}, "Raise latency of stop4 to 92us"
    )
    found = only(reviewed(history, specs=True)).message
    assert [(f.rule, f.location.line) for f in found] == [("IS510", 5), ("IS511", 4)]


def test_spec_that_breaks_is_a_new_finding(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    good = spec("mine", "extends: power9\n")
    history.commit({"mine.yaml": good, "other.yaml": spec("other", "extends: power10\n")})
    history.commit({"mine.yaml": good + "  oops: [\n"})
    found = only(reviewed(history, specs=True))
    assert rules(found.new) == {"IS910"}
    assert "IS910" in run(capsys, history, "--specs", "--select", "IS2")[1]
    assert (found.tables, found.unread) == ((), ("mine.yaml",))
    history.commit({"mine.yaml": good + "drop: [stop99]\n"})
    found = only(reviewed(history, "HEAD~2..HEAD", specs=True))
    assert rules(found.new) == {"IS927"}
    [table] = found.tables
    assert table.differences == table.linux == ()
    history.commit({"mine.yaml": good})
    assert rules(only(reviewed(history, specs=True)).fixed) == {"IS927"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("specs/flow.yml", "name: flow\nextends: power9\noverride: {{stop0: {{latency: {}}}}}\n"),
        ("flow.yaml", "{{name: flow, extends: power9, override: {{stop0: {{latency: {}}}}}}}\n"),
        ("flow.yml", "# one\n---\n{{\n'extends': power9, name: flow, override: {{stop0:\n"
         "  {{latency: {}}}}}}}\n"),
        ("flow.yaml", "  name: flow\n  extends: power9\n  override: {{stop0: {{latency: {}}}}}\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("per_commit", [False, True])
def test_specs_of_every_form_are_read(
    name: str, text: str, per_commit: bool, history: History
) -> None:
    history.commit({name: text.format("2us")})
    history.commit({name: text.format("300ns")})
    found = only(reviewed(history, specs=True, per_commit=per_commit))
    [table] = found.tables
    assert (table.source.name, table.source.file) == ("flow", name)
    assert "IS201" in rules(found.new)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: new\nextends: [\n", 2),
        ("{name: new, extends: power9,\n override: }}\n", 2),
        ("states: *a\n", 1),
    ],
)
def test_new_spec_that_cannot_be_parsed_is_an_error(text: str, line: int, history: History) -> None:
    history.commit({"a": "b"})
    history.commit({"new.yml": text})
    found = only(reviewed(history, specs=True))
    [finding] = found.new
    assert (finding.location.file, finding.location.line) == ("new.yml", line)
    assert finding.severity is Severity.ERROR
    assert found.unread == ("new.yml",)


def test_a_name_alone_makes_a_spec_beside_others_only(history: History) -> None:
    broken = "name: [\n"
    history.commit({"specs/mine.yaml": spec("mine", "extends: power9\n")})
    history.commit({"specs/bad.yaml": broken, "ci/bad.yaml": broken, "ci/x.yml": "name: CI\n"})
    assert only(reviewed(history, specs=True)).unread == ("specs/bad.yaml",)


def test_other_yaml_is_passed_over(history: History) -> None:
    history.commit({"a": "b"})
    history.commit(
        {
            "ci.yml": "build: &b {extends: x}\njob: *b\n",
            "list.yaml": "- {states: [a]}\n",
            "two.yaml": "name: a\n---\nname: b\n",
            "torn.yaml": "jobs: [\n  states: {\n",
        }
    )
    found = only(reviewed(history, specs=True))
    assert (found.tables, found.new, found.unread) == ((), [], ())


def test_suppression_silences_and_its_removal_reveals(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "extends: power9\noverride:\n  stop0:\n    latency: 300ns{}\n"
    history.commit({"mine.yaml": spec("mine", rows.format(""))})
    reason = "  # idle-states: ignore[IS201] a test"
    history.commit({"mine.yaml": spec("mine", rows.format(reason))})
    [table] = only(reviewed(history, specs=True)).tables
    assert [(f.rule, f.suppressed) for f in table.outcome.silenced] == [("IS201", "a test")]
    assert "IS201" not in rules(table.outcome.fixed)
    _, text = run(capsys, history, "--specs", "--suppressed")
    assert "  suppressed now: error IS201 sub-microsecond-latency: a test" in text.splitlines()
    back = only(reviewed(history, "HEAD..HEAD~1", specs=True))
    assert "IS201" in rules(back.new)


# The command.


def test_status_follows_what_is_new(
    stop0_lite: History, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, stop0_lite)[0] == 0
    assert run(capsys, stop0_lite, "--fail-on", "warning")[0] == 1
    assert run(capsys, stop0_lite, "--fail-on", "warning", "--ignore", "IS51")[0] == 0
    assert run(capsys, stop0_lite, "HEAD..HEAD~1", "--kernel", "4.11")[0] == 1
    assert run(capsys, stop0_lite, "HEAD..HEAD~1", "--kernel", "4.11", "--select", "IS5")[0] == 0


def test_text_is_fit_for_mail(stop0_lite: History, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = run(capsys, stop0_lite, "--kernel", "4.11,5.10,6.6,debian-6.1.192", "--notes")
    lines = text.splitlines()
    assert re.match(r"1 table changed: 1 new finding \(1 warning\), \d+ fixed\.$", lines[0])
    assert max(map(len, lines)) <= 72
    assert all(line.isprintable() for line in lines)
    assert "  stop0_lite: latency 200ns -> 1us, residency 2us -> 10us" in lines
    assert any(line.startswith("  Linux 5.10-6.6, debian-6.1.192: ") for line in lines)
    assert "warning IS510 unmentioned-change: hw/slw.c:" in text


def test_nothing_to_say(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    history.commit({"hw/slw.c": c_of("power9")})
    history.commit({"README": "x"})
    status, text = run(capsys, history, "--fail-on", "note")
    assert (status, text.splitlines()[0]) == (0, "No table changes.")


@pytest.mark.parametrize("words", [[], ["--per-commit"], ["HEAD..HEAD~1"], ["HEAD~1..HEAD~1"]])
def test_json_is_as_described(
    words: list[str], stop0_lite: History, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = run(capsys, stop0_lite, "--format", "json", *words)
    document = json.loads(text)
    assert [
        error.message for error in jsonschema.Draft202012Validator(STRICT).iter_errors(document)
    ] == []
    assert document["head"] == stop0_lite.git(
        "rev-parse", "HEAD~1" if words and "HEAD~1" in words[0] else "HEAD"
    )


def test_machine_formats_carry_what_is_new(
    stop0_lite: History, capsys: pytest.CaptureFixture[str]
) -> None:
    back = ["HEAD..HEAD~1", "--kernel", "4.11"]
    log = json.loads(run(capsys, stop0_lite, *back, "--format", "sarif")[1])
    jsonschema.Draft4Validator(SARIF).validate(log)
    results = log["runs"][0]["results"]
    found = {result["ruleId"] for result in results}
    assert "IS201" in found
    # the change is judged by what was there, not by the packaged table
    assert "IS501" not in found
    [place, *_] = results[0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "hw/slw.c"
    github = run(capsys, stop0_lite, *back, "--format", "github")[1].splitlines()
    # annotations are what text shows, which leaves notes out
    assert len(github) == len([one for one in results if one["level"] != "note"]) < len(results)
    noted = run(capsys, stop0_lite, *back, "--format", "github", "--notes")[1].splitlines()
    assert len(noted) == len(results)
    assert all(re.match(r"::\w+ file=hw/slw.c,line=\d+,", line) for line in github)
    junit = ElementTree.fromstring(run(capsys, stop0_lite, *back, "--format", "junit")[1])
    assert len(list(junit.iter("testcase"))) == len(results)
    assert run(capsys, stop0_lite, "--format", "github", "--ignore", "IS51")[1] == ""


def test_accepted_findings_are_not_new(
    stop0_lite: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["review", "--tree", str(stop0_lite.directory), "HEAD..HEAD~1", "--kernel", "4.11"]
    config = tmp_path / "setup.cfg"
    config.write_text(
        "[idle-states]\nsuppress =\n"
        "    IS201 power9_cpu_idle_states[0].* a test\n"
        "    IS999 nowhere a mistake of the configuration alone\n"
    )
    main([*words, "--format", "json", "--config", str(config)])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [f["location"]["path"] for f in found if f["rule"] == "IS201"] == [
        "power9_cpu_idle_states[1].latency_ns"
    ]
    assert not {"IS902", "IS903"} & {f["rule"] for f in found}
    baseline = tmp_path / "baseline.json"
    file = tmp_path / "slw.c"
    file.write_text(c_of(BEFORE))
    main(["baseline", "write", str(file), "--kernel", "4.11", "--file", str(baseline)])
    main([*words, "--format", "json", "--config", "none", "--baseline", str(baseline)])
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_names_from_the_repository_are_made_printable(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "a\x1b[31m\n.yaml"
    history.commit({name: spec("mine", "extends: power9\n")}, "\x1b[31mred")
    assert only(reviewed(history, specs=True)).tables[0].source.file == name
    _, text = run(capsys, history, "--specs", "--per-commit")
    assert all(line.isprintable() for line in text.splitlines())


def test_snippets_are_of_the_place_itself(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"hw/slw.c": c_of(AFTER)})
    history.commit({"hw/slw.c": c_of(BEFORE)})
    history.commit({"hw/slw.c": "\n\n\n\n\n" + c_of(BEFORE)})
    words = ["HEAD~2..HEAD", "--kernel", "4.11", "--format", "sarif", "--select", "IS201"]
    for more, expected in ((["--per-commit"], set()), ([], {"\t\t.latency_ns = 200,"})):
        log = json.loads(run(capsys, history, *words, *more)[1])
        regions = [
            place["physicalLocation"]["region"]
            for result in log["runs"][0]["results"]
            for place in result["locations"]
        ]
        assert regions
        found = {region["snippet"]["text"] for region in regions if "snippet" in region}
        assert expected <= found
        assert bool(expected) is bool(found)


# Input that is wrong, missing or hostile.


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["review", *words])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return status, captured.err


def test_what_is_no_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = refusal(capsys, "--tree", str(tmp_path))
    assert (status, "not a git repository" in said) == (3, True)
    status, said = refusal(capsys, "--tree", str(tmp_path / "nowhere"))
    assert (status, "found no directory" in said) == (3, True)


def test_git_that_is_missing(
    stop0_lite: History, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    status, said = refusal(capsys, "--tree", str(stop0_lite.directory))
    assert (status, "expected the program git" in said) == (3, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HEAD~9..HEAD", 3),
        ("nonsense..HEAD", 3),
        ("HEAD:hw/slw.c..HEAD", 3),
        ("=--all..HEAD", 3),
        ("HEAD", 2),
        ("..", 2),
        ("", 2),
    ],
)
def test_what_is_no_range(
    text: str, expected: int, stop0_lite: History, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said = refusal(capsys, "--tree", str(stop0_lite.directory), text)
    assert status == expected
    assert re.search("expected (a revision|BASE..HEAD), found", said)


def test_revision_that_looks_like_an_option(stop0_lite: History) -> None:
    with pytest.raises(Unreadable, match="expected a revision"):
        Repository(stop0_lite.directory).resolve("--git-dir")


def test_history_that_is_cut_off(
    stop0_lite: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stop0_lite.commit({"a": "b"})
    shallow = tmp_path / "shallow"
    url = stop0_lite.directory.as_uri()
    stop0_lite.git("clone", "-q", "--depth", "2", url, str(shallow))
    assert main(["review", "--tree", str(shallow), "--config", "none"]) == 0
    capsys.readouterr()
    status, said = refusal(capsys, "--tree", str(shallow), "HEAD~2..HEAD")
    assert (status, "the clone is shallow" in said) == (3, True)
    stop0_lite.git("clone", "-q", "--depth", "1", url, f"{shallow}1")
    status, said = refusal(capsys, "--tree", f"{shallow}1")
    assert (status, "the clone is shallow" in said) == (3, True)


def test_c_that_does_not_parse_is_a_finding_of_its_commit(history: History) -> None:
    history.commit({"hw/slw.c": c_of(BEFORE), "hw/slw-p8.c": c_of("power8")})
    broken = c_of(BEFORE).replace("= 200,", "= 2 * TICK,")
    assert broken != c_of(BEFORE)
    history.commit({"hw/slw.c": broken, "hw/slw-p8.c": c_of("power8@0768e820e")})
    history.commit({"hw/slw.c": c_of(BEFORE)})
    breaks, mends = reviewed(history, "HEAD~2..HEAD", per_commit=True).changes
    assert "IS932" in rules(breaks.new)
    assert rules(breaks.files.new) == rules(mends.files.fixed) == {"IS932"}
    assert breaks.unread == ("hw/slw.c",)
    assert [table.source.name for table in breaks.tables] == ["power8_cpu_idle_states"]
    assert mends.tables == ()


def test_huge_file_is_refused(stop0_lite: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_tree, "MAX_BYTES", 100)
    found = only(reviewed(stop0_lite))
    assert found.unread == ("hw/slw.c",)
    assert (found.tables, found.new, found.fixed) == ((), [], [])


def test_bare_repository_and_directory_within(stop0_lite: History, tmp_path: Path) -> None:
    bare, doc = tmp_path / "bare.git", stop0_lite.directory / "doc"
    stop0_lite.git("clone", "-q", "--bare", str(stop0_lite.directory), str(bare))
    stop0_lite.commit({"doc/a": "b"})
    stop0_lite.git("reset", "-q", "--soft", "HEAD~1")
    for directory, count in ((bare, 1), (stop0_lite.directory / "hw", 1), (doc, 0)):
        repository = Repository(directory)
        base, head = ends(repository, None)
        found = review(repository, base, head, Yardstick(Criteria(KERNELS[:1])))
        repository.close()
        assert len(only(found).tables) == count


def test_skiboot_within_another_repository(history: History) -> None:
    history.commit({"fw/skiboot/hw/slw.c": c_of(BEFORE), "hw/slw.c": c_of("power9")})
    history.commit({"fw/skiboot/hw/slw.c": c_of(AFTER), "hw/slw.c": c_of("power10")})
    within = Repository(history.directory / "fw/skiboot")
    base, head = ends(within, None)
    [table] = only(review(within, base, head, Yardstick(Criteria(KERNELS[:1])))).tables
    within.close()
    assert table.source.file == "fw/skiboot/hw/slw.c"


def test_repository_cannot_run_programs(
    stop0_lite: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is another one read because the environment says so."""
    witness = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch {witness}\ncat "$1"\n')
    program.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.c.textconv", "core.pager", "core.editor"):
        stop0_lite.git("config", key, str(program))
    (stop0_lite.directory / ".git/info/attributes").write_text("*.c diff=c filter=c\n")
    stop0_lite.git("config", "filter.c.smudge", str(program))
    hooks = stop0_lite.directory / ".git/hooks"
    for hook in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / hook).symlink_to(program)
    other = History(tmp_path / "other")
    other.commit({"a": "b"})
    monkeypatch.setenv("GIT_DIR", str(other.directory / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    before = sorted((stop0_lite.directory / ".git").rglob("*"))
    assert only(reviewed(stop0_lite)).tables
    assert only(reviewed(stop0_lite, specs=True)).tables == ()
    assert not witness.exists()
    assert sorted((stop0_lite.directory / ".git").rglob("*")) == before


def test_link_in_place_of_a_file(history: History) -> None:
    history.commit({"hw/slw.c": c_of("power9"), "mine.yaml": spec("mine", "extends: power9\n")})
    (history.directory / "hw/slw.c").unlink()
    (history.directory / "hw/slw.c").symlink_to("/etc/hostname")
    (history.directory / "mine.yaml").unlink()
    (history.directory / "mine.yaml").symlink_to("/etc/hostname")
    history.commit({})
    for specs in (False, True):
        [table] = only(reviewed(history, specs=specs)).tables
        assert table.after is None


def test_work_tree_is_not_looked_at(stop0_lite: History) -> None:
    (stop0_lite.directory / "hw/slw.c").write_text("#error nothing here\n")
    assert only(reviewed(stop0_lite)).tables


def test_process_ends_with_its_reader(stop0_lite: History) -> None:
    repository = Repository(stop0_lite.directory)
    repository.commit(repository.resolve("HEAD"))
    running, made = repository._contents, Path(repository._git._made.name)
    assert running is not None
    assert made.is_dir()
    repository.close()
    assert running._process.poll() is not None
    assert not made.exists()


# Suppressions are part of what is reviewed.

CONFIG = "[idle-states]\nsuppress =\n    IS201 power9_cpu_idle_states[*].* {}\n"


def judged(
    capsys: pytest.CaptureFixture[str], history: History, *words: str
) -> tuple[int, dict[str, Any]]:
    more = ["--kernel", "4.11", "--fail-on", "warning", "--select", "IS201,IS905"]
    status = main(["review", "--tree", str(history.directory), *more, "--format", "json", *words])
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(STRICT).validate(document)
    return status, document


def test_change_cannot_silence_findings_about_itself(
    history: History, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    history.commit({"hw/slw.c": c_of(AFTER)})
    history.commit({"hw/slw.c": c_of(BEFORE), "setup.cfg": CONFIG.format("trust me")})
    # as in CI, where the change is checked out and one stands in it
    monkeypatch.chdir(history.directory)
    for words in ([], ["--per-commit"]):
        status, document = judged(capsys, history, *words)
        assert status == 1
        found = document["findings"]
        assert {f["rule"] for f in found} == {"IS201"}
        assert all("(suppressed by this change: trust me)" in f["message"] for f in found)
        [added] = document["changes"][0]["suppressions"]
        assert added == {
            "rules": ["IS201"],
            "path": "power9_cpu_idle_states[*].*",
            "reason": "trust me",
            "until": "",
            "file": "setup.cfg",
            "line": 3,
        }
    main(["review", "--tree", ".", "--kernel", "4.11"])
    out = capsys.readouterr().out
    assert "Suppressions that the change adds\n  setup.cfg:3: IS201 power9_cpu" in out
    # who names a configuration has it
    assert judged(capsys, history, "--config", "setup.cfg")[0] == 0
    assert judged(capsys, history, "--config", "none")[0] == 1


def test_what_was_accepted_before_stays_accepted(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"hw/slw.c": c_of(AFTER), "setup.cfg": CONFIG.format("since long")})
    history.commit({"hw/slw.c": c_of(BEFORE)})
    status, document = judged(capsys, history)
    assert (status, document["findings"]) == (0, [])
    assert document["changes"][0]["suppressions"] == []
    # what no change brings is not new; that it is accepted from now on is said
    history.commit({"setup.cfg": None})
    history.commit({"setup.cfg": CONFIG.format("again")})
    status, document = judged(capsys, history)
    assert (status, document["findings"]) == (0, [])
    assert [one["reason"] for one in document["changes"][0]["suppressions"]] == ["again"]


def test_comment_that_a_change_adds_hides_nothing_it_brings(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"mine.yaml": spec("mine", "extends: power9\n")})
    row = "extends: power9\noverride:\n  stop0:\n    latency: 300ns{}\n"
    reason = "  # idle-states: ignore[IS201] trust me"
    history.commit({"mine.yaml": spec("mine", row.format(reason))})
    status, document = judged(capsys, history, "--specs")
    assert (status, len(document["findings"])) == (1, 1)
    assert "(suppressed by this change: trust me)" in document["findings"][0]["message"]
    [added] = document["changes"][0]["suppressions"]
    assert (added["rules"], added["reason"], added["file"]) == (["IS201"], "trust me", "mine.yaml")
    # it was there before: nothing new
    history.commit({"mine.yaml": "\n" + spec("mine", row.format(reason))})
    assert judged(capsys, history, "--specs")[0] == 0


def test_configuration_of_a_commit_that_is_wrong_is_a_finding(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"hw/slw.c": c_of(AFTER)})
    history.commit({"setup.cfg": "[idle-states]\nsuppress =\n    nonsense\n"})
    status, document = judged(capsys, history)
    assert status == 1
    [finding] = document["findings"]
    assert (finding["rule"], finding["location"]["file"], finding["location"]["line"]) == (
        "IS905",
        "setup.cfg",
        3,
    )
