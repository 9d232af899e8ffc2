"""Findings in the forms of other tools: each is held to that form's own grammar."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Confidence, Finding, Location, Severity
from idle_states.base.report import github, junit
from idle_states.base.report.findings_text import FoundPart
from idle_states.cli import main
from idle_states.tables.check import formats, sarif
from idle_states.tables.rules.catalogue import rules
from tests.support import DATA

SARIF = json.loads((DATA / "schemas/sarif-2.1.0.json").read_text("utf-8"))
SPEC = """\
name: mine
extends: power9
override:
  stop0_lite:
    latency: 200ns  # idle-states: ignore[IS201] for the test
  stop1: {latency: 2050us}
"""

texts = st.text(min_size=1, max_size=20)
locations = st.builds(
    Location,
    path=texts,
    file=st.none() | texts,
    line=st.none() | st.integers(1, 9),
    column=st.integers(1, 500),
    length=st.integers(0, 9),
)
findings = st.builds(
    Finding,
    rule=st.sampled_from([loaded.rule.code for loaded in rules()]),
    name=st.just("some-name"),
    severity=st.sampled_from(Severity),
    message=texts,
    location=locations,
    confidence=st.sampled_from(Confidence),
    related=st.lists(st.tuples(locations, texts), max_size=2).map(tuple),
    kernels=st.lists(texts, max_size=2).map(tuple),
    table=texts,
    suppressed=st.none() | texts,
    kept_in=st.sampled_from(["source", "config", "baseline"]),
)


def output(form: str, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(["check", *words, "--format", form, "--config", "none"])
    return capsys.readouterr().out


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mine.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return "mine.yaml"


@given(st.lists(findings, max_size=5))
def test_sarif_is_valid_whatever_the_findings(found: list[Finding]) -> None:
    parts = [FoundPart(found, [("a.c", "0" * 64)], {"a.c": "x\ny"})]
    document = json.loads("".join(sarif.render("check", parts)))
    jsonschema.Draft7Validator(SARIF).validate(document)
    (run,) = document["runs"]
    assert len(run["results"]) == len(found)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for place in result["locations"] + result.get("relatedLocations", []):
            artifact = place.get("physicalLocation", {}).get("artifactLocation")
            if artifact:
                assert run["artifacts"][artifact["index"]]["location"]["uri"] == artifact["uri"]


def test_sarif_says_what_the_text_says(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(output("sarif", capsys, spec))
    (run,) = document["runs"]
    by_rule: dict[str, dict[str, Any]] = {result["ruleId"]: result for result in run["results"]}
    assert by_rule["IS201"]["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "for the test"}
    ]
    latency = by_rule["IS206"]
    assert latency["level"] == "warning"
    assert "suppressions" not in latency
    physical = latency["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "mine.yaml"
    assert physical["region"]["startLine"] == 6
    snippet = physical["region"]["snippet"]["text"]
    first, last = physical["region"]["startColumn"], physical["region"]["endColumn"]
    assert snippet[first - 1 : last - 1] == "2050us"
    described = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert "What it does" in described["IS206"]["help"]["text"]
    assert described["IS206"]["shortDescription"]["text"].endswith(".")
    hashes = [artifact.get("hashes") for artifact in run["artifacts"]]
    assert any(found and re.fullmatch("[0-9a-f]{64}", found["sha-256"]) for found in hashes)


def test_fingerprints_stay_when_lines_move(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def prints() -> list[tuple[str, str]]:
        results = json.loads(output("sarif", capsys, spec))["runs"][0]["results"]
        return [(r["ruleId"], r["partialFingerprints"][sarif.FINGERPRINT]) for r in results]

    before = prints()
    assert len(set(before)) == len(before)
    (tmp_path / "mine.yaml").write_text("# moved\n\n" + SPEC)
    assert prints() == before


_COMMAND = re.compile(
    r"::(error|warning|notice) ((?:[a-zA-Z]+=[^:,]*)(?:,[a-zA-Z]+=[^:,]*)*)::([^\r\n]*)"
)


@given(st.lists(findings, max_size=5))
def test_github_commands_are_one_line_each(found: list[Finding]) -> None:
    lines = github.render(found).split("\n")
    assert lines.pop() == ""
    assert len(lines) == sum(finding.counts for finding in found)
    for line in lines:
        assert _COMMAND.fullmatch(line), line


def test_github_points_at_the_value(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = output("github", capsys, spec).splitlines()
    assert not any("IS201" in line for line in lines), "a suppressed finding is no annotation"
    (line,) = [line for line in lines if "IS206" in line]
    assert line.startswith("::warning file=mine.yaml,line=6,col=20,endColumn=26,title=IS206 ")
    assert "2050us" in line


def test_a_report_by_inputs_is_that_of_all_at_once() -> None:
    """Findings may be of the input, of what several include, or of another input."""
    inputs = [(f"{name}.dtb", name * 64) for name in "abc"]
    told = [
        Finding("IS203", "x", Severity.ERROR, message, Location("/cpus", file, 1), related=related)
        for file, message, related in (
            ("a.dtb", "own", ()),
            ("a.dtb", "own again", ()),
            ("part.dtsi", "shared by a", ((Location("/x", "c.dtb", 2), "so"),)),
            ("b.dtb", "own", ()),
            ("part.dtsi", "shared by b", ()),
            ("c.dtb", "own", ()),
        )
    ]
    whole = [FoundPart(told, inputs, {"part.dtsi": "line"})]
    cut = ((0, 3), (3, 5), (5, 6))
    parts = [
        FoundPart(told[first:last], inputs[number : number + 1], {"part.dtsi": "line"})
        for number, (first, last) in enumerate(cut)
    ]
    for form in ("sarif", "junit", "github"):
        one, other = (
            "".join(formats.parts(form, "audit", iter(p), None, Severity.ERROR))
            for p in (whole, parts)
        )
        assert one == other or (form == "sarif" and by_name(one) == by_name(other))


def by_name(text: str) -> tuple[str, list[dict[str, Any]]]:
    """A SARIF log whose files are not told by their places in a list, and these by name."""
    (run,) = json.loads(text)["runs"]
    for result in run["results"]:
        for place in result["locations"] + result.get("relatedLocations", []):
            artifact = place["physicalLocation"]["artifactLocation"]
            index = artifact.pop("index")
            assert run["artifacts"][index]["location"]["uri"] == artifact["uri"]
    files = run.pop("artifacts")
    return json.dumps(run), sorted(files, key=lambda each: str(each["location"]))


@given(st.lists(findings, max_size=5), st.sampled_from(Severity))
def test_junit_counts_add_up(found: list[Finding], least: Severity) -> None:
    parts = [FoundPart(found, [("clean.dtb", "ab")], {})]
    root = ElementTree.fromstringlist(junit.render("check", parts, least))
    cases = root.findall("testsuite/testcase")
    assert int(root.attrib["tests"]) == len(cases)
    failing = [f for f in found if f.counts and f.severity >= least]
    assert int(root.attrib["failures"]) == len(root.findall(".//failure")) == len(failing)
    for suite in root.findall("testsuite"):
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        assert int(suite.attrib["skipped"]) == len(suite.findall(".//skipped"))


def test_junit_of_a_clean_input_has_a_passing_case(capsys: pytest.CaptureFixture[str]) -> None:
    root = ElementTree.fromstring(output("junit", capsys, "power10", "--select", "IS101"))
    (suite,) = root.findall("testsuite")
    (case,) = suite.findall("testcase")
    assert len(case) == 0
    assert suite.attrib["failures"] == "0"


@pytest.mark.parametrize(("fail_on", "failures"), [("note", "1"), ("warning", "0"), ("error", "0")])
def test_junit_fails_for_a_note_that_decides_the_exit_status(
    fail_on: str, failures: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["check", "power9", "--select", "IS207", "--kernel", "6.1", "--format", "junit"]
    status = main([*words, "--fail-on", fail_on])
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert (root.attrib["failures"] != "0") is (status == 1)
    assert root.attrib["failures"] == failures


def test_github_has_what_text_has_at_files_that_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    Path("mine.yaml").write_text(
        "name: mine\nextends: power9\noverride:\n  stop0_lite: {latency: 200ns}\n"
    )
    assert main(["check", "mine.yaml", "--format", "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    main(["check", "mine.yaml"])
    text = capsys.readouterr().out
    heads = [line for line in text.splitlines() if re.search(r"\[IS\d{3} [a-z0-9-]+\]$", line)]
    assert len(lines) == len(heads) > 1
    assert not any(line.startswith("::notice") for line in lines)
    files = {match[1] for line in lines if (match := re.search(r"file=([^,:]+)", line))}
    assert files == {"mine.yaml"}
    inherited = [line for line in lines if "line=2," in line]
    assert inherited
    assert all("specs/power9.yaml" in line for line in inherited)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    main(["check", "mine.yaml", "--format", "github", "--notes"])
    out = capsys.readouterr().out
    assert "::notice" in out
    assert "file=deep/mine.yaml," in out
    main(["check", "power9", "--format", "github"])
    assert "file=" not in capsys.readouterr().out
