"""Images as files: wrapped, damaged, hostile; and at the command line."""

import lzma
import random
import struct
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import CannotGenerate, Unreadable
from idle_states.cli import main
from idle_states.tables.skiboot import lid
from idle_states.tables.skiboot.lid import container
from idle_states.tables.spec.library import find
from tests.support.lids import FILLER, image, row, stock_lid
from tests.support.thorough import examples

P9 = find("power9")
PLAIN = image([*find("power10").states, *P9.states])
HEADER = bytes.fromhex("17082011").ljust(4096, b"\0")
XZ = lzma.compress(PLAIN)


def refusal(data: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        lid.read(data, "some.lid")
    (finding,) = caught.value.findings
    assert finding.location.file == "some.lid"
    assert "\n" not in finding.message
    return finding.message


@pytest.mark.parametrize(
    "data",
    [PLAIN, XZ, XZ + b"\xff" * 500, HEADER + PLAIN, HEADER + XZ],
    ids=["plain", "xz", "padded", "signed", "signed-xz"],
)
def test_read_through_what_it_is_wrapped_in(data: bytes) -> None:
    found = lid.read(data, "some.lid")
    assert [t.table.name for t in found] == ["power10", "power9"]
    assert found[0].offset == len(FILLER)
    assert found[1].table.same_values(P9)


WRAPPED = [(HEADER + PLAIN, "signature"), (HEADER + XZ, "signature"), (XZ, "xz -d")]


@pytest.mark.parametrize(("data", "why"), WRAPPED)
def test_writing_into_a_wrapped_image_is_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(CannotGenerate, match=why):
        lid.replace(data, "power9", P9)


@pytest.mark.slow
def test_an_xz_bomb_is_refused_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = lzma.compress(bytes(300 * 2**20), preset=0)
    assert len(bomb) < 2**17
    tracemalloc.start()
    message = refusal(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert message == f"expected at most {container.MAX_BYTES} bytes when unpacked, found more"
    assert peak < 3 * container.MAX_BYTES


def test_an_xz_stream_that_wants_4_gib_is_refused() -> None:
    """The size of the dictionary stands in the block header, here behind 12 bytes of stream's."""
    size = (XZ[12] + 1) * 4
    header = bytearray(XZ[12 : 12 + size])
    assert header[2] == 0x21
    header[4] = 40
    header[-4:] = zlib.crc32(header[:-4]).to_bytes(4, "little")
    assert "memory" in refusal(XZ[:12] + header + XZ[12 + size :])


def test_what_is_no_image_is_said_in_one_line() -> None:
    assert refusal(b"") == "expected an image of skiboot, found an empty file"
    assert "found its beginning only" in refusal(XZ[: len(XZ) // 2])
    assert refusal(XZ[:40] + bytes(40) + XZ[80:]).startswith("expected an xz stream, found: ")
    assert "behind the 4096 bytes" in refusal(HEADER)
    assert "expected rows of struct cpu_idle_states, found none" in refusal(FILLER)
    too_large = bytes(container.MAX_BYTES + 1)
    assert "expected at most" in refusal(too_large)
    many = image([P9.states[0]] * 513)
    assert refusal(many) == "expected at most 512 rows of idle states, found more"


def test_little_endian_rows_are_called_so() -> None:
    rows = b"".join(
        struct.pack(
            "<16sIIQQI4x",
            s.name.encode(),
            s.latency_ns,
            s.residency_ns,
            s.control,
            s.mask,
            s.flags,
        )
        for s in P9.states
    )
    assert "found little-endian ones" in refusal(FILLER + rows + FILLER)


def test_half_an_image_is_not_said_to_be_little_endian() -> None:
    """A stretch of code may read like one such row by chance; two lie back to back in tables."""
    row = struct.pack("<16sIIQQI4x", b"stop0_lite", 1, 2, 0, 0, P9.states[0].flags)
    for apart in (row, row + bytes(8) + row):
        assert "found none" in refusal(FILLER + apart + FILLER)
    assert "found little-endian ones" in refusal(FILLER + row + row + FILLER)


@pytest.mark.slow
def test_any_bit_flipped_leaves_the_other_tables_as_they_are() -> None:
    stock = stock_lid()
    whole = lid.read(stock, "x")
    start, end = whole[0].offset, whole[-1].offset + 48
    small = stock[start - 256 : end + 256]
    before = {t.table.name: t.table for t in lid.read(small, "x")}
    rng = random.Random(1)
    for _ in range(400):
        data = bytearray(small)
        at = rng.randrange(256, 256 + end - start)
        data[at] ^= 1 << rng.randrange(8)
        after = {t.table.name: t.table for t in lid.read(bytes(data), "x")}
        intact = [
            name for name in before if name in after and after[name].same_values(before[name])
        ]
        assert len(intact) >= 5, (at, list(after))


@given(st.lists(st.tuples(st.integers(4000, 4800), st.binary(max_size=60)), max_size=6))
@settings(max_examples=examples(50, 100), deadline=None)
def test_damage_is_read_or_refused_with_one_line(damage: list[tuple[int, bytes]]) -> None:
    data = bytearray(PLAIN)
    for at, new in damage:
        data[at : at + len(new)] = new
    try:
        found = lid.read(bytes(data), "some.lid")
    except Unreadable as problem:
        (finding,) = problem.findings
        assert "\n" not in finding.message
        return
    for lid_table in found:
        start, size = lid_table.offset, len(lid_table.table.states) * 48
        read = b"".join(row(state) for state in lid_table.table.states)
        for index in range(0, size, 48):  # what stands behind a name's NUL is not read
            name, rest = read[index : index + 16].partition(b"\0")[0], read[index + 16 : index + 44]
            there = bytes(data[start + index : start + index + 44])
            assert (there[:16].partition(b"\0")[0], there[16:]) == (name, rest)


@pytest.mark.parametrize("rows", range(13))
def test_a_cut_image_has_its_whole_rows_or_none(rows: int) -> None:
    every = [state.values() for state in (*find("power10").states, *P9.states)]
    for cut in range(len(FILLER) + rows * 48, len(FILLER) + (rows + 1) * 48, 5):
        if not rows:
            assert "found none" in refusal(PLAIN[:cut])
            continue
        found = lid.read(PLAIN[:cut], "x")
        assert [state.values() for t in found for state in t.table.states] == every[:rows]


# At the command line.


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "skiboot.lid"
    path.write_bytes(PLAIN)
    return str(path)


def test_commands_take_an_image(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", f"{file}:power9", "--kernel", "6.1", "--platform", "op920"]) == 0
    assert "stop5" in capsys.readouterr().out
    assert main(["diff", f"{file}:power9", "power9"]) == 0
    assert main(["diff", f"{file}:power9", "power10"]) == 1
    capsys.readouterr()
    assert main(["show", file]) == 2
    assert f"{file}:power10" in capsys.readouterr().err


def test_check_says_where_in_the_image(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faulty = [replace(P9.states[0], latency_ns=200), *P9.states[1:]]
    path = tmp_path / "skiboot.lid"
    path.write_bytes(image(faulty))
    assert main(["check", str(path), "--select", "IS201,IS501", "--fail-on", "warning"]) == 1
    out = capsys.readouterr().out
    assert f"@{len(FILLER) + 16:#x}:power9[0].latency_ns" in out
    assert "IS201" in out
    assert "IS501" in out


@pytest.mark.parametrize(
    "data",
    [XZ[:200], HEADER, FILLER + b"ibm,cpu-idle-state-names\0"],
    ids=["xz", "container", "no-rows"],
)
def test_damaged_images_end_with_status_3(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "skiboot.lid"
    path.write_bytes(data)
    assert main(["check", str(path)]) == 3
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert "= next: build the image again" in captured.out + captured.err
    assert len((captured.out + captured.err).strip().splitlines()) <= 4
