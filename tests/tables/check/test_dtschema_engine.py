"""The dt-schema engine: every seeded fault under the right rule, in agreement with the native
rules."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Finding, Severity
from idle_states.base.model.power_mgt import NODE, PowerMgt, u32_array
from idle_states.base.model.table import Register
from idle_states.base.resources import resource
from idle_states.tables.check import dtschema_verdicts
from idle_states.tables.check.answer import check as check_all
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.check.dtschema_engine import check
from idle_states.tables.check.dtschema_program import BINDING
from idle_states.tables.check.dtschema_verdicts import verdicts
from idle_states.tables.check.request import DTSCHEMA, NATIVE, CheckRequest
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.catalogue import known_codes
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot.platform import ALL_LEVELS, PRESETS, Platform
from idle_states.tables.sources import Source, read_source
from idle_states.tables.spec.packaged import revisions
from tests.support.dtschema import BEYOND, EMPTY, FAULTS, P8, P9, Properties, many, program, source
from tests.support.random_tables import states
from tests.support.thorough import examples, slow


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def dtschema() -> None:
    """Skips where there is no dt-validate."""
    program("dt-validate")


def native_codes(tree: Source) -> set[str]:
    assert tree.table
    kernels = [release(name) for name in DEFAULT]
    found = run(Subject(tree.table, kernels, node=tree.node))
    return {code for finding in found for code in finding.rules}


@pytest.fixture(scope="module")
def found(cache: Path) -> dict[str, list[tuple[str, str]]]:
    """All faults in one run: name -> (rule, path) of its findings."""
    program("dt-validate")
    faults = {**FAULTS, **BEYOND}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        findings = check([source(node, name) for name, (node, _) in faults.items()])
    by_name: dict[str, list[tuple[str, str]]] = {name: [] for name in faults}
    for finding in findings:
        by_name[finding.table].append((finding.rule, finding.location.path))
    return by_name


@pytest.mark.parametrize("name", [*FAULTS, *BEYOND])
def test_a_fault_is_told_under_its_rule(name: str, found: dict[str, list[tuple[str, str]]]) -> None:
    _, expected = {**FAULTS, **BEYOND}[name]
    where = PowerMgt({})
    paths = [(rule, where.at(prop, index).path if prop else NODE) for rule, prop, index in expected]
    assert sorted(found[name]) == sorted(paths)


@pytest.mark.parametrize("name", FAULTS)
def test_native_rules_agree(name: str) -> None:
    node, expected = FAULTS[name]
    assert {rule for rule, _, _ in expected} <= native_codes(source(node))


@pytest.mark.parametrize("name", BEYOND)
def test_native_rules_say_less(name: str) -> None:
    """Once a native rule finds one of these, it belongs with the others."""
    node, expected = BEYOND[name]
    assert not {rule for rule, _, _ in expected} & native_codes(source(node))


def test_rules_that_are_told_exist() -> None:
    told = {rule for _, expected in [*FAULTS.values(), *BEYOND.values()] for rule, _, _ in expected}
    assert told <= known_codes()


@pytest.mark.slow
def test_too_many_states_that_cannot_be_counted(dtschema: None) -> None:
    """With ragged flags, each property speaks for itself."""
    findings = check([source({**many(17), dt.FLAGS: bytes(65)})])
    told = sorted((f.rule, f.location.path.partition(":")[2]) for f in findings)
    arrays = sorted([dt.NAMES, dt.LATENCIES, dt.RESIDENCIES, dt.PSSCR, dt.PSSCR_MASK])
    assert told == [
        ("IS103", dt.FLAGS),
        *(("IS105", name) for name in arrays),
        ("IS324", f"{dt.PSSCR}[16]"),
    ]


# Clean tables


def opal_tables() -> Iterator[str]:
    for revision in revisions():
        table = read_source(revision.name).table
        if table and table.register is not Register.NONE:
            yield revision.name


@pytest.mark.parametrize(
    "platform",
    [ALL_LEVELS.name, *slow("qemu-powernv8", "qemu-powernv9", "qemu-powernv10", "op920")],
)
def test_packaged_tables_are_clean(platform: str, dtschema: None) -> None:
    chosen = [name for name in opal_tables() if name != "power8@0768e820e"]
    assert len(chosen) >= 12
    assert check([read_source(name) for name in chosen], PRESETS[platform]) == []


@pytest.mark.slow
def test_flags_of_2014_are_undefined_today(dtschema: None) -> None:
    findings = check([read_source("power8@0768e820e")])
    assert [(f.rule, f.location.file) for f in findings] == [
        ("IS310", str(resource("tables", "specs", "power8@0768e820e.yaml")))
    ] * 3


@pytest.mark.slow
def test_nothing_exported_is_an_empty_table(dtschema: None) -> None:
    platform = replace(PRESETS["op920"], enabled_stop_levels=0, name="none")
    assert [f.rule for f in check([read_source("power9")], platform)] == ["IS104"]
    assert check([read_source("power9")], PRESETS["awan"]) == []


@pytest.mark.slow
def test_trees_with_more_than_idle_states_are_clean(dtschema: None) -> None:
    pstates = {
        "name": b"power-mgt\0",
        "phandle": bytes([0, 0, 1, 0x81]),
        "#address-cells": u32_array([2]),
        "#size-cells": u32_array([1]),
        "ibm,pstate-ids": u32_array([0, 1]),
        "ibm,pstate-frequencies-mhz": u32_array([3800, 3783]),
        "ibm,pstate-min": u32_array([1]),
        "ibm,pstate-nominal": u32_array([1]),
        "ibm,pstate-max": u32_array([0]),
    }
    assert check([source({**P9, **pstates}), source(P8), source({}), source(many(16))]) == []


def test_partitions_have_no_tree(dtschema: None) -> None:
    assert check([read_source("pseries-dedicated")]) == []


# Where a finding points


SPEC = """\
name: mine
extends: power9
drop: [stop1]
override:
  stop2:
    latency: 0us
  stop4:
    psscr: {rl: 4, mtl: 7, tr: 3, ec: 1}  # idle-states: ignore[IS301] for the test
