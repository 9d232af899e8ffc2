"""The output's JSON schema says what the commands print, no less and no more."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.cli.commands import COMMANDS as SUB_COMMANDS
from idle_states.cli.parsers import command_parser
from tests.support import DATA
from tests.support.vectors import DIRECTORY
from tests.tables.spec.test_schemas import described_mappings, places
from tools import schema

Validator = jsonschema.Draft202012Validator
OUTPUT = json.loads(resource("schemas", "output.schema.json").read_text("utf-8"))


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every object closed, so that a key it does not describe is noticed."""
    closed = copy.deepcopy(schema)
    for _, mapping in described_mappings(closed):
        mapping.setdefault("additionalProperties", False)
    del closed["additionalProperties"]
    return {**closed, "unevaluatedProperties": False}


STRICT = strict(OUTPUT)

SUMMARY = "100,222784,473466,294510,302295.26,45380.6"
SUPPRESSING = """\
name: mine
extends: power9
override:
  stop0_lite:
    latency: 200ns  # idle-states: ignore[IS201] for the test
  stop4: {latency: 100ms}
"""
TREE = """\
/dts-v1/;
/ {
    ibm,opal {
        power-mgt {
            ibm,cpu-idle-state-names = "nap", "fastsleep_";
            ibm,cpu-idle-state-flags = <0x11000 0x81103>;
            ibm,cpu-idle-state-latencies-ns = <4000>;
        };
    };
};
"""
COMMANDS = [
    "audit {spec} {tree}",
    "audit {tree} --against {tree}",
    "audit {tree} --governor menu --kernel 6.1 --kernel 6.12",
    "list",
    "list processors",
    "list platforms",
    "list rules",
    "check",
    "check power9@84368bbf8 power8@0768e820e --kernel 4.11",
    "check {spec}",
    "check {tree}",
    "show power9 --platform op920 --kernel all",
    "show power9-dd1@84368bbf8 --kernel 4.11 --kernel 6.1",
    "show power8@0768e820e --kernel 3.18",
    "show power10 --platform awan",
    "show power7",
    "show power8 --platform qemu-powernv8 --kernel 4.8",
    "show pseries-power10 --kernel 5.10",
    "show {spec} --platform op920,nvram-disable-mask=0x8000000",
    "show {tree} --kernel 4.11",
    "diff power9 power9",
    "diff power9 power9-dd1 --kernel 4.11 --kernel 6.1",
    "diff power8 power10",
    "select power9-dd1@84368bbf8 --kernel 4.11 --platform op920 --wake 1300",
    "select --states 12000/120000 --polling --kernel 6.19 --governor ladder",
    "select power9-dd1@84368bbf8 --against power9-dd1 --kernel 4.11 --idle 12 --next-timer 20",
    "select power9 --latency-limit 5us --keep stop2 --kernel 4.11,6.1 --governor ladder",
    "select power9-dd1 --latency-limit cstate.id_no_zero:9|cstate.id:2|70 --kernel 4.11 --per-cpu",
    "simulate server --table power9 --latency-limit 5us --kernel 6.1 --duration 1ms",
    "replay {slices} --states 2000/10000 --governor menu --latency-limit 3us --power implied",
    "conform {vectors} --states 12000/120000 --polling --kernel debian-6.1.192",
    "conform {vectors} --states 12000/120000 --kernel 6.12",
    "tune --states 12000/120000 --trace {vectors} --kernel 6.12 --power implied",
    "tune power8 --trace {vectors} --objective latency --governor none",
    "fit {mailed}/power9-2023.log --table power9",
    "fit {mailed}/power9-cede.txt --table pseries-dedicated --quantile 99 --residency 10",
    "replay {vectors} --table pseries-power10 --kernel debian-6.1.192",
    "replay {vectors} --table power9 --governor menu --power implied",
    "replay {slices} --sysfs {before} {after}",
    "stats --summary {summary} --summary b={summary} --audit-outliers",
    "patch --list",
    "simulate pipe --table power9 --topology smt8-fused --runs 2 --duration 1ms --bistable",
    "simulate --list",
    "simulate server --states 1000/10000 --disabled state1 --governor ladder --duration 1ms",
]
"""At least one for each sub-command that needs neither a repository nor QEMU; tests of the others
hold their documents against STRICT."""


