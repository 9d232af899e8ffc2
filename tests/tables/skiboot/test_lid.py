"""Tables inside a compiled skiboot.lid: found, told apart, replaced."""

import random
import subprocess
from dataclasses import replace as changed
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import CannotGenerate
from idle_states.base.model.table import Flag, IdleState, IdleTable, Register
from idle_states.tables.skiboot import lid
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.platform import PRESETS
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import revisions
from tests.support import random_tables
from tests.support.lids import FILLER, FORMS, image, row, stock_lid
from tests.support.thorough import examples

# a fixture

IN_7_0 = {
    "power9-fused": 4,
    "power10": 4,
    "power9-mambo": 6,
    "power9": 8,
    "power8": 3,
    "power8-nap-only": 1,
}
ERAS = tuple(FORMS)


@pytest.fixture(scope="module")
def stock() -> bytes:
    return stock_lid()


@pytest.fixture(scope="module")
def small(stock: bytes) -> bytes:
    """The stock image's tables with a little of what is around them."""
    found = lid.read(stock, "skiboot.lid")
    return stock[found[0].offset - 4096 : found[-1].offset + 4096]


def tables(data: bytes) -> dict[str, IdleTable]:
    return {found.table.name: found.table for found in lid.read(data, "x.lid")}


def values(states: tuple[IdleState, ...] | list[IdleState]) -> list[tuple[object, ...]]:
    return [state.values() for state in states]


# What firmware ships.


def test_stock_image_has_the_packaged_tables(stock: bytes) -> None:
    found = lid.read(stock, "skiboot.lid")
    assert {lid_table.table.name: lid_table.rows for lid_table in found} == IN_7_0
    for lid_table in found:
        spec = find(lid_table.table.name)
        assert lid_table.table.same_values(spec)
        assert (lid_table.table.cpu, lid_table.table.register) == (spec.cpu, spec.register)


def test_places_are_offsets_of_the_very_bytes(stock: bytes) -> None:
    for lid_table in lid.read(stock, "skiboot.lid"):
        name = lid_table.table.name
        for index, state in enumerate(lid_table.table.states):
            where = state.where["latency"]
            at, _, path = where.path.partition(":")
            offset = int(at.lstrip("@"), 16)
            assert int.from_bytes(stock[offset : offset + 4], "big") == state.latency_ns
            assert (where.file, path) == ("skiboot.lid", f"{name}[{index}].latency_ns")


@pytest.mark.parametrize("name", [r.name for r in revisions() if r.name.startswith("power")])
@pytest.mark.parametrize("era", ERAS)
def test_each_packaged_table_is_recognised(name: str, era: str) -> None:
    """By names and levels, or as an equal: some revisions have the same rows."""
    spec = find(name)
    states = [changed(state, residency_ns=state.residency_ns or 0) for state in spec.states]
    (found,) = lid.read(image(states, era), "x.lid")
    recognised = find(found.table.name)
    assert [state.name for state in recognised.states] == [state.name for state in spec.states]
    if era == "up to 4.1":
        assert {state.residency_ns for state in found.table.states} == {None}
    else:
        assert values(found.table.states) == values(states)
        if all(state.residency_ns is not None for state in spec.states):
            assert recognised.same_values(spec)


STRUCTS = {
    "5.3 and on": "uint32_t latency, residency; uint64_t control, mask; uint32_t flags;",
    "4.1.1 to 5.2": "uint32_t latency, residency, flags; uint64_t control, mask;",
    "up to 4.1": "uint32_t latency, flags; uint64_t control, mask;",
}
PROGRAM = """
#include <stdint.h>
#include <stdio.h>
struct __attribute__((scalar_storage_order("big-endian"))) row {{ char name[16]; {members} }};
static const struct row rows[] = {{ {rows} }};
int main(void) {{ return fwrite(rows, sizeof rows, 1, stdout) != 1; }}
"""


@pytest.mark.parametrize("era", ERAS)
def test_layouts_are_what_a_compiler_makes_of_the_structs(
    era: str, gcc: str, tmp_path: Path
) -> None:
    """Each era's members in their order, compiled; alignments are those of the target."""
    states = find("power9").states
    if era == "up to 4.1":
        states = tuple(changed(state, residency_ns=None) for state in states)
    rows = ", ".join(
        f'{{ .name = "{s.name}", .latency = {s.latency_ns}, .flags = {s.flags}, '
        + (f".residency = {s.residency_ns}, " if s.residency_ns is not None else "")
        + f".control = {s.control}, .mask = {s.mask} }}"
        for s in states
    )
    (tmp_path / "rows.c").write_text(PROGRAM.format(members=STRUCTS[era], rows=rows))
    command = [gcc, "-O2", "-Wall", "-Werror", "-o", str(tmp_path / "rows")]
    subprocess.run([*command, str(tmp_path / "rows.c")], check=True)
    compiled = subprocess.run([str(tmp_path / "rows")], stdout=subprocess.PIPE, check=True).stdout
    assert compiled == b"".join(row(state, era) for state in states)
    (found,) = lid.read(FILLER + compiled + FILLER, "x")
    assert (found.table.name, found.layout.era) == ("power9", era)
    assert values(found.table.states) == values(states)


