"""The registry of processors: sound by itself, and all that a new processor needs beside a spec."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.processors import Processor, UnknownProcessor
from idle_states.base.model.table import Cpu
from idle_states.base.resources import resource
from idle_states.tables.check.check import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.generate import tree_of
from idle_states.tables.devicetree.tables import unlisted_processor
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux.releases import all_releases
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.skiboot.releases import skiboot_features, version_key
from idle_states.tables.sources import read_sources
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find, load, packaged
from idle_states.tables.spec.packaged import named as named_specs
from idle_states.tables.spec.registry import (
    chips,
    named,
    names,
    of_chip,
    of_pvr,
    processors,
    variants,
)
from tests.support import ROOT
from tests.support.releases import known_chips
from tools.spec_schema import with_processors

SPEC = """\
name: power12
title: POWER12
extends: power10
cpu:
  generation: power12
  versions:
    - {pvr: 0x0083, chips: [{name: P12, skiboot: 7.1.1}], linux: "7.2"}
    - {pvr: 0x0084, chips: [{name: P12P}]}
firmware: {array: power12_cpu_idle_states}
override:
  stop0_lite: {latency: 2us, residency: 20us}
"""


NEW = "cpu: {{generation: {}, isa: 3.1, versions: [{{pvr: {}, chips: [{{name: {}}}]}}]}}"


@pytest.mark.parametrize("processor", processors(), ids=names())
def test_specs_and_processors_name_each_other(processor: Processor) -> None:
    assert named(processor.name) == processor
    assert processor.pvr in {version.pvr for version in processor.versions}
    assert find(processor.name).cpu == Cpu.of(processor)
    assert find(processor.table)
    assert all(of_chip(chip) == processor for chip in processor.chips)
    assert all(of_pvr(version.pvr) == processor for version in processor.versions)
    assert bool(processor.levels) == processor.isa300


def test_each_processor_pvr_and_chip_is_said_once() -> None:
    pvrs = [version.pvr for processor in processors() for version in processor.versions]
    chip_names = [chip.name for chip in chips()]
    for found in (list(names()), pvrs, chip_names):
        assert len(found) == len(set(found))


def test_special_tables_are_known_by_their_machines() -> None:
    assert {each.table: each.variant for each in variants()} == {
        "power9-dd1": "dd1",
        "power9-fused": "fused-core",
        "power9-mambo": "mambo",
    }
    for table in packaged(lambda revision: not revision.historical):
        first = table.firmware.skiboot
        if first is None:
            continue
        place = "5.0" if first.release == "5.5-rc1" else "5.8"
        had, has = skiboot_features(place), skiboot_features(first.release)
        assert had != has, f"{table.name}: nothing changed in {first.release}"


def test_a_processor_that_is_not_listed() -> None:
    with pytest.raises(UnknownProcessor, match=r"expected one of power7, .*, found 'power6'"):
        named("power6")


def test_releases_named_exist() -> None:
    kernels = {release.name for release in all_releases()}
    for processor in processors():
        for version in processor.versions:
            assert version.linux is None or version.linux.release in {"", *kernels}
    for chip in chips():
        if chip.skiboot and chip.skiboot.release:
            assert version_key(chip.skiboot.release) >= version_key("4.0")
            assert chip.name in known_chips(chip.skiboot.release)


def test_the_spec_schema_has_the_registry() -> None:
    text = resource("schemas", "idle-states.schema.json").read_text("utf-8")
    assert with_processors(text) == text, "run make spec-schema"


class Copy:
    """A copy of the package with a registry and specs of its own, run as a program."""

    def __init__(self, root: Path) -> None:
        self.root = root
        ignored = shutil.ignore_patterns("__pycache__", "*.c", "*.h")
        for folder in ("idle_states", "templates", "schemas"):
            shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
        self.specs = root / "idle_states/tables/specs"

    def run(self, *arguments: str, status: int = 0) -> str:
        """Standard output, then standard error."""
        return "".join(self._run(arguments, status))

    def json(self, *arguments: str, status: int = 0) -> Any:
        return json.loads(self._run((*arguments, "--format", "json"), status)[0])

    def _run(self, arguments: Sequence[str], status: int) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "idle_states", *arguments],
            cwd=self.root,
            # the next run need not compile the copy again
            env=os.environ
            | {"PYTHONPATH": str(self.root), "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout, done.stderr


@pytest.fixture(scope="module")
def power12(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """One spec among the packaged ones, and nothing else."""
    copy = Copy(tmp_path_factory.mktemp("power12"))
    (copy.specs / "power12.yaml").write_text(SPEC)
    return copy


STATES = ["stop0_lite", "stop0", "stop2", "stop3"]


class TestPower12:
    @pytest.mark.slow
    def test_list_and_check(self, power12: Copy) -> None:
        assert re.search(r"^power12 +4 +POWER12$", power12.run("list"), re.MULTILINE)
        assert ": 0 errors" in power12.run("check", "power12", "--kernel", "7.2")

    def test_firmware_exports_and_linux_registers(self, power12: Copy) -> None:
        way = power12.json("show", "power12", "--kernel", "7.2")
        assert way["export"]["states"] == STATES
        assert way["export"]["chosen"] == "power12"
        assert [state["name"] for state in way["linux"]["states"]] == ["snooze", *STATES]

    @pytest.mark.slow
    def test_what_does_not_know_it_says_so(self, power12: Copy) -> None:
        old = power12.json("show", "power12", "--platform", "skiboot=7.1")
        assert "does not know chip P12" in old["export"]["lost"][0]["reason"]
        older = power12.run("show", "power12", "--kernel", "7.1", "--provenance")
        assert "no stop driver for PVR 0x0083 [" in older
        noted = power12.run("check", "power12", "--kernel", "7.1", "--notes")
        assert "no stop driver for PVR 0x0083 (power12), so" in noted

    @pytest.mark.slow
    def test_what_nobody_knows_is_said(self, power12: Copy) -> None:
        spec = power12.root / "p12p.yaml"
        spec.write_text(
            "name: p12p\nextends: power12\ncpu: {pvr: 0x0084, chips: [P12P]}\n", "utf-8"
        )
        assert "chip P12P (no modelled release does)" in power12.run("show", "p12p.yaml")
        driver = power12.run("show", "p12p.yaml", "--platform", "chip=P12")
        assert "no stop driver for PVR 0x0084, and no modelled kernel" in driver
        assert "P12P (no modelled release does) and creates no properties [IS332" in power12.run(
            "check", "p12p.yaml", "--notes"
        )
        noted = power12.run("check", "p12p.yaml", "--platform", "chip=P12", "--notes")
        assert "no stop driver for PVR 0x0084 (power12), and no modelled kernel" in noted

    @pytest.mark.slow
    def test_every_form_comes_back(self, power12: Copy) -> None:
        for form in ("c", "dts", "dtb"):
            power12.run("generate", "power12", "--to", form, "-o", f"back.{form}")
            text = power12.run("import", f"back.{form}")
            assert "generation: power12\n  pvr: 0x0083\n" in text
            (power12.root / "back.yaml").write_text(text)
            assert power12.run("diff", "back.yaml", "power12", "--kernel", "7.2")
        dtb = power12.json("show", "back.dtb", "--kernel", "7.2")
        spec = power12.json("show", "power12", "--kernel", "7.2")
        assert dtb["linux"]["states"] == spec["linux"]["states"]

    @pytest.mark.slow
    def test_audit_and_select(self, power12: Copy) -> None:
        power12.run("generate", "power12", "--to", "dtb", "-o", "audited.dtb")
        audited = power12.json("audit", "audited.dtb")["inputs"][0]
        assert (audited["cpu"], audited["nearest"]) == ("power12", "power12")
        assert audited["states"] == STATES
        selected = power12.json("select", "power12", "--kernel", "7.2")
        assert {row["state"] for row in selected["map"]} >= {"stop0_lite", "stop3"}


class TestWhatTheRegistryLacks:
    @pytest.mark.parametrize(
        ("cpu", "place", "message"),
        [
            ("{generation: power99}", "3:19", "'power99'"),
            ("{pvr: 0x0080}", "3:12", "expected a PVR of power9 (0x004e, 0x004f), found '0x0080'"),
            ("{chips: [P9_NIMBUS, P10]}", "3:26", "a chip of power9"),
            ("{levels: [0, 3]}", "3:19", "a stop level of power9"),
        ],
    )
    def test_has_its_place(self, tmp_path: Path, cpu: str, place: str, message: str) -> None:
        (tmp_path / "mine.yaml").write_text(f"name: mine\nextends: power9\ncpu: {cpu}\n")
        loaded = load(tmp_path / "mine.yaml", "mine.yaml")
        assert loaded.table is None
        (finding,) = loaded.findings
        assert finding.rule == "IS925"
        where = finding.location
        assert f"{where.file}:{where.line}:{where.column}" == f"mine.yaml:{place}"
        assert message in finding.message

    def test_a_spec_that_names_no_pvr_is_as_its_own_tree(self, tmp_path: Path) -> None:
        """The tree names the processor, so both are of its usual version, with its levels."""
        (tmp_path / "mine.yaml").write_text("name: mine\nextends: power10\n")
        table = load(tmp_path / "mine.yaml").table
        assert table is not None
        assert table.cpu == Cpu(registry.named("power10"), 0x0080, ("P10",), (0, 2, 3, 11))


@pytest.mark.slow
def test_one_bad_spec_does_not_stop_the_others(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    before = copy.run("list")
    (copy.specs / "power9-bad.yaml").write_text("name: power9-bad\nextends: power9\nstates: 3\n")
    after = copy.run("list", status=1)
    assert before in after
    assert "specs/power9-bad.yaml:3:9: error:" in after
    copy.run("check", "power9", "power10", "--kernel", "6.19")
    assert "power9-bad" in copy.run("check", "power9-bad", status=1)
    (copy.specs / "power9-worse.yaml").write_text("name: [\n")
    assert "specs/power9-worse.yaml:" in copy.run("list", status=3)
    listed = copy.json("list", status=3)["tables"]
    assert {table["name"] for table in listed} == {revision.name for revision in named_specs()}


class TestTreesOfUnknownProcessors:
    @pytest.mark.parametrize(
        ("cpu", "version", "expected"),
        [
            ("PowerPC,POWER99@0", 0x00F0_0100, ("/cpus/{}:cpu-version", "PVR 0x00f00100", 0xF0)),
            ("PowerPC,POWER99@0", None, ("/cpus/{}", "PowerPC,POWER99", 0)),
            ("PowerPC,POWER9@0", 0x00F0_0100, ("/cpus/{}:cpu-version", "PVR 0x00f00100", 0xF0)),
            ("PowerPC,POWER99@0", 0x004E_1202, None),
            ("cpu@0", None, None),
        ],
    )
    def test_what_names_it_is_told(
        self, cpu: str, version: int | None, expected: tuple[str, str, int] | None
    ) -> None:
        properties = {} if version is None else {"cpu-version": version.to_bytes(4, "big")}
        root = Node("", {}, (Node("cpus", {}, (Node(cpu, properties),)),))
        wanted = expected and (expected[0].format(cpu), *expected[1:])
        assert unlisted_processor(root) == wanted

    def test_it_is_said(self, tmp_path: Path) -> None:
        root = tree_of(find("power8"), ALL_LEVELS)
        cpus = Node("cpus", {}, (Node("PowerPC,POWER99@0", {}),))
        others = tuple(child for child in root.children if child.name != "cpus")
        file = tmp_path / "unknown.dtb"
        file.write_bytes(fdt.write(replace(root, children=(cpus, *others))))
        (source,) = read_sources(str(file))
        (said,) = source.findings
        assert (said.rule, said.location.path) == ("IS121", "/cpus/PowerPC,POWER99@0")
        assert said.message.startswith(
            "unknown processor PowerPC,POWER99: it is not one of power7,"
        )


def test_an_override_never_has_the_source_of_what_it_replaced(tmp_path: Path) -> None:
    """Through two specs, each of which replaces the value."""
    middle = "name: middle\nextends: power10\noverride:\n  stop2: {latency: 21us}\n"
    source = "provenance:\n  latency: {kind: measured, source: lab, confidence: low}\n"
    last = "name: last\nextends: middle\noverride:\n  stop2: {latency: 22us}\n"
    (tmp_path / "middle.yaml").write_text(middle + source)
    (tmp_path / "last.yaml").write_text(last)
    (tmp_path / "other.yaml").write_text(last + source)
    table, other = load(tmp_path / "last.yaml").table, load(tmp_path / "other.yaml").table
    assert table is not None
    assert other is not None
    stop2 = table.states[2]
    assert "latency" not in stop2.provenance
    assert other.states[2].provenance["latency"].source == "lab"
    assert [was.text for was in stop2.replaced["latency"]] == ["21us", "20us"]
    by = [was.provenance.source for was in stop2.replaced["latency"] if was.provenance]
    assert by == ["lab", "skiboot 1cb7b37c9"]
    files = [Path(str(was.where.file)).name for was in stop2.replaced["latency"]]
    assert files == ["middle.yaml", "power10.yaml"]
    assert stop2.provenance["residency"].source == "skiboot 1cb7b37c9"


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (NEW.format("p12", "0x83", "P12"), NEW.format("p12", "0x84", "P12"), "generation p12"),
        (NEW.format("p12", "0x83", "P12"), NEW.format("p13", "0x83", "P13"), "pvr 0x0083"),
        (NEW.format("p12", "0x83", "P12"), NEW.format("p13", "0x84", "P12"), "chip P12"),
        (NEW.format("p12", "0x83", "P12"), NEW.format("p13", "0x84", "P13"), ""),
        ("firmware: {array: mine}", "firmware: {array: mine}", "found mine, which is a's"),
        ("firmware: {array: mine}", "firmware: {shares: a}", ""),
        ("firmware: {ec: 0x10..0x1f}", "firmware: {ec: 0x1f..0x20}", "found those of a"),
        ("firmware: {ec: 0x10..0x1f}", "firmware: {ec: 0x20..0x2f}", ""),
        ("firmware: {quirk: qemu}", "firmware: {quirk: qemu}", "found those of a"),
        ("firmware: {fused-core: yes}", "firmware: {quirk: qemu}", ""),
    ],
)
def test_two_specs_of_a_check_claim_the_same(
    first: str, second: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text(f"name: a\nextends: power10\n{first}\n")
    (tmp_path / "b.yaml").write_text(f"name: b\nextends: power10\n{second}\n")
    criteria = Criteria((), rules=RuleSelection(("IS505",)))
    found = check(
        [each for name in "ab" for each in read_sources(str(tmp_path / f"{name}.yaml"))], criteria
    )
    if not said:
        assert not found
        return
    (finding,) = found
    assert said in finding.message
    assert Path(str(finding.location.file)).name == "b.yaml"
    ((place, _),) = finding.related
    assert Path(str(place.file)).name == "a.yaml"


SOURCE = "{kind: measured, source: lab, confidence: low}"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("override: {stop2: {latency: 21us, residency: 70us}}", ["latency", "residency"]),
        ("override: {stop2: {latency: 20us}}", ["latency"]),
        (
            f"override: {{stop2: {{latency: 21us, residency: 70us, "
            f"provenance: {{latency: {SOURCE}}}}}}}",
            ["residency"],
        ),
        (f"override: {{stop2: {{latency: 21us}}}}\nprovenance: {{latency: {SOURCE}}}", []),
        (f"override: {{stop2: {{latency: 21us}}}}\nprovenance: {{default: {SOURCE}}}", []),
        (f"override: {{stop2: {{latency: 21us}}}}\nprovenance: {{flags: {SOURCE}}}", ["latency"]),
        ("override: {stop2: {note: said elsewhere, cpuidle: no, reason: tried}}", []),
        ("override: {stop2: {measured: [{kind: ipi, latency: 21us, source: lab}]}}", []),
        ("override: {stop2: {latency: 21us}}\ndrop: [stop2]", []),
        (
            "states: [{name: stop9, latency: 1ms, residency: 9ms, flags: [STOP_INST_DEEP], "
            "psscr: {rl: 9, mtl: 9, tr: 3, esl: 1, ec: 1}}]",
            [],
        ),
    ],
)
def test_an_override_without_a_source_is_noted(
    text: str, fields: list[str], tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text(f"name: mine\nextends: power10\n{text}\n")
    loaded = load(tmp_path / "mine.yaml", "mine.yaml")
    assert loaded.table is not None, loaded.findings
    found = run(Subject(loaded.table, ()), selection=RuleSelection(("IS506",)))
    assert [finding.location.path for finding in found] == [
        f"mine:states[2].{key}" for key in fields
    ]
    for field, finding in zip(fields, found, strict=True):
        was = {"latency": "20us", "residency": "200us"}[field]
        assert f"{field} of stop2 without a source; it replaces {was}," in finding.message
        assert "from skiboot 1cb7b37c9 (estimate)" in finding.message
        assert f"{{{field}: {{kind: ..., source: ..., confidence: ...}}}}" in finding.message
        assert (finding.location.file, finding.location.line) == ("mine.yaml", 3)
        ((place, _),) = finding.related
        assert Path(str(place.file)).name == "power10.yaml"


def test_no_packaged_spec_overrides_without_a_source() -> None:
    tables = list(packaged())
    assert any(state.replaced for table in tables for state in table.states)
    assert not [
        finding
        for table in tables
        for finding in run(Subject(table, ()), selection=RuleSelection(("IS506",)))
    ]


def test_a_spec_beside_another_defines_a_processor(tmp_path: Path) -> None:
    (tmp_path / "power12.yaml").write_text(SPEC)
    (tmp_path / "lpar.yaml").write_text(
        "name: lpar\nextends: pseries-dedicated\ncpu: {generation: power12}\n"
    )
    (tmp_path / "small.yaml").write_text(
        "name: small\nextends: power12\ncpu: {levels: [0, 2], pvr: 0x0084, chips: [P12P]}\n"
    )
    lpar, small = load(tmp_path / "lpar.yaml").table, load(tmp_path / "small.yaml").table
    assert lpar is not None
    assert small is not None
    assert lpar.cpu == load(tmp_path / "power12.yaml").table.cpu  # type: ignore[union-attr]
    assert small.cpu is not None
    assert (small.cpu.generation, small.cpu.levels, small.cpu.pvr) == ("power12", (0, 2), 0x84)
    assert small.firmware.array == "", "no array of its parent's"


@pytest.mark.parametrize(
    ("text", "rule", "said"),
    [
        ("cpu: {generation: p, versions: []}", "IS921", "one version at least"),
        ("cpu: {generation: p, versions: [{pvr: 0x83}]}", "IS921", "'chips'"),
        ("cpu: {generation: p, versions: [{pvr: 0x83, chips: []}]}", "IS921", "one chip at least"),
        (
            "cpu: {generation: p, versions: [{pvr: 0x12345, chips: [{name: P}]}]}",
            "IS924",
            "at most 0xffff",
        ),
        ("cpu: {generation: p, isa: 3.1}", "IS920", "add versions"),
        ("cpu: {generation: power12}", "IS925", "power12.yaml beside this file"),
        ("cpu: {levels: [0, 7]}", "IS925", "a stop level of power10"),
        ("firmware: {shares: power12}", "IS926", "whose array is shared"),
        ("firmware: {shares: power10, array: mine}", "IS920", "'shares'"),
        ("firmware: {ec: 16}", "IS922", "0x10..0x1f"),
        ("firmware: {ec: 0x1f..0x10}", "IS924", "least EC level first"),
        ("firmware: {skiboot: soon}", "IS922", "or always, or none"),
    ],
)
def test_what_is_wrong_has_its_place(text: str, rule: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"name: mine\nextends: power10\n{text}\n")
    loaded = load(tmp_path / "mine.yaml", "mine.yaml")
    found = {finding.rule: finding for finding in loaded.findings}
    assert loaded.table is None
    assert said in found[rule].message
    assert found[rule].location.line == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cpu: {generation: p12, versions: [{pvr: 0x80, chips: [{name: P12}]}]}", "power10's"),
        ("cpu: {generation: p12, versions: [{pvr: 0x83, chips: [{name: P10}]}]}", "chip P10"),
        (
            "cpu: {generation: power11, versions: [{pvr: 0x83, chips: [{name: P12}]}]}",
            "power11, which is defined with other values",
        ),
        ("firmware: {array: power10_cpu_idle_states}", "write shares: power10 instead of array"),
    ],
)
def test_what_a_packaged_spec_has_is_claimed_twice(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"name: mine\nextends: power10\n{text}\n")
    table = load(tmp_path / "mine.yaml").table
    assert table is not None
    (found,) = (f for f in run(Subject(table, ()), selection=RuleSelection(("IS505",))))
    assert said in found.message
    ((place, _),) = found.related
    assert Path(str(place.file)).name in ("power10.yaml", "power11.yaml")
    (tmp_path / "mine.yaml").write_text("name: mine\nextends: power10\n")
    mine = load(tmp_path / "mine.yaml").table
    assert mine is not None
    assert not list(run(Subject(mine, ()), selection=RuleSelection(("IS505",))))
