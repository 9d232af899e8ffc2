"""Every rule's page is complete, and its examples do what the page says, in every form."""

import datetime
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from idle_states.base.model.findings import Finding, Severity, Unreadable
from idle_states.tables.check import config
from idle_states.tables.check.accepted import accept
from idle_states.tables.linux.releases import DEFAULT
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.catalogue import known_codes, rule_named, rules
from idle_states.tables.rules.engine import run, unused
from idle_states.tables.rules.loaded import LoadedRule
from idle_states.tables.rules.rule import FORMS
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.sources import read_sources
from idle_states.tables.spec.library import load
from idle_states.tables.spec.packaged import current, resolve_name
from tests.support import rule_pages as pages
from tests.support import subjects
from tests.support.known_findings import documented

ALL = [pytest.param(loaded, id=loaded.rule.code) for loaded in rules()]
CHECKED = [loaded for loaded in rules() if loaded.rule.checks]


def example_of(loaded: LoadedRule, title: str) -> str:
    return pages.written_out(pages.sections(loaded.page)[title])


def examples() -> Sequence[object]:
    """(rule, form) for every form a rule can fire on, the first of them by plain pytest; DTS and C
    examples have one form only."""
    params = []
    for loaded in CHECKED:
        in_dts = pages.is_dts(example_of(loaded, "Example"))
        written = ("nodes",) if loaded.rule.forms == ("nodes",) else ("dt",)
        if pages.is_c(example_of(loaded, "Example")):
            written, in_dts = ("driver",), True
        if pages.is_asl(example_of(loaded, "Example")):
            written, in_dts = ("acpi",), True
        for number, form in enumerate(written if in_dts else loaded.rule.forms):
            marks = [pytest.mark.slow] if number else []
            params.append(pytest.param(loaded, form, id=f"{loaded.rule.code}-{form}", marks=marks))
    return params


Maker = Callable[[LoadedRule, str, str], Subject]


@pytest.fixture
def subject_of(request: pytest.FixtureRequest, tmp_path: Path) -> Maker:
    """(rule, section, form) -> the subject that the section's example is."""

    def make(loaded: LoadedRule, title: str, form: str) -> Subject:
        example = example_of(loaded, title)
        if pages.is_dts(example):
            request.getfixturevalue("dtc")
            return subjects.dts(example, tmp_path)
        if pages.is_asl(example):
            request.getfixturevalue("iasl")
            return subjects.asl(example, tmp_path)
        kernels, platform = (pages.option(example, name) for name in ("kernel", "platform"))
        names = kernels.split(", ") if kernels else DEFAULT
        if pages.is_dump(example):
            file = tmp_path / "dump.txt"
            file.write_text(f"{example}\n", "utf-8")
            return Subject.of(read_sources(str(file))[0], subjects.KERNELS)
        if pages.is_c(example):
            return subjects.driver(example, tmp_path, names, platform or ALL_LEVELS.name)
        subject = subjects.spec(
            example,
            tmp_path,
            names,
            platform or ALL_LEVELS.name,
        )
        return subjects.in_form(subject, form)

    return make


@pytest.mark.parametrize("loaded", ALL)
def test_page_is_complete(loaded: LoadedRule) -> None:
    code, name, summary = pages.title(loaded.page)
    assert (code, name) == (loaded.rule.code, loaded.rule.name)
    assert summary == loaded.summary
    found = pages.sections(loaded.page)
    more = (pages.THRESHOLDS,) if loaded.rule.thresholds else ()
    assert tuple(found) == (*pages.SECTIONS, *more)
    assert all(found.values()), "a section is empty"


@pytest.mark.parametrize("loaded", ALL)
def test_page_bodies_are_indented(loaded: LoadedRule) -> None:
    for line in loaded.page.splitlines()[1:]:
        titles = (*pages.SECTIONS, pages.THRESHOLDS)
        assert not line or line in titles or line.startswith("    "), line


def test_codes_and_names_are_unique() -> None:
    assert len(known_codes()) == len(rules())
    assert len({loaded.rule.name for loaded in rules()}) == len(rules())


@pytest.mark.parametrize("loaded", ALL)
def test_module_is_named_after_its_rule(loaded: LoadedRule) -> None:
    assert rule_named(loaded.rule.code.lower()) is loaded
    assert rule_named(loaded.rule.name) is loaded
    assert loaded.rule.forms
    assert set(loaded.rule.forms) <= set(FORMS)


@pytest.mark.parametrize("loaded", ALL)
def test_page_mentions_only_rules_there_are(loaded: LoadedRule) -> None:
    mentioned = set(re.findall(r"\bIS\d{3}\b", loaded.page))
    assert mentioned <= known_codes()


@pytest.mark.parametrize(("loaded", "form"), examples())
def test_example_fires(loaded: LoadedRule, form: str, subject_of: Maker) -> None:
    subject = subject_of(loaded, "Example", form)
    assert subject.form == form
    found = subjects.fired(loaded.rule.code, subject)
    assert found
    for finding in found:
        assert (finding.rule, finding.name) == (loaded.rule.code, loaded.rule.name)
        assert finding.table == subject.table.name
        assert finding.location.path or finding.location.line
        assert finding.message
        assert not finding.message.endswith(".")
        assert "\n" not in finding.message


@pytest.mark.parametrize(("loaded", "form"), examples())
def test_use_instead_does_not_fire(loaded: LoadedRule, form: str, subject_of: Maker) -> None:
    subject = subject_of(loaded, "Use instead", form)
    assert subjects.fired(loaded.rule.code, subject) == []


