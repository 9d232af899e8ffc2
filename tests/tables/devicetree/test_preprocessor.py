"""The preprocessor of device-tree sources, held to GNU cpp."""

import os
import re
import subprocess
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits
from idle_states.tables.devicetree.preprocessor import Sections, WholeSource, preprocess, sections
from idle_states.tables.devicetree.preprocessor.sections import Misread
from idle_states.tables.devicetree.source_trees import Kept, SourceTree
from tests.oracle import Unavailable
from tests.oracle.debian import linux_source
from tests.support.thorough import examples

WORDS = ("-nostdinc", "-undef", "-D__DTS__", "-x", "assembler-with-cpp")


def nothing(name: str, quoted: bool, includer: str) -> tuple[str, Sections] | None:
    return None


def ours(text: str) -> WholeSource:
    return preprocess(text.encode(), "x.dts", nothing)


def theirs(cpp: str, text: bytes, *words: str) -> str | None:
    done = subprocess.run([cpp, *WORDS, *words, "-"], input=text, capture_output=True, check=False)
    return None if done.returncode else done.stdout.decode("utf-8", "surrogateescape")


def squeezed(text: str) -> str:
    """Without line markers; blanks as one."""
    return " ".join(re.sub(r'^# [0-9]+ ".*\n', "", text, flags=re.MULTILINE).split())


# ruff: noqa: E501
CASES = [
    "#define A 1\n/ { a = <A A>; a-A; A,b; A@1 {}; };",
    "#define A\n<A>; a A b; -A-; #A\n",
    "#define A 0x1e\na = <A>; b = <A-1 A.1>; c = <0xA 1A A1 \"A\" 'A'>;",
    "#define A B\n#define B A C\n#define C 7\nA B C\n",
    "#define f(x) <x>\nf(1) f ( 2 ) f f(f(3)) f(\n4\n\n) f\n(5) ;\nend",
    "#define f(x,y) x-y\n#define E\nf(,) f(E,1) f((1,2),3) f( 1 2 , 3 )",
    "#define s(x) #x\n#define t(x) s(x)\n#define A 1\ns(A) t(A) s( a  \"b\\n\"  'c' ) s()",
    "#define j(x,y) x ## y\n#define A 1\n#define ab 9\nj(a,b) j(A,A) j(,b) j(a,) j(,) j(-,a) j(1,a)",
    "#define p(a,b) pin- ## a: b##-x { a ## b; }\np(gpa0, INPUT)",
    "#define v(a, ...) [a|__VA_ARGS__]\n#define n(a, b...) (a, ## b)\nv(1) v(1,2) v(1,2,3) "
    "n(1) n(1,2) n(1,2,3)",
    "#define w(x...) #x\n#define v(x...) w(x)\n#define A 3\nv(A, 2) w(A , 2)",
    "#define f(x) x x\n#define g f\ng(1) g (2) f(g)(3)",
    "#define f() 1\n#define g(x) f x\nf() f( ) g(()) f",
    "#define NEST(x) x(1)\n#define f(x) NEST\nf(2)(f)",
    "#define self self + 1\nself #self\n#define q(x) q(x+1)\nq(q(1))",
    "#if 1 + 1 == 2 && defined(A) || !defined B\nyes\n#else\nno\n#endif\n",
    "#define A 3\n#if A > 2 && (A & 1) && ~A < 0 && (A ? 1 : 0)\n1\n#elif 1\n2\n#else\n3\n#endif",
    "#if 0\n#error no\n#if 1\nx\n#elif junk junk\n#else\ny\n#endif\n# junk\n#define f(\n#endif\nz",
    "#ifdef A\n1\n#else\n2\n#endif\n#define A\n#ifdef A // c\n3\n#endif\n#undef A\n#ifndef A\n4\n#endif",
    "#define A 1 /* two\nlines */ + 2\nA\n#define B \\\n  1 \\\n  2\nB x \\\n y\nA",
    "/* c */ a /* A */ b // c A\nc /*\n#define A\n*/ A \"/* no */\" '//' \"// no\"",
    "/* c\n */ #define A 1\nA #define A 2\n A\n",
    "#address-cells = <1>;\n #size-cells = <2>;\n#foo\n#\n# \n/ { #a-cells; };",
    "a = \"one A\n#define A 1\n\"A\" two\" A 'A\nA",
    "#define A <1>\n#define B {A}\nxA A.B A-B A>A (A)A [A]",
    "#define P +\n#define M -\n#define L <\n+P P+ PP -M ->M M> LL L<1 L= &P P& /P",
    "#define D 5\n1-D .D D. 1.D e-D xD\nx D\n\"a\"D D\"a\"",
    "#define IRQ(n, t) <0 n t>\n#define HIGH 4\ni = IRQ(1, HIGH), IRQ(2,\n HIGH) ;\nj",
    "#undef A\n#pragma x\n#warning w\n__DTS__ __ASSEMBLER__ __STDC__ linux unix arm i386",
    "#define EMPTY\n#define f(x) EMPTY x EMPTY\n<f(EMPTY) > f(1)f(2) a f() b",
    "#define A B C\n#define B\n#define C\nx A y",
    "a\\b \\c `d` @e $f ?g ~h %i ^j é",
]  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_case_is_as_cpp_has_it(cpp: str, text: str) -> None:
    expected = theirs(cpp, text.encode())
    assert expected is not None
    assert squeezed(ours(text).text) == squeezed(expected)


