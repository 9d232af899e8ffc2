"""One bad file never hides what is found in the others."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.base.dataclass import replace
from idle_states.base.model.findings import Finding
from idle_states.base.reading.unexpected import TRACEBACK
from idle_states.cli import main
from idle_states.tables.audit.answer import audit, setting_of
from idle_states.tables.audit.audit import audit_path
from idle_states.tables.audit.request import AuditRequest
from idle_states.tables.check.acceptance import NO_CONFIG, Acceptance
from idle_states.tables.check.answer import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.check.request import CheckRequest
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules import engine
from idle_states.tables.rules.loaded import LoadedRule
from idle_states.tables.rules.rule import Verdict
from idle_states.tables.sources import format_dtb, format_spec
from idle_states.tables.sources.walk import Walk
from tests.base.reading.test_hostile import EDITS, QUICK, damaged, valid
from tests.support import hostile
from tests.support.releases import kernels_of
from tests.support.thorough import examples

CRITERIA = Criteria(kernels_of(["4.11", "6.1"]))
ACCEPTANCE = Acceptance(NO_CONFIG)
SOUND = {
    # each has something to find
    "sound.yaml": b"name: mine\nextends: power9\noverride: {stop2: {latency: 9ms}}\n",
    "sound.c": valid()["c"].replace(b"20000", b"30000000"),
    "sound.dtb": valid()["dtb"].replace((20_000).to_bytes(4), (30_000_000).to_bytes(4)),
    "sound.dts": valid()["dts"],
}
CIRCLES = {
    "itself": {"power9.yaml": b"name: p9b\nextends: power9\n"},
    "two": {"a.yaml": b"name: a\nextends: b\n", "b.yaml": b"name: b\nextends: a\n"},
    "long": {f"c{n}.yaml": f"name: c{n}\nextends: c{(n + 1) % 40}\n".encode() for n in range(40)},
}
HOSTILE = st.one_of(
    st.sampled_from(QUICK), st.tuples(st.sampled_from(sorted({*valid()} - {"dts"})), EDITS)
)


def of_sound(findings: Iterator[Finding] | list[Finding]) -> list[Finding]:
    return [found for found in findings if os.path.basename(found.location.file or "") in SOUND]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("together")
    for name, data in SOUND.items():
        (top / name).write_bytes(data)
    return top


@pytest.fixture(scope="module")
def alone(folder: Path) -> list[Finding]:
    """Returns what check finds in each sound file that is named by itself."""
    words = [(folder / name).as_posix() for name in sorted(SOUND)]
    results = [check(CheckRequest((word,), CRITERIA, acceptance=ACCEPTANCE)) for word in words]
    found = [finding for result in results for finding in of_sound(list(result.findings))]
    assert {os.path.basename(each.location.file or "") for each in found} == set(SOUND)
    return found


def expect_sound_as_alone(folder: Path, alone: list[Finding]) -> None:
    result = check(CheckRequest((folder.as_posix(),), CRITERIA, acceptance=ACCEPTANCE))
    key = repr
    assert sorted(of_sound(list(result.findings)), key=key) == sorted(alone, key=key)
    request = AuditRequest((folder.as_posix(),), CRITERIA, acceptance=ACCEPTANCE)
    setting = setting_of(request)
    together = {each.file: each for several in audit(request, setting, Walk()) for each in several}
    for name in SOUND:
        (own,) = audit_path(folder / name, setting)
        assert together[(folder / name).as_posix()] == own


@settings(max_examples=examples(8, 30), deadline=None, suppress_health_check=list(HealthCheck))
@given(bad=HOSTILE)
def test_sound_files_are_judged_as_alone(
    bad: str | tuple[str, list[tuple[str, float, int, bytes]]], folder: Path, alone: list[Finding]
) -> None:
    into = folder / "bad"
    into.mkdir()
    try:
        if isinstance(bad, str):
            hostile.make(bad, into)
        else:
            (into / f"bad.{bad[0]}").write_bytes(damaged(valid()[bad[0]], bad[1]))
        expect_sound_as_alone(folder, alone)
    finally:
        shutil.rmtree(into)


@pytest.mark.parametrize("name", sorted(CIRCLES))
def test_circles_are_findings_of_their_files(name: str, folder: Path, alone: list[Finding]) -> None:
    into = folder / "circle"
    into.mkdir()
    try:
        for file, data in CIRCLES[name].items():
            (into / file).write_bytes(data)
        expect_sound_as_alone(folder, alone)
        result = check(CheckRequest((into.as_posix(),), CRITERIA, acceptance=ACCEPTANCE))
        broken = {f.location.file for f in result.findings if f.rule == "IS926"}
        assert {os.path.basename(file or "") for file in broken} == set(CIRCLES[name])
    finally:
        shutil.rmtree(into)


# What nobody expected


@pytest.fixture(
    params=[RecursionError("deep"), ZeroDivisionError("no"), AssertionError("no")], ids=repr
)
def failing(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A reader of specs and a model of blobs that fail on one file."""
    load, read = format_spec.read, format_dtb.read

    def reads_spec(file: object) -> object:
        if "bad" in file.shown:  # type: ignore[attr-defined]
            raise request.param
        return load(file)  # type: ignore[arg-type]

    def reads_blob(file: object) -> object:
        if "bad" in file.shown:  # type: ignore[attr-defined]
            raise request.param
        return read(file)  # type: ignore[arg-type]

    monkeypatch.setattr(format_spec, "read", reads_spec)
    monkeypatch.setattr(format_dtb, "read", reads_blob)
    for name in ("sound.yaml", "sound.dtb"):
        (tmp_path / name).write_bytes(SOUND[name])
        (tmp_path / name.replace("sound", "bad")).write_bytes(SOUND[name])
    monkeypatch.chdir(tmp_path)


