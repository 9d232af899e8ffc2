"""Descriptions of patches: those that are packaged, and what is wrong with others."""

import json
import re
import tempfile
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Faulty, Finding, Unreadable
from idle_states.base.resources import resource
from idle_states.change.patches import description, fields
from idle_states.change.patches.library import packaged
from idle_states.cli import main
from idle_states.tables.spec.library import find
from tests.support.patching import (
    DIRECTORY,
    MINIMAL,
    described,
)

SCHEMA = json.loads(resource("schemas", "skiboot-patch.schema.json").read_text("utf-8"))


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
        ("Because.", "'-- >8 --'", "IS922", "scissors or a signature"),
        ("Because.", "'Signed-off-by: A <a@b>'", "IS922", "scissors or a signature"),
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
    """Anything else that lies in it is an error, not a device tree."""
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