PIECES = st.sampled_from(
    ["A", "B", "f", "g", "(", ")", ",", "1", "0x2e", "-", "+", "##", "#", " ", " ", "x", "y", "\n",
     '"s"', "<", ">", "/* c */", "a-b", "@"]
)  # fmt: skip
BODIES = st.lists(PIECES.filter(lambda piece: piece != "\n"), max_size=6).map("".join)


@pytest.mark.slow
@settings(max_examples=examples(50, 100))
@given(BODIES, BODIES, BODIES, BODIES, st.lists(PIECES, max_size=14).map("".join))
def test_drawn_macros_are_as_cpp_has_them(
    cpp: str, a: str, b: str, f: str, g: str, text: str
) -> None:
    """The two agree where cpp takes it at all, and what we refuse is refused as an error of the
    source."""
    whole = f"#define A {a}\n#define B {b}\n#define f(x) {f}\n#define g(x, y...) {g}\n{text}\n.\n"
    expected = theirs(cpp, whole.encode())
    if expected is None:
        with suppress(Unreadable):
            ours(whole)
        return
    made = ours(whole).text
    assert squeezed(made).replace(" ", "") == squeezed(expected).replace(" ", "")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\n#if 1\nb", 2, "#endif"),
        ("a\n\n#endif", 3, "#if before #endif"),
        ("#if 1\n#else\n#else\n#endif", 3, "#if before #else"),
        ("a\n#if (1\n#endif", 2, "cannot be evaluated"),
        ("#error this one", 1, "this one"),
        ("#define f(x,y) x\n\n f(1)", 3, "2 arguments of f, found 1"),
        ("#define f(x) x\nf(1", 2, "')' after f("),
        ("a\n#include <none.h>", 2, "<none.h>"),
        ("a\n#include none", 2, "none"),
        ("a /* b", 1, "/*"),
        ("\n#define 1", 2, "name"),
        ("\n#define A a ## \nA", 3, "##"),
        ("\n x = __LINE__;", 2, "__LINE__"),
        ("#include_next <x>", 1, "#include_next"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(Unreadable) as raised:
        ours(text)
    (finding,) = raised.value.findings
    assert message in finding.message
    assert (finding.location.file, finding.location.line) == ("x.dts", line)


DOUBLING = {
    "names": "".join(f"#define a{n} a{n + 1} a{n + 1}\n" for n in range(60)) + "a0",
    "calls": "#define f(x) x x\n" + "f(" * 60 + "1" + ")" * 60,
    "calls of calls": "#define f0(x) x x\n"
    + "".join(f"#define f{n}(x) f{n - 1}(f{n - 1}(x))\n" for n in range(1, 12))
    + "f11(1)",
    "quotes": "#define q_(x) #x\n#define q(x) q_(x)\n" + "q(" * 60 + '"\\\\"' + ")" * 60,
    "pastes": "#define c(a, b) a##b\n#define d(x) c(x, x)\n" + "d(" * 60 + "a" + ")" * 60,
    "pastes in one body": "#define f(x) " + "x##" * 1500 + f"x\nf({'a' * 200})",
    "arguments": "#define f(x) " + "x " * 5000 + f"\nf({'1 ' * 5000})",
    "a long name's text": f'#define a "{"a" * 9000}"\n' + "a " * 9000,
}


@pytest.mark.parametrize("text", DOUBLING.values(), ids=DOUBLING)
def test_macros_produce_no_more_than_the_source_allows(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MACRO_BYTES", 100_000)
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable) as raised:
            ours(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    message = raised.value.findings[0].message
    assert re.search(r"at most \d+ bytes of tokens, found more in the expansion of \w+;", message)
    assert peak < 30 * (100_000 + 64 * len(text)), peak


@pytest.mark.parametrize(
    "text",
    [
        "#define f(x) x\n" + "f(" * 9000 + "1" + ")" * 9000,
        "".join(f"#define a{n}(x) a{n + 1}(x x)\n" for n in range(300)) + "a0(1)",
    ],
)
def test_macros_within_macros_are_bounded(text: str) -> None:
    with pytest.raises(Unreadable, match=r"at most (200 macros|\d+ bytes)"):
        ours(text)


def test_file_that_is_included_again_is_paid_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MACRO_BYTES", 10_000)
    (tmp_path / "a.h").write_text("x;\n" * 1000)
    file = tmp_path / "x.dts"
    file.write_text('#include "a.h"\n' * 1000)
    with (
        SourceTree.above(file) as tree,
        pytest.raises(Unreadable, match="bytes of tokens") as raised,
    ):
        preprocess(file.read_bytes(), str(file), tree.find)
    assert raised.value.findings[0].location.line > 100


def test_place_is_where_it_was_written() -> None:
    text = (
        "#define PIN(a, b) <a b>\n#define GIC 0\n/* a\n comment */ x = <GIC 1>, y;\n"
        "p = PIN(1,\n  2), q; r = GIC; s;\n"
    )
    made = ours(text)
    lines = text.split("\n")
    for word, line in (("x", 4), ("y", 4), ("p", 5), ("q", 6), ("r", 6), ("s", 6)):
        at = next(
            (n, found.start() + 1)
            for n, out in enumerate(made.text.split("\n"), 1)
            if (found := re.search(rf"\b{word}\b", out))
        )
        column = re.search(rf"\b{word}\b(?!\))", lines[line - 1].replace("comment", "       "))
        assert column is not None
        assert made.place(*at) == ("x.dts", line, column.start() + 1), word


def test_file_that_is_kept_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#define A 1\n")
    file = tmp_path / "x.dts"
    file.write_text('#include "a.h"\n#include "a.h"\nA')
    kept = Kept()
    with SourceTree.above(file, kept) as tree:
        first = preprocess(file.read_bytes(), str(file), tree.find)
        (tmp_path / "a.h").write_text("#define A 2\n")
        again = preprocess(file.read_bytes(), str(file), tree.find)
    with SourceTree.above(file) as tree:
        anew = preprocess(file.read_bytes(), str(file), tree.find)
    assert [made.text.strip() for made in (first, again, anew)] == ["1", "1", "2"]
    assert first.shown[str(tmp_path / "a.h")] == "#define A 1\n"


def test_definition_in_a_skipped_part_may_be_anything() -> None:
    assert sections(b"#define 1\n").parts
    assert ours("#if 0\n#define 1\n#endif\nx").text.strip() == "x"


ARCHITECTURES = ("arm64", "riscv", "arm", "mips", "powerpc", "xtensa", "openrisc", "nios2", "arc")


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_boards_of_debians_kernel_are_as_cpp_has_them(cpp: str, arch: str) -> None:
    """Boards of the distribution's kernel source, blanks and all: so many of an architecture,
    or DTS_BOARDS of them."""
    try:
        top = linux_source()
    except Unavailable as error:
        pytest.skip(str(error))
    boards = sorted((top / f"arch/{arch}/boot/dts").rglob("*.dts"))
    boards = boards[:: max(1, len(boards) // int(os.environ.get("DTS_BOARDS", "15")))]
    kept, compared = Kept(), 0
    for board in boards:
        with SourceTree.above(board, kept) as tree:
            folders = [word for each in tree.includes for word in ("-I", str(top / each))]
            try:
                made = preprocess(board.read_bytes(), str(board), tree.find).text
            except Unreadable:
                made = None
        words = [cpp, *WORDS, *folders, str(board)]
        done = subprocess.run(words, capture_output=True, check=False)
        assert (made is None) == bool(done.returncode), (board, done.stderr)
        if made is not None:
            expected = done.stdout.decode("utf-8", "surrogateescape")
            assert squeezed(made) == squeezed(expected), board
            compared += 1
    assert compared


@settings(max_examples=60)
@given(
    st.lists(st.tuples(BODIES, BODIES, BODIES), min_size=2, max_size=4),
    st.lists(PIECES, max_size=14).map("".join),
)
def test_what_boards_share_is_expanded_as_anew(
    definitions: list[tuple[str, str, str]], text: str
) -> None:
    """A file is kept over boards whose macros differ, or not, and so is what was made of it."""
    shared = f"{text} A B f(A) C\n".encode()
    with suppress(Misread):
        kept = sections(shared)
        for a, b, f in definitions * 3:
            board = f"#define A {a}\n#define B {b}\n#define f(x) {f}\n#include <x.h>\n".encode()
            outcomes = []
            for part in kept, sections(shared):
                try:
                    made = preprocess(board, "x.dts", lambda *_, part=part: ("x.h", part))
                except Unreadable as error:
                    outcomes.append([str(finding) for finding in error.findings])
                else:
                    places = [made.place(1, column) for column in range(1, len(made.text) + 1)]
                    outcomes.append([made.text, places])
            assert outcomes[0] == outcomes[1]


def test_what_is_kept_follows_macros_of_macros() -> None:
    part = sections(b"x = A;\n")
    for value, nested in (
        ("1", ""),
        ("1", ""),
        ("1", ""),
        ("2", ""),
        ("2", ""),
        ("2", "#define C 7"),
    ):
        text = f"#define A B\n#define B {value} C\n{nested}\n#include <x.h>\n".encode()
        made = preprocess(text, "x.dts", lambda *_: ("x.h", part))
        assert squeezed(made.text) == f"x = {value} {7 if nested else 'C'};"