def about_a_spec() -> Sequence[object]:
    """Rules the loader and the engine raise about a spec itself."""
    return [
        pytest.param(loaded, id=loaded.rule.code)
        for loaded in rules()
        if not loaded.rule.checks
        and "IS901" <= loaded.rule.code < "IS930"
        and loaded.rule.code not in ("IS904", "IS905", "IS906")
    ]


def complaints(example: str, directory: Path) -> list[Finding]:
    """All there is to say about a spec, from reading it to its suppressions."""
    try:
        loaded = load(subjects.spec_file(example, directory))
    except Unreadable as unreadable:
        return list(unreadable.findings)
    if loaded.table is None:
        return list(loaded.findings)
    found = run(Subject(loaded.table, subjects.KERNELS), loaded.suppressions)
    return [*loaded.findings, *found, *unused(loaded.suppressions, found, loaded.table.name)]


@pytest.mark.parametrize("loaded", about_a_spec())
def test_complaint_about_a_spec_is_as_its_page_says(loaded: LoadedRule, tmp_path: Path) -> None:
    found = complaints(example_of(loaded, "Example"), tmp_path)
    matching = [finding for finding in found if finding.rule == loaded.rule.code]
    assert matching
    assert {(f.name, f.severity) for f in matching} == {(loaded.rule.name, loaded.rule.severity)}
    found = complaints(example_of(loaded, "Use instead"), tmp_path)
    assert loaded.rule.code not in {finding.rule for finding in found}


def complaints_about_configuration(example: str, directory: Path) -> set[str]:
    """Codes of what there is to say about a setup.cfg, whatever is checked with it."""
    file = directory / "setup.cfg"
    file.write_text(example, "utf-8")
    try:
        found = accept([], config.read(file).accepted, [], datetime.date(2027, 1, 1))
    except Unreadable as unreadable:
        found = list(unreadable.findings)
    return {finding.rule for finding in found}


@pytest.mark.parametrize("code", ["IS904", "IS905"])
def test_complaint_about_a_configuration_is_as_its_page_says(code: str, tmp_path: Path) -> None:
    loaded = rule_named(code)
    assert loaded
    assert complaints_about_configuration(example_of(loaded, "Example"), tmp_path) == {code}
    assert complaints_about_configuration(example_of(loaded, "Use instead"), tmp_path) == set()


@pytest.mark.parametrize("code", [f"IS70{digit}" for digit in range(1, 8)])
def test_complaint_about_a_log_is_as_its_page_says(code: str, tmp_path: Path) -> None:
    loaded = rule_named(code)
    assert loaded
    path = tmp_path / "log.txt"
    for title, expected in (("Example", [loaded.rule]), ("Use instead", [])):
        path.write_text(example_of(loaded, title) + "\n", "utf-8")
        (source,) = read_sources(str(path))
        assert [(f.rule, f.name, f.severity) for f in source.findings] == [
            (rule.code, rule.name, rule.severity) for rule in expected
        ]
        assert source.table is None
        assert source.facts
        for finding in source.findings:
            assert finding.location.line


def refusals(example: str, directory: Path) -> set[str]:
    """Codes of what reading a device-tree or C source raises or finds."""
    try:
        return {finding.rule for finding in subjects.source(example, directory).findings}
    except Unreadable as unreadable:
        return {finding.rule for finding in unreadable.findings}


@pytest.mark.parametrize("code", ["IS114", "IS121", "IS123", "IS601", "IS931", "IS932"])
def test_complaint_about_a_source_is_as_its_page_says(
    code: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    loaded = rule_named(code)
    assert loaded
    if pages.is_dts(example_of(loaded, "Example")):
        request.getfixturevalue("dtc")
    assert refusals(example_of(loaded, "Example"), tmp_path) == {code}
    assert refusals(example_of(loaded, "Use instead"), tmp_path) == set()


def test_what_cannot_be_generated_is_as_its_page_says(tmp_path: Path) -> None:
    loaded = rule_named("IS933")
    assert loaded
    subject = subjects.spec(example_of(loaded, "Example"), tmp_path)
    with pytest.raises(c_table.CannotGenerate) as caught:
        c_table.write([subject.table])
    assert {(f.rule, f.name) for f in caught.value.findings} == {("IS933", loaded.rule.name)}
    assert c_table.write([subjects.spec(example_of(loaded, "Use instead"), tmp_path).table])


def beyond_notes(name: str) -> list[Finding]:
    """Shape and value findings on a packaged table that are not suppressed and no notes."""
    revision = resolve_name(name)
    assert revision
    loaded = load(revision.file)
    assert loaded.table
    found = run(Subject(loaded.table, subjects.KERNELS), loaded.suppressions)
    return [f for f in found if f.rule < "IS3" and f.counts and f.severity > Severity.NOTE]


@pytest.mark.parametrize("name", tuple(current()))
def test_todays_tables_are_free_of_errors(name: str) -> None:
    """The tables have no error of shape and value, but for the warnings that are known."""
    found = beyond_notes(name)
    known = {
        rule
        for rule, path, severity in documented()
        if path.startswith(f"{name}:") and rule < "IS3" and severity == "warning"
    }
    assert {finding.rule for finding in found} == known
    assert all(finding.severity is Severity.WARNING for finding in found)


HISTORICAL = {
    "power9@84368bbf8": {"IS201", "IS209", "IS213", "IS221"},
    "power9@51974cab7": {"IS209", "IS213", "IS221"},
    "power9@1953b41e1": {"IS105", "IS209", "IS213", "IS221"},
    "power9-dd1@84368bbf8": {"IS201"},
    "power8@0768e820e": {"IS214"},
}


@pytest.mark.parametrize("name", HISTORICAL)
def test_mistakes_of_the_past_are_found(name: str) -> None:
    assert {finding.rule for finding in beyond_notes(name)} == HISTORICAL[name]
