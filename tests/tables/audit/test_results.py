"""An audit that was interrupted goes on from its results, and answers as if it had not been."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from idle_states.tables.audit import alike
from idle_states.tables.audit import fleet as fleets
from idle_states.tables.devicetree import dts, fdt
from tests.support import DATA, ROOT, commands
from tests.support.thorough import examples, few
from tests.tables.audit.test_audit import edited, slower
from tests.tables.sources.test_sources import archived

WORDS = ("--config", "none", "--kernel", "6.1")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 trees of 12 tables, each with its serial number, and what else an input may be: several
    trees, a cut one, a text, a spec, a directory, a log, a dump of two tables, an archive."""
    top = tmp_path_factory.mktemp("results") / "fleet ä"
    top.mkdir()
    for number in range(60):
        root = edited(slower(number % 12 * 1000), "/", **{"system-id": f"S{number}".encode()})
        (top / f"{number:02}.dtb").write_bytes(fdt.write(root))
    trees = DATA / "trees"
    blobs = [(trees / f"{name}.dtb").read_bytes() for name in ("powernv9", "powernv8", "powernv10")]
    (top / "several.dtb").write_bytes(b"".join(blobs))
    (top / "several.dtb:1").write_bytes(blobs[0])
    (top / "cut.dtb").write_bytes(blobs[0][:1000])
    (top / "base.yaml").write_text("name: base\nextends: power9\n")
    (top / "mine.yaml").write_text("name: mine\nextends: base.yaml\n")
    for name in ("powernv9.log.txt", "powernv9.sysfs.txt"):
        (top / name).write_bytes((trees / name).read_bytes())
    dump = (trees / "powernv9.sysfs.txt").read_text()
    other = dump.replace("/cpu0/", "/cpu9/").replace("state1/latency:1", "state1/latency:3")
    (top / "tables.sysfs.txt").write_text(dump + other)
    members = ("a.dtb", blobs[0]), ("b.dtb", blobs[1] + blobs[2]), ("c.txt", dump.encode())
    (top / "machines.tar").write_bytes(archived(*members))
    node = top / "whole/ibm,opal/power-mgt"
    node.mkdir(parents=True)
    (top / "whole/compatible").write_bytes(b"ibm,powernv\0")
    return top


Answer = tuple[int, str, str]


def audit(capsys: pytest.CaptureFixture[str], *words: object) -> Answer:
    return commands.run(capsys, "audit", *map(str, words), *WORDS)


@pytest.mark.parametrize("jobs", [1, 2])
def test_wherever_it_was_cut(
    jobs: int,
    fleet: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fleets, "FEW", 5)
    monkeypatch.setattr(fleets, "CHUNK", 7)
    whole, file = tmp_path / "whole", tmp_path / "cut"
    summary = audit(capsys, fleet, "--summary", "--jobs", jobs)
    lines = audit(capsys, fleet, "--format", "jsonl", "--jobs", jobs)
    assert audit(capsys, fleet, "--resume", whole, "--jobs", jobs) == summary
    data = whole.read_bytes()
    # the results are the lines that jsonl prints
    assert data.decode() == lines[1]
    drawn = random.Random(17)
    ends = [0, 1, len(data), *(drawn.randrange(len(data)) for _ in range(examples(2, 40)))]
    several = data.index(b"several.dtb:2")
    for end in [*ends, several, several + 20_000]:
        for form, expected in (("text", summary), ("jsonl", lines)):
            file.write_bytes(data[:end])
            status, out, err = audit(
                capsys, fleet, "--resume", file, "--format", form, "--jobs", jobs
            )
            assert (status, out) == expected[:2], end
            kept = data[:end].count(b"\n")
            assert ("continuing from" in err) == (kept > 1), (end, err)
            assert set(file.read_bytes().splitlines()) == set(data.splitlines())


