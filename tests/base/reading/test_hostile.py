"""Whatever arrives gets a finding or one line of error, in bounded time and memory.

The inputs made on purpose are in `hostile`; the others are valid files that were damaged, and the
malformed trees that dtc's own tests have.
"""

import functools
import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Unreadable
from idle_states.base.model.table import Firmware, IdleState, IdleTable, Register
from idle_states.base.reading import limits
from idle_states.base.reading.tar import NotTar, members
from idle_states.cli import main
from idle_states.tables.audit.audit import Setting, audit_path
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import dts, fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux import log as linux_log
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot import log as opal_log
from idle_states.tables.sources.formats import read_path
from idle_states.tables.spec import write as spec_writer
from idle_states.tables.spec.library import find
from tests.oracle import debian, skipping
from tests.support import DATA, ROOT, hostile, lids, random_tables
from tests.support.releases import kernels_of
from tests.support.shared import building
from tests.support.thorough import examples, slow

SLOW = re.compile(
    r"bomb|^sixty-|^many-states|^a?-?million-|^hundred-thousand-files|^oversized|^closed-comments"
    r"|(macros|arguments|incbin|quotes|calls)-doubling|^hashes|^spaces|^noise\.lid|^wide-char|^eight-thousand"
    r"|^a-thousand-cpus|^thousand-states|^anchors|^endifs|^hundred-thousand-macros|^ten-thousand-a"
)
"""Inputs that take seconds to make or to refuse."""
QUICK = [name for name in hostile.names() if not SLOW.search(name)]
SAID = [
    ("little-endian.dtb", "IS931", "bytes swapped"),
    ("totalsize-0xffffffff.dtb", "IS931", "cut off or its header is damaged"),
    ("ten-thousand-deep.dtb", "IS931", "at most 64 deep"),
    ("include-password-file.dts", "IS930", "below the directory of the source only"),
    ("include-through-link.dts", "IS930", "below the directory of the source only"),
    ("incbin-device.dts", "IS930", "below the directory of the source only"),
    ("macros-in-a-circle.c", "IS932", "expands to itself"),
    ("array-without-end.c", "IS932", "the end of the file"),
    ("aliases-doubling.yaml", "IS912", "no aliases"),
    ("extends-in-a-circle.yaml", "IS926", ""),
    ("long-names-in-long-names.tar", "IS930", "extension header"),
    ("extension-of-digits.tar", "IS930", "extension header"),
    ("link.tar", "IS930", "found a link"),
    ("dictionary-of-1-5-gib.tar.xz", "IS930", ""),
    ("cpu-99999.sysfs", "IS930", "line"),
    ("terabyte.dtb", "IS930", "at most 67108864 bytes"),
    ("device", "IS930", "regular file"),
    ("pipe", "IS930", "regular file"),
    ("fewer-names.dtb", "IS107", ""),
    ("zero-length.dtb", "IS104", ""),
]
PLAIN = {*QUICK[::3], *(name for name, _, _ in SAID)}
"""The ones of these that plain pytest takes."""
PARTS = 4
"""In which those that take long are audited, side by side where there are processors."""

# Inputs made on purpose


def audited(top: Path, names: Sequence[str]) -> dict[str, dict[str, object]]:
    """Returns what became of each input; kept in a file of `top` for whoever wants it again."""
    results = top / "results.json"
    if not results.exists():
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.hostile_child", str(top), *names],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        lines = map(json.loads, done.stdout.splitlines())
        results.write_text(json.dumps([{**line, "errors": done.stderr} for line in lines]))
    read = json.loads(results.read_text())
    assert [result["name"] for result in read] == list(names), read[-1:]
    return {result["name"]: result for result in read}


@pytest.fixture(scope="module")
def quick(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, object]]:
    """Returns the outcomes of the quick inputs that a test is about."""
    functions = (each for each in request.session.items if isinstance(each, pytest.Function))
    specs = (
        getattr(each, "callspec", None)
        for each in functions
        if each.module is sys.modules[__name__]
    )
    wanted = {spec.params["name"] for spec in specs if spec and "name" in spec.params}
    with building(tmp_path_factory, "hostile") as directory:
        return audited(directory, [name for name in QUICK if name in wanted])