# Telling tables apart.


def test_a_faulty_table_between_others_is_not_split(small: bytes) -> None:
    """Latency falls back and times are equal: hints that a new table starts, but names fit."""
    spec = find("power9")
    states = list(spec.states)
    states[4] = changed(states[4], latency_ns=1, residency_ns=1)
    faulty = IdleTable("faulty", tuple(states), Register.PSSCR)
    after = tables(lid.replace(small, "power9", faulty))
    assert list(after) == list(IN_7_0)
    assert values(after["power9"].states) == values(states)


def test_a_renamed_row_costs_the_name_but_not_the_bounds(small: bytes) -> None:
    spec = find("power9")
    states = list(spec.states)
    states[4] = changed(states[4], name="stop3")
    found = lid.read(
        lid.replace(small, "power9", IdleTable("x", tuple(states), spec.register)), "x"
    )
    other = [lid_table for lid_table in found if lid_table.table.name not in IN_7_0]
    (strange,) = other
    assert strange.table.name == f"table@{strange.offset:#x}"
    assert values(strange.table.states) == values(states)
    assert "power9" in strange.table.note
    assert "1 " in strange.table.note
    assert {lid_table.table.name for lid_table in found} - {strange.table.name} == set(IN_7_0) - {
        "power9"
    }


def test_same_names_another_level_is_another_table() -> None:
    states = list(find("power10").states)
    states[2] = changed(states[2], control=states[2].control & ~0xF | 9)
    (found,) = lid.read(image(states), "x")
    assert found.table.name.startswith("table@")


def test_unknown_tables_are_parted_by_hints() -> None:
    def some(prefix: str, latencies: list[int]) -> list[IdleState]:
        flags = int(Flag.STOP_INST_FAST)
        return [
            IdleState(f"{prefix}{number}", latency, 7, flags)
            for number, latency in enumerate(latencies)
        ]

    first, second, third = some("a", [1, 5, 5]), some("b", [2, 3]), some("b", [3, 9])
    found = lid.read(image(first + second + third), "x")
    assert [values(t.table.states) for t in found] == [values(t) for t in (first, second, third)]
    assert [t.table.name for t in found] == [f"table@{t.offset:#x}" for t in found]


def test_same_table_twice_has_two_names() -> None:
    states = find("power10").states
    found = lid.read(image([*states, *states]), "x")
    assert [t.table.name for t in found] == ["power10", f"power10@{found[1].offset:#x}"]


@pytest.mark.parametrize("latency_ns", [0, 1])
def test_a_lone_row_that_costs_nothing_is_bytes_of_something_else(latency_ns: int) -> None:
    """The image of QEMU 10 has a function's name and pointers that read as such a row."""
    lone = IdleState("fsp_create_node", latency_ns, 0x15A9D9, 0x10100, 0x15A9E0, 0x15A9E7)
    (alone,) = lid.read(image([lone]), "x")
    assert values(alone.table.states) == values([lone])
    beside = image(list(find("power10").states)) + image([lone])
    names = [found.table.name for found in lid.read(beside, "x")]
    assert names[0] == "power10"
    assert len(names) == 1 + (latency_ns > 0)


# Any rows at all.


@st.composite
def some_rows(draw: st.DrawFn) -> list[IdleState]:
    rng = random.Random(draw(st.integers(0, 2**32)))
    states = random_tables.states(rng, 24, longest_name=17)
    anchor = IdleState("anchor", 1, 2, int(Flag.STOP_INST_FAST), 0x300330, 0x3003FF)
    states.insert(rng.randrange(len(states) + 1), anchor)
    return [
        changed(state, residency_ns=(state.residency_ns or 0) | 0x1000_0000) for state in states
    ]


@given(some_rows(), st.sampled_from(ERAS))
@settings(max_examples=examples(37, 150), deadline=None)
def test_any_rows_are_read_as_written(states: list[IdleState], era: str) -> None:
    """All rows that lie back to back are found, in order, as long as one of them is beyond
    doubt."""
    if era == "up to 4.1":
        states = [changed(state, residency_ns=None) for state in states]
    found = lid.read(image(states, era), "x")
    assert values([state for t in found for state in t.table.states]) == values(states)
    offset = len(FILLER)
    for lid_table in found:
        assert lid_table.offset == offset
        offset += lid_table.rows * len(row(states[0], era))


