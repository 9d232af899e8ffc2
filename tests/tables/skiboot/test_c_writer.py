"""C tables that are written: read back, compiled, and how they look."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.table import U32_MAX, U64_MAX, Firmware, IdleState, IdleTable, Register
from idle_states.base.resources import resource
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import revisions
from tests.support import random_tables
from tests.support.c_tables import UGLY_NAMES, made, run_c, values
from tests.support.commands import run
from tests.support.expected import Expected

OPAL = [
    revision.name for revision in revisions() if find(revision.name).register is not Register.NONE
]
SELF_TEST = "-DIDLE_STATES_SELF_TEST"


@pytest.mark.parametrize("name", OPAL)
def test_round_trip_of_packaged_specs(name: str) -> None:
    table = find(name)
    (read,) = c_table.read(c_table.write([table]), f"{name}.c")
    assert values(read) == values(table)
    assert (read.name, read.register) == (table.firmware.array, table.register)
    assert read.cpu is not None
    assert table.cpu is not None
    assert read.cpu.isa300 == table.cpu.isa300


U32 = st.one_of(st.sampled_from([0, 1, U32_MAX, 1 << 31]), st.integers(0, U32_MAX))
U64 = st.one_of(st.sampled_from([0, 0x3003FF, 0xF, U64_MAX, 1 << 63]), st.integers(0, U64_MAX))
NAMES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=15)


@st.composite
def tables(draw: st.DrawFn) -> IdleTable:
    residency = draw(st.sampled_from([st.none(), U32]))
    state = st.builds(
        IdleState, NAMES, U32, residency, U32, U64, U64, note=st.text(), reason=st.text(),
        cpuidle=st.booleans(),
    )  # fmt: skip
    register = draw(st.sampled_from([Register.PSSCR, Register.PMICR]))
    states = draw(st.lists(state, max_size=4))
    return replace(made(states, register), title=draw(st.text()), note=draw(st.text()))


@settings(deadline=None)
@given(tables(), st.booleans())
def test_round_trip_of_any_table(table: IdleTable, self_test: bool) -> None:
    (read,) = c_table.read(c_table.write([table], self_test=self_test), "made.c")
    assert values(read) == values(table)
    if table.register is Register.PSSCR and table.states:
        assert read.register is Register.PSSCR


def test_no_residency_anywhere_in_a_table_without() -> None:
    text = c_table.write([find("power8@0768e820e")], self_test=True)
    assert "residency" not in text.partition("#endif")[0]
    assert ".residency" not in text


def test_several_tables_in_one_text() -> None:
    chosen = [find("power8"), find("power9"), find("power10")]
    text = c_table.write(chosen, self_test=True)
    read = c_table.read(text, "all.c")
    assert [values(table) for table in read] == [values(table) for table in chosen]
    assert [table.register for table in read] == [table.register for table in chosen]


@pytest.mark.parametrize("name", OPAL)
def test_self_test_passes(name: str, gcc: str, tmp_path: Path) -> None:
    table = find(name)
    text = c_table.write([table], self_test=True)
    assert run_c(gcc, tmp_path, text, SELF_TEST) == (0, f"ok {len(table.states)} rows\n")


@pytest.mark.parametrize(
    ("written", "changed", "output"),
    [
        (".latency_ns = 45000", ".latency_ns = 45001",
         "power10_cpu_idle_states[3].latency_ns: expected 45000, found 45001\n"),
        (".residency_ns = 10000,", ".residency_ns = 1000,",
         "power10_cpu_idle_states[0].residency_ns: expected 10000, found 1000\n"),
        ("RL(2)", "RL(3)",
         "power10_cpu_idle_states[2].pm_ctrl_reg_val: expected 0x300322, found 0x300323\n"),
        ("1*OPAL_PM_LOSE_USER", "0*OPAL_PM_LOSE_USER",
         "power10_cpu_idle_states[1].flags: expected 0x101000, found 0x100000\n"),
        ("OPAL_PM_PSSCR_MASK }", "OPAL_PM_PSSCR_RL_MASK }",
         "power10_cpu_idle_states[0].pm_ctrl_reg_mask: expected 0x3003ff, found 0xf\n"),
        ('.name = "stop3"', '.name = "stop4"',
         'power10_cpu_idle_states[3].name: expected "stop3", found "stop4"\n'),
        ("\n};\n", "\n\t{ .latency_ns = 1 },\n};\n",
         "power10_cpu_idle_states rows: expected 4, found 5\n"),
        ("#define OPAL_PM_PSSCR_MTL(value) ((value) << 4)", "#define OPAL_PM_PSSCR_MTL(value) 0",
         "power10_cpu_idle_states[2].pm_ctrl_reg_val: expected 0x300322, found 0x300302\n"
         "power10_cpu_idle_states[3].pm_ctrl_reg_val: expected 0x300333, found 0x300303\n"),
    ],
)  # fmt: skip
def test_self_test_finds_a_wrong_value(
    written: str, changed: str, output: str, gcc: str, tmp_path: Path
) -> None:
    text = c_table.write([find("power10")], self_test=True)
    assert written in text
    if not written.startswith("#define"):
        head, array = text.split("static struct", 1)
        text = head + "static struct" + array.replace(written, changed, 1)
    else:
        text = text.replace(written, changed)
    assert run_c(gcc, tmp_path, text, SELF_TEST) == (1, output)


@pytest.mark.parametrize("register", [Register.PSSCR, Register.PMICR])
def test_names_and_extremes_compile(register: Register, gcc: str, tmp_path: Path) -> None:
    rng = random.Random(20140702)
    states = [random_tables.state(rng, index, longest_name=15) for index in range(150)]
    states += [
        replace(state, name=name, flags=rng.choice((0, U32_MAX, 1 << 31)), control=U64_MAX)
        for name, state in zip(UGLY_NAMES, states, strict=False)
    ]
    states[0] = replace(states[0], note="a */ b /* c ??/ \u202e \udc80 \x00 \\", mask=U64_MAX)
    states[1] = replace(states[1], note="long " * 60, cpuidle=False, reason="why\nnot \\")
    table = made(states, register)
    text = c_table.write([table], self_test=True)
    assert run_c(gcc, tmp_path, text, SELF_TEST) == (0, f"ok {len(states)} rows\n")
    (read,) = c_table.read(text, "made.c")
    assert values(read) == values(table)


def test_empty_table_compiles(gcc: str, tmp_path: Path) -> None:
    text = c_table.write([made([])], self_test=True)
    assert run_c(gcc, tmp_path, text, SELF_TEST) == (0, "ok 0 rows\n")


def row_text(state: IdleState, register: Register = Register.PSSCR) -> str:
    return c_table.write([made([state], register)]).partition("[] = {\n")[2]


def test_style_of_a_psscr_row(expected: Expected) -> None:
    expected.check("psscr-row.txt", row_text(replace(find("power9").states[4], note="")))


def test_style_of_a_pmicr_row(expected: Expected) -> None:
    state = IdleState("s", 1, None, 0x81003, 0x20_0000_0000, 0x30_0000_0000, note="beside")
    expected.check("pmicr-row.txt", row_text(state, Register.PMICR))


@pytest.mark.parametrize(
    ("control", "mask", "value", "mask_text"),
    [
        (0x1, 0xF, "RL(1)", "OPAL_PM_PSSCR_RL_MASK"),
        (0x0, 0x3003FF, "RL(0)|MTL(0)|TR(0)", "OPAL_PM_PSSCR_MASK"),
        (0x3F03BB, 0x3F03FF, "RL(11)|MTL(11)|TR(3)|ESL|EC|0xf0000UL", "0x3f03ffUL"),
        (1 << 63, 0, "RL(0)|0x8000000000000000UL", "0"),
    ],
)
def test_psscr_by_macros_and_the_rest_as_a_number(
    control: int, mask: int, value: str, mask_text: str
) -> None:
    text = row_text(IdleState("s", 1, 1, 0, control, mask))
    text = re.sub(r"\s|\\|OPAL_PM_PSSCR_(?!RL_MASK|MASK)", "", text)
    assert f".pm_ctrl_reg_val={value}," in text
    assert f".pm_ctrl_reg_mask={mask_text}}}" in text


def test_unknown_flags_as_a_number() -> None:
    assert "| 0x00000100," in row_text(IdleState("s", 1, 1, 0x10100, 0, 0), Register.PMICR)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("power9@1953b41e1", "power9_1953b41e1_cpu_idle_states"),
        ("9 lives", "_9_lives_cpu_idle_states"),
        ("my_cpu_idle_states", "my_cpu_idle_states"),
    ],
)
def test_array_name_made_of_the_tables(name: str, array: str) -> None:
    table = replace(find("power9"), name=name, firmware=Firmware())
    assert f"\nstatic struct cpu_idle_states {array}[] = {{\n" in c_table.write([table])


def test_notes_become_comments() -> None:
    state = IdleState("s", 1, 1, 0, note="first */", reason="second")
    assert row_text(state).startswith("\t{ /* first * / */\n\t\t.name")
    assert row_text(replace(state, cpuidle=False)).startswith(
        "\t{\n\t\t/*\n\t\t * first * /\n\t\t * second\n\t\t */\n\t\t.name"
    )
    table = replace(made([]), title="The title", note="A note.")
    assert c_table.write([table]).startswith(
        "/*\n * The title\n * A note.\n * Generated by idle-states from made.\n */\nstatic"
    )


def test_everything_in_the_way_is_reported_and_nothing_written() -> None:
    first = made([
        IdleState("17_bytes_are_many", 1 << 32, -1, 1 << 32, 1 << 64, -1),
        IdleState("\ud800", 1, 1, 1, 1, 1),
        IdleState("a\0b", 1, None, 1, 1, 1),
    ])  # fmt: skip
    second = replace(made([]), name="second")
    third = replace(made([]), name="third", firmware=Firmware("9lives"))
    with pytest.raises(c_table.CannotGenerate) as caught:
        c_table.write([first, second, third, find("pseries-dedicated")])
    found = [finding.message for finding in caught.value.findings]
    expected = [
        "residency, as other rows have",
        "at most 16 bytes",
        "latency to fit u32, found 4294967296",
        "residency to fit u32",
        "flags to fit u32",
        "control to fit u64",
        "mask to fit u64, found -1",
        "a lone surrogate",
        "without NUL",
        "found made_up for made and second",
        "an identifier of C",
        "PSSCR or PMICR",
    ]
    assert [part for part in expected if not any(part in text for text in found)] == []
    assert len(found) == len(expected)
    assert {finding.rule for finding in caught.value.findings} == {"IS933"}


def test_obstacle_is_placed_in_the_spec() -> None:
    table = find("power10")
    states = (replace(table.states[0], latency_ns=1 << 32), *table.states[1:])
    with pytest.raises(c_table.CannotGenerate) as caught:
        c_table.write([replace(table, states=states)])
    where = caught.value.findings[0].location
    assert (where.file, where.path) == (
        str(resource("tables", "specs", "power10.yaml")),
        "power10:states[0].latency",
    )
    assert where.line == table.states[0].where["latency"].line


def test_a_default_name_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "mine.yaml"
    spec.write_text("name: mine\nextends: power10\n")
    _, out, err = run(capsys, "generate", "--to", "c", str(spec))
    assert (
        err == "idle-states: the array is mine_cpu_idle_states, for hw/slw.c: its spec names none\n"
    )
    assert "cpu_idle_states mine_cpu_idle_states[]" in out
    spec.write_text("name: mine\nextends: power10\nfirmware: {array: own}\n")
    _, out, err = run(capsys, "generate", "--to", "c", str(spec))
    assert err == ""
    assert "cpu_idle_states own[]" in out
