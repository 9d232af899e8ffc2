"""Includes of device-tree source: what dtc makes of them, and that it opens none itself."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Finding, Unreadable
from idle_states.base.reading import limits
from idle_states.tables.devicetree import dts, fdt
from idle_states.tables.devicetree.dts_includes import expanded
from tests.support.thorough import examples

pytestmark = pytest.mark.usefixtures("dtc")
SECRET = b"\n/ { s = 'password-4711"


def laid(top: Path, files: dict[str, bytes]) -> Path:
    """Files below a directory; the path of "top"."""
    for name, content in files.items():
        path = Path(os.fsdecode(os.path.join(os.fsencode(top), os.fsencode(name))))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return top / "top"


def read(path: Path) -> object:
    return dts.read(path.read_bytes(), str(path))


def refused(path: Path) -> tuple[Finding, ...]:
    with pytest.raises(Unreadable) as raised:
        read(path)
    said = [f.message for f in raised.value.findings] + list(raised.value.texts.values())
    assert "password" not in "".join(said)
    return raised.value.findings


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A directory beside a secret."""
    (tmp_path / "secret").write_bytes(SECRET)
    made = tmp_path / "tree"
    made.mkdir()
    return made


def test_a_raw_byte_in_a_name_is_that_byte(tree: Path) -> None:
    """A file of that name is a link to the secret; dtc opens the name as it stands."""
    path = laid(tree, {"top": b'/dts-v1/;\n/include/ "a"', "a": b'/ { m = /incbin/("\xff"); };'})
    (tree / os.fsdecode(b"\xff")).symlink_to("../secret")
    (finding,) = refused(path)
    assert finding.rule == "IS930"
    assert "below the directory" in finding.message
    assert (finding.location.file, finding.location.column) == (str(tree / "a"), 9)
    (tree / os.fsdecode(b"\xff")).unlink()
    laid(tree, {os.fsdecode(b"\xff"): b"own"})
    root = dts.read(path.read_bytes(), str(path))
    assert root.properties == {"m": b"own"}


def test_a_file_included_from_two_folders_is_looked_at_twice(tree: Path) -> None:
    path = laid(
        tree,
        {
            "top": b'/dts-v1/;\n/include/ "a"\n/include/ "sub/a"\n',
            "a": b'/ { m = /incbin/("n"); };',
            "n": b"harmless",
            "sub/x": b"",
        },
    )
    (tree / "sub/a").symlink_to("../a")
    (tree / "sub/n").symlink_to("../../secret")
    (finding,) = refused(path)
    assert "below the directory" in finding.message
    assert finding.location.file == str(tree / "sub/a")
    (tree / "sub/n").unlink()
    os.mkfifo(tree / "sub/n")
    (finding,) = refused(path)
    assert (finding.rule, "found a pipe" in finding.message) == ("IS930", True)
    (tree / "sub/n").unlink()
    laid(tree, {"sub/n": b"other"})
    assert dts.read(path.read_bytes(), str(path)).properties == {"m": b"other"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b"/ { m = /incbin/", b'("../secret"); };'),
        (b"/ { m = /incbin/(", b'"../secret"); };'),
        (b"/ { m = /inc", b'bin/("../secret"); };'),
        (b"/inc", b'lude/ "../secret"'),
        (b"/include/", b'"../secret"'),
        (b'/* /include/ "b"', b'*/ / { }; /include/ "../secret"'),
        (b'/ { m = "x', b'"; }; /include/ "../secret"'),
        (b"// no end", b'\n/include/ "../secret"'),
    ],
)
def test_a_directive_in_pieces_opens_nothing(tree: Path, first: bytes, second: bytes) -> None:
    path = laid(
        tree, {"top": b'/dts-v1/;\n/include/ "a"\n/include/ "b"\n', "a": first, "b": second}
    )
    refused(path)


@pytest.mark.parametrize(
    "text",
    [
        b'/dts-v1/; / { a = "/include/ \\"/etc/passwd\\""; };',
        b'/dts-v1/; / { a = "x\\"/incbin/(\\"y\\")"; };',
        b'/dts-v1/; /* /include/ "/etc/passwd" */ / { a = "b"; };',
        b'/dts-v1/; // /incbin/("/etc/passwd")\n / { a = "b"; };',
        b'/dts-v1/; / { a = <\'"\'>; b = "/include/ "; };',
        b'/dts-v1/; //include/ "/etc/passwd"\n / { a = "b"; };',
        b"/dts-v1/; / { /*/include/*/ a = [/*/incbin/*/ 01]; };",
    ],
)
def test_words_in_strings_and_comments_are_no_directives(text: bytes) -> None:
    done = subprocess.run(
        ["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", "-", "-"],
        input=text,
        capture_output=True,
        check=True,
    )
    assert dts.read(text, "x.dts") == fdt.read(done.stdout, "x")


