"""Tests of what is audited once for alike inputs is the same as if each were audited on its own."""

import gc
import json
import os
import random
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Finding, Location, Severity, moved
from idle_states.tables.audit import alike
from idle_states.tables.audit import fleet as fleets
from idle_states.tables.audit.alike import Alike, Auditor
from idle_states.tables.audit.audit import Setting, audit_path
from idle_states.tables.audit.audited import Audited
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.sources.walk import Walk
from tests.support import DATA
from tests.support.releases import kernels_of
from tests.support.thorough import examples, few
from tests.tables.audit.test_audit import edited, run, slower, tree

pytestmark = pytest.mark.skipif(fdt._fdt is None, reason="the C reader is not compiled")

TREES = DATA / "trees"
SETTING = Setting(Criteria(kernels_of(["6.1"])))
POWER_MGT = "/ibm,opal/power-mgt"
JUDGED = ("/", "/cpus", "/ibm,opal", POWER_MGT, "/ibm,opal/firmware", "/ibm,firmware-versions")


def firmware(root: Node) -> Node:
    """The tree with what hostboot and skiboot of a real machine say."""
    opal = root.child("ibm,opal")
    assert opal is not None
    said = Node("firmware", {"version": b"skiboot-v7.0\0", "git-id": b"abcdef0\0", "x": b"1"})
    versions = Node("ibm,firmware-versions", {"skiboot": b"v7.0\0", "hostboot": b"a1\0"})
    others = [
        replace(opal, children=(*(c for c in opal.children if c.name != "firmware"), said))
        if child is opal
        else child
        for child in root.children
    ]
    return replace(root, children=(*others, versions))


def changed(root: Node, drawn: random.Random, share: float) -> Iterator[Node]:
    """The tree with one thing changed, of each node that is judged and of a share of the others:
    properties, their order, names, nodes left out, nodes more."""
    for path, node in root.walk():
        judged = path in JUDGED or path.startswith("/cpus/")
        if not judged and drawn.random() > share:
            continue
        for name, value in node.properties.items():
            at = drawn.randrange(len(value) or 1)
            other = value[:at] + bytes([drawn.randrange(256)]) + value[at + 1 :]
            for new in (None, other, drawn.choice([b"", value[:-1], b"cpu\0", bytes(4)])):
                yield edited(root, path, **{name: new})
        yield edited(root, path, device_type=b"cpu\0")
        yield edited(root, path, **{"cpu-version": drawn.choice([bytes(4), b"\0\x4e\x12\x02"])})
        yield edited(root, path, **{"system-id": b"S1\0", "serial-number": b"S2\0"})
        last, backwards = path.rpartition("/")[2], dict(reversed(node.properties.items()))
        yield at_path(root, path, [replace(node, properties=backwards)])
        if path == "/":
            continue
        yield at_path(root, path, [])
        for name in (f"{last}@0", f"{last}x", last.partition("@")[0], "power-mgt", "cpu@77"):
            yield at_path(root, path, [replace(node, name=name)])
            yield at_path(root, path, [replace(node, name=f"{name}@1"), node])
            yield at_path(root, path, [node, replace(node, name=f"{name}@2")])
        yield at_path(root, path, [replace(node, children=())])
        yield at_path(root, path, [replace(node, children=(*node.children, Node("more")))])


def at_path(root: Node, path: str, nodes: list[Node]) -> Node:
    """The tree with other nodes in the place of one; of the root the first of them."""
    head, _, rest = path.strip("/").partition("/")
    if not head:
        return nodes[0]
    children: list[Node] = []
    for child in root.children:
        if child.name != head:
            children.append(child)
        elif rest:
            children.append(at_path(child, rest, nodes))
        else:
            children += nodes
    return replace(root, children=tuple(children))


def held_to_each_alone(blobs: Iterator[bytes], directory: Path) -> int:
    """Audits what is in a fleet and on its own; returns how many were taken for alike others."""
    alike = 0
    with Auditor(SETTING) as auditor:
        for number, blob in enumerate(blobs):
            file = directory / f"{number}.dtb"
            file.write_bytes(blob)
            found = auditor.audit(file)
            alone = audit_path(file, SETTING)
            assert list(found) == alone, file
            alike += isinstance(found, Alike)
            file.unlink()
    return alike


def writable(trees: Iterator[Node]) -> Iterator[bytes]:
    for each in trees:
        try:
            yield fdt.write(each)
        except ValueError:  # two nodes of a name
            continue