def survived(result: Mapping[str, object]) -> list[list[str]]:
    """The findings of one input, having looked that there was nothing worse."""
    assert result["exit"] == 0, f"{result['name']} ended the process: {result['errors']}"
    found = result["findings"]
    assert isinstance(found, list)
    assert [message for rule, message in found if rule == "IS990"] == []
    assert all(len(message) < 2000 and "Traceback" not in message for _, message in found)
    return found


@pytest.mark.parametrize(
    "name",
    [*(name for name in QUICK if name in PLAIN), *slow(*(n for n in QUICK if n not in PLAIN))],
)
def test_hostile_input(name: str, quick: dict[str, dict[str, object]]) -> None:
    found = survived(quick[name])
    if name not in TOLERATED:
        assert found, f"{name} passed without a word"


TOLERATED = {
    # later versions may come, and only a blob's own is compared with them
    *(f"version-{value:#x}.dtb" for value in (0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF)),
    # what follows the tree is not of it
    "sixty-mebibytes-of-zeros.dtb",
    "compatible-0x0.dtb",
    "compatible-0x1.dtb",
    *(
        f"boot-cpu-{value:#x}.dtb"
        for value in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_input_that_takes_longer(part: int, tmp_path: Path) -> None:
    names = [name for name in hostile.names() if SLOW.search(name)]
    for result in audited(tmp_path, names[part::PARTS]).values():
        found = survived(result)
        assert found or result["name"] in TOLERATED, result["name"]


@pytest.mark.parametrize(("name", "rule", "says"), SAID)
def test_what_is_said(name: str, rule: str, says: str, quick: dict[str, dict[str, object]]) -> None:
    found = survived(quick[name])
    matching = [message for code, message in found if code == rule]
    assert matching, found[:5]
    if says != "line":
        assert any(says in message for message in matching), matching


def test_a_fleet_goes_on_past_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = ["cut-at-40.dtb", "extends-itself.yaml", "row-without-end.c", "size-lies.tar", "pipe"]
    for name in bad:
        (tmp_path / name).mkdir()
        hostile.make(name, tmp_path / name)
    (tmp_path / "good.dtb").write_bytes(hostile.REAL.read_bytes())
    assert main(["audit", "--format", "json", "--jobs", "1", str(tmp_path)]) == 3
    report = json.loads(capsys.readouterr().out)
    kinds = [entry["kind"] for entry in report["inputs"]]
    assert kinds.count("unreadable") == 3  # and a spec that says what is wrong with it
    assert any(entry["kind"] == "dtb" and entry["states"] for entry in report["inputs"])


# Damaged files

POWER9 = find("power9")
NODE = Node(
    "",
    {"#address-cells": dt.u32_array([2]), "#size-cells": dt.u32_array([2])},
    (
        Node("cpus", {}, (Node("cpu@0", {"cpu-version": dt.u32_array([0x4E1202])}),)),
        Node(
            "ibm,opal",
            {"compatible": b"ibm,opal-v3\0"},
            (
                Node(
                    "power-mgt",
                    dt.encode(POWER9.states, Register.PSSCR)
                    | {dt.STOP_LEVELS: dt.u32_array([0xEC000000])},
                ),
            ),
        ),
    ),
)
SYSFS = "".join(
    f"/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{state}/{attribute}:{value}\n"
    for cpu in range(2)
    for state in range(3)
    for attribute, value in (("name", f"s{state}"), ("latency", state), ("residency", 2 * state))
).encode()


def tar_of(node: Node) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for path, below in node.walk():
            for name, data in below.properties.items():
                info = tarfile.TarInfo(f"device-tree{path.rstrip('/')}/{name}")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@functools.cache
def valid() -> dict[str, bytes]:
    """A sound file of each format."""
    return {
        "dtb": fdt.write(NODE),
        "dts": dts.write(NODE).encode(),
        "c": c_table.write([POWER9]).encode(),
        "yaml": spec_writer.write(POWER9).encode(),
        "lid": lids.image(POWER9.states),
        "tar": tar_of(NODE),
        "tar.gz": gzip.compress(tar_of(NODE), mtime=0),
        "sysfs": SYSFS,
    }


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "byte", "cut", "drop", "double", "insert", "swap"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(1, 64),
        st.binary(max_size=8),
    ),
    min_size=1,
    max_size=6,
)