"""


def test_a_spec_is_pointed_at_where_it_is_written(tmp_path: Path, dtschema: None) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(SPEC)
    findings = check([read_source(str(file))], PRESETS["op920"])
    zero, unequal = findings
    assert (zero.rule, zero.location.line, zero.location.path) == (
        "IS215", 6, "mine:states[2].latency"
    )  # fmt: skip
    assert zero.message == "expected a time of at least 1 ns, found 0"
    (exported, said), (binding, path) = zero.related
    assert (exported.path, said) == (f"{NODE}:{dt.LATENCIES}[2]", "as exported on op920")
    assert binding.path == "dt-schema powerpc/opal-power-mgt.yaml"
    assert path == f"properties/{dt.LATENCIES}/items/minimum"
    assert (unequal.rule, unequal.location.line) == ("IS301", 8)
    assert unequal.suppressed == "for the test"
    assert zero.suppressed is None


def test_a_source_tree_is_pointed_at_by_line(tmp_path: Path, dtc: str, dtschema: None) -> None:
    file = tmp_path / "mine.dts"
    file.write_text(
        "/dts-v1/;\n/ {\n ibm,opal {\n  power-mgt {\n"
        '   ibm,cpu-idle-state-names = "nap";\n'
        "   ibm,cpu-idle-state-flags = <0x11004>;\n"
        "   ibm,cpu-idle-state-latencies-ns = <4000>;\n  };\n };\n};\n"
    )
    (finding,) = check([read_source(str(file))])
    assert (finding.rule, finding.location.file, finding.location.line) == ("IS310", str(file), 6)
    assert finding.location.path == f"{NODE}:{dt.FLAGS}[0]"


@pytest.mark.slow
def test_severity_is_the_rules(dtschema: None) -> None:
    (warning,) = check([source(FAULTS["name-twice"][0])])
    (error,) = check([source(FAULTS["no-names"][0])])
    assert (warning.severity, error.severity) == (Severity.WARNING, Severity.ERROR)


@pytest.mark.slow
def test_selection(dtschema: None) -> None:
    trees = [source({**P9, dt.LATENCIES: u32_array([0, 0, 0])}), source(FAULTS["no-names"][0])]
    assert {f.rule for f in check(trees, selection=RuleSelection(("IS2",)))} == {"IS215"}
    assert {f.rule for f in check(trees, selection=RuleSelection((), ("IS2",)))} == {"IS102"}


def test_what_reading_found_is_reported(tmp_path: Path, dtschema: None) -> None:
    """A broken spec must not pass for a clean one."""
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nextends: power9\noverride: {stop4: {latency: 100}}\n")
    assert [f.rule for f in check([read_source(str(file))])] == ["IS923"]


@pytest.mark.slow
def test_the_platform_is_the_one_asked_for(dtschema: None) -> None:
    """A state that firmware does not export is no business of the binding's."""
    machine = Platform("shallow", enabled_stop_levels=0x8000_0000)
    broken = read_source("power9")
    assert broken.table
    states = list(broken.table.states)
    states[4] = replace(states[4], latency_ns=0)
    table = replace(broken.table, states=tuple(states))
    assert check([replace(broken, table=table)], machine) == []
    assert [f.rule for f in check([replace(broken, table=table)])] == ["IS215"]


