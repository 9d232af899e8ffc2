"""C tables that are read, and what is refused."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Finding, Location, Severity, Unreadable
from idle_states.base.model.table import Firmware, Register
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.c_tables import complaint, rows
from tests.support.thorough import few


def test_rows_that_are_not_compiled() -> None:
    text = c_table.write([find("power10")])
    row = text[text.rindex("\t{\n") : text.rindex("};")]
    for before, after, count in (
        ("#if 0\n", "#endif\n", 3),
        ("#if 1\n", "#else\n#error not here\n#endif\n", 4),
        ("#ifdef UNKNOWN\n", "#endif /* it's */\n", 3),
        ("# ifndef UNKNOWN\n", "#endif\n", 4),
        ("#define N 2\n#if N > 1 && !defined(X)\n", "#endif\n", 4),
        ("#if 0 /* \n */\n#if 1\n#else\n", "#endif\n#elif defined UNKNOWN\n don't \n#endif\n", 3),
        ("#if 0\n#elif 1\n", "#else\n{ broken }\n#endif\n", 4),
        ("/*\n#if 0\n*/", "//#endif\n", 4),
        ("#if \\\n 0\n", "#endif\n", 3),
    ):
        (table,) = c_table.read(text.replace(row, before + row + after), "slw.c")
        assert [state.name for state in table.states] == ["stop0_lite", "stop0", "stop2", "stop3"][
            :count
        ], before
        line = table.states[-1].where["name"].line or 0
        shift = before.count("\n") if count == 4 else 0
        assert line == text[: text.index(f'"{table.states[-1].name}"')].count("\n") + 1 + shift


def test_positional_rows() -> None:
    (state,) = rows('{ "s", 1, 2, 0x330, 0x3003ff, 0x100000 }')
    assert state.values() == ("s", 1, 2, 0x100000, 0x330, 0x3003FF)
    assert state.where["flags"].path == "x[0].flags"
    (state,) = rows('{ .flags = 5, .name = "s", 1, 2, 3 }')
    assert state.values() == ("s", 1, 2, 5, 3, 0)
    (state,) = rows('{ {"s"}, .latency_ns = 1, .latency_ns = {2}, }')
    assert (state.name, state.latency_ns) == ("s", 2)
    (state,) = rows('{ name: "s", flags: 3 }')
    assert (state.name, state.flags) == ("s", 3)


def test_struct_of_2014_in_the_file() -> None:
    struct = (
        "#define MAX_NAME_LEN 16\nstruct cpu_idle_states {\n char name[MAX_NAME_LEN];\n"
        " u32 latency_ns, flags;\n u64 pmicr;\n u64 pmicr_mask;\n};\n"
    )
    (state,) = rows('{ "nap", 1000, 0x10100, 1, 2 }', struct)
    assert state.values() == ("nap", 1000, None, 0x10100, 1, 2)
    assert state.where["mask"].path == "x[0].pmicr_mask"
    (state,) = rows('{ .name = "nap", .pmicr = 5 }', struct)
    assert state.values() == ("nap", 0, None, 0, 5, 0)
    location, message = complaint(
        struct + 'struct cpu_idle_states x[] = { { .name = "nap",\n .residency_ns = 5 } };'
    )
    assert message.endswith("(name, latency_ns, flags, pmicr, pmicr_mask), found residency_ns")
    assert (location.line, location.column, location.path) == (9, 2, "x")


def test_members_nobody_knows() -> None:
    struct = "struct cpu_idle_states { char name[16]; u32 exit_ns; };"
    assert rows('{ .name = "a" }', struct)[0].name == "a"
    for row in ('{ "a", 5 }', "{ .exit_ns = 5 }"):
        _, message = complaint(f"{struct} struct cpu_idle_states x[] = {{ {row} }};")
        assert message == "expected a member of struct cpu_idle_states (name), found exit_ns"


def test_places_of_rows_that_macros_make() -> None:
    before = "#define ROW(n, l) { .name = n, .latency_ns = l }\n#define NONE .residency_ns = 0\n"
    made, mixed, plain = rows('ROW("a",\n 1), { .latency_ns = 2, NONE },\n{ "b", (3) }', before)
    assert [state.macro for state in (made, mixed, plain)] == ["ROW", "NONE", ""]
    for state, field, line, column, length in (
        (made, "state", 5, 1, 1),
        (made, "name", 5, 1, 8),
        (made, "latency", 5, 1, 8),
        (mixed, "state", 6, 6, 1),
        (mixed, "latency", 6, 22, 1),
        (mixed, "residency", 6, 25, 4),
        (plain, "name", 7, 3, 3),
        (plain, "latency", 7, 8, 3),
    ):
        where = state.where[field]
        assert (where.line, where.column, where.length) == (line, column, length), field


def test_residency_left_out() -> None:
    assert rows('{ .name = "a" }')[0].residency_ns is None
    two = rows('{ .name = "a" }, { .name = "b", .residency_ns = 1 }')
    assert [state.residency_ns for state in two] == [0, 1]
    struct = "struct cpu_idle_states { char name[16]; u32 residency_ns; };"
    assert rows('{ .name = "a" }', struct)[0].residency_ns == 0


def test_macros_of_2014() -> None:
    body = "{ .flags = 1*IDLE_TB_STOP | 1*IDLE_LOSE_HYP_CONTEXT | IDLE_USE_INST_SLEEP_ER1 }"
    for value in (0x200, 0x2000):
        (state,) = rows(body, f"#define IDLE_LOSE_HYP_CONTEXT {value:#x} /* PACA\n pointer */")
        assert state.flags == 0x80002 | value
    _, message = complaint(f"struct cpu_idle_states x[] = {{{body}}};")
    assert "expected a #define of IDLE_LOSE_HYP_CONTEXT" in message
    assert "0x200 before skiboot 7f73dfca2 and 0x2000" in message


def test_definitions_hold_from_their_place_on() -> None:
    text = """
        #define A 1
        struct cpu_idle_states first[] = { { .flags = A, .latency_ns = OPAL_PM_DEC_STOP } };
        #undef A
        #define A B /* not yet
                       known */ + 2
        #define B 40
        #define OPAL_PM_DEC_STOP 7
        struct cpu_idle_states second[] = { { .flags = A, .latency_ns = OPAL_PM_DEC_STOP } };
    """
    first, second = (table.states[0] for table in c_table.read(text, "x.c"))
    assert (first.flags, first.latency_ns) == (1, 1)
    assert (second.flags, second.latency_ns) == (42, 7)


def test_definitions_given_and_from_headers() -> None:
    header = """
        #ifndef H
        #define H
        #define US(n) ((n) * 1000) // to
        #define OPAL_PM_DEC_STOP /* moved */ 0x10
        #if 0
        #define OPAL_PM_DEC_STOP 0x20
        #endif
        #endif
    """
    defines = c_table.definitions_in(header)
    assert set(defines) == {"H", "US(n)", "OPAL_PM_DEC_STOP"}
    body = "{ .latency_ns = US(2 + 1), .flags = OPAL_PM_DEC_STOP }"
    (state,) = rows(body, defines=defines)
    assert (state.latency_ns, state.flags) == (3000, 0x10)
    (state,) = rows(body, "#define OPAL_PM_DEC_STOP 3", defines={"US(a)": "a"})
    assert (state.latency_ns, state.flags) == (3, 3)


@pytest.mark.parametrize(
    ("literal", "name"),
    [
        ('"a" /* , */ "b"', "ab"),
        (r'"\"\\\?\x41\1012"', '"\\?AA2'),
        ('"a\\\nb"', "ab"),
        ('"nap\\0hidden"', "nap"),
        ('"naïve"', "naïve"),
        (r'"\303\257"', "ï"),
        (r'"\377"', "\udcff"),
        ('PREFIX "0"', "stop0"),
        ('"seventeen_letters"', "seventeen_letters"),
        ("(\"x\")", None),
    ],
)  # fmt: skip
def test_names(literal: str, name: str | None) -> None:
    body = f"{{ .name = {literal} }}"
    if name is None:
        assert complaint(f"struct cpu_idle_states x[] = {{{body}}};")[1].startswith("expected a n")
    else:
        assert rows(body, '#define PREFIX "stop"')[0].name == name


def test_places() -> None:
    text = (
        "/* é */ static const struct cpu_idle_states power9_cpu_idle_states[] = {\n"
        "\t{ /* first */ .name = NAME, .latency_ns /* here: */ = 1 + 1,\n"
        "\t  .pm_ctrl_reg_val = OPAL_PM_PSSCR_MTL( (7) ) \\\n"
        "\t\t| OPAL_PM_PSSCR_ESL | OPAL_PM_PSSCR_RL (4) & OPAL_PM_PSSCR_MASK },\n"
        "};"
    )
    (table,) = c_table.read('#define NAME "n"\n' + text, "hw/slw.c")
    array = "power9_cpu_idle_states"
    assert table.where["table"] == Location(array, "hw/slw.c", 2, 45, len(array))
    assert table.read_from.where == table.where["table"]
    path = f"{array}[0].pm_ctrl_reg_val"
    first = "OPAL_PM_PSSCR_MTL( (7) )"
    expected = {
        "state": (f"{array}[0]", 3, 2, 1),
        "name": (f"{array}[0].name", 3, 24, 4),
        "latency": (f"{array}[0].latency_ns", 3, 56, 5),
        "residency": (f"{array}[0].residency_ns", 3, 2, 1),
        "control": (path, 4, 23, len(first)),
        "control.mtl": (path, 4, 23, len(first)),
        "control.esl": (path, 5, 5, 17),
        "control.rl": (path, 5, 25, 20),
        "mask": (f"{array}[0].pm_ctrl_reg_mask", 3, 2, 1),
        "flags": (f"{array}[0].flags", 3, 2, 1),
    }
    where = table.states[0].where
    assert {
        key: (place.path, place.line, place.column, place.length) for key, place in where.items()
    } == expected
    assert {place.file for place in where.values()} == {"hw/slw.c"}


def test_identity_of_a_table() -> None:
    text = 'struct cpu_idle_states power9_ndd1_cpu_idle_states[] = { { .name = "\xe9" } };\n'
    (table,) = c_table.read(text, "hw/slw.c")
    assert table.register is Register.PSSCR
    assert table.cpu == find("power9-dd1").cpu
    assert table.firmware == find("power9-dd1").firmware
    assert table.read_from.kind == "c"
    assert table.read_from.sha256 == hashlib.sha256(text.encode()).hexdigest()
    (table,) = c_table.read(text, "hw/slw.c", sha256="given")
    assert table.read_from.sha256 == "given"


@pytest.mark.parametrize(
    ("array", "generation", "register"),
    [
        ("power7_cpu_idle_states", "power7", Register.PMICR),
        ("nap_only_cpu_idle_states", "power8", Register.PMICR),
        ("power9_dd1_cpu_idle_states", "power9", Register.PSSCR),
        ("power9_fusedcore_cpu_idle_states", "power9", Register.PSSCR),
        ("power10_cpu_idle_states", "power10", Register.PSSCR),
        ("power99_cpu_idle_states", None, Register.PMICR),
    ],
)
def test_processor_by_array(array: str, generation: str | None, register: Register) -> None:
    (table,) = c_table.read(f"struct cpu_idle_states {array}[] = {{}};", "x.c")
    assert (table.cpu.generation if table.cpu else None, table.register) == (generation, register)
    assert table.firmware.fused_core == ("fused" in array)


@pytest.mark.parametrize(
    ("body", "register"),
    [
        ("{ .flags = OPAL_PM_STOP_INST_DEEP }", Register.PSSCR),
        ("{ .pm_ctrl_reg_val = OPAL_PM_PSSCR_RL(1) }", Register.PSSCR),
        ("{ .pm_ctrl_reg_mask = OPAL_PM_PSSCR_MASK }", Register.PSSCR),
        ("{ .psscr = 1 }", Register.PSSCR),
        ("{ .pmicr = 1 }", Register.PMICR),
    ],
)
def test_register_of_an_unknown_array(body: str, register: Register) -> None:
    (table,) = c_table.read(f"struct cpu_idle_states x[] = {{ {body} }};", "x.c")
    assert table.register is register


def test_only_initialised_arrays() -> None:
    text = """
        struct cpu_idle_states { char name[16]; };
        extern struct cpu_idle_states declared[];
        void f(struct cpu_idle_states s[], struct cpu_idle_states *p)
        {
            struct cpu_idle_states *states = NULL;
            static struct cpu_idle_states const inner[2] = { { "a" }, { "b" } };
            log("struct cpu_idle_states quoted[] = {", p[0] = s[0]);
        }
        // struct cpu_idle_states commented[] = {
        struct cpu_idle_states __attribute__((section("x"))) placed[] = { };
    """
    assert [table.name for table in c_table.read(text, "x.c")] == ["inner", "placed"]
    assert c_table.read("int main(void) { return 0; }\n#endif", "x.c") == []


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0 && 1/0", 0),
        ("1 || 1/0", 1),
        ("1 ? 2 : 1/0", 2),
        ("0 ? 1 % 0 : 3", 3),
        ("1 || 0 && 1/0", 1),
        ("0 && (1 && 1/0)", 0),
        ("0 && 1 << 99", 0),
        ("0 && -(-2147483647 - 1)", 0),
        ("(1 ? -1 : 0u/0) > 0", 1),
        ("(0 && 1/0) || 2/2", 1),
    ],
)
def test_operands_that_c_does_not_evaluate(expression: str, value: int) -> None:
    text = f'struct cpu_idle_states x[] = {{\n{{ .name = "s", .flags = {expression} }}\n}};\n'
    [table] = c_table.read(text, "x.c")
    assert table.states[0].flags == value
    group = f"#if ({expression}) == {value}\n{text}#else\n#error\n#endif\n"
    assert [table.name for table in c_table.read(group, "x.c")] == [table.name]


@pytest.mark.parametrize("expression", ["1 && 1/0", "(0 && 1/0) || 1/0", "0 ? 2 : 1/0", "0 && X"])
def test_operands_that_c_does_evaluate(expression: str) -> None:
    _, found = complaint(f"struct cpu_idle_states x[] = {{\n{{ .flags = {expression} }}\n}};\n")
    assert "found X" in found or "expected a divisor other than 0" in found


@pytest.mark.parametrize(
    ("body", "column", "message"),
    [
        ("{ .flags = UNKNOWN }", 12, "expected a constant or a known macro, found UNKNOWN"),
        ("{ .flags = 1 | f(2) }", 16, "found a call of f, which is no known macro"),
        ("{ .flags = LOOP }", 12, "found LOOP, which expands to itself"),
        ("{ .flags = OPAL_PM_PSSCR_RL(1, 2) }", 12, "expected 1 arguments of OPAL_PM_PSSCR_RL"),
        ("{ .flags = PASTE('a') }", 12, "expected ## in PASTE to make a token, found 'a' and 1"),
        ("{ .flags = END }", 12, "expected ## between two tokens of END"),
        ("{ .flags = HALF }", 12, "expected ')' after OPAL_PM_PSSCR_RL("),
        ("{ .flags = 1e3 }", 12, "expected an integer, found 1e3"),
        ("{ .flags = 08 }", 12, "expected an integer, found 08"),
        ("{ .flags = 1 / 0 }", 14, "expected a divisor other than 0"),
        ("{ .flags = 1 << 32 }", 14, "expected a shift by 0 to 31 bits of int, found 32"),
        ("{ .flags = 2147483647 + 1 }", 23, "signed overflow"),
        ("{ .flags = 0x10000000000000000 }", 12, "expected an integer of 64 bits"),
        ("{ .latency_ns = 4294967296 }", 17, "expected a value of 32 bits, found 4294967296"),
        ("{ .flags = sizeof(int) }", 12, "found a call of sizeof"),
        ("{ .flags = \"x\" }", 12, "expected a value, found \"x\""),
        ("{ .flags = (1, 2) }", 14, "expected ')', found ,"),
        ("{ .flags = {1, 2} }", 12, "expected one value, found a list"),
        ("{ .name = 5 }", 11, "expected a name in quotes, found 5"),
        ("{ .name = {'s', 0} }", 11, "expected one value, found a list"),
        ("{ .name = \"\\q\" }", 11, "expected an escape sequence of C"),
        ("{ .name = \"\\x100\" }", 11, "expected an escape sequence of C"),
        ("{ .exit_ns = 5 }", 3, "expected a member of struct cpu_idle_states"),
        ("{ .name[0] = 's' }", 3, "expected a member's designator such as .name"),
        ("[0] = { .flags = 1 }", 1, "expected a row in braces, found '[0]'"),
        ("STATE(\"s\", 1)", 1, "expected a row in braces, found 'STATE'"),
        ("ROW", 1, "expected a row in braces, found 'ROW'"),
        ('{ "s", 1, 2, 3, 4, 5, 6 }', 23, "expected at most 6 values in a row"),
        ("{ .flags = 1 .name = \"s\" }", 14, "expected an operator or ',', found ."),
        ("{ .flags = 1 | }", 14, "expected"),
        ("{ .flags = , }", 11, "expected"),
    ],
)  # fmt: skip
def test_refused(body: str, column: int, message: str) -> None:
    before = "#define LOOP LOOP\n#define PASTE(x) x ## 1\n#define END 1 ##\n"
    before += "#define HALF OPAL_PM_PSSCR_RL(\n"
    text = f"{before}struct cpu_idle_states x[] = {{\n{body}\n}};\n"
    location, found = complaint(text)
    assert message in found
    assert (location.file, location.line) == ("x.c", 6)
    assert location.column == column
    assert location.path.partition("[")[0] == "x"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\nstruct cpu_idle_states x[] = { { .flags = 1 }", 2, "expected '};' at the end of x"),
        ("struct cpu_idle_states x[] = {\n{ .flags = 1 },\n}}\n;", 3, "expected ';' after the"),
        ("struct cpu_idle_states x[] = TABLE;", 1, "expected '{' after x[] ="),
        ("struct cpu_idle_states x[3] = { { .flags = 1 } };", 1, "expected 3 rows"),
        ("struct cpu_idle_states x[N] = { { .flags = 1 } };", 1, "known macro, found N"),
        ("struct cpu_idle_states x[] = {\n#if 0\n};", 1, "expected '};' at the end of x"),
        ("struct cpu_idle_states x[] = {};\n#endif", 2, "expected #if before #endif"),
        ("struct cpu_idle_states x[] = {};\n#if 1\n#else\n#elif 1\n#endif", 4, "after #else"),
        ("struct cpu_idle_states x[] = {\n#if F(1)\n#endif\n};", 2, "#if cannot be evaluated"),
        ("#if F(1)\nstruct cpu_idle_states x[] = {\n};\n#endif", 1, "#if cannot be evaluated"),
    ],
)
def test_refused_around_rows(text: str, line: int, message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        c_table.read(text, "x.c")
    found = [(f.location.line, f.message) for f in caught.value.findings]
    assert any(at == line and message in said for at, said in found), found


_ROW = '{ .name = "a", .latency_ns = 5 },'
_TABLE = f"struct cpu_idle_states a_states[] = {{\n{_ROW}\n}};\n"
_CODE = "void f(void)\n{\nstates = a_states;\nnr_states = ARRAY_SIZE(a_states);\n}\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (f"#ifdef OTHER\n{_TABLE}#endif\n", 1, "a_states is another table where OTHER is defined"),
        (_TABLE.replace("5 }", "\n#if !OTHER\n5\n#else\n6\n#endif\n}"), 3, "where OTHER is"),
        (_TABLE.replace("5 }", "\n#if A && B\n5 +\n#endif\n6 }"), 3, "where A and B is defined"),
        (_TABLE + _CODE.replace("ARRAY_SIZE(a_states)", "1"), 7, "expected ARRAY_SIZE(a_states)"),
        (_TABLE + _CODE.replace("SIZE(a", "SIZE(b"), 7, "found ARRAY_SIZE(b_states): read as all"),
        (_TABLE + _CODE.replace("= a_", "= b_"), 6, "expected the table b_states, which the code"),
        (_TABLE + "int g() { states[0].flags |= 4; }\n", 4, "code writes into flags of a row"),
        (_TABLE + "int g() { one->latency_ns = 4; }\n", 4, "code writes into latency_ns of a row"),
    ],
)
def test_what_a_source_does_to_tables_beside_giving_values(
    text: str, line: int, message: str
) -> None:
    assert c_table.unmodelled(_TABLE + _CODE, "x.c", {}, {"a_states"}) == []
    (found,) = c_table.unmodelled(text, "x.c", {}, {"a_states"})
    assert (found.rule, found.location.file, found.location.line) == ("IS932", "x.c", line)
    assert message in found.message
    is_error = "expected the table" in message
    assert found.severity is (Severity.ERROR if is_error else Severity.WARNING)


@pytest.mark.parametrize(
    "text",
    [
        f"#ifndef X_H\n#define X_H\n{_TABLE}#endif\n",
        f"#ifdef GIVEN\n{_TABLE}#endif\n",
        f"#ifdef OTHER\nint x;\n#endif\n{_TABLE}",
        f"{_TABLE}int g() {{ return states[0].flags == 4 && states->latency_ns >= 3; }}\n",
        f"{_TABLE}// states[0].flags = 4;\n",
        f"{_TABLE}struct cpu_idle_states *states = NULL; int nr_states = 0;\n",
        _TABLE + _CODE.replace("ARRAY_SIZE(a_states)", "sizeof(a_states) / sizeof(a_states[0])"),
    ],
)
def test_what_leaves_tables_as_they_are(text: str) -> None:
    assert c_table.unmodelled(text, "x.c", {"GIVEN": "1"}, {"a_states"}) == []


@pytest.mark.parametrize(
    "text", ["states", "states =", "x", "states[0]", "states[0].flags", "=", "\n"]
)
def test_long_blanks_are_gone_through_once(text: str) -> None:
    began = time.process_time()
    blanks = " " * 1_000_000
    c_table.unmodelled(f"{_TABLE}int f() {{ {text}{blanks}{text}{blanks}", "x.c", {}, {"a_states"})
    assert time.process_time() - began < 3


def test_where_a_directive_may_stand() -> None:
    row = 'struct cpu_idle_states x[] = { { .name = "a" } };\n'
    assert c_table.read(f"/* here */ # /**/ if 0\n{row}#endif\n", "x.c") == []
    assert len(c_table.read(f"int wrong; #if 0\n{row}", "x.c")) == 1
    (table,) = c_table.read("\ufeff#define A 3\n" + row.replace('.name = "a"', ".flags = A"), "x.c")
    assert table.states[0].flags == 3


def test_conditions_elsewhere_do_not_matter() -> None:
    text = "#if GCC_VERSION(4, 8)\nint x;\n#endif\nstruct cpu_idle_states x[] = {};\n"
    assert len(c_table.read(text, "x.c")) == 1


def test_all_complaints_at_once() -> None:
    text = (
        "struct cpu_idle_states a[] = { { .flags = U }, W(), { .name = 5, .latency_ns = V } };\n"
        "struct cpu_idle_states b[] = { { .flags = X } };\n"
    )
    with pytest.raises(Unreadable) as caught:
        c_table.read(text, "x.c")
    assert [finding.location.path for finding in caught.value.findings] == [
        "a[0].flags", "a", "a[2].name", "a[2].latency_ns", "b[0].flags",
    ]  # fmt: skip
    assert [finding.table for finding in caught.value.findings] == ["a", "a", "a", "a", "b"]


REAL = c_table.write([find("power8"), find("power9")])
SCRAPS = st.sampled_from([
    "{", "}", "(", ")", ",", ";", "=", "\\\n", "\n#if 0\n", "\n#else\n", "\n#endif\n", '"', "'",
    "/*", "*/", "//", "\n#define A B(A)\n", "\n#define B(x) A x\n", "A", "B(", "[", "]", "~", "<<",
    "0x", "99999999999999999999", "\0", "\udc80", "?", "\n#if (", "##", "\r\n", "(u64)", ".name",
    "struct cpu_idle_states ", "x[] = {", "\n#elif 1\n",
])  # fmt: skip


def findings_on(text: str) -> tuple[Finding, ...] | None:
    try:
        c_table.read(text, "any.c")
    except Unreadable as complaint:
        return complaint.findings
    return None


def reads_or_complains(text: str) -> None:
    """No other exception; every complaint has a place inside the text."""
    findings = findings_on(text)
    assert findings is None or len(findings) > 0
    for finding in findings or ():
        where = finding.location
        assert 1 <= (where.line or 0) <= text.count("\n") + 1
        assert (where.column or 0) >= 1


@settings(deadline=None)
@given(st.text())
def test_random_rows(text: str) -> None:
    reads_or_complains(f"struct cpu_idle_states x[] = {{ {text} }};")


@settings(deadline=None)
@given(st.lists(SCRAPS, max_size=40))
def test_random_scraps(scraps: list[str]) -> None:
    reads_or_complains("struct cpu_idle_states x[] = {" + " ".join(scraps))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(REAL)), st.integers(0, 30), st.one_of(SCRAPS, st.text())),
        min_size=1,
        max_size=6,
    )
)
def test_damaged_tables(edits: list[tuple[int, int, str]]) -> None:
    text = REAL
    for offset, length, scrap in edits:
        text = text[:offset] + scrap + text[offset + length :]
    reads_or_complains(text)


HEAD = "struct cpu_idle_states x[] = {"


@pytest.mark.parametrize(
    ("text", "message"),
    few(
        5,
        [
            (HEAD + " " * (4 << 20), "at most 4194304 characters"),
            (HEAD + " " * (1 << 20) + "};", "at most 262144 characters of tables"),
            (HEAD + "{" * 1_000_000, "at most 50 brackets inside each other"),
            (HEAD + "{.flags=" + "(a)(b)" * 30_000 + "}};", "value of at most 20000 characters"),
            (HEAD + "{.flags=" + "~" * 10_000 + "1}};", "at most 100 levels of nesting"),
            (
                HEAD + "{.flags=" + "1?" * 1_000 + "1" + ":1" * 1_000 + "}};",
                "at most 100 levels of nesting",
            ),
            (HEAD + "{}," * 20_000 + "};", "at most 10000 rows"),
            (HEAD + "};\n" + (HEAD + "};") * 2_000, "at most 1000 tables"),
            ("#if 1\n" * 300 + HEAD + "};", "at most 200 open #if"),
            (HEAD + "};" + "\n#define A B" * 60_000, "at most 50000 directives"),
            (HEAD + "\n#if " + "(" * 100_000 + "\n#endif\n};", "at most 10000 characters"),
            (
                "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(40))
                + HEAD
                + "{.flags=A0}};",
                "expected macros to produce at most",
            ),
            (
                "".join(f"#define A{i} A{i + 1}\n" for i in range(300)) + HEAD + "{.flags=A0}};",
                "at most 200 macros inside each other",
            ),
            (
                "#define D(x) x|x\n" + HEAD + "{.flags=" + "D(" * 40 + "1" + ")" * 40 + "}};",
                "expected macros to produce at most",
            ),
            (
                "#define D(x) "
                + "x " * 50_000
                + "\n"
                + HEAD
                + "{.flags=D("
                + "+1 " * 5_000
                + ")}};",
                "expected macros to produce at most",
            ),
            (
                f"#define B {'D(' * 2_000}1{')' * 2_000}\n#define D(x) x\n{HEAD}{{.flags=B}}}};",
                "at most 200 macros inside each other",
            ),
            (
                "".join(f"#define R{i + 1} R{i} R{i}\n" for i in range(40))
                + "#define R0 {},\n"
                + HEAD
                + "R40};",
                "in the expansion of R",
            ),
            (
                "#define S(x) T(x)\n#define T(x) #x\n"
                + HEAD
                + "{ .name = "
                + "S(" * 40
                + '"\\\\"'
                + ")" * 40
                + "}};",
                "in the expansion of S",
            ),
            (
                f"#define C(a, b) a##b\n#define D(x) C(x, x)\n{HEAD}{{.flags="
                + "D(" * 40
                + "1"
                + ")" * 40
                + "}};",
                "in the expansion of D",
            ),
            (HEAD + '"' * 500_000, "at the end of x"),
            (HEAD + "/*" * 500_000, "at the end of x"),
        ],
    ),
    ids=range(21),
)
def test_hostile_text_is_refused_in_time(text: str, message: str) -> None:
    start = time.process_time()
    with pytest.raises(Unreadable, match=message):
        c_table.read(text, "hostile.c")
    assert time.process_time() - start < 10


def test_a_name_that_begins_like_an_attribute() -> None:
    text = c_table.write([replace(find("power9"), firmware=Firmware("__mine", "hw/slw.c"))])
    assert [table.firmware.array for table in c_table.read(text, "a.c")] == ["__mine"]
    started = time.process_time()
    long = f"{text}\nstruct cpu_idle_states __{'a' * 200_000};\n"
    assert len(c_table.read(long, "a.c")) == 1
    assert time.process_time() - started < 3