@pytest.mark.parametrize(
    ("name", "share"), few(1, [("powernv9", 0.25), ("powernv8", 1), ("powernv10", 0.25)])
)
def test_whatever_is_changed_is_found(name: str, share: float, tmp_path: Path) -> None:
    root = firmware(tree(name))
    drawn = random.Random(17)
    made = list(changed(root, drawn, share))
    made = drawn.sample(made, examples(120, 1_000))
    alike = held_to_each_alone(writable(iter([root, *made])), tmp_path)
    assert 0 < alike < len(made)


def test_whatever_is_damaged_is_told(tmp_path: Path) -> None:
    blob = fdt.write(firmware(tree()))
    drawn = random.Random(17)

    def damaged() -> Iterator[bytes]:
        yield blob
        for _ in range(examples(60, 400)):
            data = bytearray(blob)
            at = drawn.choice([drawn.randrange(0, 72), drawn.randrange(len(blob))])
            if drawn.random() < 0.5:
                data[at] = drawn.randrange(256)
            else:
                words = [0, 1, 2, 3, 4, 9, 0xFFFFFFFF, len(blob)]
                data[at & ~3 : (at & ~3) + 4] = drawn.choice(words).to_bytes(4, "big")
            yield bytes(data)
            yield blob[: drawn.randrange(len(blob))]

    assert held_to_each_alone(damaged(), tmp_path) > 0


HDAT = {  # of skiboot's own tree what it adds itself
    "ibm,opal": ("opal-base-address",),
    "ibm,opal/power-mgt": (dt.NAMES, *dt.CELL_BYTES),
}


@pytest.mark.parametrize(
    ("name", "changes", "found"),
    [
        # what the states are follows from hostboot's levels, and for POWER8 from its words
        ("powernv9", {}, "today's would add stop0_lite, stop0 and stop1"),
        ("powernv9", {POWER_MGT: {dt.STOP_LEVELS: None}}, "today's would add none"),
        ("powernv8", {}, "today's would add nap and winkle"),
        ("powernv8", {"/": {"ibm,enabled-idle-states": b"nap\0fast-sleep\0"}}, "fastsleep_"),
        ("powernv10", {POWER_MGT: {dt.STOP_LEVELS: bytes.fromhex("b0100000")}}, "stop2 and stop3"),
        # skiboot has run, or it is no tree of OpenPOWER's chips
        ("powernv9", {"/ibm,opal": {"opal-base-address": bytes(8)}}, None),
        ("powernv9", {POWER_MGT: {dt.NAMES: b"stop0_lite\0"}}, None),
        ("powernv9", {"xscom": None}, None),
    ],
)
def test_a_tree_that_skiboot_was_given_is_told_from_one_that_it_made(
    name: str, changes: dict[str, dict[str, bytes | None]], found: str | None, tmp_path: Path
) -> None:
    root = tree(name)
    for path, names in HDAT.items():
        root = edited(root, path, **dict.fromkeys(names))
    if "xscom" in changes:
        root = replace(root, children=tuple(c for c in root.children if "xscom" not in c.name))
    for path, properties in changes.items():
        root = edited(root, path, **properties or {}) if path != "xscom" else root
    (tmp_path / "given.dtb").write_bytes(fdt.write(root))
    assert held_to_each_alone(iter([fdt.write(root)] * 2), tmp_path) == 0 or found is None
    (audited,) = audit_path(tmp_path / "given.dtb", SETTING)
    rules = {f.rule: (f.severity, f.message) for f in audited.findings}
    assert audited.cpu == name.replace("nv", "")
    if found is None:
        assert "IS123" not in rules
        assert {"IS104", "IS101", "IS102"} & rules.keys()
    else:
        assert list(rules) == ["IS123"]
        severity, message = rules["IS123"]
        assert severity is Severity.NOTE
        assert found in message


def test_cores_and_serials_make_no_tables(tmp_path: Path) -> None:
    """Machines whose guarded cores or other devices differ are alike; each keeps its own serial
    number."""
    file = tmp_path / "x.dtb"
    with Auditor(SETTING) as auditor:
        for number in range(3):
            root = edited(tree(), "/", **{"system-id": f"S{number}".encode()})
            root = edited(root, POWER_MGT, phandle=bytes([0, 0, 1, number]))
            root = edited(root, "/vpd", phandle=bytes([0, 0, 2, number]))
            (core,) = (c for c in root.children if c.name == "cpus")
            renamed = f"{core.children[0].name.partition('@')[0]}@{number:x}8"
            root = at_path(
                root, f"/cpus/{core.children[0].name}", [replace(core.children[0], name=renamed)]
            )
            file.write_bytes(fdt.write(root))
            found = auditor.audit(file)
            assert isinstance(found, Alike) == bool(number)
            machine = found[0].machine
            assert machine is not None
            assert machine.serial == f"S{number}"


