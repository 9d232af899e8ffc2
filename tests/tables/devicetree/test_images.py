"""Several trees in one file: one behind another, in images of kernels, of Android and of U-Boot."""

import bz2
import gzip
import lzma
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.tables.audit.fleet import audit_all
from idle_states.tables.devicetree import fdt, images
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.sources import NoSuchTable, read_source, read_sources
from idle_states.tables.sources.walk import Walk
from tests.support import DATA
from tests.tables.audit.test_audit import SETTING

ONE, OTHER = ((DATA / f"trees/{name}.dtb").read_bytes() for name in ("powernv9", "powernv8"))
OVERLAY = fdt.write(Node("", {}, (Node("fragment@0", {}, (Node("__overlay__"),)),)))
KERNEL = gzip.compress(b"MZ" + bytes(range(256)) * 40)


def arm64(data: bytes) -> bytes:
    return b"MZ".ljust(0x38, b"\1") + b"ARM\x64" + bytes(4) + data


def fit(data: bytes) -> bytes:
    """A Flattened Image Tree that holds files."""
    held = Node("fdt-1", {"type": b"flat_dt\0", "data": data})
    return fdt.write(Node("", {"description": b"x\0"}, (Node("images", {}, (held,)),)))


IMAGES = {
    "one behind another": (ONE + OTHER, (ONE, OTHER)),
    "at any distance": (ONE + bytes(5) + b"padding" + OTHER, (ONE, OTHER)),
    "boot image": (b"ANDROID!" + bytes(4088) + KERNEL + ONE + bytes(7) + OTHER, (ONE, OTHER)),
    "vendor boot": (b"VNDRBOOT" + bytes(56) + OTHER, (OTHER,)),
    "dtbo": (struct.pack(">8I", 0xD7B7AB1E, 0, 32, 32, 0, 32, 2048, 0) + ONE + OTHER, (ONE, OTHER)),
    "QCDT": (b"QCDT" + bytes(2044) + ONE, (ONE,)),
    "kernel": (arm64(b"\1" * 99 + ONE), (ONE,)),
    "compressed tree": (gzip.compress(ONE), (ONE,)),
    "bzip2": (bz2.compress(OTHER), (OTHER,)),
    "xz": (lzma.compress(ONE + OTHER), (ONE, OTHER)),
    "in a compressed kernel": (gzip.compress(arm64(ONE)), (ONE,)),
    "behind a compressed kernel": (gzip.compress(arm64(OTHER)) + ONE, (ONE,)),
    "FIT": (fit(ONE), (ONE,)),
}


@pytest.mark.parametrize("name", IMAGES)
def test_every_tree_of_an_image_is_read(name: str, tmp_path: Path) -> None:
    data, held = IMAGES[name]
    place = tmp_path / "unnamed"
    place.write_bytes(data)
    found = read_sources(str(place))
    expected = []
    for number, blob in enumerate(held, 1):
        (tmp_path / "alone.dtb").write_bytes(blob)
        (alone,) = read_sources(str(tmp_path / "alone.dtb"))
        shown = f"{place}:{number}" if len(held) > 1 else str(place)
        assert alone.table is not None
        expected.append((shown, alone.name, alone.table.states))
    assert [(s.file, s.name, s.table and s.table.states) for s in found] == expected
    (results,) = audit_all(Walk().inputs([str(tmp_path / "unnamed")]), SETTING, 1)
    assert [audited.file for audited in results] == [file for file, _, _ in expected]
    (tmp_path / "alone.dtb").unlink()
    assert [found.name for found in Walk().inputs([str(tmp_path)])] == ["unnamed"]


def test_a_tree_of_several_is_named_by_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "two.dtb"
    place.write_bytes(ONE + OTHER + OVERLAY)
    first, second, _ = read_sources(str(place))
    for word, wanted in (("1", first), ("2", second), (f"2:{second.name}", second)):
        assert read_source(f"{place}:{word}").table == wanted.table
    with pytest.raises(NoSuchTable, match=f"name one: {place}:1:{first.name} "):
        read_source(str(place))
    assert main(["show", f"{place}:2"]) == 0
    capsys.readouterr()
    assert main(["check", f"{place}:3", "--notes"]) == 0
    assert "found an overlay" in capsys.readouterr().out


def test_a_damaged_first_tree_is_not_left_out_for_one_behind_it(tmp_path: Path) -> None:
    damaged = ONE[:4] + (1 << 24).to_bytes(4, "big") + ONE[8:] + OTHER
    (tmp_path / "x.dtb").write_bytes(damaged)
    with pytest.raises(Unreadable, match="the file was cut off or its header is damaged"):
        read_sources(str(tmp_path / "x.dtb"))


def test_an_image_without_trees_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "boot.img").write_bytes(b"ANDROID!" + bytes(4088) + KERNEL)
    (tmp_path / "Image.gz").write_bytes(gzip.compress(arm64(b"")))
    walk = Walk()
    assert not list(walk.inputs([str(tmp_path)]))
    assert sum(walk.passed_over.values()) == 2
    with pytest.raises(Unreadable, match="found an unknown binary format"):
        read_sources(str(tmp_path / "boot.img"))


def test_more_trees_than_anybody_has_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.dtb").write_bytes(OVERLAY * 1025)
    with pytest.raises(Unreadable, match="expected at most 1024 trees, found more"):
        read_sources(str(tmp_path / "x.dtb"))


@given(st.lists(st.binary(max_size=40) | st.sampled_from([ONE, fdt.MAGIC_BYTES]), max_size=8))
def test_blobs_are_found_whole_and_in_order(parts: list[bytes]) -> None:
    """A head that is no tree's comes first; what is between trees is passed over."""
    data = b"".join([b"QCDT", *parts])
    found = list(images.trees_in(data))
    assert found == [ONE] * data.count(ONE)
