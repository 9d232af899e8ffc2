"""Tables of an edited image are named by what its build left beside it: skiboot.map or
skiboot.elf."""

import re
import shutil
import struct
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import CannotGenerate, Unreadable
from idle_states.base.model.table import IdleTable
from idle_states.change.boot.powernv.image import BootedFirmware, in_lid
from idle_states.cli import main
from idle_states.tables.skiboot import c_table, lid
from idle_states.tables.skiboot.lid.symbols import names_beside, read_symbols
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import find
from tests.support.lids import FILLER, row

CROSS = "powerpc64-linux-gnu-"
P9, P10, STRANGE = find("power9"), find("power10"), "strange_cpu_idle_states"
EDITED = [replace(state, name=f"mine{at}") for at, state in enumerate(P9.states)]
ROWS = b"".join(row(state) for state in (*EDITED, *P10.states, *P10.states[:2]))
IMAGE = FILLER + ROWS + FILLER
PLACES = {
    "power9_cpu_idle_states": len(FILLER),
    "power10_cpu_idle_states": len(FILLER) + 48 * len(EDITED),
    STRANGE: len(FILLER) + 48 * (len(EDITED) + len(P10.states)),
}
MAP = "".join(
    f"{address:016x} d {name}\n" for name, address in {**PLACES, "_start": 0x10}.items()
).encode()


def elf(places: dict[str, int], memory: bytes) -> bytes:
    """An ELF file by hand: head, one segment, its bytes, and sections of symbols and names."""
    texts = b"\0" + b"".join(name.encode() + b"\0" for name in places)
    symbols = bytes(24)
    for name, address in places.items():
        at = texts.index(name.encode())
        symbols += struct.pack(">IBBHQQ", at, 1, 0, 1, address, 48)
    start = 64 + 56
    segment = struct.pack(">IIQQQQQQ", 1, 7, start, 0, 0, len(memory), len(memory), 8)
    sections = bytes(64)
    first = start + len(memory)
    sections += struct.pack(">IIQQQQIIQQ", 0, 2, 0, 0, first, len(symbols), 2, 0, 8, 24)
    sections += struct.pack(">IIQQQQIIQQ", 0, 3, 0, 0, first + len(symbols), len(texts), 0, 0, 1, 0)
    end = first + len(symbols) + len(texts)
    head = b"\x7fELF\x02\x02\x01" + bytes(9)
    head += struct.pack(">HHIQQQIHHHHHH", 2, 21, 1, 0, 64, end, 0, 64, 56, 1, 64, 3, 0)
    return head + segment + memory + symbols + texts + sections


@pytest.fixture
def image(tmp_path: Path) -> Path:
    (tmp_path / "skiboot.lid").write_bytes(IMAGE)
    return tmp_path / "skiboot.lid"


