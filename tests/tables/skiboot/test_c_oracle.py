"""Specs, reader and writer against the tables of a real skiboot tree, compiled."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.model.table import Firmware, IdleState, IdleTable, Register
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.c_table.builtin import DEFINITIONS
from idle_states.tables.spec.library import find, load
from idle_states.tables.spec.packaged import current
from tests.oracle import skipping
from tests.oracle.skiboot import Row, dump_tables
from tests.support import random_tables
from tests.support.c_tables import UGLY_NAMES, made, rows, run_c

HEADERS = ("include/bitutils.h", "include/opal-api.h")


@pytest.fixture(scope="module")
def compiled(skiboot_tree: Path) -> dict[str, list[Row]]:
    """The tree's own tables: array -> rows."""
    return dump(skiboot_tree, {})


def dump(tree: Path, sources: Mapping[str, str]) -> dict[str, list[Row]]:
    with skipping():
        return dump_tables(tree, sources)


def specs() -> dict[str, IdleTable]:
    """Array -> the current spec of it, the first of several."""
    by_array: dict[str, IdleTable] = {}
    for table in map(find, current()):
        if table.register is not Register.NONE:
            by_array.setdefault(table.firmware.array, table)
    return by_array


def as_rows(states: Sequence[IdleState]) -> list[Row]:
    """States as the oracle shows them, their names as bytes."""
    return [
        {
            "name": state.name.encode("utf-8", "surrogateescape").decode("latin-1"),
            "latency_ns": state.latency_ns,
            "residency_ns": -1 if state.residency_ns is None else state.residency_ns,
            "flags": state.flags,
            "control": state.control,
            "mask": state.mask,
        }
        for state in states
    ]


def test_specs_are_what_the_tree_compiles_to(compiled: dict[str, list[Row]]) -> None:
    by_array = specs()
    assert set(compiled) <= set(by_array)
    assert len(compiled) >= 6
    assert {array: as_rows(by_array[array].states) for array in compiled} == compiled


@pytest.mark.parametrize("with_headers", [False, True])
def test_reader_sees_what_the_compiler_sees(
    with_headers: bool, skiboot_tree: Path, compiled: dict[str, list[Row]]
) -> None:
    defines: dict[str, str] = {}
    if with_headers:
        for header in HEADERS:
            defines |= c_table.definitions_in((skiboot_tree / header).read_text())
        assert defines["OPAL_PM_PSSCR_MTL(l)"] == "( ( l ) << 4 )"
    read = {}
    for name in ("hw/slw.c", "hw/slw-p8.c"):
        file = skiboot_tree / name
        if file.is_file():
            for table in c_table.read(file.read_text(), name, defines=defines):
                read[table.name] = as_rows(table.states)
                assert table.register is specs()[table.name].register
    assert read == compiled


def test_built_in_macros_are_the_trees(skiboot_tree: Path) -> None:
    """The headers' macros give the same numbers, also where parentheses are missing."""
    defines: dict[str, str] = {}
    for header in HEADERS:
        defines |= c_table.definitions_in((skiboot_tree / header).read_text())
    known = {re.sub(r"\(.*", "(5)", head) for head in DEFINITIONS if not head.startswith("IDLE_")}
    known = known - {"PPC_BITMASK(5)"} | {"PPC_BITMASK(5, 9)"}
    assert {head.partition("(")[0] for head in known} <= {
        head.partition("(")[0] for head in defines
    }
    body = ", ".join(
        f"{{ .pm_ctrl_reg_val = ~{use}, .pm_ctrl_reg_mask = 3 & {use} }}" for use in sorted(known)
    )
    assert as_rows(rows(body)) == as_rows(rows(body, defines=defines))


def test_places_in_the_tree(skiboot_tree: Path) -> None:
    lines = (skiboot_tree / "hw/slw.c").read_text().split("\n")
    tables = c_table.read("\n".join(lines), "hw/slw.c")
    for table in tables:
        for state in table.states:
            for key, text in (("name", f'"{state.name}"'), ("latency", str(state.latency_ns))):
                where = state.where[key]
                start = (where.column or 0) - 1
                assert lines[(where.line or 0) - 1][start : start + where.length] == text
            if table.register is Register.PSSCR:
                where = state.where["control.mtl"]
                text = f"OPAL_PM_PSSCR_MTL({state.psscr.mtl})"
                assert text in lines[(where.line or 0) - 1]
                assert where.length == len(text)


def test_generated_c_takes_the_place_of_the_trees(
    skiboot_tree: Path, compiled: dict[str, list[Row]]
) -> None:
    generated = {array: c_table.write([table]) for array, table in specs().items()}
    dumped = dump(skiboot_tree, generated)
    assert {array: dumped[array] for array in compiled} == compiled
    assert set(dumped) == set(generated)
    assert dumped == {array: as_rows(table.states) for array, table in specs().items()}


