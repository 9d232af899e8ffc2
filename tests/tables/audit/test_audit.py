"""audit: one input, many, hostile ones, and what processes and clusters must not change."""

import io
import json
import os
import re
import resource as resource_limits
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from idle_states.base.model.power_mgt import LATENCIES, cells, u32_array
from idle_states.base.reading import limits
from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.tables.audit import audit as audits
from idle_states.tables.audit import tree_shape
from idle_states.tables.audit.audit import Setting, audit_path
from idle_states.tables.audit.audited import Audited
from idle_states.tables.audit.fleet import audit_all
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux.driver_table import DriverState
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.sources.walk import Walk
from tests.support import DATA, acpi, commands, subjects
from tests.support.dumps import C6, POLL, dump
from tests.support.releases import kernels_of
from tests.support.thorough import slow

TREES = DATA / "trees"
SETTING = Setting(Criteria(kernels_of(("5.10", "6.1", "6.12"))))
SERIAL, MAC = "78A1B2C", "98:be:94:01:02:03"


def edited(node: Node, path: str, **properties: bytes | None) -> Node:
    """The tree with properties of one node set, or removed where None."""
    head, _, rest = path.strip("/").partition("/")
    if not head:
        names = {name.replace("__", ","): value for name, value in properties.items()}
        kept = {**node.properties, **names}
        return replace(node, properties={k: v for k, v in kept.items() if v is not None})
    children = tuple(
        edited(child, rest, **properties) if child.name == head else child
        for child in node.children
    )
    return replace(node, children=children)


def tree(name: str = "powernv9") -> Node:
    return fdt.read((TREES / f"{name}.dtb").read_bytes(), name)


def slower(number: int) -> Node:
    """The tree of powernv9, stop1's latency `number` ns longer."""
    node = tree()
    power_mgt = node.find("/ibm,opal/power-mgt")
    assert power_mgt is not None
    latencies = list(cells(power_mgt.properties[LATENCIES], 4))
    latencies[2] += number
    return edited(node, "/ibm,opal/power-mgt", **{LATENCIES: u32_array(latencies)})


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    return commands.run(capsys, "audit", *words, "--config", "none")[:2]


def test_a_real_tree_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = run(capsys, str(TREES / "powernv9.dtb"), "--format", "json")
    assert status == 0
    (found,) = json.loads(text)["inputs"]
    assert (found["cpu"], found["nearest"]) == ("power9", "power9")
    assert found["states"] == ["stop0_lite", "stop0", "stop1"]
    assert found["machine"]["revision"] == "DD2.0"
    assert found["machine"]["skiboot"].startswith("v7.0")
    reasons = {item["state"]: item["reason"] for item in found["missing"]}
    assert list(reasons) == ["stop2", "stop4", "stop5", "stop8", "stop11"]
    assert "ibm,enabled-stop-levels (0xc0000000)" in reasons["stop4"]
    kernels = [name for group in found["linux"] for name in group["kernels"]]
    assert "debian-6.1.192" in kernels
    assert len(kernels) == len(set(kernels)) == 9


def test_kernels_that_differ_are_not_put_together() -> None:
    (audited,) = audit_path(TREES / "powernv9.dtb", SETTING)
    assert [group.kernels for group in audited.registered] == [("5.10", "6.1"), ("6.12",)]
    assert [group.states[0].polling for group in audited.registered] == [False, True]


def test_differences_from_the_nearest_are_named(tmp_path: Path) -> None:
    (tmp_path / "slow.dtb").write_bytes(fdt.write(slower(1000)))
    (audited,) = audit_path(tmp_path / "slow.dtb", SETTING)
    assert audited.nearest == "power9"
    assert audited.differences == ("stop1 exit latency 6us instead of 5us",)


