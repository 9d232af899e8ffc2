"""review: what lies between two commits of a repository of C tables."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.table import Firmware, IdleState, IdleTable, Register
from idle_states.change.review.findings import outcome
from idle_states.change.review.machines import Selector
from idle_states.cli import main
from idle_states.tables.check.check import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.spec.library import find
from tests.base.report.test_output_schema import STRICT
from tests.support import DATA, random_tables
from tests.support.git_history import History
from tests.support.reviewed import (
    AFTER,
    BEFORE,
    KERNELS,
    c_of,
    only,
    reviewed,
    rules,
    run,
    source,
    spec,
    told,
)
from tests.support.thorough import examples

SARIF = json.loads((DATA / "schemas/sarif-2.1.0.json").read_text("utf-8"))


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
    said = "teo of Linux 6.6 looks at CPU utilisation: CPUs are assumed not to be utilised"
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


@st.composite
def random_table(draw: st.DrawFn) -> IdleTable:
    rng = random.Random(draw(st.integers(0, 2**32)))
    states = random_tables.states(rng, 6, longest_name=15)
    kept: list[IdleState] = [s for s in find(BEFORE).states if rng.random() < 0.5]
    mixed = [*kept, *states]
    rng.shuffle(mixed)
    firmware = Firmware(array="power9_cpu_idle_states")
    return IdleTable("x", tuple(mixed), Register.PSSCR, firmware=firmware)


@settings(max_examples=examples(15, 20))
@given(random_table(), random_table())
def test_backwards_new_is_fixed_and_fixed_is_new(a: IdleTable, b: IdleTable) -> None:
    one, other = (
        (s.table, check([s], Criteria(KERNELS))) for s in (source(table) for table in (a, b))
    )
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
    kernels_only = Criteria(KERNELS, rules=RuleSelection(select=("IS4",)))
    found = outcome(*((s.table, check([s], kernels_only)) for s in (only_old, both)))
    assert {f.kernels for f in found.new if f.rule == "IS401"} == {("5.10", "6.6")}


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
    main(["check", str(file), "--kernel", "4.11", "--write-baseline", str(baseline)])
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
