"""Archives of sysfs, of dumps and of trees: each input in one is told by its content."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits
from idle_states.tables.sources import read_source, read_sources
from idle_states.tables.sources.here import tables_of
from idle_states.tables.sources.walk import Walk
from tests.support import DATA

DUMP = DATA / "trees/powernv9.sysfs.txt"
PAGE = 4096


def packed(files: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, target in (links or {}).items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


def attributes(top: str) -> dict[str, bytes]:
    """The files of sysfs that the dump is of, each a page long as tar finds it."""
    lines = (line.partition(":") for line in DUMP.read_text().splitlines())
    prefix = "/sys/devices/system/cpu/"
    return {
        f"{top}{name.removeprefix(prefix)}": f"{value}\n".encode().ljust(PAGE, b"\0")
        for name, _, value in lines
    }


@pytest.mark.parametrize("top", ["./", "", "cpu/", "sys/devices/system/cpu/"])
@pytest.mark.parametrize("compressed", [False, True])
def test_sysfs_in_an_archive_is_its_dump(top: str, compressed: bool, tmp_path: Path) -> None:
    data = packed(attributes(top), {f"{top}cpu0/subsystem": "../..", f"{top}cpu0/x": "/etc/passwd"})
    path = tmp_path / "machine"
    path.write_bytes(gzip.compress(data) if compressed else data)
    (found,) = read_sources(str(path))
    (dumped,) = read_sources(str(DUMP))
    assert found.table
    assert dumped.table
    assert found.table.origin == dumped.table.origin
    assert found.table.same_values(dumped.table)
    # in a folder, too, for audit and for check
    assert [each.as_posix() for each in Walk().inputs([str(tmp_path)])] == [str(path)]
    assert [each.file for each in tables_of([str(tmp_path)]).sources] == [str(path)]


def test_inputs_in_an_archive_are_told_by_their_content(tmp_path: Path) -> None:
    blob = (DATA / "trees/powernv9.dtb").read_bytes()
    files = {"x/one": DUMP.read_bytes(), "x/two.txt": blob, "x/README": b"no input\n"}
    path = tmp_path / "fleet.tar"
    path.write_bytes(packed(files))
    assert [source.file for source in read_sources(str(path))] == [
        f"{path}:x/one",
        f"{path}:x/two.txt",
    ]
    table = read_source(f"{path}:x/two.txt").table
    assert table
    assert table.read_from.kind == "dtb"
    assert read_source(f"{path}:x/one:cpu0").name == "cpu0"


def unreadable(path: Path) -> str:
    with pytest.raises(Unreadable) as caught:
        read_sources(str(path))
    return caught.value.findings[0].message


def test_an_archive_in_an_archive_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "outer.tar"
    inner = packed({"dump": DUMP.read_bytes()})
    for data in (inner, gzip.compress(inner), gzip.compress(bytes(1 << 20))):
        path.write_bytes(packed({"inner": data}))
        assert unreadable(path).endswith("unpack the archive and name its folder")


def test_more_inputs_than_are_kept_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FOLDER_TABLES", 2)
    path = tmp_path / "many.tar"
    for count in (2, 3):
        path.write_bytes(packed({f"{n}.txt": DUMP.read_bytes() for n in range(count)}))
        if count == 2:
            assert len(read_sources(str(path))) == 2
    assert unreadable(path) == "expected at most 2 inputs in it"


def test_a_size_that_lies_is_named(tmp_path: Path) -> None:
    """More than there is: no member is taken for whole, none read twice."""
    data = bytearray(packed({"dump": DUMP.read_bytes()}))
    data[124:136] = b"77777777777\0"
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    path = tmp_path / "lies.tar"
    path.write_bytes(data)
    assert "expected a tar archive, found: " in unreadable(path)