def test_equal_tables_of_different_files_keep_their_places(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.dtb").write_bytes(fdt.write(slower(1_000_000)))
    one, other = (audit_path(tmp_path / f"{name}.dtb", SETTING)[0] for name in ("a", "b"))
    assert one.findings
    for audited in (one, other):
        assert {finding.location.file for finding in audited.findings} == {audited.file}
    assert [f.message for f in one.findings] == [f.message for f in other.findings]
    assert one.fingerprint == other.fingerprint
    assert one.fingerprint != audit_path(TREES / "powernv9.dtb", SETTING)[0].fingerprint


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """300 trees: every tenth is slower by itself, one is cut, one is no tree; things to pass."""
    directory = tmp_path / "fleet"
    (directory / "below").mkdir(parents=True)
    blob = fdt.write(tree())
    for number in range(300):
        data = fdt.write(slower(number)) if number % 10 == 0 and number else blob
        (directory / f"{number:03}.dtb").write_bytes(data)
    (directory / "007.dtb").write_bytes(blob[:1000])
    (directory / "below/strange.dtb").write_bytes(b"\0" * 100)
    (directory / "below/README").write_text("not an input")
    (directory / "below/notes.txt").write_text("no dump of cpuidle either")
    shutil.copy(TREES / "powernv9.sysfs.txt", directory / "below/sysfs.txt")
    (directory / "link.dtb").symlink_to("/etc/passwd")
    os.mkfifo(directory / "pipe.dtb")
    return directory


def results(found: Iterator[list[Audited]]) -> list[Audited]:
    return [replace(audited, source=None) for each in found for audited in each]


def test_processes_change_nothing(fleet: Path) -> None:
    alone = results(audit_all(Walk().inputs([str(fleet)]), SETTING, 1))
    spread = results(audit_all(Walk().inputs([str(fleet)]), SETTING, 3))
    assert alone == spread
    assert [audited.file for audited in alone] == sorted(
        (audited.file for audited in alone), key=lambda file: ("below" in file, file)
    )


@pytest.mark.slow
def test_a_cluster_changes_nothing(fleet: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    from idle_states.base.cluster import DaskCluster
    from idle_states.tables.audit.fleet import audit_on

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        spread = results(audit_on(DaskCluster(client), Walk().inputs([str(fleet)]), SETTING))
    assert spread == results(audit_all(Walk().inputs([str(fleet)]), SETTING, 1))


def test_a_fleet_goes_on_past_what_is_unreadable(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text = run(capsys, str(fleet), "--format", "json")
    assert status == 3
    document = json.loads(text)
    summary = document["summary"]
    assert (summary["inputs"], summary["unreadable"], summary["tables"]) == (302, 2, 300)
    assert len(summary["groups"]) == 31
    assert max(group["count"] for group in summary["groups"]) == 270
    assert {group["count"] for group in summary["groups"] if group["outlier"]} == {1}
    unreadable = [found for found in document["inputs"] if found["kind"] == "unreadable"]
    assert [finding["rule"] for found in unreadable for finding in found["findings"]] == [
        "IS931",
        "IS930",
    ]
    _, text = run(capsys, str(fleet))
    assert "devices, pipes and sockets: 1" in text
    assert "links: 1" in text
    assert "texts of another kind: 2" in text
    assert "(stands out)" in text


def test_every_unreadable_input_is_named_by_its_cause(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(tmp_path / f"{number}.dtb") for number in range(20)]
    for name in names[:19]:
        Path(name).write_bytes(b"\0" * 40)
    Path(names[19]).write_bytes(b"\1" * 40)
    _, text = run(capsys, str(tmp_path))
    lines = text.splitlines()
    assert "  20 inputs unreadable" in lines
    assert f"19 inputs: {messages_of(names[0])}" in re.sub(r"\s+", " ", text)
    assert all(f"      {name}" in lines for name in names[:19])
    assert f"{names[19]}: {messages_of(names[19])}" in re.sub(r"\s+", " ", text)


def test_inputs_with_a_finding_that_is_asked_for_are_named(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, document = run(capsys, str(fleet), "--select", "IS501", "--format", "json")
    having = [
        entry["file"]
        for entry in json.loads(document)["inputs"]
        if any(finding["rule"] == "IS501" for finding in entry["findings"])
    ]
    _, text = run(capsys, str(fleet), "--select", "IS501")
    assert having
    assert [
        line.strip() for line in text.partition("IS501 drift-from-reference:\n")[2].splitlines()
    ][: len(having)] == having
    _, text = run(capsys, str(fleet))
    assert having[0] not in text.partition("Findings, by inputs")[2]


def messages_of(name: str) -> str:
    (audited,) = audit_path(Path(name), SETTING)
    return audited.findings[0].message


def test_what_is_passed_over_is_named_when_asked(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (fleet / "below/picture").write_bytes(b"\x89PNG\r\n\0\0")
    (fleet / "below/nothing.bin").touch()
    assert main(["audit", str(fleet), "--summary", "--passed-over"]) == 3
    found = set(capsys.readouterr().err.splitlines())
    assert found == {
        f"idle-states: skipped: {what}: {fleet / name}"
        for what, name in (
            ("pictures", "below/picture"),
            ("empty files", "below/nothing.bin"),
            ("texts of another kind", "below/README"),
            ("texts of another kind", "below/notes.txt"),
            ("links", "link.dtb"),
            ("devices, pipes and sockets", "pipe.dtb"),
        )
    }


def test_a_mistake_of_the_tool_does_not_end_the_run(
    fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the audit of one that is unlike others: what is alike is audited once."""
    real = audits.audit

    def fails(source: audits.Source, setting: Setting) -> Audited:
        if source.file.endswith("010.dtb"):
            raise ZeroDivisionError("the test's")
        return real(source, setting)

    monkeypatch.setattr(audits, "audit", fails)
    monkeypatch.setattr(tree_shape, "of_values", ZeroDivisionError)
    found = results(audit_all(Walk().inputs([str(fleet)]), SETTING, 1))
    (failed,) = [audited for audited in found if audited.file.endswith("010.dtb")]
    assert failed.unreadable
    assert failed.findings[0].rule == "IS990"
    assert "ZeroDivisionError: the test's" in failed.findings[0].message
    assert len(found) == 302


def test_names_on_standard_input(
    fleet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(fleet / "000.dtb"), str(fleet / "010.dtb")]
    given = io.BytesIO("\n".join([*names, ""]).encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(given))
    status, text = run(capsys, "-", "--format", "jsonl")
    assert status == 0
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["file"] for line in lines] == names
    schema = json.loads(resource("schemas", "output.schema.json").read_text("utf-8"))
    item = {"$ref": "#/$defs/audit.Audited", "$defs": schema["$defs"]}
    for line in lines:
        jsonschema.Draft202012Validator(item).validate(line)
        assert line["tool"]["name"] == "idle-states"


def test_names_on_standard_input_are_bytes(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff .dtb"
    shutil.copy(fleet / "000.dtb", odd)
    long = b"a" * 9 * limits.NAME_BYTES
    given = io.BytesIO(b"\n".join([long, b"", odd, long + b" "]))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(given, "utf-8"))
    assert main(["audit", "-", "--format", "jsonl", "--config", "none"]) == 3
    before, found, after = map(json.loads, capsys.readouterr().out.splitlines())
    assert found["nearest"]
    assert before["file"] == after["file"] == "a" * limits.NAME_BYTES
    assert "found nothing of that name" in str(after["findings"])


@pytest.mark.slow
def test_parquet_has_a_row_per_table(fleet: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    path = tmp_path / "fleet.parquet"
    main(["audit", str(fleet), "--summary", "--parquet", str(path), "--config", "none"])
    rows = parquet.read_table(path).to_pylist()
    assert len(rows) == 302
    (row,) = [row for row in rows if row["file"].endswith("/010.dtb")]
    assert row["differences"] == ["stop1 exit latency 5010ns instead of 5us"]
    assert row["warnings"] >= 1
    assert "IS501" in row["rules"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_only_what_two_trees_differ_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = edited(slower(7), "/ibm,opal", status=None, more=b"x\0")
    other = edited(other, "/cpus", beyond=b"the scope\0")
    (tmp_path / "other.dtb").write_bytes(fdt.write(other))
    words = (str(TREES / "powernv9.dtb"), "--against", str(tmp_path / "other.dtb"))
    _, text = run(capsys, *words, "--format", "json")
    against = {d["path"]: (d["a"], d["b"]) for d in json.loads(text)["inputs"][0]["against"]}
    assert against.keys() == {
        "/ibm,opal:more",
        f"/ibm,opal/power-mgt:{LATENCIES}",
    }
    assert against["/ibm,opal:more"] == (None, b"x\0".hex())
    _, text = run(capsys, *words)
    shown = "<000003e8 000007d0 00001388>, there <000003e8 000007d0 0000138f>"
    assert shown in " ".join(text.split())
    _, text = run(capsys, words[0], "--against", words[0])
    assert "Same below /ibm,opal" in text
    assert main(["audit", words[0], "--against", str(TREES / "powernv9.log.txt")]) == 2


@pytest.mark.slow
def test_trees_are_compared_wherever_they_are_audited(fleet: Path) -> None:
    """In other processes, and where the tree itself is redacted away."""
    serial = edited(slower(7), "/ibm,opal", more=f"{SERIAL}\0".encode())
    (fleet / "299.dtb").write_bytes(
        fdt.write(edited(serial, "/", **{"system-id": f"{SERIAL}\0".encode()}))
    )
    for workers, redact in ((1, False), (3, False), (3, True)):
        setting = replace(SETTING, against=tree(), redact=redact)
        found = results(audit_all(Walk().inputs([str(fleet)]), setting, workers))
        by_name = {Path(audited.file).name: audited.against for audited in found}
        assert by_name["000.dtb"] == ()
        if not redact:
            assert by_name["007.dtb"] is None
            assert by_name["sysfs.txt"] is None
        latencies, more = by_name["299.dtb"] or ()
        assert latencies.path == f"/ibm,opal/power-mgt:{LATENCIES}"
        assert (more.a, more.b) == (b"[serial]\0" if redact else f"{SERIAL}\0".encode(), None)


def test_redacted_reports_have_no_serials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    node = edited(tree(), "/", **{"system-id": f"{SERIAL}\0".encode(), "model": MAC.encode()})
    path = tmp_path / f"{SERIAL}.dtb"
    path.write_bytes(fdt.write(node))
    for form in ("text", "json", "jsonl", "sarif", "junit"):
        _, plain = run(capsys, str(path), "--format", form)
        assert SERIAL in plain
        _, text = run(capsys, str(path), "--format", form, "--redact")
        assert SERIAL not in text
        assert MAC not in text
        if form == "json":
            assert json.loads(text)["inputs"][0]["machine"]["serial"] == "[serial]"


def test_a_report_names_tool_and_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    import hashlib

    path = TREES / "powernv9.dtb"
    _, text = run(capsys, str(path))
    assert hashlib.sha256(path.read_bytes()).hexdigest() in text
    assert re.search(r"^idle-states \d+\.\d+", text, re.MULTILINE)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Returns what `idle-states collect` would have gathered on the machine of the recorded
    boot."""
    top = tmp_path / "idle-states-collection"
    write_tree(tree(), top / "device-tree")
    shutil.copy(TREES / "powernv9.sysfs.txt", top / "cpuidle.txt")
    log = (TREES / "powernv9.log.txt").read_text("utf-8").partition("# Linux\n")[2]
    (top / "kernel-log.txt").write_text(log)
    version = re.search(r"Linux version (\S+).*?(#\d+ .*)", log)
    assert version
    (top / "uname.txt").write_text(f"{version[1]} {version[2]} ppc64le\n")
    return top


def write_tree(node: Node, directory: Path) -> None:
    directory.mkdir(parents=True)
    for name, value in node.properties.items():
        (directory / name).write_bytes(value)
    for child in node.children:
        write_tree(child, directory / child.name)


def packed(top: Path) -> Path:
    path = top.parent / "machine.tar"
    subprocess.run(["tar", "-cf", path, "-C", top.parent, top.name], check=True)
    return path


def test_a_collection_is_held_against_its_running_kernel(collection: Path) -> None:
    (audited,) = audit_path(packed(collection), SETTING)
    assert audited.running is not None
    assert audited.running.modelled_as == "debian-6.1.176"
    assert audited.running.differences == ()


@pytest.mark.parametrize(
    ("uname", "name", "ground"),
    [
        (
            "6.8.0-49-generic #49-Ubuntu SMP ppc64le\nUbuntu 6.8.0-49.49-generic 6.8.12\n",
            "ubuntu-6.8.12",
            "not known; 6.8.12 is used instead",
        ),
        ("6.8.12 #1 SMP ppc64le\n", "6.8.12", "not checked itself; 6.8 and 6.9 behave the same"),
        (
            "5.14.0-503.el9.ppc64le #1 SMP\n",
            "rhel-5.14.0-503",
            "not checked itself; rhel-5.14.0-427.42.1 and rhel-5.14.0-503.11.1 behave the same",
        ),
        (
            "4.11.6 #1 SMP ppc64le\n",
            "4.11.6",
            "from reading its source, not tested by compiling it",
        ),
    ],
)
def test_a_running_kernel_is_named_with_its_ground(
    collection: Path, capsys: pytest.CaptureFixture[str], uname: str, name: str, ground: str
) -> None:
    (collection / "uname.txt").write_text(uname)
    _, text = run(capsys, str(packed(collection)))
    assert f"modelled as {name} ({ground})" in " ".join(text.split())


def test_a_collection_is_of_the_same_machine_as_its_tree(collection: Path) -> None:
    """Texts lie beside the tree, which is not the root of the archive."""
    (audited,) = audit_path(packed(collection), SETTING)
    (alone,) = audit_path(TREES / "powernv9.dtb", SETTING)
    for name in ("table", "machine", "cpu", "states", "nearest", "missing", "verdicts", "findings"):
        ours, other = getattr(audited, name), getattr(alone, name)
        if name == "findings":
            assert [(f.rule, f.message) for f in ours] == [(f.rule, f.message) for f in other]
        else:
            assert ours == other, name
    assert audited.machine is not None
    assert audited.machine.pvr == 0x004E1200


@pytest.mark.parametrize("tree_left", [False, True], ids=["none", "empty"])
def test_a_collection_without_a_tree_is_its_dump(collection: Path, tree_left: bool) -> None:
    shutil.rmtree(collection / "device-tree")
    if tree_left:
        (collection / "device-tree").mkdir()
    (audited,) = audit_path(packed(collection), SETTING)
    (alone,) = audit_path(collection / "cpuidle.txt", SETTING)
    assert audited.kind == "sysfs"
    assert audited.file == packed(collection).as_posix()
    assert (audited.table, audited.states, audited.nearest, audited.registered) == (
        alone.table,
        alone.states,
        alone.nearest,
        alone.registered,
    )
    assert [f.rule for f in audited.findings] == [f.rule for f in alone.findings]


def test_a_collection_of_logs_alone_is_a_log(collection: Path) -> None:
    shutil.rmtree(collection / "device-tree")
    (collection / "cpuidle.txt").unlink()
    (audited,) = audit_path(packed(collection), SETTING)
    assert audited.kind == "log"
    assert dict(audited.facts)["kernel"].startswith("Linux 6.1")
    shutil.move(collection / "kernel-log.txt", collection / "opal-log.txt")
    (collection / "opal-log.txt").write_text(
        "[    1.123456789,5] OPAL v7.0 starting...\n"
        "[    2.123456789,3] SLW: No stop levels available\n"
    )
    (audited,) = audit_path(packed(collection), SETTING)
    assert [f.rule for f in audited.findings] == ["IS703"]
    (collection / "opal-log.txt").unlink()
    (audited,) = audit_path(packed(collection), SETTING)
    assert audited.unreadable
    assert [f.message for f in audited.findings] == [
        "expected a device tree or cpuidle.txt in the collection, found neither"
    ]


def test_a_damaged_dump_in_a_collection_is_told(collection: Path) -> None:
    shutil.rmtree(collection / "device-tree")
    (collection / "cpuidle.txt").write_text("cpu0/cpuidle/state0/latency:x\n")
    path = packed(collection)
    (audited,) = audit_path(path, SETTING)
    (finding,) = audited.findings
    assert finding.rule == "IS930"
    assert finding.location.file == f"{path.as_posix()}/idle-states-collection/cpuidle.txt"


LONG_LOGS: dict[str, Callable[[], str]] = {
    "alike": lambda: "[    1.0] cpuidle-powernv: x\n" * 700_000,
    "distinct": lambda: "".join(f"[    1.0] cpuidle-powernv: {n}\n" for n in range(250_000)),
    "boots": lambda: "[    0.0] Linux version 6.1.0 (x)\n" * 500_000,
    "boots with messages": lambda: "Linux version 6.1\nSLW: a\ncpuidle-powernv: x\n" * 450_000,
    "newlines": lambda: "\n" * 30_000_000,
    "one line": lambda: "[    1.0] cpuidle-powernv: " + "A" * 30_000_000,
    "wide": lambda: "\U0001f600" * 5_000_000 + "\n[    1.0] cpuidle-powernv: x\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "alone"),
    [*((name, True) for name in LONG_LOGS), ("alike", False), ("wide", False)],
    ids=lambda value: {True: "alone", False: "collected"}.get(value, value),
)
def test_memory_and_output_do_not_grow_with_a_log(name: str, alone: bool, collection: Path) -> None:
    log = collection / "kernel-log.txt"
    log.write_text("[    0.0] Linux version 6.1.0 (x)\n[ 0.1] cpuidle: using governor menu\n")
    with log.open("a") as file:
        file.write(LONG_LOGS[name]())
    path = log if alone else packed(collection)
    done = subprocess.run(
        [sys.executable, "-m", "idle_states", "audit", str(path), "--config", "none"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limited,
    )
    assert done.returncode in (0, 1), done.stderr
    assert "IS990" not in done.stdout
    assert "Linux 6.1" in done.stdout
    assert len(done.stdout) < 20_000
    if name in ("alike", "distinct"):
        assert "more lines about idle states" in done.stdout


def _limited() -> None:
    resource_limits.setrlimit(resource_limits.RLIMIT_AS, (256 << 20, 256 << 20))
    resource_limits.setrlimit(resource_limits.RLIMIT_CPU, (10, 10))


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("cpuidle.txt", "state1/latency:1", "state1/latency:2", "is stop0_lite 2/10 us, predicted"),
        ("kernel-log.txt", "SPRs = 0x10", "SPRs = 0x4", "the kernel log lacks"),
        ("kernel-log.txt", "SPRs = 0x10", "SPRs = 0x4", "which is not predicted"),
    ],
)
def test_a_machine_that_is_not_as_predicted_is_told(
    collection: Path, file: str, old: str, new: str, expected: str
) -> None:
    text = (collection / file).read_text("utf-8")
    assert old in text
    (collection / file).write_text(text.replace(old, new))
    (audited,) = audit_path(packed(collection), SETTING)
    assert audited.running is not None
    assert any(expected in difference for difference in audited.running.differences)
    found = [each.message for each in audited.findings if each.rule == "IS507"]
    assert sorted(found) == sorted(audited.running.differences)
    without = Setting(Criteria(SETTING.criteria.kernels, rules=RuleSelection(ignore=("IS507",))))
    (audited,) = audit_path(packed(collection), without)
    assert "IS507" not in {each.rule for each in audited.findings}


def test_a_collection_names_why_states_are_not_used(
    collection: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In text, on the page, in lines and in documents, each once."""
    dump = collection / "cpuidle.txt"
    lines = dump.read_text("utf-8").splitlines()
    others = [line for line in lines if "/state2/" not in line or "disable" not in line]
    off = [f"{each.partition('/name:')[0]}/disable:1" for each in lines if "/state2/name" in each]
    dump.write_text("\n".join([*others, *off, ""]))
    file, reason = str(packed(collection)), "while the machine ran (switched-off)"
    where = "machine.tar/idle-states-collection/cpuidle.txt:"
    page = collection.parent / "page.html"
    for words in ((), ("--format", "json"), ("--format", "jsonl"), ("--format", "sarif")):
        _, text = run(capsys, file, *words, "--html", str(page))
        assert " ".join(text.split()).count(reason) == 1
        assert page.read_text("utf-8").count(reason) == 1
    assert where in run(capsys, file)[1]
    _, text = run(capsys, file, "--ignore", "IS427")
    assert reason not in " ".join(text.split())


def test_a_kernel_that_registers_nothing_is_not_as_predicted(collection: Path) -> None:
    (collection / "cpuidle.txt").unlink()
    (collection / "machine.txt").write_text("/proc/cmdline:powersave=off\n")
    (audited,) = audit_path(packed(collection), SETTING)
    (finding,) = [each for each in audited.findings if each.rule == "IS507"]
    assert finding.message.startswith("no CPU has idle states; predicted: snooze, stop0_lite")


def test_arm_is_compared_with_its_running_kernel(tmp_path: Path) -> None:
    """Each CPU with the list of the tree that it has."""
    top = tmp_path / "idle-states-collection"
    states = [DriverState(n, "cpu-sleep", us, 900, "", n) for n, us in ((1, 133), (2, 50))]
    (cpus,) = subjects.arm_tree(states).children
    cpu, *nodes = cpus.children
    both = [
        replace(cpu, name=f"cpu@{n}", properties={
            **cpu.properties, "reg": u32_array([n]), "cpu-idle-states": u32_array([1 + n]),
        })
        for n in (0, 1)
    ]  # fmt: skip
    write_tree(Node("", {}, (replace(cpus, children=(*both, *nodes)),)), top / "device-tree")
    wfi = {**POLL, "name": "WFI", "latency": 1, "residency": 1}
    little, big = ({**C6, "name": "cpu-sleep", "latency": n, "residency": 900} for n in (133, 50))
    dumps = [dump(wfi, state, cpus=cpus) for state, cpus in ((little, (0,)), (big, (1,)))]
    (top / "cpuidle.txt").write_text("".join(dumps))
    (top / "uname.txt").write_text("6.12.8 #1 SMP aarch64\n")
    first, _ = audit_path(packed(top), SETTING)
    assert first.running is not None
    assert first.running.differences == ()
    (top / "cpuidle.txt").write_text("".join(dumps).replace("latency:50", "latency:51"))
    first, second = audit_path(packed(top), SETTING)
    (finding,) = [each for each in (*first.findings, *second.findings) if each.rule == "IS507"]
    assert finding.message.startswith("1 CPU: state1 is cpu-sleep 51/900 us, predicted cpu-sleep ")


def test_the_collecting_script_runs_anywhere(tmp_path: Path) -> None:
    script = tmp_path / "collect.sh"
    assert main(["collect", "-o", str(script)]) == 0
    for shell in filter(shutil.which, ("dash", "bash", "busybox")):
        words = [shell, "sh"] if shell == "busybox" else [shell]
        done = subprocess.run([*words, script], capture_output=True, check=True, cwd=tmp_path)
        names = subprocess.run(
            ["tar", "-tf", "-"], input=done.stdout, capture_output=True, check=True
        ).stdout.decode()
        assert "idle-states-collection/uname.txt" in names
        (tmp_path / "machine.tar").write_bytes(done.stdout)
        assert audit_path(tmp_path / "machine.tar", SETTING)


def test_nothing_is_not_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(tmp_path)]) == 3
    out, errors = capsys.readouterr()
    assert "found none" in errors
    assert out == ""
    assert main(["audit", str(tmp_path / "none")]) == 3
    assert "found nothing of that name" in capsys.readouterr().out


def test_what_a_governor_selects_is_told_by_kernel() -> None:
    setting = Setting(Criteria(kernels_of(("4.11", "6.6"))), governor="menu")
    (audited,) = audit_path(TREES / "powernv9.dtb", setting)
    assert [group.kernels for group in audited.selected] == [("4.11",), ("6.6",)]
    first, last, names = audited.selected[0].ranges[0]
    assert (first, names) == (0, ("snooze",))
    assert last is not None
    assert last < 11_000


@pytest.mark.slow
@pytest.mark.parametrize("start", ["spawn", *slow("fork", "forkserver")])
def test_workers_import_nothing_of_the_current_directory(start: str, fleet: Path) -> None:
    """Python begins a worker as `python -c`, unless it forks."""
    (fleet / "multiprocessing.py").write_text("open('ran', 'w').close()\n")
    program = fleet.with_name("program.py")
    program.write_text(
        "import multiprocessing, sys\n"
        "from idle_states.cli import main\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({start!r})\n"
        "    sys.exit(main(['audit', '.', '--jobs', '2', '--config', 'none']))\n"
    )
    done = subprocess.run([sys.executable, program], cwd=fleet, capture_output=True, check=False)
    assert b"300 " in done.stdout, done.stderr
    assert not (fleet / "ran").exists()


def test_a_directory_of_acpi_tables_is_one_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    (tables / "SSDT1").write_bytes(acpi.table("SSDT", b""))
    assert main(["audit", "--config", "none", "--notes", str(tables)]) == 0
    assert f"{tables}: note: expected _CST or _LPI" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_what_is_otherwise_since_an_earlier_audit_is_told(
    form: str, fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = tmp_path / "earlier"
    assert run(capsys, str(fleet), "--format", form, "-o", str(earlier))[0] == 3
    same = since_of(capsys, fleet, earlier)
    assert same == {key: [] for key in same if key != "earlier"} | {"earlier": str(earlier)}
    (fleet / "000.dtb").unlink()
    shutil.copy(fleet / "001.dtb", fleet / "new.dtb")
    (fleet / "002.dtb").write_bytes(fdt.write(slower(7)))
    shutil.copy(fleet / "001.dtb", fleet / "007.dtb")
    found = since_of(capsys, fleet, earlier)
    names = {key: [Path(file).name for file in found[key]] for key in ("new", "gone", "changed")}
    assert names == {"new": ["new.dtb"], "gone": ["000.dtb"], "changed": ["002.dtb", "007.dtb"]}
    drift = ("IS501", [str(fleet / "002.dtb")])
    assert drift in [(moved["rule"], moved["inputs"]) for moved in found["appeared"]]
    whole = ("IS931", [str(fleet / "007.dtb")])
    assert whole in [(moved["rule"], moved["inputs"]) for moved in found["fixed"]]
    _, text = run(capsys, str(fleet), "--since", str(earlier))
    assert f"Since {earlier}\n  1 input new:\n    {fleet / 'new.dtb'}\n" in text


def test_a_million_lines_are_read_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call of the kernel for each byte took 30 times as long as the audit."""
    from idle_states.base.reading import opening
    from idle_states.tables.audit.since import since

    earlier, calls = tmp_path / "earlier", list[int]()
    line = {"findings": [], "fingerprint": "0" * 12}
    named = [json.dumps({**line, "file": f"{number}.dtb"}) for number in range(1000)]
    earlier.write_text("\n".join(named) + "\n")
    real = opening._Opened.readinto

    def counted(self: opening._Opened, buffer: Any) -> Any:
        calls.append(len(buffer))
        return real(self, buffer)

    monkeypatch.setattr(opening._Opened, "readinto", counted)
    assert sorted(since(str(earlier)).gone) == sorted(f"{number}.dtb" for number in range(1000))
    assert len(calls) < 50


def since_of(capsys: pytest.CaptureFixture[str], fleet: Path, earlier: Path) -> dict[str, Any]:
    _, text = run(capsys, str(fleet), "--since", str(earlier), "--format", "json")
    found: dict[str, Any] = json.loads(text)["summary"]["since"]
    return found


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"inputs": []}\nx', b"\xd0\r\xfe\xed"])
def test_what_is_no_earlier_audit_is_refused(
    content: bytes, fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "earlier").write_bytes(content)
    status, _, err = commands.run(
        capsys, "audit", str(fleet), "--since", str(tmp_path / "earlier"), "--config", "none"
    )
    expected = 3 if not content else 2
    assert (status, "expected an earlier audit for --since" in err) == (expected, bool(content))
