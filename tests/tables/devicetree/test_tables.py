"""Tables into device trees and out of them: nothing is lost, and what cannot be said is refused."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import CannotGenerate, Finding, Unreadable
from idle_states.base.model.power_mgt import NODE, PowerMgt, encode
from idle_states.base.model.table import Cpu, IdleState, IdleTable, Register
from idle_states.base.resources import resource
from idle_states.tables.devicetree import directory, dts, fdt
from idle_states.tables.devicetree.generate import tree_of
from idle_states.tables.devicetree.tables import cpu_of, tables_of
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.platform import ALL_LEVELS, PRESETS, Platform
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import revisions
from tests import support
from tests.tables.devicetree.test_dts import ARRAYS, compiled
from tests.tables.devicetree.test_fdt import VALUES

DATA = support.DATA / "dt"
OPAL = [
    revision.name for revision in revisions() if find(revision.name).register is not Register.NONE
]
STOP = [name for name in OPAL if find(name).register is Register.PSSCR]
EMPTY_ROOT = Node("")


def cell(value: int) -> bytes:
    return value.to_bytes(4, "big")


def around(*children: Node, cpus: Node | None = None, **root: bytes) -> Node:
    opal = Node("ibm,opal", {}, children)
    return Node("", root, (opal,) if cpus is None else (cpus, opal))


def through_dtb(root: Node) -> Node:
    return fdt.read(fdt.write(root), "tree.dtb")


def through_dts(root: Node) -> Node:
    return dts.read(dts.write(root), "tree.dts")


def one_table(root: Node) -> IdleTable:
    ((_, table),) = tables_of(root, "tree", "dtb", "")
    return table


@pytest.mark.usefixtures("dtc")
@pytest.mark.parametrize("through", [through_dtb, through_dts])
@pytest.mark.parametrize("register", [Register.PSSCR, Register.PMICR])
@pytest.mark.parametrize("name", OPAL)
def test_every_row_survives(name: str, register: Register, through: Callable[[Node], Node]) -> None:
    table = find(name)
    root = around(Node("power-mgt", encode(table.states, register)))
    read = one_table(through(root))
    assert read.register is register
    assert read.same_values(table)


@pytest.mark.parametrize("platform", [*PRESETS.values(), Platform(skiboot="5.9")])
@pytest.mark.parametrize("name", OPAL)
def test_generated_tree_is_what_firmware_exports(dtc: str, name: str, platform: Platform) -> None:
    table = find(name)
    exported = export(table, platform)
    assert exported.node is not None
    root = tree_of(table, platform)
    node = root.find(NODE)
    assert node is not None
    assert node.properties == exported.node.properties
    text = dts.write(root)
    blob = compiled(dtc, text)
    assert blob == fdt.write(root)
    assert fdt.write(through_dts(root)) == blob
    if exported.indices and dt.RESIDENCIES in node.properties:
        kept = [table.states[index].values() for index in exported.indices]
        assert [state.values() for state in one_table(through_dtb(root)).states] == kept


@pytest.mark.parametrize("name", OPAL)
def test_generated_tree_tells_the_processor(name: str) -> None:
    cpu, wanted = one_table(through_dtb(tree_of(find(name), ALL_LEVELS))).cpu, find(name).cpu
    assert cpu is not None
    assert wanted is not None
    assert (cpu.generation, cpu.pvr) == (wanted.generation, wanted.pvr)
    assert set(cpu.chips) & set(wanted.chips) or name in ("power8-nap-only", "power9-fused")
    assert cpu.levels == find(wanted.generation).cpu.levels  # type: ignore[union-attr]


QEMU = {
    "powernv8": (
        "power8",
        ("power8", 0x4D),
        Register.PMICR,
        [("nap", 4_000, 100_000, 0x11000, 0, 0)],
    ),
    "powernv9": (
        "power9",
        ("power9", 0x4E),
        Register.PSSCR,
        [
            ("stop0_lite", 1_000, 10_000, 0x100000, 0x330, 0x3003FF),
            ("stop0", 2_000, 20_000, 0x101000, 0x300330, 0x3003FF),
            ("stop1", 5_000, 50_000, 0x101000, 0x300331, 0x3003FF),
        ],
    ),
    "powernv10": (
        "power10",
        ("power10", 0x80),
        Register.PSSCR,
        [
            ("stop0_lite", 1_000, 10_000, 0x100000, 0x300, 0x3003FF),
            ("stop0", 10_000, 100_000, 0x101000, 0x300300, 0x3003FF),
        ],
    ),
}


@pytest.mark.usefixtures("dtc")
@pytest.mark.parametrize("machine", QEMU)
def test_trees_of_qemu(machine: str) -> None:
    revision, cpu, register, rows = QEMU[machine]
    file = DATA / f"qemu-{machine}.dts"
    root = dts.read(file.read_text(), file.name)
    table = one_table(root)
    assert [state.values() for state in table.states] == rows
    assert table.register is register
    assert table.cpu
    assert (table.cpu.generation, table.cpu.pvr) == cpu
    platform = replace(PRESETS[f"qemu-{machine}"], skiboot="7.0")
    generated = tree_of(find(revision), platform).find(NODE)
    seen = root.find(NODE)
    assert generated
    assert seen
    assert list(generated.properties.items()) == list(seen.properties.items())


def test_table_knows_where_it_is_from() -> None:
    root = tree_of(find("power9"), ALL_LEVELS)
    ((node, table),) = tables_of(root, "some/tree.dtb", "dtb", "abc")
    assert table.name == NODE
    assert table.origin.form == "dt"
    assert (table.read_from.kind, table.read_from.file, table.read_from.sha256) == (
        "dtb",
        "some/tree.dtb",
        "abc",
    )
    assert (node.where.path, node.where.file, node.where.line) == (NODE, "some/tree.dtb", None)
    where = table.states[3].where["control"]
    assert (where.file, where.path) == ("some/tree.dtb", f"{NODE}:{dt.PSSCR}[3]")


@pytest.mark.usefixtures("dtc")
def test_finding_on_a_source_points_at_its_line() -> None:
    text = (DATA / "qemu-powernv9.dts").read_text().replace("<0x3e8 0x7d0 0x1388>", "<0x3e8>")
    root = dts.read(text, "tree.dts")
    ((node, table),) = tables_of(root, "tree.dts", "dts", "", dts.places(text, "tree.dts"))
    subject = Subject(table, (release("6.1"),), node=node)
    (finding,) = run(subject, selection=RuleSelection(("IS101",)))
    lines = text.splitlines()
    assert finding.location.file == "tree.dts"
    assert finding.location.line
    assert finding.location.column
    line = lines[finding.location.line - 1]
    assert line[finding.location.column - 1 :].startswith("ibm,cpu-idle-state-latencies-ns")
    assert finding.location.length == len("ibm,cpu-idle-state-latencies-ns")
    assert node.where.line == lines.index("\t\tpower-mgt {") + 1


def cpus(name: str = "PowerPC,POWER9@0", version: bytes | None = None) -> Node:
    properties = {} if version is None else {"cpu-version": version}
    return Node("cpus", {}, (Node("cache@0"), Node(name, properties)))


@pytest.mark.parametrize(
    ("root", "generation", "pvr"),
    [
        *(
            (around(cpus=cpus("cpu@0", cell(pvr << 16 | 0x1200))), generation, pvr)
            for pvr, generation in [
                (0x3F, "power7"),
                (0x4A, "power7"),
                (0x4B, "power8"),
                (0x4C, "power8"),
                (0x4D, "power8"),
                (0x4E, "power9"),
                (0x4F, "power9"),
                (0x80, "power10"),
                (0x82, "power11"),
            ]
        ),
        (around(cpus=cpus(version=cell(0x800000))), "power10", 0x80),
        (around(cpus=cpus(version=cell(0x12345678))), None, None),
        (around(cpus=cpus(version=b"\0\x80")), "power9", 0x4E),
        (around(cpus=cpus("PowerPC,POWER8NVL@20")), "power8", 0x4D),
        (around(cpus=cpus("PowerPC,POWER10@0")), "power10", 0x80),
        (around(cpus=cpus("PowerPC,POWER1@0")), None, None),
        (around(cpus=cpus("cpu@0")), None, None),
        (around(compatible=b"qemu,powernv9\0ibm,powernv\0"), "power9", 0x4E),
        (around(compatible=b"ibm,powernv\0x,powernv11\0"), "power11", 0x82),
        (around(cpus=cpus(version=cell(1)), compatible=b"x,powernv11\0"), None, None),
        (around(compatible=b"ibm,powernv\0"), None, None),
        (around(compatible=b"\xff\xfe"), None, None),
        (EMPTY_ROOT, None, None),
    ],
)
def test_processor(root: Node, generation: str | None, pvr: int | None) -> None:
    cpu = cpu_of(root)
    assert (cpu and cpu.generation, cpu and cpu.pvr) == (generation, pvr)


def test_chips_follow_from_the_pvr() -> None:
    def chips(pvr: int) -> tuple[str, ...]:
        cpu = cpu_of(around(cpus=cpus(version=cell(pvr << 16))))
        assert cpu
        return cpu.chips

    assert chips(0x4F) == ("P9P",)
    assert chips(0x4C) == ("P8_NAPLES",)
    assert chips(0x4E) == ("P9_NIMBUS", "P9_CUMULUS")


ROWS = encode(find("power9").states[:2], Register.PSSCR)


@pytest.mark.parametrize(
    ("root", "paths"),
    [
        (EMPTY_ROOT, []),
        (around(), []),
        (around(Node("power-mgt")), [NODE]),
        (around(Node("power-mgt@0", ROWS)), []),
        (Node("", {}, (Node("power-mgt", ROWS),)), ["/power-mgt"]),
        (
            Node("", {}, (Node("a", {}, (Node("power-mgt"),)), Node("power-mgt"))),
            ["/a/power-mgt", "/power-mgt"],
        ),
        (around(Node("power-mgt", ROWS, (Node("power-mgt"),))), [NODE]),
        (Node("", ROWS), ["/"]),
        (Node("", {dt.STOP_LEVELS: cell(1)}), ["/"]),
        (Node("power-mgt", {}), ["/power-mgt"]),
    ],
)
def test_where_the_node_is_found(root: Node, paths: list[str]) -> None:
    found = tables_of(root, "x", "dtb", "")
    assert [node.where.path for node, _ in found] == paths
    assert [table.name for _, table in found] == paths
    seen = [root.find(path) or root for path in paths]
    assert [node.properties for node, _ in found] == [node.properties for node in seen]


@pytest.mark.parametrize(
    ("name", "data"),
    [(dt.FLAGS, cell(0x100000)), (dt.PSSCR, bytes(8)), (dt.NAMES, b"s\0"), (dt.PMICR, bytes(8))],
)
def test_more_states_than_any_tree_has(name: str, data: bytes) -> None:
    fits = around(Node("power-mgt", {name: data * 1024}))
    assert one_table(fits)
    with pytest.raises(Unreadable, match="at most 1024 states, found 1025") as raised:
        one_table(around(Node("power-mgt", {name: data * 1025})))
    (finding,) = raised.value.findings
    assert (finding.rule, finding.location.path) == ("IS930", f"{NODE}:{name}")


@settings(deadline=None)
@given(ARRAYS, VALUES, VALUES)
def test_whatever_a_node_holds_there_is_a_table(
    arrays: dict[str, bytes], version: bytes, compatible: bytes
) -> None:
    root = around(Node("power-mgt", arrays), cpus=cpus(version=version), compatible=compatible)
    ((node, table),) = tables_of(root, "x", "dtb", "")
    assert node.properties == arrays
    again = tree_of(table, ALL_LEVELS, node).find(NODE)
    assert again
    assert again.properties.items() <= arrays.items()


def test_more_nodes_than_any_tree_has() -> None:
    nodes = tuple(Node(f"n{index}", {}, (Node("power-mgt"),)) for index in range(65))
    assert len(tables_of(Node("", {}, nodes[:64]), "x", "dtb", "")) == 64
    with pytest.raises(Unreadable, match="at most 64 nodes power-mgt") as raised:
        tables_of(Node("", {}, nodes), "x", "dtb", "")
    assert raised.value.findings[0].location.path == "/n64/power-mgt"


def test_real_tree_has_its_levels_and_processor(dtc: str, skiboot_tree: Path) -> None:
    file = skiboot_tree / "hdata" / "test" / "op920.wsp.dts"
    ((node, table),) = tables_of(dts.read(file.read_text(), str(file)), "x", "dts", "")
    assert node.stop_levels == 0xEC000000
    assert table.states == ()
    assert table.cpu
    assert table.cpu.generation == "power9"


# generation


def refused(
    table: IdleTable,
    platform: Platform = ALL_LEVELS,
    node: PowerMgt | None = None,
    *,
    versioned: bool = False,
) -> list[Finding]:
    with pytest.raises(CannotGenerate) as raised:
        tree_of(table, platform, node, versioned=versioned)
    for finding in raised.value.findings:
        assert (finding.rule, finding.name) == ("IS933", "cannot-generate")
        assert finding.message.startswith("expected ")
        assert finding.table == table.name
    return list(raised.value.findings)


def table_of(*names: str, residency_ns: int | None = 10_000) -> IdleTable:
    one = IdleState("", 1000, residency_ns, 0x10_0000, 0x300331, 0x3003FF)
    states = tuple(replace(one, name=name) for name in names)
    return IdleTable(
        "t", states, Register.PSSCR, Cpu(registry.named("power9"), 0x4E, ("P9_NIMBUS",))
    )


@pytest.mark.parametrize(
    ("file", "name", "versioned"),
    [
        ("generated-power9.dts", "power9", False),
        ("generated-power9-versioned.dts", "power9", True),
        ("generated-power8.dts", "power8", False),
    ],
)
def test_generated_source_is_stable(file: str, name: str, versioned: bool) -> None:
    """A change of these files is a change that users review."""
    root = tree_of(find(name), PRESETS["op920"], versioned=versioned)
    assert dts.write(root) == (DATA / file).read_text()


def test_blanks_are_no_problem_for_arrays() -> None:
    table = table_of("a b", " ~")
    assert [state.name for state in one_table(tree_of(table, ALL_LEVELS)).states] == ["a b", " ~"]


@pytest.mark.parametrize("versioned", [False, True])
def test_partition_has_no_tree(versioned: bool) -> None:
    (finding,) = refused(find("pseries-shared"), versioned=versioned)
    assert "compiled into the kernel" in finding.message
    assert finding.location.file == str(resource("tables", "specs", "pseries-shared.yaml"))


def test_table_firmware_dies_of_has_no_tree() -> None:
    (finding,) = refused(table_of(*(f"s{index}" for index in range(256))))
    assert "its loop never ends" in finding.message
    (finding,) = refused(table_of(*(f"state_number_{index:02}" for index in range(17))))
    assert "its assert stops the boot" in finding.message


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stöp", r"printable ASCII, found 'st\\xf6p'"),
        ("a\tb", r"printable ASCII, found 'a\\tb'"),
        ("a\0b", r"printable ASCII, found 'a\\x00b'"),
        ("\udcff", "printable ASCII"),
        ("sixteen_letters_", "at most 15 bytes, found 'sixteen_letters_'"),
    ],
)
def test_names_no_array_can_hold(name: str, message: str, versioned: bool) -> None:
    findings = refused(table_of("stop1", name), versioned=versioned)
    assert message.replace(r"\\", "\\") in findings[0].message
    assert findings[0].location.path == "t:states[1].name"


def test_only_exported_rows_count() -> None:
    lost = table_of("stop1", "stöp")
    lost = replace(lost, states=(lost.states[0], replace(lost.states[1], control=0x300332)))
    assert tree_of(lost, Platform(enabled_stop_levels=0x4000_0000)).find(NODE)
    (finding,) = refused(lost)
    assert "stop1" not in finding.message


def test_rows_are_named_by_their_place_in_the_table() -> None:
    table = table_of("stop2", "stop1", "stop 1")
    table = replace(table, states=(replace(table.states[0], control=0x300332), *table.states[1:]))
    platform = Platform(enabled_stop_levels=0x4000_0000)
    (finding,) = refused(table, platform, versioned=True)
    assert finding.location.path == "t:states[2].name"


def test_residency_of_some_rows_only() -> None:
    table = table_of("stop1", "stop2")
    table = replace(table, states=(table.states[0], replace(table.states[1], residency_ns=None)))
    (finding,) = refused(table)
    assert "target residency for 'stop2'" in finding.message
    none = table_of("stop1", "stop2", residency_ns=None)
    node = tree_of(none, ALL_LEVELS).find(NODE)
    assert node
    assert dt.RESIDENCIES not in node.properties


def test_all_problems_are_reported_together() -> None:
    table = table_of("a b", "a b", "c/d", "", residency_ns=None)
    found = sorted(finding.message for finding in refused(table, versioned=True))
    assert [message.split(",")[0] for message in found if "name that can" in message] != []
    assert sum("name that can be a node's" in message for message in found) == 4
    assert sum("target residency" in message for message in found) == 4
    assert sum("each name once" in message for message in found) == 1
    assert len(found) == 9


@pytest.mark.parametrize("name", ["power7", "power8", "power8-nap-only"])
def test_versioned_form_is_for_stop_states(name: str) -> None:
    (finding,) = refused(find(name), versioned=True)
    assert "requested through PSSCR, found PMICR" in finding.message


def test_too_many_problems_are_not_all_listed() -> None:
    table = table_of(*["a b"] * 60, residency_ns=None)
    assert len(refused(table, versioned=True)) == 100


def test_versioned_tree_is_the_one_that_was_proposed(dtc: str) -> None:
    root = tree_of(find("power9"), PRESETS["op920"], versioned=True)
    node = root.find(NODE)
    assert node
    assert node.properties == {
        dt.STOP_LEVELS: cell(0xEC000000),
        dt.NAMES: b"stop0_lite\0stop0\0",
        dt.LATENCIES: cell(0x3E8) + cell(0x7D0),
        dt.RESIDENCIES: cell(0x2710) + cell(0x4E20),
        dt.FLAGS: cell(0x100000) + cell(0x101000),
        dt.PSSCR: cell(0) + cell(0x330) + cell(0) + cell(0x300330),
        dt.PSSCR_MASK: (cell(0) + cell(0x3003FF)) * 2,
    }
    states = node.child("ibm,idle-states")
    assert states
    assert [state.name for state in states.children] == ["stop1", "stop2", "stop4", "stop5"]
    assert states.child("stop4") == Node(
        "stop4",
        {
            "compatible": b"stop4,v1\0",
            "flags": cell(0x207000),
            "latency-ns": cell(0x186A0),
            "residency-ns": cell(0x989680),
            "psscr": cell(0) + cell(0x300374),
            "psscr-mask": cell(0) + cell(0x3003FF),
        },
    )
    text = dts.write(root)
    assert "\n\t\t\t\t\tpsscr = <0x0 0x300374>;\n" in text
    assert "Neither merged it" in text
    assert compiled(dtc, text) == fdt.write(root)


@pytest.mark.parametrize("platform", ["all-levels", "rainier", "no-homer"])
@pytest.mark.parametrize("name", STOP)
def test_versioned_tree_has_every_exported_state_once(dtc: str, name: str, platform: str) -> None:
    table = find(name)
    root = tree_of(table, PRESETS[platform], versioned=True)
    assert compiled(dtc, dts.write(root)) == fdt.write(root)
    states = root.find(f"{NODE}/ibm,idle-states")
    assert states is not None
    names = [state.name for state in one_table(root).states]
    names += [state.name for state in states.children]
    exported = export(table, PRESETS[platform]).indices
    assert names == [table.states[index].name for index in exported]


def test_tree_of_a_tree_is_its_own_node(dtc: str) -> None:
    ragged = {**ROWS, dt.FLAGS: b"\1\2\3", "#size-cells": cell(1), "ibm,pstate-max": cell(9)}
    ((node, table),) = tables_of(around(Node("power-mgt", ragged), cpus=cpus()), "x", "dtb", "")
    again = tree_of(table, PRESETS["awan"], node).find(NODE)
    assert again
    assert again.properties == {**ROWS, dt.FLAGS: b"\1\2\3", "ibm,pstate-max": cell(9)}
    root = tree_of(table, PRESETS["awan"], node)
    assert compiled(dtc, dts.write(root)) == fdt.write(root)


def test_versioned_tree_of_a_tree() -> None:
    root = tree_of(find("power9"), PRESETS["op920"])
    ((node, table),) = tables_of(root, "x", "dtb", "")
    again = tree_of(table, ALL_LEVELS, node, versioned=True)
    assert again == tree_of(find("power9"), PRESETS["op920"], versioned=True)


def test_unknown_processor_gives_no_cpu() -> None:
    root = tree_of(replace(table_of("stop1"), cpu=None), Platform(chip="P9_NIMBUS"))
    assert root.find("/cpus") is None
    assert cpu_of(root) is None


def test_processor_without_pvr_is_known_by_its_name() -> None:
    root = tree_of(
        replace(table_of("stop1"), cpu=Cpu(registry.named("power9"), 0, ("P9_NIMBUS",))), ALL_LEVELS
    )
    cpu = cpu_of(root)
    assert cpu
    assert cpu.generation == "power9"


# directories


def as_directory(node: Node, path: Path) -> Path:
    path.mkdir()
    for name, data in node.properties.items():
        (path / name).write_bytes(data)
    for child in node.children:
        as_directory(child, path / child.name)
    return path


def directory_refused(path: Path) -> Finding:
    with pytest.raises(Unreadable) as raised:
        directory.read(path)
    (finding,) = raised.value.findings
    assert finding.location.file == path.as_posix()
    return finding


@pytest.mark.parametrize("name", STOP)
def test_directory_reads_as_the_blob_does(tmp_path: Path, name: str) -> None:
    root = tree_of(find(name), ALL_LEVELS)
    assert directory.read(as_directory(root, tmp_path / "base")) == root


def test_directory_reads_as_dtc_reads_it(dtc: str, tmp_path: Path) -> None:
    path = as_directory(tree_of(find("power9"), ALL_LEVELS), tmp_path / "base")
    done = subprocess.run(
        [dtc, "-q", "-I", "fs", "-O", "dtb", "-s", "-o", "-", str(path)],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert fdt.read(done.stdout, "x") == directory.read(path)


def test_directory_is_sorted(tmp_path: Path) -> None:
    for name in "cab":
        (tmp_path / name).mkdir()
        (tmp_path / f"p{name}").write_bytes(name.encode())
    root = directory.read(tmp_path)
    assert list(root.properties) == ["pa", "pb", "pc"]
    assert [child.name for child in root.children] == ["a", "b", "c"]


@pytest.mark.parametrize(("name", "path"), [("power-mgt", "/power-mgt"), ("elsewhere", "/")])
def test_directory_of_the_node_alone(tmp_path: Path, name: str, path: str) -> None:
    here = as_directory(Node("", ROWS), tmp_path / name)
    ((node, table),) = tables_of(directory.read(here), "x", "directory", "")
    assert node.where.path == path
    assert [state.name for state in table.states] == ["stop0_lite", "stop0"]


def test_links_and_odd_files_are_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    base = as_directory(Node("", {"a": b"1"}, (Node("b", {"c": b"2"}),)), tmp_path / "base")
    (base / "link").symlink_to(outside)
    (base / "file-link").symlink_to(outside / "secret")
    (base / "loop").symlink_to(base)
    (base / "b" / "dangling").symlink_to("nowhere")
    os.mkfifo(base / "pipe")
    assert directory.read(base) == Node("", {"a": b"1"}, (Node("b", {"c": b"2"}),))


def test_the_directory_itself_may_be_a_link(tmp_path: Path) -> None:
    as_directory(Node("", ROWS), tmp_path / "power-mgt")
    (tmp_path / "link").symlink_to("power-mgt")
    assert directory.read(tmp_path / "link") == Node("power-mgt", dict(sorted(ROWS.items())))


@pytest.mark.parametrize("name", ["a b", "ä", "a\n", "x" * 255])
def test_names_of_no_device_tree(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    if name[0] == "x":
        assert list(directory.read(tmp_path).properties) == [name]
        return
    finding = directory_refused(tmp_path)
    assert finding.rule == "IS931"
    assert ascii(name) in finding.message


def test_directory_too_deep(tmp_path: Path) -> None:
    path = tmp_path
    for _ in range(63):
        path = path / "a"
        path.mkdir()
    assert sum(1 for _ in directory.read(tmp_path).walk()) == 64
    (path / "a").mkdir()
    finding = directory_refused(tmp_path)
    assert finding.rule == "IS931"
    assert "nested at most 64 deep" in finding.message
    assert finding.location.path == "/" + "/".join("a" * 64)


def test_directory_with_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_directory(Node("", {"a": b"12", "b": b"3"}, (Node("c", {"d": b"4"}),)), tmp_path / "base")
    monkeypatch.setattr(directory, "MAX_BYTES", 4)
    monkeypatch.setattr(directory, "MAX_ENTRIES", 4)
    assert directory.read(tmp_path / "base")
    monkeypatch.setattr(directory, "MAX_BYTES", 3)
    finding = directory_refused(tmp_path / "base")
    assert (finding.rule, finding.location.path) == ("IS930", "/c/d")
    assert "at most 3 bytes" in finding.message
    monkeypatch.setattr(directory, "MAX_ENTRIES", 3)
    finding = directory_refused(tmp_path / "base")
    assert finding.rule == "IS930"
    assert "at most 3 files" in finding.message


def test_directory_that_is_not_there(tmp_path: Path) -> None:
    finding = directory_refused(tmp_path / "nowhere")
    assert finding.rule == "IS930"
    assert "No such file" in finding.message


@pytest.mark.parametrize(
    ("name", "needed"),
    [("security-password", False), (dt.NAMES, True), ("cpu-version", True), (dt.FLAGS, True)],
)
def test_property_the_user_may_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, needed: bool
) -> None:
    (tmp_path / name).write_bytes(b"1")
    (tmp_path / "other").write_bytes(b"2")
    really = os.open

    def forbidden(path: str | bytes | Path, flags: int, **options: int) -> int:
        if os.path.basename(os.fspath(path)) in (name, name.encode()):
            raise PermissionError(13, "Permission denied")
        return really(path, flags, **options)

    monkeypatch.setattr(os, "open", forbidden)
    if needed:
        finding = directory_refused(tmp_path)
        assert (finding.rule, finding.location.path) == ("IS930", f"/{name}")
        assert "Permission denied" in finding.message
    else:
        assert directory.read(tmp_path) == Node("", {"other": b"2"})


# nodes


def test_node_is_found_by_its_whole_path() -> None:
    leaf = Node("c@1")
    root = Node("", {}, (Node("a"), Node("b", {}, (leaf,))))
    assert root.find("/") is root
    assert root.find("/b/c@1") is leaf
    assert root.find("/b/c") is None
    assert root.find("/a/c@1") is None
    assert root.find("/c@1") is None
    assert [path for path, _ in root.walk()] == ["/", "/a", "/b", "/b/c@1"]


def test_values_of_a_node() -> None:
    node = Node("", {"n": cell(7), "short": b"\1", "s": b"a\0b\0", "open": b"a\0b", "x": b"\xff\0"})
    assert node.u32("n") == 7
    assert node.u32("short") is None
    assert node.u32("none") is None
    assert node.strings("s") == node.strings("open") == ("a", "b")
    assert node.strings("x") == ("\udcff",)
    assert node.strings("none") == ()