def test_only_what_is_left_is_read(
    fleet: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fleets, "FEW", 5)
    whole = tmp_path / "whole"
    words = (fleet, "--resume", whole, "--jobs", 1)
    audit(capsys, *words)
    real, read = alike.audit_path, list[str]()

    def counted(where: Path, *others: object) -> object:
        read.append(where.name)
        return real(where, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(alike, "audit_path", counted)
    _, _, err = audit(capsys, *words)
    # the last of all is a directory here
    assert set(read) == {"cut.dtb", "base.yaml", "mine.yaml", "whole"}
    assert err.startswith(f"idle-states: continuing from {72 - 1} results in ")
    # another content is another input
    changed = tmp_path / "fleet"
    subprocess.run(["cp", "-r", str(fleet), str(changed)], check=True)
    audit(capsys, changed, "--resume", tmp_path / "other", "--jobs", 1)
    (changed / "03.dtb").write_bytes(fdt.write(slower(99_000)))
    (changed / "04.dtb").unlink()
    read.clear()
    resumed = audit(capsys, changed, "--resume", tmp_path / "other", "--jobs", 1)
    assert "03.dtb" in read
    assert "05.dtb" not in read
    assert resumed[:2] == audit(capsys, changed, "--summary", "--jobs", 1)[:2]


def read_again(
    given: Path, results: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
) -> list[str]:
    """Names of the inputs that a second run audits again, which answers as the first one."""
    words = (given, "--resume", results, "--format", "jsonl", "--jobs", 1)
    first = audit(capsys, *words)
    read = list[str]()
    real = alike.audit_path

    def counted(where: Path, *others: object) -> object:
        read.append(where.name)
        return real(where, *others)  # type: ignore[arg-type]

    with patch.context() as patched:
        patched.setattr(alike, "audit_path", counted)
        assert audit(capsys, *words)[:2] == first[:2]
    return read


def test_an_archive_counts_as_all_that_is_in_it(
    fleet: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, results = tmp_path / "given", tmp_path / "results"
    given.mkdir()
    (given / "machines.tar").write_bytes((fleet / "machines.tar").read_bytes())
    (given / "z.dtb").write_bytes((fleet / "00.dtb").read_bytes())
    assert read_again(given, results, capsys, monkeypatch) == ["z.dtb"]
    # one of it with other bytes, and one more
    blob, dump = (fleet / "01.dtb").read_bytes(), (fleet / "powernv9.sysfs.txt").read_bytes()
    for members in ((("a.dtb", blob), ("c.txt", dump)), (("a.dtb", blob), ("n.dtb", blob))):
        (given / "machines.tar").write_bytes(archived(*members))
        lines = audit(capsys, given, "--format", "jsonl", "--jobs", 1)
        resumed = audit(capsys, given, "--resume", results, "--format", "jsonl", "--jobs", 1)
        assert resumed[:2] == lines[:2]


@pytest.mark.usefixtures("dtc")
def test_a_source_that_includes_nothing_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "given"
    given.mkdir()
    (given / "a.dts").write_bytes(dts.write(slower(0)).encode())
    (given / "more.dtsi").write_text("/ { other = <1>; };\n")
    including = dts.write(slower(0)).replace("/dts-v1/;", '/dts-v1/;\n#include "more.dtsi"', 1)
    (given / "b.dts").write_text(including)
    (given / "z.dtb").write_bytes(fdt.write(slower(0)))
    again = read_again(given, tmp_path / "results", capsys, monkeypatch)
    assert "a.dts" not in again
    assert {"b.dts", "z.dtb"} <= {*again}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{}\n{}\n", "expected lines of audit --format jsonl, found another"),
        (b"name: mine\n", "expected lines of audit --format jsonl, found another"),
        (b"[" * 100_000 + b"\n", "expected lines of audit --format jsonl, found another"),
        (None, "expected results of these options, found others'"),
    ],
)
def test_other_files_are_left_alone(
    content: bytes | None,
    said: str,
    fleet: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "file"
    if content is None:
        commands.run(capsys, "audit", str(fleet / "00.dtb"), "--resume", str(file))
    else:
        file.write_bytes(content)
    before = file.read_bytes()
    status, out, err = audit(capsys, fleet / "00.dtb", "--resume", file)
    assert (status, out) == (3, "")
    assert f"{file}:1" in err
    assert said in err.replace("\n", " ")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ("--redact",),
        ("--against", "x.dtb"),
        ("--pages",),
        ("--sqlite", "x"),
        ("--format", "sarif"),
        ("--format", "json"),
    ],
)
def test_what_needs_more_than_results_have(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = audit(capsys, tmp_path, "--resume", tmp_path / "file", *words)
    assert status == 2
    assert "--resume" in err
    assert words[-1 if words[0] == "--format" else 0] in err
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("number", few(2, [signal.SIGINT, signal.SIGKILL, signal.SIGTERM]))
def test_ended_by_a_signal(number: signal.Signals, fleet: Path, tmp_path: Path) -> None:
    file, many = tmp_path / "file", tmp_path / "many"
    for copy in range(20):
        (many / str(copy)).mkdir(parents=True)
        for name in fleet.glob("[0-9]*.dtb"):
            os.link(name, many / str(copy) / name.name)
    tool = [sys.executable, "-m", "idle_states", "audit", "--jobs", "2", *WORDS]
    words = [*tool, str(many), "--resume", str(file)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, env=environment, stdout=-1, stderr=-1, text=True) as process:
        deadline = time.monotonic() + 120
        while not (file.exists() and file.stat().st_size > 300_000):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.001)
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
    assert process.returncode in (-number, 128 + number)
    assert out == ""
    if number != signal.SIGKILL:
        assert f"results kept in {file}; the same command line continues" in err
    count = file.read_bytes().count(b"\n")
    assert 20 < count < 1200
    resumed = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert f"continuing from {count - 1} results" in resumed.stderr
    whole = subprocess.run(
        [*tool, str(many), "--summary"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (resumed.returncode, resumed.stdout) == (whole.returncode, whole.stdout)
    files = [json.loads(line)["file"] for line in file.read_text().splitlines()]
    assert len(files) == len(set(files)) == 1200


def test_a_baseline_holds_in_other_processes(
    fleet: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fleets, "FEW", 5)
    known = str(tmp_path / "known.json")
    tree = fleet / "01.dtb"
    commands.run(capsys, "check", str(tree), "--write-baseline", known, *WORDS)
    words = (*sorted(fleet.glob("0*.dtb")), "--format", "jsonl", "--baseline", known)
    answers = [audit(capsys, *words, "--jobs", jobs) for jobs in (1, 2)]
    assert answers[0] == answers[1]
    lines = [json.loads(line) for line in answers[0][1].splitlines()]
    one = next(line for line in lines if line["file"] == str(tree))
    assert all(found["suppressed"]["in"] == "baseline" for found in one["findings"])
    assert any(not found["suppressed"] for line in lines for found in line["findings"])