def test_any_generated_table_compiles_in_the_tree(skiboot_tree: Path) -> None:
    tables = {}
    for register in (Register.PSSCR, Register.PMICR):
        rng = random.Random(register)
        states = [random_tables.state(rng, index, longest_name=15) for index in range(200)]
        states += [IdleState(name, 1, 2, 3, 4, 5, note=f"*/ {name} \\") for name in UGLY_NAMES]
        array = f"made_up_{register}"
        tables[array] = IdleTable(array, tuple(states), register, firmware=Firmware(array))
    dumped = dump(skiboot_tree, {name: c_table.write([table]) for name, table in tables.items()})
    assert {name: dumped[name] for name in tables} == {
        name: as_rows(table.states) for name, table in tables.items()
    }


# Numbers, against gcc

EXPRESSIONS = (
    "1 << 31", "0x80000000", "2147483648", "1u << 31", "-1", "~0", "~0u", "~0ul", "-1u", "010",
    "0b11", "OPAL_PM_PSSCR_MASK", "~OPAL_PM_PSSCR_MASK", "OPAL_PM_PSSCR_MASK & 0xf00", "PPC_BIT(0)",
    "PPC_BITMASK(60, 63)", "(u64)1 << 40", "(uint32_t)-1", "(int)0xffffffff", "'a'", "'\\377'",
    "3 ? 5 : 6u", "0 ? 1 : -1", "-7 / 2", "-7 % 3", "-1 > 0u", "-1L < 0u", "!5 + !0", "1 && 0 || 2",
    "5 & 3 == 3", "1 + 2 << 3", "0xffffffffu + 1", "0xffffffffffffffff", "-8 >> 1", "+5 - -5",
    "TWICE(3) | 1 * TWICE (0x10)", "CALL(PPC_BIT)(63)", "SELF", "((((3))))", "07 ^ 0xF",
    "PICK(PICK(1, 9), PICK(2, 30))", "GAP + 1",
    "US(12)", "JOIN(US, )(3)", "ALL(5)", "ALL(5, 7)", "NAMED(1)", "NAMED(1, US(4))",
    "(long long)1 << 62", "1ULL << 63", "18446744073709551615u", "EMPTY() + 4", "(unsigned)-1 / 2",
)  # fmt: skip
MACROS = """
#define TWICE(x) x + x
#define CALL(f) f
#define SELF 2 + (1 * 1)
#define EMPTY()
#define/* no argument list: */GAP/* */(7)
#define PICK(a, b) (b - a)
#define US(n) n##000
#define JOIN(a, b) a ## b
#define LAST(a, b, ...) (b)
#define ALL(...) LAST(__VA_ARGS__, 9, 4)
#define NAMED(a, b...) LAST(a, ## b, 6)
"""