@pytest.fixture
def document(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> dict[str, Any]:
    """Returns what a command line prints."""
    vectors = DIRECTORY / "menu-debian6.1.192-cede-poll1.csv.gz"
    files = {"spec": tmp_path / "mine.yaml", "tree": tmp_path / "mine.dts", "vectors": vectors}
    files["spec"].write_text(SUPPRESSING)
    files["tree"].write_text(TREE)
    files["mailed"] = DATA / "measured"
    files["slices"] = DATA / "traces/mt8196-teo.slice.txt.gz"
    files |= {when: DATA / f"traces/mt8196-teo.sysfs-{when}.txt" for when in ("before", "after")}
    words = [word.format(**files, summary=SUMMARY) for word in request.param.split()]
    assert main([*words, "--format", "json"]) in (0, 1)
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


printed = pytest.mark.parametrize("document", COMMANDS, indirect=True)


def test_is_a_schema() -> None:
    Validator.check_schema(OUTPUT)


def test_is_what_the_forms_say() -> None:
    """make schema writes it."""
    assert resource("schemas", "output.schema.json").read_text("utf-8") == schema.text()


@printed
def test_output_is_valid(document: dict[str, Any]) -> None:
    assert [error.message for error in Validator(STRICT).iter_errors(document)] == []
    Validator(OUTPUT).validate(document)


one_a_command = pytest.mark.parametrize(
    "document",
    [
        next(line for line in COMMANDS if line.split()[0] == name and "--power implied" not in line)
        for name in sorted({line.split()[0] for line in COMMANDS})
    ],
    indirect=True,
)


@one_a_command
def test_every_key_is_required(document: dict[str, Any]) -> None:
    validator = Validator(OUTPUT)
    for container, key in described(shortened(document)):
        value = container.pop(key)
        assert not validator.is_valid(document), key
        container[key] = value
    validator.validate(document)


@one_a_command
def test_every_value_is_of_its_type(document: dict[str, Any]) -> None:
    validator = Validator(OUTPUT)
    for container, key in described(shortened(document)):
        value = container[key]
        container[key] = {"of": "another"} if not isinstance(value, dict) else "another"
        assert not validator.is_valid(document), key
        container[key] = value
    validator.validate(document)


def described(document: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Each key that the schema names, with its object: not the CPUs and fields by which some
    objects are ordered, nor a governor's own values."""
    by_name = ("cpus", "provenance", "inputs", "intermediate", "outcome", "facts", "versions")
    free = {id(value) for c, key in places(document) if key in by_name for value in [c[key]]}
    free |= {id(c[key]) for c, key in places(document) if key == "wake_latency_ns"}
    by_field = ("where", "replaced")
    free |= {id(c[key]) for c, key in places(document) if key in by_field and "flag_names" in c}
    return [
        (container, key)
        for container, key in list(places(document))
        if isinstance(container, dict) and id(container) not in free
    ]


def shortened(node: Any) -> Any:
    """The same document with one item left in each list; enough, since items are alike."""
    for container, key in list(places(node)):
        if isinstance(container.get(key) if isinstance(container, dict) else None, list):
            del container[key][1:]
    return node


def test_keys_may_be_added() -> None:
    body = {"schema_version": 1, "tool": {"name": "idle-states", "version": "9.9", "os": "AIX"}}
    document = {**body, "command": "list", "releases": [], "inputs": [], "tables": [], "more": 1}
    assert Validator(OUTPUT).is_valid(document)
    assert not Validator(STRICT).is_valid(document)
    assert not Validator(OUTPUT).is_valid({**document, "schema_version": 2})


def test_differences_and_equality_agree() -> None:
    body = {"schema_version": 1, "tool": {"name": "idle-states", "version": "9.9"}}
    difference = {"stage": "table", "path": "order", "a": "x y", "b": "y x"}
    for equal in (True, False):
        for differences in ([], [difference]):
            document = {**body, "command": "diff", "releases": [], "inputs": [], "equal": equal}
            document |= {"differences": differences, "assumptions": []}
            assert Validator(OUTPUT).is_valid(document) is (equal is not bool(differences))


def test_every_command_that_prints_json_is_described() -> None:
    printing = []
    for name in SUB_COMMANDS:
        form = command_parser(name)._option_string_actions.get("--format")
        if form is not None and "json" in (form.choices or ()):
            printing.append(name)
    assert OUTPUT["properties"]["command"]["enum"] == printing