def test_an_unknown_processor_is_named_in_each(tmp_path: Path) -> None:
    """Its node's name, which is not compared, stands in the finding."""
    root = edited(tree(), "/", compatible=b"x\0")
    cpus = root.child("cpus")
    assert cpus is not None
    first = cpus.children[0]
    names = []
    with Auditor(SETTING) as auditor:
        for number in range(3):
            renamed = Node(f"PowerPC,POWER99@{number}", {"device_type": b"cpu\0"})
            other = at_path(root, f"/cpus/{first.name}", [renamed])
            (tmp_path / "x.dtb").write_bytes(fdt.write(other))
            (audited,) = auditor.audit(tmp_path / "x.dtb")
            names += [f.location.path for f in audited.findings if f.rule == "IS121"]
    assert names == [f"/cpus/PowerPC,POWER99@{number}" for number in range(3)]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 trees of three tables, each with its serial number; one is cut, one is a dump."""
    directory = tmp_path_factory.mktemp("alike") / "@0@fleet ##[ ä\x1b"
    directory.mkdir()
    for number in range(40):
        serial = f'7"8{number} @1@ä'.encode()
        root = edited(slower(number % 3), "/", **{"system-id": serial})
        (directory / f"{number:02}.dtb").write_bytes(fdt.write(root))
    (directory / "07.dtb").write_bytes(fdt.write(root)[:1000])
    (directory / "sysfs.txt").write_bytes((TREES / "powernv9.sysfs.txt").read_bytes())
    return directory


FORMATS = ("json", "jsonl", "text", "sarif")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_reports_are_the_same(
    jobs: str, fleet: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleets, "FEW", 1)
    quick = {each: run(capsys, "--jobs", jobs, "--format", each, str(fleet)) for each in FORMATS}
    monkeypatch.setattr(fdt, "judged", lambda data: None)
    fleets._auditor.cache_clear()
    for each in FORMATS:
        assert run(capsys, "--jobs", jobs, "--format", each, str(fleet)) == quick[each]
    files = {json.loads(line)["file"] for line in quick["jsonl"][1].splitlines()}
    assert len(files) == 41


def test_pages_do_not_depend_on_the_number_of_processes(
    fleet: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They show the table, and lines of what was read."""
    monkeypatch.setattr(fleets, "FEW", 1)
    (tmp_path / "mine.yaml").write_text("name: mine\nextends: power9\n")
    words = (str(fleet), str(tmp_path / "mine.yaml"))
    for form in (("--pages",), ("--format", "sarif")):
        one = run(capsys, *words, *form, "--jobs", "1")
        assert one == run(capsys, *words, *form, "--jobs", "2")
        for kept in (0, 1):
            monkeypatch.setattr(alike, "KEPT", kept)
            assert one == run(capsys, *words, *form, "--jobs", "1")


def test_rows_are_the_same(fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="no pyarrow (the extra parquet)")
    from idle_states.tables.audit import parquet

    def written(name: str) -> bytes:
        monkeypatch.setattr(parquet, "_ROWS", 16)
        found = fleets.audit_all(sorted(fleet.iterdir()), SETTING, 1)
        with parquet.writer(tmp_path / name) as add:
            alike = [isinstance(each, Alike) for each in found if add(each) is None]
        assert sum(alike) == (0 if name == "alone" else 36)
        return (tmp_path / name).read_bytes()

    quick = written("quick")
    monkeypatch.setattr(fdt, "judged", lambda data: None)
    assert written("alone") == quick


def test_only_so_many_are_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "KEPT", 2)
    file = tmp_path / "x.dtb"
    taken = []
    with Auditor(SETTING) as auditor:
        for number in (0, 1, 0, 2, 0, 1, 1):
            file.write_bytes(fdt.write(slower(number)))
            taken.append(isinstance(auditor.audit(file), Alike))
            assert len(auditor._key2common) <= 2
    assert taken == [False, False, True, False, True, False, True]


