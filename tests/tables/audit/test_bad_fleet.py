"""A folder of all that must not be there: each input is named or counted, and nothing hangs."""

import gzip
import io
import json
import os
import struct
import tarfile
import time
from pathlib import Path

import pytest

from tests.support import DATA
from tests.tables.audit.test_audit import run

BOARD = (DATA / "trees/powernv9.dtb").read_bytes()
OTHERS = 500
HEADER = {"total": 4, "structure": 8, "strings": 12, "reserved": 16, "names": 32, "nodes": 36}
"""Fields of a tree's head that may lie -> their offset."""
LIES = {"big": 0xFFFFFFF0, "small": 8, "half": len(BOARD) // 2}


def tar(name: str, data: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "fleet"
    (top / "links").mkdir(parents=True)
    for name, target in (("up", ".."), ("self", "self"), ("a", "b"), ("b", "a"), ("x.dtb", "../x")):
        (top / "links" / name).symlink_to(target)
    os.mkfifo(top / "pipe.dtb")
    deep, packed = tar("a.dtb", BOARD), BOARD
    for _ in range(5):
        deep = gzip.compress(tar("x.tar.gz", deep))
        packed = gzip.compress(packed)
    bomb = bytes(200 << 20)
    files = {
        "good.dtb": BOARD,
        "tree in an archive.tar": tar("a.dtb", BOARD),
        "archive in an archive.tar": tar("b.tar", tar("a.dtb", BOARD)),
        "archives in archives.tar.gz": deep,
        "tree of any size.dtb.gz": gzip.compress(BOARD + bomb, 1),
        "packed five times.gz": packed,
        "bomb.gz": gzip.compress(gzip.compress(bomb, 1)),
    }
    for field, at in HEADER.items():
        for lie, value in LIES.items():
            made = bytearray(BOARD)
            made[at : at + 4] = struct.pack(">I", value)
            files[f"{field} {lie}.dtb"] = bytes(made)
    for name, data in files.items():
        (top / name).write_bytes(data)
    (top / "others").mkdir()
    for number in range(OTHERS):
        (top / f"others/{number}.bin").write_bytes(b"\x7fELF")
    return top


def test_each_is_named_or_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begun = time.process_time()
    status, text = run(capsys, str(folder), "--format", "jsonl")
    assert time.process_time() - begun < 20
    assert status == 3
    kinds = {Path(line["file"]).name: line["kind"] for line in map(json.loads, text.splitlines())}
    assert kinds.pop("good.dtb") == kinds.pop("tree in an archive.tar:a.dtb") == "dtb"
    archives = {"archive in an archive.tar", "archives in archives.tar.gz"}
    lies = {f"{field} {lie}.dtb" for field in HEADER for lie in LIES}
    assert kinds.keys() == archives | lies | {"tree of any size.dtb.gz"}
    assert set(kinds.values()) == {"unreadable"}
    _, text = run(capsys, str(folder), "--summary")
    words = " ".join(text.split())
    for name in kinds:
        assert f"fleet/{name}: expected" in words, name
    assert "21 inputs unreadable" in words
    for said in ("links: 5", "devices, pipes and sockets: 1", f"programs: {OTHERS}"):
        assert f"skipped: {said}" in words
    assert "skipped: compressed files of another kind: 2" in words