def named(path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["show", str(path)]) == 2
    return re.findall(rf"{re.escape(str(path))}:([\w@]+)", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("name", "content"), [("skiboot.map", MAP), ("skiboot.elf", elf(PLACES, IMAGE))]
)
def test_tables_of_an_edited_image_have_their_names(
    name: str, content: bytes, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "power9" not in named(image, capsys)
    (image.parent / name).write_bytes(content)
    assert named(image, capsys) == ["power9", "power10", STRANGE]
    assert main(["show", f"{image}:power9", "--kernel", "6.1"]) == 0
    printed = capsys.readouterr().out
    assert "in the place of power9; of 8 rows 8 have another name or level" in printed
    assert "7  mine7" in printed
    firmware = in_lid(image, "powernv9", None, image.parent)
    assert [state.name for state in firmware.table.states] == [f"mine{at}" for at in range(8)]


def test_an_elf_file_is_read_by_its_own_symbols(tmp_path: Path) -> None:
    found = lid.read(elf(PLACES, IMAGE), "skiboot.elf")
    assert [(each.table.name, each.offset, each.rows) for each in found] == [
        ("power9", PLACES["power9_cpu_idle_states"], 8),
        ("power10", PLACES["power10_cpu_idle_states"], 4),
        (STRANGE, PLACES[STRANGE], 2),
    ]
    assert found[2].table.firmware.array == STRANGE
    with pytest.raises(CannotGenerate, match="found an ELF file"):
        lid.replace(elf(PLACES, IMAGE), "power9", P9)
    (tmp_path / "x.lid").write_bytes(elf(PLACES, IMAGE))
    with pytest.raises(Unreadable, match=r"expected skiboot\.lid, .* found an ELF file"):
        in_lid(tmp_path / "x.lid", "powernv9", None, tmp_path)


def test_symbols_of_another_build_are_left_aside_and_told(image: Path) -> None:
    shifted = {name: address + 8 for name, address in PLACES.items()}
    symbols = read_symbols(elf(shifted, IMAGE), "skiboot.elf")
    found = lid.read(IMAGE, "skiboot.lid", symbols)
    plain = lid.read(IMAGE, "skiboot.lid")
    assert [each.table.name for each in found] == [each.table.name for each in plain]
    for each in found:
        assert "skiboot.elf is of another build" in each.table.note


def test_a_table_with_too_many_rows_is_told_the_way(image: Path) -> None:
    symbols = read_symbols(MAP, "skiboot.map")
    longer = replace(P9, states=(*P9.states, replace(P9.states[-1], name="stop15")))
    with pytest.raises(CannotGenerate, match=r"found 9; an image cannot grow: boot --tree DIR"):
        lid.replace(IMAGE, "power9", longer, symbols=symbols)
    changed = lid.replace(IMAGE, "power9", P9, symbols=symbols)
    assert lid.read(changed, "x", symbols)[0].table.states[0].name == "stop0_lite"


def test_files_beside_have_the_image_s_name() -> None:
    for image in ("skiboot.lid", "skiboot.lid.xz", "skiboot.lid.xz.stb", "skiboot"):
        assert names_beside(image) == ["skiboot.map", "skiboot.elf"]
    assert names_beside("mine.7.lid") == ["mine.7.map", "mine.7.elf"]


@given(st.binary(max_size=200), st.integers(0, 200))
def test_a_damaged_elf_file_is_read_or_refused(damage: bytes, at: int) -> None:
    whole = elf(PLACES, ROWS)
    data = whole[:at] + damage + whole[at + len(damage) :]
    for each in (data, whole[: len(whole) - at * 3]):
        try:
            found = lid.read(each, "skiboot.elf")
        except Unreadable:
            continue
        assert all(place.offset + 48 * place.rows <= len(each) for place in found)


@pytest.mark.skipif(not shutil.which(f"{CROSS}gcc"), reason="no cross compiler (Debian package "
                    "gcc-powerpc64-linux-gnu)")  # fmt: skip
def test_what_a_linker_and_nm_make_is_read(tmp_path: Path) -> None:
    """A program linked as skiboot is: at 0, its image by objcopy."""
    text = c_table.write([P10, P9])
    source = (
        "typedef unsigned int u32; typedef unsigned long u64;\n"
        "struct cpu_idle_states { char name[16]; u32 latency_ns, residency_ns;\n"
        "u64 pm_ctrl_reg_val, pm_ctrl_reg_mask; u32 flags; };\n"
        "#define OPAL_PM_DEC_STOP 1\n#define OPAL_PM_TIMEBASE_STOP 2\n"
        "#define OPAL_PM_LOSE_USER_CONTEXT 0x1000\n#define OPAL_PM_LOSE_HYP_CONTEXT 0x2000\n"
        "#define OPAL_PM_LOSE_FULL_CONTEXT 0x4000\n#define OPAL_PM_STOP_INST_FAST 0x100000\n"
        "#define OPAL_PM_STOP_INST_DEEP 0x200000\n#define OPAL_PM_PSSCR_RL(x) (x)\n"
        "#define OPAL_PM_PSSCR_MTL(x) ((x) << 4)\n#define OPAL_PM_PSSCR_TR(x) ((x) << 8)\n"
        "#define OPAL_PM_PSSCR_PSLL(x) ((x) << 16)\n#define OPAL_PM_PSSCR_EC 0x100000\n"
        "#define OPAL_PM_PSSCR_ESL 0x200000\n#define OPAL_PM_PSSCR_MASK 0x3003fful\n"
        f"{text}\n"
        "const void *_start[] = { power10_cpu_idle_states, power9_cpu_idle_states };\n"
    )
    (tmp_path / "a.c").write_text(source)
    words = [f"{CROSS}gcc", "-mbig-endian", "-nostdlib", "-static", "-Wl,-Ttext-segment,0"]
    elf_file, image = tmp_path / "skiboot.elf", tmp_path / "skiboot.lid"
    more = ["-Wl,-N", "-Wl,--build-id=none", "-Wl,-e,0", "-o", str(elf_file)]
    for command in (
        [*words, *more, str(tmp_path / "a.c")],
        [f"{CROSS}objcopy", "-O", "binary", str(elf_file), str(image)],
    ):
        subprocess.run(command, check=True, capture_output=True)
    listed = subprocess.run([f"{CROSS}nm", "-n", str(elf_file)], check=True, capture_output=True)
    by_elf = read_symbols(elf_file.read_bytes(), "skiboot.elf")
    assert by_elf.addresses == read_symbols(listed.stdout, "skiboot.map").addresses
    start = min(by_elf.addresses.values())
    found = lid.read(elf_file.read_bytes(), "skiboot.elf")
    assert sorted(each.table.name for each in found) == ["power10", "power9"]
    assert min(each.offset for each in found) == start
    for each in found:
        assert [s.values() for s in each.table.states] == [
            s.values() for s in find(each.table.name).states
        ]


OWN = "name: own\nextends: power10\ndrop: [stop2, stop3]\nfirmware: {{array: {}, quirk: {}}}\n"


def own(folder: Path, array: str = STRANGE, quirk: str = "qemu") -> IdleTable:
    (folder / "own.yaml").write_text(OWN.format(array, quirk))
    table = read_table(str(folder / "own.yaml")).table
    assert table is not None
    return replace(table, states=(replace(table.states[0], latency_ns=7000), table.states[1]))


def changed(firmware: BootedFirmware, image: Path) -> list[str]:
    """Names of the arrays whose bytes are other than in the image."""
    new = firmware.lid.read_bytes()
    assert len(new) == len(IMAGE)
    ends = [*PLACES.values(), PLACES[STRANGE] + 96]
    parts = {name: slice(*pair) for name, pair in zip(PLACES, pairwise(ends), strict=True)}
    return [name for name, part in parts.items() if new[part] != IMAGE[part]]


@pytest.fixture
def symbols(image: Path) -> Path:
    (image.parent / "skiboot.map").write_bytes(MAP)
    (image.parent / "x").mkdir()
    return image


class TestBootsOfAnArrayOfNoSpec:
    @pytest.mark.parametrize(
        ("machine", "array", "quirk", "place", "rows_of"),
        [
            ("powernv10", STRANGE, "qemu", STRANGE, STRANGE),
            # the machine takes another, and the image lacks this one
            ("powernv10", STRANGE, "mambo", "power10", "power10_cpu_idle_states"),
            ("powernv10", "p10_states", "qemu", "power10", "power10_cpu_idle_states"),
            ("powernv9", STRANGE, "qemu", "power9", "power9_cpu_idle_states"),
        ],
    )
    def test_a_spec_takes_its_own_where_the_machine_does(
        self, machine: str, array: str, quirk: str, place: str, rows_of: str, symbols: Path
    ) -> None:
        firmware = in_lid(symbols, machine, own(symbols.parent, array, quirk), symbols.parent / "x")
        assert (firmware.place, changed(firmware, symbols)) == (place, [rows_of])

    def test_without_symbols_it_is_not_known(self, image: Path) -> None:
        into = image.parent / "x"
        into.mkdir()
        assert in_lid(image, "powernv10", own(image.parent), into).place == "power10"

    def test_one_picked_from_the_image_stays_where_it_is(self, symbols: Path) -> None:
        table = read_table(f"{symbols}:{STRANGE}").table
        firmware = in_lid(symbols, "powernv10", table, symbols.parent / "x")
        assert (firmware.place, changed(firmware, symbols)) == (STRANGE, [])
        dd1 = in_lid(symbols, "powernv9", find("power9-dd1"), symbols.parent / "x")
        assert dd1.place == "power9"

    def test_without_a_table_it_is_said(self, symbols: Path) -> None:
        firmware = in_lid(symbols, "powernv10", None, symbols.parent)
        assert firmware.place == firmware.table.name == "power10"
        (remark,) = firmware.remarks
        assert remark == (
            f"the image also has {STRANGE}: if this machine uses it, name it, "
            f"TABLE {symbols}:{STRANGE}"
        )
