"""Constant expressions, as gcc computes them."""

import subprocess
from pathlib import Path

import pytest

from idle_states.base.reading.c.expression import INT, LONG, UINT, ULONG, IntType, evaluate
from idle_states.base.reading.c.lexer import UnsupportedC, tokens
from idle_states.base.reading.c.preprocess import preprocess

CASES = {
    # each operator, with operands that tell it from its neighbours
    "6 | 3": (7, INT),
    "6 & 3": (2, INT),
    "6 ^ 3": (5, INT),
    "6 + 3": (9, INT),
    "6 - 3": (3, INT),
    "6 * 3": (18, INT),
    "7 / 3": (2, INT),
    "7 % 3": (1, INT),
    "-7 / 2": (-3, INT),
    "-7 % 2": (-1, INT),
    "7 / -2": (-3, INT),
    "7 % -2": (1, INT),
    "-7 / -2": (3, INT),
    "5 << 3": (40, INT),
    "41 >> 3": (5, INT),
    "-9 >> 1": (-5, INT),
    "2 < 3": (1, INT),
    "3 < 3": (0, INT),
    "3 <= 3": (1, INT),
    "4 <= 3": (0, INT),
    "3 > 2": (1, INT),
    "3 > 3": (0, INT),
    "3 >= 3": (1, INT),
    "2 >= 3": (0, INT),
    "3 == 3": (1, INT),
    "3 == 2": (0, INT),
    "3 != 2": (1, INT),
    "3 != 3": (0, INT),
    "2 && 4": (1, INT),
    "2 && 0": (0, INT),
    "0 || 4": (1, INT),
    "0 || 0": (0, INT),
    "!5": (0, INT),
    "!0": (1, INT),
    "~5": (-6, INT),
    "-5": (-5, INT),
    "+5": (5, INT),
    "1 ? 5 : 6": (5, INT),
    "0 ? 5 : 6": (6, INT),
    # precedence, each level beside the next, and the side from which equals are joined
    "0 && 0 || 1": (1, INT),
    "1 || 0 && 0": (1, INT),
    "0 && 2 | 1": (0, INT),
    "1 | 6 ^ 7": (1, INT),
    "1 ^ 3 & 2": (3, INT),
    "2 & 2 == 2": (0, INT),
    "5 == 4 < 5": (0, INT),
    "3 < 1 << 2": (1, INT),
    "1 << 1 + 1": (4, INT),
    "1 + 2 * 3": (7, INT),
    "9 - 3 * 2": (3, INT),
    "9 - 3 - 2": (4, INT),
    "24 / 4 / 2": (3, INT),
    "1 << 2 << 3": (32, INT),
    "-2 + 3": (1, INT),
    "!1 + 1": (1, INT),
    "~1 & 3": (2, INT),
    "1 ? 0 ? 2 : 3 : 4": (3, INT),
    "0 ? 1 : 0 ? 2 : 3": (3, INT),
    "1 || 0 ? 2 : 3": (2, INT),
    "(1 + 2) * 3": (9, INT),
    # types of constants
    "2147483647": (2**31 - 1, INT),
    "2147483648": (2**31, LONG),
    "0x7fffffff": (2**31 - 1, INT),
    "0xffffffff": (2**32 - 1, UINT),
    "0x100000000": (2**32, LONG),
    "0xffffffffffffffff": (2**64 - 1, ULONG),
    "5u": (5, UINT),
    "5l": (5, LONG),
    "5UL": (5, ULONG),
    "5llu": (5, ULONG),
    "4294967296u": (2**32, ULONG),
    "010": (8, INT),
    "0b101": (5, INT),
    "'a'": (97, INT),
    "'\\377'": (-1, INT),
    # conversions
    "1 + 1u": (2, UINT),
    "1 + 1l": (2, LONG),
    "1u + 1l": (2, LONG),
    "1l + 1ul": (2, ULONG),
    "-1 + 0u": (2**32 - 1, UINT),
    "-1 + 0ul": (2**64 - 1, ULONG),
    "-1 < 0u": (0, INT),
    "-1l < 0u": (1, INT),
    "-1 > 0ul": (1, INT),
    "-1 == 0xffffffff": (1, INT),
    "-1 / 2u": (2**31 - 1, UINT),
    "-1u": (2**32 - 1, UINT),
    "~0u": (2**32 - 1, UINT),
    "~0l": (-1, LONG),
    "0xffffffff + 1": (0, UINT),
    "0xffffffffu * 2": (2**32 - 2, UINT),
    "0u - 1": (2**32 - 1, UINT),
    "1u << 31": (2**31, UINT),
    "1 << 31": (-(2**31), INT),
    "1u << 1l": (2, UINT),
    "1l >> 1u": (0, LONG),
    "0 ? 1u : -1": (2**32 - 1, UINT),
    "1 ? 1 : 1ul": (1, ULONG),
    "(u32)-1": (2**32 - 1, UINT),
    "(u64)1 << 40": (2**40, ULONG),
    "(int)0xffffffff": (-1, INT),
    "(s64)-1": (-1, LONG),
    "(unsigned long long)-1": (2**64 - 1, ULONG),
    "(int)1ul + 1": (2, INT),
    "-(u32)1": (2**32 - 1, UINT),
    "(long)5 / 2": (2, LONG),
    # operands that are not evaluated
    "0 && 1 / 0": (0, INT),
    "1 || 1 / 0": (1, INT),
    "1 ? 2 : 1 / 0": (2, INT),
    "0 ? 1 % 0 : 2": (2, INT),
    "0 && 2147483647 + 1 || 3": (1, INT),
    "1 ? 2 : -1l": (2, LONG),
    "1 ? 2 : 1l + 0": (2, LONG),
    "1 ? 2 : -(int)0x80000000": (2, INT),
    "0 ? 1u << 1l : -1": (2**32 - 1, UINT),
    "0 ? 1 < 2 : -1": (-1, INT),
    f"{'- ' * 98}1": (1, INT),
}  # fmt: skip
NAMES = {INT: "int", UINT: "unsigned int", LONG: "long", ULONG: "unsigned long"}