def damaged(data: bytes, edits: list[tuple[str, float, int, bytes]]) -> bytes:
    for kind, place, length, text in edits:
        at = int(place * len(data))
        part = data[at : at + length]
        match kind:
            case "flip" if part:
                data = data[:at] + bytes([part[0] ^ 1 << length % 8]) + data[at + 1 :]
            case "byte" if part:
                data = data[:at] + bytes([length * 4 % 256]) + data[at + 1 :]
            case "cut":
                data = data[:at]
            case "drop":
                data = data[:at] + data[at + length :]
            case "double":
                data = data[:at] + part * 2 + data[at + length :]
            case "insert":
                data = data[:at] + text + data[at:]
            case "swap":
                data = data[:at] + part[::-1] + data[at + length :]
    return data


def read_or_refuse(data: bytes, name: str, top: Path) -> None:
    path = top / f"damaged.{name}"
    path.write_bytes(data)
    # a spec is kept by the time it was written
    os.utime(path, ns=(next(_TIMES), next(_TIMES)))
    try:
        sources = read_path(path)
    except Unreadable as error:
        found = error.findings
    else:
        assert all(source.table is not None or source.findings for source in sources)
        assert sources
        return
    assert [finding for finding in found if not finding.message or not finding.location.file] == []
    assert found


def _times() -> Iterator[int]:
    now = 10**18
    while True:
        now += 1000
        yield now


_TIMES = _times()

DAMAGES = settings(
    max_examples=examples(37, 75), deadline=None, suppress_health_check=list(HealthCheck)
)
MANY = settings(DAMAGES, max_examples=examples(40, 80))