def test_what_leaves_memory_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that come again and again are, as far as time shows, each with its own text."""
    from idle_states.tables.audit.json_report import writer

    real, read = alike.audit_path, list[object]()

    def counted(*arguments: Any) -> Any:
        read.append(arguments[0])
        return real(*arguments)

    monkeypatch.setattr(alike, "audit_path", counted)
    monkeypatch.setattr(Auditor, "_of_shape", lambda *arguments: [])
    monkeypatch.setattr(alike, "KEPT", 2)
    file = tmp_path / "x.dtb"
    setting = replace(SETTING, everything=False)
    # four have left memory when the first of them comes again: from then on each is kept
    for spilled, anew in ((100, 10), (1, 10), (0, 18)):
        monkeypatch.setattr(alike, "SPILLED", spilled)
        read.clear()
        with Auditor(setting, writer("line", SETTING)) as auditor:
            for number in [*range(6)] * 3:
                tree_of = edited(slower(number), "/", **{"system-id": f"S{number}".encode()})
                file.write_bytes(fdt.write(tree_of))
                found = auditor.audit(file)
                assert isinstance(found, Alike)
                assert found.common.pattern
                (whole,) = audit_path(file, SETTING)
                assert found.common.pattern.filled(found.own) == writer("line", SETTING)(whole)
                assert found.audited.fingerprint == whole.fingerprint
        assert len(read) == anew


def test_groups_in_a_file_are_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from idle_states.tables.audit import groups

    boards = sorted((DATA / "trees").glob("*.dtb"))
    for number in range(20, 60):
        (tmp_path / f"{number}.dtb").write_bytes(fdt.write(slower(number % 7)))
    words = [str(tmp_path), *map(str, boards), "--summary", "--format"]
    held = [run(capsys, *words, form) for form in ("text", "json")]
    monkeypatch.setattr(groups, "HELD", 2)
    assert [run(capsys, *words, form) for form in ("text", "json")] == held
    assert len(json.loads(held[1][1])["summary"]["groups"]) == 9


def test_memory_does_not_grow_with_different_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    from idle_states.tables.audit import groups
    from idle_states.tables.audit.summary import FleetSummary

    monkeypatch.setattr(groups, "HELD", 100)
    summary, peaks = FleetSummary(), []
    states = tuple(f"stop{number}" for number in range(8))
    tracemalloc.start()
    try:
        for count in range(6_000):
            each = Audited(f"{count}.dtb", "", "ibm", "dtb", cpu="power9", states=states)
            differences = (f"stop1 exit latency {count}us instead of 5us",)
            summary.add([replace(each, fingerprint=f"{count:012x}", differences=differences)])
            if count in (1_000, 5_999):
                peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 200_000
    assert len(summary.groups) == 6_000
    assert [group.count for group in summary.groups] == [1] * 6_000


@pytest.mark.parametrize("form", ["sarif", "junit", "github"])
def test_memory_does_not_grow_with_findings(form: str) -> None:
    from idle_states.tables.audit import json_report
    from idle_states.tables.check import formats

    (one,) = audit_path(TREES / "powernv9.dtb", SETTING)
    place = Location("/cpus", one.file)
    told = [Finding("IS203", "x", Severity.ERROR, f"fault {number}", place) for number in range(20)]

    def fleet(count: int) -> Iterator[list[Audited]]:
        for number in range(count):
            file = f"{number}.dtb"
            yield [replace(one, file=file, findings=tuple(moved(told, one.file, file)))]

    def size(count: int) -> int:
        parts = json_report.found(fleet(count), lambda findings: findings)
        written = 0
        for number, text in enumerate(formats.parts(form, "audit", parts, {}, Severity.ERROR)):
            written += len(text)
            if number % 25 == 0:
                # json.dumps leaves cycles behind
                gc.collect()
        return written

    # what is read and imported once
    size(1)
    tracemalloc.start()
    try:
        written = size(600)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert written > 600_000
    assert peak < 1_500_000


def test_an_input_that_is_named_twice_is_reported_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tree = str(TREES / "powernv9.dtb")
    for form in ("sarif", "junit", "github"):
        words = ("--format", form, "--notes")
        assert run(capsys, tree, tree, *words) == run(capsys, tree, *words)


def test_no_directory_stays_open(fleet: Path) -> None:
    before = os.listdir("/proc/self/fd")
    found: list[Audited] = []
    for results in fleets.audit_all(Walk().inputs([str(fleet), str(fleet.parent)]), SETTING, 1):
        found += results
    assert len(found) == 2 * 41
    assert os.listdir("/proc/self/fd") == before