# Replacing.


def fits(states: list[IdleState]) -> IdleTable:
    return IdleTable("replacement", tuple(states), Register.PSSCR)


@given(st.integers(0, 2**32))
@settings(max_examples=examples(25, 100), deadline=None)
def test_replace_changes_the_rows_and_nothing_else(seed: int) -> None:
    rng = random.Random(seed)
    around = image([*find("power10").states, *find("power9").states, *find("power8").states])
    states = [random_tables.state(rng, i, 17) for i in range(rng.randrange(1, 9))]
    written = lid.replace(around, "power9", fits(states))
    start = len(FILLER) + 4 * 48
    assert written[:start] == around[:start]
    assert written[start + 8 * 48 :] == around[start + 8 * 48 :]
    assert written[start : start + len(states) * 48] == b"".join(row(s) for s in states)
    read = [state for t in lid.read(written, "x") for state in t.table.states]
    assert values(read) == values([*find("power10").states, *states, *find("power8").states])


def test_replacing_a_table_by_itself_changes_nothing(stock: bytes) -> None:
    for name in IN_7_0:
        assert lid.replace(stock, name, find(name)) == stock


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("count", range(1, 9))
def test_fewer_rows_are_read_back_under_the_same_name(count: int, era: str) -> None:
    """Any rows of the spec may be missing; what is left of the space holds nothing."""
    spec = find("power9")
    if era == "up to 4.1":
        states = [changed(state, residency_ns=None) for state in spec.states]
    else:
        states = list(spec.states)
    rng = random.Random(count)
    kept = [states[i] for i in sorted(rng.sample(range(8), count))]
    around = image([*states, *states[:4]], era)
    written = lid.replace(around, "power9", fits(kept))
    first, second = lid.read(written, "x")
    assert (first.table.name, first.rows) == ("power9", 8)
    assert values(first.table.states) == values(kept)
    assert second.table.name == "power9-fused"
    assert lid.replace(written, "power9", fits(states)) == around


@pytest.mark.parametrize("platform", PRESETS)
@pytest.mark.parametrize("name", ["power8", "power9", "power10"])
def test_no_firmware_exports_a_row_left_over(name: str, platform: str) -> None:
    """The table as firmware sees it, unused rows included, exports what the short one does."""
    spec = find(name)
    short = changed(spec, states=spec.states[:2])
    written = lid.replace(image(spec.states), name, short)
    start = len(FILLER) + 2 * 48
    left = len(spec.states) - 2
    unused = IdleState(lid.UNUSED, 0, 0, 0)
    assert written[start : start + left * 48] == row(unused) * left
    seen = changed(short, states=(*short.states, *[unused] * left))
    whole, alone = export(seen, PRESETS[platform]), export(short, PRESETS[platform])
    assert whole.indices == alone.indices
    assert whole.node == alone.node
    assert whole.outcome == alone.outcome


def test_replace_refuses_what_does_not_fit(small: bytes) -> None:
    state = find("power9").states[0]

    def refused(name: str, *states: IdleState, register: Register = Register.PSSCR) -> str:
        with pytest.raises(CannotGenerate) as caught:
            lid.replace(small, name, IdleTable("mine", states, register))
        return "; ".join(finding.message for finding in caught.value.findings)

    assert "expected 1 to 4 rows, as compiled in, found 5" in refused("power10", *[state] * 5)
    assert "expected 1 to 4 rows, as compiled in, found 0" in refused("power10")
    assert "a table of power9-fused, power10" in refused("power11", state)
    assert "16 bytes" in refused("power9", changed(state, name="x" * 17))
    assert "16 bytes" in refused("power9", changed(state, name=""))
    assert "16 bytes" in refused("power9", changed(state, name="a\0b"))
    assert "expected a residency" in refused("power9", changed(state, residency_ns=None))
    assert "expected 0 to 0xffffffff" in refused("power9", changed(state, latency_ns=2**32))
    assert "expected a table with psscr" in refused("power9", state, register=Register.PMICR)
    assert "mark a row without one" in refused("power9", IdleState(lid.UNUSED, 0, 0, 0))
    old = image([changed(state, residency_ns=None)], "up to 4.1")
    name = lid.read(old, "x")[0].table.name
    with pytest.raises(CannotGenerate, match="expected no residency"):
        lid.replace(old, name, IdleTable("mine", (state,), Register.PSSCR))