@pytest.mark.parametrize("name", sorted(set(valid()) - {"dts"}))
@MANY
@given(edits=EDITS)
def test_damaged_files(
    name: str, edits: list[tuple[str, float, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    read_or_refuse(damaged(valid()[name], edits), name, tmp_path_factory.getbasetemp())


@DAMAGES
@given(edits=EDITS)
def test_damaged_sources(
    edits: list[tuple[str, float, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """dtc runs for each."""
    read_or_refuse(damaged(valid()["dts"], edits), "dts", tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("name", sorted(valid()))
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=EDITS)
def test_an_audit_never_fails(
    name: str, edits: list[tuple[str, float, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"audited.{name}"
    path.write_bytes(damaged(valid()[name], edits))
    os.utime(path, ns=(next(_TIMES), next(_TIMES)))
    for result in audit_path(path, Setting(Criteria(kernels_of(["4.11", "6.1"])))):
        assert [finding.message for finding in result.findings if finding.rule == "IS990"] == []


LOG = (DATA / "trees/powernv9.log.txt").read_bytes()


@DAMAGES
@given(edits=EDITS, start=st.floats(0, 1, exclude_max=True))
def test_damaged_logs(edits: list[tuple[str, float, int, bytes]], start: float) -> None:
    at = int(start * len(LOG))
    text = damaged(LOG[at : at + 8192], edits).decode("utf-8", "replace")
    for found in (*linux_log.read(text), *opal_log.read(text)):
        assert found is not None


@settings(max_examples=examples(75, 300), deadline=None)
@given(edits=EDITS)
def test_damaged_archives_as_tarfile_reads_them(
    edits: list[tuple[str, float, int, bytes]],
) -> None:
    """Whatever our reader takes, Python's own takes, and finds the same in it: all, or all up to
    a header with a damaged field that says nothing of the content, where Python's stops."""
    data = damaged(valid()["tar"], edits)
    try:
        ours = [(member.name, member.data) for member in members(data)]
    except NotTar:
        return
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:", errors="surrogateescape") as archive:
        theirs = []
        for member in archive:
            opened = archive.extractfile(member) if member.isreg() else None
            theirs.append((member.name.rstrip("/"), opened.read() if opened else b""))
        stopped_at = archive.offset
    assert [(name.rstrip("/"), content) for name, content in ours[: len(theirs)]] == theirs
    if len(theirs) < len(ours):
        with pytest.raises(tarfile.HeaderError):
            tarfile.TarInfo.frombuf(
                data[stopped_at : stopped_at + tarfile.BLOCKSIZE], "utf-8", "surrogateescape"
            )


# dtc's own malformed trees

_DUMP = """
#include <stdio.h>
#include <string.h>
{externs}
int main(int count, char **words)
{{
{cases}
    return 1;
}}
"""
_CASE = """
    if (!strcmp(words[1], "{name}"))
        return fwrite({name}, 1, {name}[4] << 24 | {name}[5] << 16 | {name}[6] << 8 | {name}[7],
                      stdout) == 0;
"""


def dtc_source(member: str) -> Path:
    """A directory of dtc 1.7.2's source."""
    with skipping():
        return debian.source_tree("device-tree-compiler", member, "trixie")


@pytest.fixture(scope="module")
def dtc_tests() -> Path:
    return dtc_source("tests")


def dtc_blobs(tests: Path, libfdt: Path, scratch: Path) -> dict[str, bytes]:
    text = (tests / "trees.S").read_text()
    names = sorted({*re.findall(r"^\s+treehdr\s+(\w+)$", text, re.MULTILINE), "ovf_size_strings"})
    source = scratch / "dump.c"
    source.write_text(
        _DUMP.format(
            externs="\n".join(f"extern const unsigned char {name}[];" for name in names),
            cases="".join(_CASE.format(name=name) for name in names),
        )
    )
    program = scratch / "dump"
    trees = scratch / "trees.o"
    includes = ["-D__ASSEMBLY__", "-I", str(libfdt)]
    for command in (
        ["gcc", *includes, "-c", "-o", str(trees), str(tests / "trees.S")],
        ["gcc", "-w", "-z", "noexecstack", "-o", str(program), str(trees), str(source)],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return {
        name: subprocess.run([program, name], capture_output=True, check=True).stdout
        for name in names
    }


@pytest.mark.slow
def test_dtc_malformed_blobs(dtc_tests: Path, tmp_path: Path) -> None:
    blobs = dtc_blobs(dtc_tests, dtc_source("libfdt"), tmp_path)
    assert len(blobs) >= 10
    refused = set()
    for name, blob in blobs.items():
        try:
            fdt.read(blob, name)
        except Unreadable:
            refused.add(name)
        done = subprocess.run(
            ["dtc", "-f", "-q", "-I", "dtb", "-O", "dts", "-o", "/dev/null", "-"],
            input=blob,
            capture_output=True,
            timeout=60,
        )
        if done.returncode:
            assert name in refused, f"dtc refuses {name}: {done.stderr.decode()}"
    # dtc complains of these names unless forced; Linux and libfdt take them
    names = {"bad_node_char", "bad_node_format", "bad_prop_char"}
    assert refused == set(blobs) - {"test_tree1"} - names


@pytest.mark.slow
def test_dtc_sources(dtc_tests: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources that dtc compiles are read, but for a name no tree has; what it refuses is refused;
    and what it never ends on (1.6.1 does not, on an overflow of phandle arguments) is stopped."""
    monkeypatch.setattr(limits, "DTC_S", 2)
    read, differs = 0, []
    for path in sorted(dtc_tests.glob("*.dts")):
        try:
            ours: Node | None = dts.read(path.read_bytes().decode("utf-8", "replace"), str(path))
        except Unreadable:
            ours = None
        # processor time, for a busy machine may take long over what ends
        command = ["sh", "-c", 'ulimit -t 2; exec dtc -q -I dts -O dtb -o - "$1"', "sh", path.name]
        done = subprocess.run(command, cwd=path.parent, capture_output=True)
        if done.returncode < 0:
            assert ours is None
            continue
        read += ours is not None
        if (ours is None) != bool(done.returncode):
            differs.append(path.name)
        elif ours is not None:
            assert fdt.read(done.stdout, path.name) == ours
    said = subprocess.run(["dtc", "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.findall(r"[0-9]+", said)))
    # from 1.7 on dtc cuts numbers that are too large, which we refuse
    cut = ["base01.dts", "cell-overflow.dts"]
    assert differs == (cut if version >= (1, 7) else ["fixup-ref-to-path.dts"])
    assert read > 80


# One table in every form


def table_of(rng: random.Random) -> IdleTable:
    """States that every form can hold: short names that differ, latencies that rise."""
    latencies = sorted(rng.sample(range(1, 2**32), rng.randrange(1, 10)))
    states = tuple(
        IdleState(
            f"stop{index}{'x' * rng.randrange(9)}",
            latency,
            random_tables.time_ns(rng),
            rng.choice((0x100000, 0x101000, 0x200000, 0x207000, 0x207003)),
            random_tables.control(rng),
            rng.choice((0x3003FF, 0x3003FF, 0x3F03FF, 2**64 - 1)),
        )
        for index, latency in enumerate(latencies)
    )
    firmware = Firmware(array="mine_cpu_idle_states")
    return IdleTable("mine", states, Register.PSSCR, cpu=POWER9.cpu, firmware=firmware)


def forms(table: IdleTable, top: Path) -> Iterator[tuple[str, Path]]:
    cpus = NODE.children[0]
    opal = Node("ibm,opal", {}, (Node("power-mgt", dt.encode(table.states, Register.PSSCR)),))
    node = Node("", NODE.properties, (cpus, opal))
    files = {
        "dtb": fdt.write(node),
        "dts": dts.write(node).encode(),
        "c": c_table.write([table]).encode(),
        "yaml": spec_writer.write(table).encode(),
        "lid": lids.image(table.states),
        "tar": tar_of(node),
        "tar.gz": gzip.compress(tar_of(node)),
    }
    for name, data in files.items():
        (top / f"one.{name}").write_bytes(data)
        yield name, top / f"one.{name}"
    compiled = subprocess.run(
        ["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", str(top / "dtc.dtb"), str(top / "one.dts")],
        check=False,
    )
    if not compiled.returncode:
        yield "dtb by dtc", top / "dtc.dtb"
    for path, below in node.walk():
        directory = top / "device-tree" / path[1:]
        directory.mkdir(parents=True)
        for name, data in below.properties.items():
            (directory / name).write_bytes(data)
    yield "directory", top / "device-tree"


@pytest.mark.parametrize("seed", range(25))
def test_every_form_reads_back_the_same(seed: int, tmp_path: Path) -> None:
    table = table_of(random.Random(seed))
    wanted = [state.values() for state in table.states]
    read: list[str] = []
    for name, path in forms(table, tmp_path):
        (source,) = read_path(path)
        assert source.table is not None, (name, source.findings)
        assert [state.values() for state in source.table.states] == wanted, name
        read.append(name)
    assert len(read) == 9


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_archives_of_every_form(form: int) -> None:
    """Names too long for a header are in an extension, or in ustar's prefix."""
    names = ["a", "b" * 99, f"{'c' * 90}/{'d' * 90}", "e" * 100]
    names += [] if form == tarfile.USTAR_FORMAT else [f"{'f/' * 60}{'g' * 200}", "h\u00e9"]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for number, name in enumerate(names):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = number, 1.5 if form == tarfile.PAX_FORMAT else 1
            archive.addfile(info, io.BytesIO(bytes(number)))
    found = [(member.name, member.data) for member in members(out.getvalue())]
    assert found == [(name, bytes(number)) for number, name in enumerate(names)]