@pytest.mark.parametrize(("text", "expected"), CASES.items(), ids=CASES)
def test_value_and_type(text: str, expected: tuple[int, IntType]) -> None:
    assert evaluate(tokens(text), 0, len(text)) == expected


def test_gcc_says_the_same(gcc: str, tmp_path: Path) -> None:
    lines = "\n".join(
        f'_Static_assert((({text}) ^ {value % 2**64}ul) == 0, "value of {number}");\n'
        f'_Static_assert(_Generic({text}, {NAMES[kind]}: 1, default: 0), "type of {number}");'
        for number, (text, (value, kind)) in enumerate(CASES.items())
        if "ll" not in text and "long long" not in text
    )
    source = tmp_path / "cases.c"
    source.write_text(
        "typedef unsigned int u32; typedef unsigned long u64; typedef long s64;\n" + lines
    )
    done = subprocess.run(
        [gcc, "-w", "-fsyntax-only", source], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", "a divisor other than 0, found / 0"),
        ("1 % 0", "a divisor other than 0, found % 0"),
        ("1 && 1 / 0", "a divisor other than 0"),
        ("0 || 1 / 0", "a divisor other than 0"),
        ("2147483647 + 1", "fits int, found 2147483648"),
        ("-2147483647 - 2", "fits int, found -2147483649"),
        ("65536 * 65536", "fits int, found 4294967296"),
        ("9223372036854775807 + 1", "fits long"),
        ("-(-2147483647 - 1)", "fits int, found 2147483648"),
        ("1 << 32", "a shift by 0 to 31 bits of int, found 32"),
        ("1 << -1", "a shift by 0 to 31 bits of int, found -1"),
        ("1l << 64", "a shift by 0 to 63 bits of long, found 64"),
        ("1 >> 32", "a shift by 0 to 31 bits"),
        ("2 << 31", "a shift that fits int"),
        ("-1 << 1", "a shift that fits int"),
        ("18446744073709551615", "a decimal constant that fits long"),
        ("(char)1", "a constant or a known macro, found char"),
        ("(1", "expected ')'"),
        ("1 ? 2", "expected ':'"),
        ("1 2", "an operator or ','"),
        ("++1", "expected a value"),
        ("", "expected a value, found the end"),
        ("'ab'", "expected one character"),
        ("(unsigned signed)1", "expected an integer type"),
        ("(" * 101 + "1" + ")" * 101, "at most 100 levels of nesting"),
        ("- " * 100 + "1", "at most 100 levels of nesting"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(UnsupportedC) as caught:
        evaluate(tokens(text), 0, len(text))
    assert message in caught.value.message


CONDITIONS = (
    "1 << 40 == 0x10000000000", "-1 > 0u", "0xffffffff + 1 == 0x100000000", "NONE == 0", "!NONE",
    "-1 < 0", "1 ? -1 : 0u", "(1 ? -1 : 0u) > 0", "'a' == 97", "2 - 3 < 0", "5 / 2 == 2",
    "'a' << 40 == 97 << 40", "0 && 1 / 0", "~0 == -1", "~0u == 0xffffffffffffffff",
    "(2 || 1 / 0) && 3", "3 > 2 > 1", "8 >> 1 & 4",
)  # fmt: skip


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_hold_as_cpp_has_them(cpp: str, text: str) -> None:
    source = f"#if {text}\nyes\n#else\nno\n#endif\n"
    done = subprocess.run(
        [cpp, "-P", "-"], input=source, capture_output=True, text=True, check=True
    )
    assert preprocess(source).code.split() == done.stdout.split()