# Trees and records of chance


@pytest.mark.slow
def test_native_rules_agree_on_random_tables(dtschema: None) -> None:
    """The binding says nothing of well-formed nodes that no native rule says, but for two."""
    rng = random.Random(20170823)
    trees = {}
    for number in range(60):
        register = rng.choice([Register.PSSCR, Register.PMICR])
        # of a mask of 0xf, the native rules know what the kernel makes of it
        rows = [replace(state, mask=state.mask | 0x10) for state in states(rng, 6)]
        node = dt.encode(rows, register)
        if register is Register.PSSCR:
            node[dt.STOP_LEVELS] = b"\xff" * 4
        trees[f"t{number}"] = source(node, f"t{number}")
    told: dict[str, set[str]] = {name: set() for name in trees}
    for finding in check(list(trees.values())):
        told[finding.table].add(finding.rule)
    assert len(set().union(*told.values())) > 10
    for name, tree in trees.items():
        assert told[name] - {"IS118", "IS216"} <= native_codes(tree), name


@settings(max_examples=examples(75, 150))
@given(
    st.sampled_from(["validation", "decode", "crash"]),
    st.lists(st.sampled_from([*P9, *P8, "foo", 0, 1, 99, 2**70]), max_size=3),
    st.sampled_from([pattern for pattern, _ in dtschema_verdicts._JUDGES]),
    st.text(min_size=1, max_size=40),
    st.sampled_from([P9, P8, {}, EMPTY, {**P9, dt.FLAGS: b"\0"}]),
)
def test_every_record_has_a_verdict(
    kind: str, where: list[object], pattern: str, message: str, node: Properties
) -> None:
    path = pattern.replace("~", "ibm,cpu-idle-state-").replace("\\d", "1").replace(".*", "x")
    record = {"type": kind, "message": message, "property_path": where,
              "schema_path": ["then", *path.split("|")[0].split("/")]}  # fmt: skip
    tree = source(node)
    assert tree.table
    assert tree.node
    found = verdicts(record, Subject(tree.table, ()), tree.node)
    assert found
    assert all(verdict.message for verdict in found)


def test_a_fault_that_both_engines_find_is_reported_once(tmp_path: Path, dtschema: None) -> None:
    properties = {**P9, dt.LATENCIES: bytes(4) + P9[dt.LATENCIES][4:]}
    file = tmp_path / "zero.dtb"
    file.write_bytes(
        fdt.write(Node("", {}, (Node("ibm,opal", {}, (Node("power-mgt", properties),)),)))
    )

    def found(engine: str) -> list[Finding]:
        criteria = Criteria((release("6.1"),))
        findings = check_all(CheckRequest((str(file),), criteria, engine)).findings
        return [finding for finding in findings if "IS215" in finding.rules]

    (own,), (schemas,), (both,) = found(NATIVE), found(DTSCHEMA), found("all")
    assert own.message != schemas.message
    assert both == replace(own, related=(*own.related, schemas.related[-1]))
    assert str(both.related[-1][0]) == f"dt-schema {BINDING}"