FORMS = ("json", "sarif", "github", "junit")


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("words", [["check", "."], ["check", "sound.yaml", "bad.yaml"], ["audit"]])
def test_every_form_has_it(form: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = [*words, "."] if words == ["audit"] else words
    assert main([*words, "--config", "none", "--format", form, "--notes"]) == 3
    out = capsys.readouterr().out
    assert "IS990" in out
    assert "bad.yaml" in out
    assert "sound.yaml" in out
    if form in ("json", "sarif"):
        json.loads(out)


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize(
    "words",
    [
        ["show", "bad.yaml"],
        ["diff", "power9", "bad.yaml"],
        ["select", "bad.yaml"],
        ["generate", "--to", "c", "bad.yaml"],
        ["kernels", "--table", "bad.yaml"],
        ["prove", "bad.yaml"],
        ["simulate", "ping-pong", "--table", "power9", "--table", "bad.yaml"],
    ],
    ids=" ".join,
)
def test_a_single_answer_names_the_input(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 3
    captured = capsys.readouterr()
    assert "bad.yaml: error: the tool failed at test_together.py" in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


@pytest.mark.usefixtures("failing")
def test_the_traceback_is_there_for_a_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRACEBACK, "1")
    assert main(["check", "."]) == 3
    err = capsys.readouterr().err
    assert "Traceback (most recent call last)" in err
    assert "reads_" in err


def test_a_rule_that_fails_costs_its_own_findings_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = CheckRequest(((folder / "sound.yaml").as_posix(),), CRITERIA, acceptance=ACCEPTANCE)
    before = check(request).findings
    lost = before[0].rule
    real = engine.rules_on

    def broken(subject: Subject) -> Iterator[Verdict]:
        raise ZeroDivisionError("by a rule")

    def some(form: str) -> list[LoadedRule]:
        return [
            replace(each, rule=replace(each.rule, checks=[broken]))
            if each.rule.code == lost
            else each
            for each in real(form)
        ]

    monkeypatch.setattr(engine, "rules_on", some)
    result = check(request)
    (failure,) = [finding for finding in result.findings if finding.rule == "IS990"]
    assert "ZeroDivisionError: by a rule" in failure.message
    assert failure.location.file == (folder / "sound.yaml").as_posix()
    after = {(finding.rule, finding.location) for finding in result.findings}
    assert {(f.rule, f.location) for f in before if f.rule != lost} <= after


@pytest.mark.usefixtures("failing")
def test_it_cannot_be_suppressed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("setup.cfg").write_text("[idle-states]\nsuppress =\n  IS990 bad.yaml it is ours\n")
    assert main(["check", "bad.yaml", "--ignore", "IS9", "--config", "setup.cfg"]) == 3
    assert "IS990" in capsys.readouterr().out
