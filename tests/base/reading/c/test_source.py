"""C as such: what members hold, what literals say, and where complaints point."""

import tracemalloc

import pytest

from idle_states.base.model.findings import Location
from idle_states.base.reading import limits
from idle_states.base.reading.c.expression import INT, ULONG, Constant, evaluate, stored
from idle_states.base.reading.c.lexer import UnsupportedC, string, tokens
from idle_states.base.reading.c.preprocess import preprocess
from idle_states.base.reading.c.source import MAX_FINDINGS, CSource


@pytest.mark.parametrize(
    ("value", "bits", "signed", "held"),
    [
        (-1, 32, False, 0xFFFFFFFF),
        (0xFFFFFFFF, 32, True, -1),
        (-(1 << 31), 32, False, 1 << 31),
        (1 << 63, 64, True, -(1 << 63)),
    ],
)
def test_a_member_holds_the_lowest_bits(value: int, bits: int, signed: bool, held: int) -> None:
    assert stored(Constant(value, ULONG), bits, 0, 1, signed=signed) == held


@pytest.mark.parametrize("value", [1 << 32, -(1 << 31) - 1])
def test_a_value_beyond_both_types_is_refused(value: int) -> None:
    with pytest.raises(UnsupportedC, match=f"expected a value of 32 bits, found {value}") as caught:
        stored(Constant(value, INT), 32, 3, 9)
    assert (caught.value.start, caught.value.end) == (3, 9)


def test_a_string_ends_at_its_first_nul() -> None:
    assert string(tokens(r'"C1" "-SK\0L"'), 0, 0) == b"C1-SK"


@pytest.mark.parametrize(
    ("text", "found", "place"), [('"a" b', "b", (4, 5)), ("", "nothing", (7, 8))]
)
def test_what_is_no_string_is_named(text: str, found: str, place: tuple[int, int]) -> None:
    with pytest.raises(UnsupportedC, match=f"a name in quotes, found {found}") as caught:
        string(tokens(text), 7, 8)
    assert (caught.value.start, caught.value.end) == place


def test_no_macro_is_known_but_those_given() -> None:
    assert preprocess("#ifdef OPAL_PM_DEC_STOP\nint x;\n#endif\n").code.strip() == ""
    assert "int x" in preprocess("#if A + B == 3\nint x;\n#endif\n", {"A": "1"}, {"B": "2"}).code


def test_why_a_macro_must_be_defined_is_said_where_it_is_not() -> None:
    with pytest.raises(UnsupportedC, match="a #define of MOVED, found none; it moved"):
        evaluate(tokens("MOVED | 1"), 0, 9, unsettled={"MOVED": "it moved"})


def test_a_place_ends_with_its_line() -> None:
    source = CSource("int a;\n  first |\\\n  second;\n", "x.c")
    assert source.location(9, 27, "a.b") == Location("a.b", "x.c", 2, 3, len("first |"))
    assert source.location(0, 0, "") == Location("", "x.c", 1, 1, 1)


def test_complaints_are_in_the_order_of_the_file_and_not_too_many() -> None:
    source = CSource("x\n" * 100, "x.c")
    source.blame((UnsupportedC(f"at {at}", at, at + 1) for at in range(198, -1, -2)), "t[3].flags")
    refused = source.unreadable()
    assert [finding.location.line for finding in refused.findings] == [*range(1, MAX_FINDINGS + 1)]
    first = refused.findings[0]
    assert (first.rule, first.name, first.table) == ("IS932", "unsupported-c", "t")
    assert refused.texts == {"x.c": source.text}


@pytest.mark.parametrize(
    "text",
    [
        f'#define A "{"a" * 9000}"\nint a = ' + "A " * 9000 + ";",
        "#define F(x) x x\nint a = " + "F(" * 40 + "1" + ")" * 40 + ";",
        "#define F(x) " + "x " * 3000 + "\nint a = F(" + "1 " * 3000 + ");",
    ],
)
def test_macros_produce_no_more_than_the_source_allows(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MACRO_BYTES", 100_000)
    clean = preprocess(text)
    start = text.index("int")
    tracemalloc.start()
    try:
        with pytest.raises(UnsupportedC, match=r"bytes of tokens, found more in the expansion of"):
            clean.expanded(clean.tokens(start, len(text)), start)
        assert tracemalloc.get_traced_memory()[1] < 30 * (100_000 + 64 * len(text))
    finally:
        tracemalloc.stop()