def random_expression(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        number = rng.choice((rng.randrange(4), rng.randrange(1 << 33), rng.randrange(1 << 64)))
        text = rng.choice((str(number), hex(number), f"0{number:o}"))
        return text + rng.choice(("", "", "u", "UL", "l", "LLU"))
    inner = [random_expression(rng, depth - 1) for _ in range(3)]
    form = rng.choice((
        "{0} {op} {1}", "({0}) {op} ({1})", "{un}({0})", "({0} ? {1} : {2})", "TWICE({0})",
        "({type})({0})", "({0}) {op} {un} {1} {op2} {2}", "({0}) {shift} {count}",
    ))  # fmt: skip
    return form.format(
        *inner,
        op=rng.choice("+ - * / % | & ^ << >> == != < > <= >= && ||".split()),
        op2=rng.choice("| & + *".split()),
        un=rng.choice("-~!+"),
        type=rng.choice(("u32", "u64", "int", "unsigned long", "s64")),
        shift=rng.choice(("<<", ">>")),
        count=rng.randrange(64),
    )


@pytest.mark.slow
def test_numbers_are_what_gcc_stores(gcc: str, tmp_path: Path) -> None:
    """Expressions our reader takes have gcc's value; its warnings are where ours refuses."""
    rng = random.Random(1953)
    read = {}
    for text in (*EXPRESSIONS, *(random_expression(rng, 3) for _ in range(1500))):
        try:
            read[text] = rows(f"{{ .pm_ctrl_reg_val = {text} }}", MACROS)[0].control
        except Unreadable:
            assert text not in EXPRESSIONS, text
    assert len(read) > 400
    head = c_table.write([made([])], self_test=True).partition("struct cpu_idle_states")[0]
    values_c = ",\n".join(read)
    program = f"""#define IDLE_STATES_SELF_TEST
{head}
#endif
#define PPC_BITMASK(bs, be) ((PPC_BIT(bs) - PPC_BIT(be)) | PPC_BIT(bs))
#include <stdint.h>
typedef uint32_t u32; typedef uint64_t u64; typedef int64_t s64;
{MACROS}
static u64 values[] = {{ {values_c} }};
int main(void)
{{
    for (unsigned int i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        printf("%llu\\n", (unsigned long long)values[i]);
    return 0;
}}
"""
    relaxed = [
        "parentheses", "sign-compare", "bool-compare", "type-limits", "int-in-bool-context",
        "logical-op", "tautological-compare", "extra", "bool-operation", "all",
    ]  # fmt: skip
    status, output = run_c(gcc, tmp_path, program, *(f"-Wno-{name}" for name in relaxed))
    assert status == 0
    compiled = dict(zip(read, map(int, output.split()), strict=True))
    wrong = {text: (read[text], value) for text, value in compiled.items() if read[text] != value}
    assert wrong == {}


def random_groups(rng: random.Random, depth: int) -> list[str]:
    """Rows among conditionals, definitions and comments, at random but paired."""
    lines: list[str] = []
    for _ in range(rng.randrange(1, 5)):
        kind = rng.randrange(7)
        name = rng.choice("ABC")
        if kind == 0:
            lines.append(f"#define {name} {rng.choice(['0', '1', 'A', '(B + 1)', 'C'])}")
        elif kind == 1:
            lines.append(f"#undef {name} /* it's */")
        elif kind in (2, 3) and depth:
            condition = rng.choice(("0", "1", name, f"!{name}", f"defined({name}) && {name} > 0"))
            lines.append(f"#{rng.choice([f'if {condition}', f'ifdef {name}', f'ifndef {name}'])}")
            lines += random_groups(rng, depth - 1)
            for _ in range(rng.randrange(2)):
                lines += [f'# elif {name} == 1 // "', *random_groups(rng, depth - 1)]
            if rng.random() < 0.5:
                lines += ["#else", *random_groups(rng, depth - 1)]
            lines.append("#endif")
        else:
            number = rng.randrange(1000)
            lines.append(f'\t{{ .name = "{number}", .latency_ns = {number}, /* " */')
            lines.append(f"\t  .residency_ns = 1, .flags = {number} | NUMBER({name}) }}, // '")
    return lines


def test_conditionals_choose_what_gcc_chooses(gcc: str, tmp_path: Path) -> None:
    rng = random.Random(58913880)
    arrays = []
    for index in range(60):
        body = "\n".join(random_groups(rng, 3))
        arrays.append(f"static struct cpu_idle_states t{index}[] = {{\n{body}\n}};\n#undef A\n")
    text = "#define NUMBER(x) 7\n" + "\n".join(arrays)
    tables_read = c_table.read(text, "x.c")
    read = {table.name: [(s.name, s.flags) for s in table.states] for table in tables_read}
    assert sum(map(len, read.values())) > 60
    dumps = "\n".join(f"    DUMP(t{index});" for index in range(60))
    program = f"""#include <stdio.h>
struct cpu_idle_states {{ char name[16]; unsigned int latency_ns, residency_ns, flags; }};
{text}
#define DUMP(t) for (i = 0; i < (int)(sizeof(t) / sizeof(t[0])); i++) \\
    printf(#t " %s %u\\n", t[i].name, t[i].flags)
int main(void)
{{
    int i;
{dumps}
    return 0;
}}
"""
    status, output = run_c(gcc, tmp_path, program, "-Wno-error")
    compiled: dict[str, list[tuple[str, int]]] = {f"t{index}": [] for index in range(60)}
    for line in output.splitlines():
        name, state, flags = line.split()
        compiled[name].append((state, int(flags)))
    assert status == 0
    assert read == compiled


MADE = """
#define US(n) n##000
#define TEXT(x) #x
#define ROW(n, lat, ...) { .name = TEXT(n), .latency_ns = US(lat), __VA_ARGS__ }
#define PLAIN(n, lat) { #n, lat, 2 * (lat), 3 }
#define PAIR(n, m) PLAIN(n, 1), PLAIN(m, 2)
#define ENDED(n) PLAIN(n, 7),
#define ABSENT(n)
#define TIMES .latency_ns = 5, .residency_ns = US(6)
#define PREFIX .name = "a"
#define OPEN {
#define CLOSE }
#define SAME(...) __VA_ARGS__
"""
ARRAYS = (
    "ROW(stop0, 1), ROW(stop 1, 2, .flags = 0x10, .residency_ns = US(30))",
    'PLAIN(a, 1), { .name = "b" }, PAIR(c, d), PLAIN(e, US(4)),',
    'ENDED(a) ENDED(b) ABSENT(c) { TIMES, .name = "d" }, ABSENT(e)',
    '{ PREFIX "b", TIMES }, { .flags = US(1), PREFIX }, { "c" "\\t", TIMES }',
    'OPEN .name = TEXT(x), TIMES CLOSE, SAME({ .flags = 1 }, { "y" }),',
    "SAME(PLAIN(a, 1)) , { .name = TEXT(\"q\" 'c') }, { .flags = 3, } ,",
)


def test_rows_that_macros_make_are_what_gcc_makes(gcc: str, tmp_path: Path) -> None:
    arrays = "\n".join(
        f"static struct cpu_idle_states t{number}[] = {{ {body} }};"
        for number, body in enumerate(ARRAYS)
    )
    text = f"""struct cpu_idle_states {{
    char name[16]; unsigned int latency_ns, residency_ns, flags;
}};
{MADE}{arrays}
"""
    read = {
        table.name: [(s.name, s.latency_ns, s.residency_ns, s.flags) for s in table.states]
        for table in c_table.read(text, "x.c")
    }
    dumps = "\n".join(f"    DUMP(t{number});" for number in range(len(ARRAYS)))
    program = f"""#include <stdio.h>
{text}
#define DUMP(t) for (i = 0; i < (int)(sizeof(t) / sizeof(t[0])); i++) \\
    printf(#t "|%s|%u|%u|%u\\n", t[i].name, t[i].latency_ns, t[i].residency_ns, t[i].flags)
int main(void)
{{
    int i;
{dumps}
    return 0;
}}
"""
    status, output = run_c(gcc, tmp_path, program, "-Wno-error")
    compiled: dict[str, list[tuple[str, int, int, int]]] = {}
    for line in output.splitlines():
        name, state, *numbers = line.split("|")
        latency, residency, flags = map(int, numbers)
        compiled.setdefault(name, []).append((state, latency, residency, flags))
    assert status == 0
    assert read == compiled
    assert sum(map(len, read.values())) == 19


OWN = """\
name: power12
extends: power10
cpu:
  generation: power12
  levels: [0, 2, 3, 11]
  versions: [{pvr: 0x0090, chips: [{name: P12}]}]
firmware: {array: p12_states, file: hw/slw-p12.c}
override:
  stop3: {latency: 60us, residency: 600us, psscr: {rl: 11, mtl: 11, tr: 3, ec: 1, esl: 1}}
"""


@pytest.fixture
def own(tmp_path: Path) -> IdleTable:
    """A table of a processor that no packaged spec has, with an array and a file of its own."""
    (tmp_path / "power12.yaml").write_text(OWN)
    table = load(tmp_path / "power12.yaml").table
    assert table is not None
    assert (table.firmware.array, table.firmware.file) == ("p12_states", "hw/slw-p12.c")
    return table


def test_own_array_compiles_with_the_tree(own: IdleTable, skiboot_tree: Path) -> None:
    """With its struct and headers; no array of the tree changes."""
    compiled = dump(skiboot_tree, {"p12_states": c_table.write([own])})
    assert compiled.pop("p12_states") == as_rows(own.states)
    assert compiled == dump(skiboot_tree, {})


def of_tree(gcc: str, tmp_path: Path, text: str, tree: Path) -> tuple[int, str]:
    """Exit status and output of a self-test with the macros of a tree."""
    there = (word for folder in (tree / "include", tree) for word in ("-idirafter", str(folder)))
    return run_c(gcc, tmp_path, text, "-DIDLE_STATES_SELF_TEST", "-DIDLE_STATES_TREE", *there)


@pytest.mark.parametrize("name", ["power12", "power8", "power9"])
def test_self_test_with_the_macros_of_a_tree(
    name: str, own: IdleTable, gcc: str, tmp_path: Path, skiboot_tree: Path
) -> None:
    table = own if name == own.name else find(name)
    text = c_table.write([table], self_test=True)
    wanted = 0, f"ok {len(table.states)} rows\n"
    assert of_tree(gcc, tmp_path, text, skiboot_tree) == wanted


def test_self_test_finds_a_tree_whose_macros_differ(
    own: IdleTable, gcc: str, tmp_path: Path, skiboot_tree: Path
) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(skiboot_tree / "include", tree / "include")
    shutil.copytree(skiboot_tree / "ccan", tree / "ccan")
    header = tree / "include/opal-api.h"
    flag = r"(#define\s+OPAL_PM_STOP_INST_FAST\s+)0x00100000"
    changed, count = re.subn(flag, r"\g<1>0x00400000", header.read_text())
    assert count == 1
    header.write_text(changed)
    status, output = of_tree(gcc, tmp_path, c_table.write([own], self_test=True), tree)
    assert (status, output.splitlines()[0]) == (
        1,
        "p12_states[0].flags: expected 0x100000, found 0x400000",
    )