def test_places_are_those_of_the_files_that_were_written(tree: Path) -> None:
    path = laid(
        tree,
        {
            "top": b'/dts-v1/;\n/ { a; }; /include/ "sub/a" / { b = /incbin/("n"); c = <x>; };\n',
            "sub/a": b'\n/include/ "b"\n/ { ok; };',
            "sub/b": b"/ { ok; };\n",
            "n": b"n",
        },
    )
    findings = refused(path)
    where = findings[0].location
    line = path.read_bytes().split(b"\n")[1]
    assert (where.file, where.line, where.column) == (str(path), 2, line.index(b"x>") + 1)
    laid(tree, {"sub/b": b"\n\n  / { bad = ; };\n"})
    where = refused(path)[0].location
    assert (where.file, where.line, where.column) == (str(tree / "sub/b"), 3, 13)
    # found after all was read, when dtc has left every file
    laid(tree, {"sub/b": b"/ {\n\n y { };\n y { }; };\n"})
    laid(tree, {"top": b'/dts-v1/;\n/include/ "sub/b"\n/ { };\n'})
    where = refused(path)[0].location
    assert (where.file, where.line) == (str(tree / "sub/b"), 4)


def test_line_markers_of_the_preprocessor_are_honoured() -> None:
    text = (
        '# 1 "origin.dts"\n/dts-v1/;\n# 7 "other.dtsi" 1\n/ {\n a = ; };\n#line 30 "origin.dts"\n'
    )
    with pytest.raises(Unreadable) as raised:
        dts.read(text, "x.i")
    where = raised.value.findings[0].location
    assert (where.file, where.line, where.column) == ("other.dtsi", 8, 6)


def test_offset_and_length_of_a_binary(tree: Path) -> None:
    path = laid(
        tree,
        {
            "top": b'/dts-v1/;\n/ { a = /incbin/ /* "x" */ ( // "y"\n "n" , 1, 2); '
            b'b = /incbin/("\\x6e"), /incbin/("\\156"); };',
            "n": b"0123",
        },
    )
    root = dts.read(path.read_bytes(), str(path))
    assert root.properties == {"a": b"12", "b": b"01230123"}


def test_includes_within_includes_end(tree: Path) -> None:
    path = laid(tree, {"top": b'/include/ "top"'})
    (finding,) = refused(path)
    assert f"at most {limits.DTS_INCLUDE_DEPTH} deep" in finding.message


def test_expansion_is_bounded(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DTS_EXPANDED_BYTES", 4000)
    files = {f"f{n}": b'/include/ "f%d"\n' % (n + 1) * 2 for n in range(9)}
    path = laid(tree, {"top": b'/include/ "f0"\n', "f9": b" " * 10, **files})
    (finding,) = refused(path)
    assert "expected at most 4000 bytes with all includes" in finding.message


PIECES = [
    b'"a\\"b"', b"'\\''", b"'\"'", b"/* c */", b"// l\n", b"/*\n*/", b"<1>", b"[00 1f]", b"<&{/}>",
    b'"/include/ x"', b'/incbin/("n")', b'/incbin/ ("sub/n", 1, 2)', b'"\n"', b'"\\\\"',
]  # fmt: skip


@settings(deadline=None, max_examples=examples(15, 60))
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6),
    st.lists(st.sampled_from(PIECES), max_size=4),
    st.sampled_from([b"", b" ", b"\n", b"/* x */", b"\t"]),
)
def test_expanded_is_what_dtc_makes_of_the_files(
    tmp_path_factory: pytest.TempPathFactory, some: list[bytes], more: list[bytes], gap: bytes
) -> None:
    """dtc with its own includes, and the text that the gate makes of them."""
    top = tmp_path_factory.mktemp("x")
    value = b"/ { a = " + (gap + b"," + gap).join(p for p in some) + gap + b"; };"
    other = b"/ { b" + (b" = " + b", ".join(more) if more else b"") + b"; };"
    laid(top, {"n": b"one", "sub/n": b"other", "sub/b": other.replace(b'"sub/n"', b'"n"') + b"\n"})
    path = laid(
        top,
        {
            "top": b"/dts-v1/;\n/include/"
            + gap.replace(b"/* x */", b"")
            + b'"a" /include/ "sub/b"\n',
            "a": value + b"\n",
        },
    )
    done = subprocess.run(
        ["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", "-", "top"], cwd=top, capture_output=True
    )
    try:
        ours = dts.read(path.read_bytes(), str(path))
    except Unreadable:
        ours = None
    assert (ours is None) == bool(done.returncode), done.stderr
    if ours is not None:
        assert ours == fdt.read(done.stdout, "x")


WORDS = st.sampled_from(
    [b"/include/", b"/incbin/", b'"', b'"n"', b"(", b")", b"/*", b"*/", b"//", b"\n", b"'", b"\\",
     b"&{/", b"}", b"/bits/", b"inc", b"lude/", b"x", b" ", b'# 1 "', b'"/etc/passwd"']
)  # fmt: skip


@given(st.lists(WORDS, max_size=25).map(b"".join))
def test_whatever_the_text_no_name_of_outside_is_left(
    tmp_path_factory: pytest.TempPathFactory, text: bytes
) -> None:
    top = tmp_path_factory.getbasetemp() / "words"
    laid(top, {"n": b'/incbin/("n") "'})
    try:
        made = expanded(text, str(top / "top"))
    except Unreadable:
        return
    assert b"/include/" not in made.source
    pieces = made.source.split(b"/incbin/")[1:]
    assert all(b'"0"' in piece for piece in pieces)
    assert set(made.binaries) <= {"0"}
