"""Flattened trees: agreement with dtc and libfdt, and every way a blob can be broken."""

import random
import re
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Finding, Severity, Unreadable
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import MAX_DEPTH, Node
from tests import support
from tests.support.compiled import NO_READER
from tests.support.thorough import examples, slow

DATA = support.DATA / "dt"
BEGIN, END_NODE, PROP, NOP, END = 1, 2, 3, 4, 9


def words(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


def begin(name: bytes = b"") -> bytes:
    return words(BEGIN) + name + b"\0" + bytes(-(len(name) + 1) % 4)


def prop(offset: int, value: bytes = b"") -> bytes:
    return words(PROP, len(value), offset) + value + bytes(-len(value) % 4)


STRINGS = b"reg\0status\0"


def blob(
    structure: bytes,
    strings: bytes = STRINGS,
    *,
    reserved: bytes = bytes(16),
    trailing: bytes = b"",
    **header: int,
) -> bytes:
    """A blob around a structure block; `header` overrides single fields."""
    at_structure = 40 + len(reserved)
    at_strings = at_structure + len(structure)
    fields = {
        "magic": 0xD00DFEED,
        "total": at_strings + len(strings),
        "off_structure": at_structure,
        "off_strings": at_strings,
        "off_reserved": 40,
        "version": 17,
        "compatible": 16,
        "boot_cpu": 0,
        "strings_size": len(strings),
        "structure_size": len(structure),
    }
    assert fields.keys() >= header.keys()
    return words(*(fields | header).values()) + reserved + structure + strings + trailing


EMPTY = begin() + words(END_NODE, END)
SMALL = blob(
    begin()
    + prop(0, words(1))
    + begin(b"ibm,opal")
    + prop(4, b"okay\0")
    + words(NOP, END_NODE, END_NODE, END),
    reserved=struct.pack(">QQQQ", 0x1000, 0x20, 0, 0),
    boot_cpu=3,
)


def refused(data: bytes) -> Finding:
    """The one finding a broken blob raises."""
    with pytest.raises(Unreadable) as raised:
        fdt.read(data, "tree.dtb")
    (finding,) = raised.value.findings
    assert (finding.rule, finding.name) == ("IS931", "not-a-device-tree")
    assert finding.severity is Severity.ERROR
    assert finding.location.file == "tree.dtb"
    assert finding.message.startswith("expected ")
    assert "found" in finding.message
    return finding


def node_names(*names: bytes) -> bytes:
    nodes = (begin(name) + words(END_NODE) for name in names)
    return begin() + b"".join(nodes) + words(END_NODE, END)


def nested(depth: int) -> bytes:
    return begin() + begin(b"a") * depth + words(END_NODE) * (depth + 1) + words(END)


BROKEN = {
    "empty": (b"", "magic 0xd00dfeed at offset 0, found 0 bytes"),
    "three bytes": (SMALL[:3], "found 3 bytes"),
    "four bytes": (b"\x7fELF", "found 0x7f454c46$"),
    "only the magic": (SMALL[:4], "header of 40 bytes, found the end at 4"),
    "wrong magic": (b"\x7fELF" + SMALL[4:], "found 0x7f454c46$"),
    "little-endian": (SMALL[3::-1] + SMALL[4:], "found 0xedfe0dd0, a header with its bytes swap"),
    "cut in the header": (SMALL[:27], "header of 40 bytes, found the end at 27"),
    "cut after the version": (SMALL[:39], "header of 40 bytes, found the end at 39"),
    "cut at the end": (SMALL[:-1], "expected 159 bytes, .* offset 4, found 158: the file was cut"),
    "version 3": (blob(EMPTY, version=3, compatible=2), "version 16 or 17 .* found version 3"),
    "version 15": (blob(EMPTY, version=15, compatible=15), "found version 15"),
    "version of the future": (blob(EMPTY, version=18, compatible=18), "readable as 18 and later"),
    "huge total": (blob(EMPTY, total=0xFFFF_FFFF), "expected 4294967295 bytes, .*, found 83: "),
    "tiny total": (blob(EMPTY, total=39), "total of 40 bytes or more at offset 4, found 39"),
    "structure in the header": (blob(EMPTY, off_structure=36), "structure block between offset 40"),
    "structure beyond": (blob(EMPTY, off_structure=0xFFFF_FFF0), "at offset 4294967280"),
    "structure too long": (blob(EMPTY, structure_size=0xFFFF_FFFC), "found 4294967292 bytes"),
    "structure misaligned": (
        blob(b"\0\0" + EMPTY + b"\0\0", off_structure=58, structure_size=16),
        "structure block at a multiple of 4, found it at offset 58",
    ),
    "structure empty": (blob(EMPTY, structure_size=0), "FDT_END, found the end .* offset 56"),
    "strings beyond": (blob(EMPTY, off_strings=0xFFFF), "strings block between .* offset 65535"),
    "strings too long": (blob(EMPTY, strings_size=12), "strings block .* found 12 bytes"),
    "reservations beyond": (blob(EMPTY, off_reserved=0x1000), "memory reservation block"),
    "reservations misaligned": (blob(EMPTY, off_reserved=44), "at a multiple of 8"),
    "reservations without end": (
        blob(EMPTY, b"", reserved=struct.pack(">QQ", 1, 1)),
        "entry of zeros .* up to offset 72",
    ),
    "reservations without number": (
        blob(EMPTY, reserved=struct.pack(">QQ", 1, 1) * 5000 + bytes(16)),
        "within 4096 entries",
    ),
    "no end": (blob(begin() + words(END_NODE)), "FDT_END, found the end"),
    "no end of node": (blob(begin() + words(END)), "FDT_END_NODE, found FDT_END at offset 64"),
    "one end of node too many": (
        blob(begin() + words(END_NODE, END_NODE, END)),
        "found FDT_END_NODE",
    ),
    "end of node first": (blob(words(END_NODE, END)), "found FDT_END_NODE"),
    "only an end": (blob(words(END)), "root node, found FDT_END at offset 56"),
    "two roots": (blob(begin() + words(END_NODE) + EMPTY), "found a second root node"),
    "data after the end": (blob(EMPTY + words(0)), "structure block at offset 76, found it at 68"),
    "named root": (blob(begin(b"root") + words(END_NODE, END)), "nameless root .* 'root'"),
    "nameless node": (blob(node_names(b"")), "node's name at offset 68, found ''"),
    "slash in a name": (blob(node_names(b"a/b")), "found 'a/b'"),
    "blank in a name": (blob(node_names(b"a b")), "found 'a b'"),
    "control character in a name": (blob(node_names(b"a\x1b[2J")), r"found 'a\\x1b\[2J'"),
    "name beyond ASCII": (blob(node_names(b"\xc3\xa4")), r"found '\\xc3\\xa4'"),
    "name of 256 bytes": (blob(node_names(b"a" * 256)), "at most 255 bytes and a NUL at offset 68"),
    "unterminated name": (blob(begin() + words(BEGIN) + b"aaaa"), "offset 68, found no NUL"),
    "unterminated name before strings": (
        blob(begin() + words(BEGIN) + b"aaaa", b"\0" * 8),
        "offset 68, found no NUL",
    ),
    "two nodes of a name": (blob(node_names(b"a", b"b", b"a")), "one node a here, found a second"),
    "two properties of a name": (
        blob(begin() + prop(0) + prop(0) + words(END_NODE, END)),
        "one property reg here",
    ),
    "property before the root": (blob(prop(0) + EMPTY), "node at offset 56, found property reg"),
    "property after the root": (
        blob(begin() + words(END_NODE) + prop(0) + words(END)),
        "found property reg",
    ),
    "property after a child": (
        blob(begin() + begin(b"a") + words(END_NODE) + prop(0) + words(END_NODE, END)),
        "properties before child nodes, found reg after one at offset 76",
    ),
    "property cut in its head": (
        blob(begin() + words(PROP, 4)),
        "length and name at offset 68, found the end",
    ),
    "property too long": (
        blob(begin() + words(PROP, 100, 0) + words(END_NODE, END)),
        "property of at most 8 bytes at offset 76, found a length of 100",
    ),
    "property of 4 GiB": (
        blob(begin() + words(PROP, 0xFFFF_FFFF, 0, END_NODE, END)),
        "a length of 4294967295",
    ),
    "string beyond the block": (
        blob(begin() + prop(11) + words(END_NODE, END)),
        "11 bytes .* string 11 at offset 72",
    ),
    "string far beyond": (
        blob(begin() + prop(0xFFFF_FFFF) + words(END_NODE, END)),
        "string 4294967295",
    ),
    "nameless property": (
        blob(begin() + prop(3) + words(END_NODE, END)),
        "property's name at offset 87, found ''",
    ),
    "unterminated string": (
        blob(begin() + prop(0) + words(END_NODE, END), b"reg"),
        "NUL at offset 84, found no NUL",
    ),
    "unterminated string before more": (
        blob(begin() + prop(0) + words(END_NODE, END), b"reg\0", strings_size=3),
        "found no NUL",
    ),
    "string of 256 bytes": (
        blob(begin() + prop(0) + words(END_NODE, END), b"a" * 256 + b"\0"),
        "at most 255 bytes",
    ),
    "property with a slash": (
        blob(begin() + prop(0) + words(END_NODE, END), b"a/b\0"),
        "found 'a/b'",
    ),
    "unknown token": (blob(begin() + words(7, END_NODE, END)), "offset 64, found 0x7$"),
    "token zero": (blob(begin() + words(0, END_NODE, END)), "offset 64, found 0x0$"),
    "65 levels": (blob(nested(64)), "nested at most 64 deep, found one deeper at offset 572"),
    "10000 levels": (blob(nested(10_000)), "nested at most 64 deep"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_blob_is_refused(case: str) -> None:
    data, message = BROKEN[case]
    finding = refused(data)
    assert re.search(message, finding.message), finding.message


def test_finding_names_the_node() -> None:
    data = blob(begin() + begin(b"cpus") + begin(b"cpu@0") + prop(99))
    assert refused(data).location.path == "/cpus/cpu@0"


def test_what_a_blob_says() -> None:
    read = fdt.read_blob(SMALL, "x")
    assert read.boot_cpu == 3
    assert read.reservations == ((0x1000, 0x20),)
    assert read.root == Node("", {"reg": b"\0\0\0\1"}, (Node("ibm,opal", {"status": b"okay\0"}),))
    assert fdt.read(SMALL, "x") == read.root


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(blob(EMPTY), id="least"),
        pytest.param(blob(EMPTY, b""), id="no strings"),
        pytest.param(blob(EMPTY, trailing=b"padding"), id="padding behind"),
        pytest.param(blob(EMPTY + words(0), version=16, structure_size=0), id="version 16"),
        pytest.param(blob(EMPTY, version=18, compatible=17), id="compatible version 18"),
        pytest.param(blob(words(NOP) + EMPTY), id="NOP first"),
        pytest.param(blob(begin() + words(END_NODE, NOP, END)), id="NOP last"),
    ],
)
def test_unusual_but_valid(data: bytes) -> None:
    assert fdt.read(data, "x") == Node("")


REG = begin() + prop(0, b"1234") + words(END_NODE, END)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            blob(REG, b"reg\0" + bytes(20), reserved=b"", off_reserved=80, strings_size=4),
            id="reservations last",
        ),
        pytest.param(blob(REG, b"\0reg\0", off_strings=89, strings_size=4), id="odd strings"),
        pytest.param(blob(REG + words(0), version=16, structure_size=0), id="version 16"),
        pytest.param(
            words(0xD00DFEED, 88, 36, 68, 72, 16, 16, 0, 4) + REG + b"reg\0" + bytes(16),
            id="header of version 16",
        ),
    ],
)
def test_unusual_layouts(data: bytes) -> None:
    assert fdt.read(data, "x") == Node("", {"reg": b"1234"})


def test_largest_blob_there_may_be() -> None:
    root = Node("", {"reg": bytes(fdt.MAX_BYTES - len(fdt.write(Node("", {"reg": b""}))))})
    data = fdt.write(root)
    assert len(data) == fdt.MAX_BYTES
    assert fdt.read(data, "x") == root


def test_names_at_the_limit() -> None:
    long = "a" * 255
    data = blob(
        begin() + prop(0) + begin(long.encode()) + words(END_NODE, END_NODE, END),
        long.encode() + b"\0",
    )
    root = fdt.read(data, "x")
    assert list(root.properties) == [long]
    assert root.children[0].name == long


def test_deepest_allowed() -> None:
    root = fdt.read(blob(nested(MAX_DEPTH - 1)), "x")
    assert sum(1 for _ in root.walk()) == MAX_DEPTH
    assert fdt.read(fdt.write(root), "x") == root


def test_every_truncation_is_refused() -> None:
    for length in range(len(SMALL)):
        refused(SMALL[:length])


def test_every_bit_flip_is_survived() -> None:
    outcomes = set()
    for at in range(len(SMALL) * 8):
        data = bytearray(SMALL)
        data[at // 8] ^= 1 << at % 8
        outcomes.add(type(outcome(bytes(data))))
    assert outcomes == {Node, Unreadable}


def test_every_word_at_its_extremes_is_survived() -> None:
    for at in range(0, len(SMALL), 4):
        for word in (0, 1, 2, 3, 4, 9, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFC, 0xFFFF_FFFF):
            outcome(SMALL[:at] + words(word) + SMALL[at + 4 :])


def outcome(data: bytes) -> Node | Unreadable:
    """Returns what becomes of arbitrary bytes; anything but these two is a bug."""
    try:
        return fdt.read(data, "x")
    except Unreadable as unreadable:
        return unreadable


@settings(deadline=None)
@given(st.binary(max_size=400))
@example(b"\xd0\x0d\xfe\xed")
def test_random_bytes_are_refused(data: bytes) -> None:
    assert isinstance(outcome(data), Unreadable)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_random_structure_is_survived(structure: bytes) -> None:
    outcome(blob(structure + bytes(-len(structure) % 4)))


TOKENS = st.sampled_from(
    [
        *(begin(), begin(b"a"), begin(b"b"), words(END_NODE), words(NOP), words(END)),
        *(prop(0), prop(4, b"okay\0"), prop(99), words(PROP), words(8)),
    ]
)


@settings(deadline=None)
@given(st.lists(TOKENS, max_size=30))
def test_random_tokens_are_survived(tokens: list[bytes]) -> None:
    found = outcome(blob(b"".join(tokens)))
    if isinstance(found, Node):
        assert fdt.read(fdt.write(found), "x") == found


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 8))
def test_mutated_blobs_are_survived(rng: random.Random, changes: int) -> None:
    data = bytearray(SMALL)
    for _ in range(changes):
        at = rng.randrange(len(data))
        what = rng.randrange(4)
        if what == 0:
            data[at] = rng.randrange(256)
        elif what == 1:
            del data[at : at + rng.randrange(9)]
        elif what == 2:
            data[at:at] = rng.randbytes(rng.randrange(9))
        else:
            data[at & ~3 : (at & ~3) + 4] = words(rng.choice([0, 1, 2, 3, 9, 2**31, 2**32 - 1]))
        if not data:
            break
    start = time.process_time()
    outcome(bytes(data))
    assert time.process_time() - start < 1


ENDINGS = st.text("abcxyz019,._+-", max_size=12)
NODE_NAMES = ENDINGS.map("n".__add__)
VALUES = st.binary(max_size=40) | st.lists(st.binary(min_size=4, max_size=4)).map(b"".join)
PROPERTIES = st.dictionaries(ENDINGS.map("p".__add__), VALUES, max_size=4)
TREES = st.recursive(
    st.builds(Node, NODE_NAMES, PROPERTIES),
    lambda children: st.builds(
        Node,
        NODE_NAMES,
        PROPERTIES,
        st.lists(children, max_size=4, unique_by=lambda node: node.name).map(tuple),
    ),
    max_leaves=12,
).map(lambda node: Node("", node.properties, node.children))


@settings(deadline=None)
@given(TREES, st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1))))
def test_written_tree_reads_the_same(root: Node, reservations: list[tuple[int, int]]) -> None:
    read = fdt.read_blob(fdt.write(root, reservations, 7), "x")
    assert read == fdt.Blob(root, tuple(reservations), 7)
    assert [list(node.properties) for _, node in read.root.walk()] == [
        list(node.properties) for _, node in root.walk()
    ]


def through_dtc(dtc: str, data: bytes, *options: str) -> bytes:
    """Returns what dtc makes of its input; it must neither fail nor warn."""
    done = subprocess.run(
        [dtc, *options, "-o", "-", "-"], input=data, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout


@settings(deadline=None, max_examples=examples(15, 40))
@given(root=TREES)
def test_dtc_writes_the_same_bytes(dtc: str, root: Node) -> None:
    data = fdt.write(root)
    assert through_dtc(dtc, data, "-I", "dtb", "-O", "dtb") == data


@pytest.mark.parametrize("file", sorted(DATA.glob("*.dts")), ids=lambda file: file.stem)
def test_blob_of_dtc_survives_byte_for_byte(dtc: str, file: Path) -> None:
    data = through_dtc(dtc, file.read_bytes(), "-I", "dts", "-O", "dtb")
    again = fdt.write(fdt.read(data, file.name))
    assert again == data
    assert through_dtc(dtc, again, "-I", "dtb", "-O", "dts") == through_dtc(
        dtc, data, "-I", "dtb", "-O", "dts"
    )


def test_reservations_and_boot_cpu_survive(dtc: str) -> None:
    source = b"/dts-v1/; /memreserve/ 0x10 0x20; /memreserve/ 0x100000000 1; / { };"
    data = through_dtc(dtc, source, "-I", "dts", "-O", "dtb", "-b", "5")
    read = fdt.read_blob(data, "x")
    assert read == fdt.Blob(Node(""), ((0x10, 0x20), (0x1_0000_0000, 1)), 5)
    assert fdt.write(read.root, read.reservations, read.boot_cpu) == data


def skiboot_sources(tree: Path) -> Iterator[Path]:
    found = sorted((tree / "hdata" / "test").glob("*.dts"))
    assert found
    yield from found


def test_real_trees_survive_byte_for_byte(dtc: str, skiboot_tree: Path) -> None:
    for file in skiboot_sources(skiboot_tree):
        data = through_dtc(dtc, file.read_bytes(), "-q", "-I", "dts", "-O", "dtb")
        read = fdt.read_blob(data, file.name)
        assert fdt.write(read.root, read.reservations, read.boot_cpu) == data


class Slowly(fdt._Reader):
    """The reader where C was not compiled."""

    def _quickly(self, at: int, end: int, closed: bool, *, judged: bool = False) -> Node | None:
        return None


def damaged(data: st.DataObject, root: Node) -> bytearray:
    """A tree's blob with at most two bytes or words behind the header changed."""
    blob = bytearray(fdt.write(root))
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(40, len(blob) - 4))
        if data.draw(st.booleans()):
            blob[at] = data.draw(st.integers(0, 255))
        else:
            word = data.draw(st.sampled_from([0, 1, 2, 3, 4, 9, 0xFFFFFFFF, len(blob)]))
            blob[at & ~3 : (at & ~3) + 4] = word.to_bytes(4, "big")
    return blob


@settings(deadline=None, max_examples=examples(75, 150))
@given(root=TREES, data=st.data())
def test_c_takes_what_python_takes(root: Node, data: st.DataObject) -> None:
    """The same tree from a blob, and from one with a byte or a word changed; and no other."""
    if fdt._fdt is None:
        pytest.skip(NO_READER)
    blob = damaged(data, root)
    found: list[object] = []
    for reader in (fdt._Reader, Slowly):
        try:
            found.append(reader(bytes(blob), "x.dtb").blob())
        except Unreadable as error:
            found.append(error.findings)
    assert found[0] == found[1]


def test_c_is_really_asked() -> None:
    if fdt._fdt is None:
        pytest.skip(NO_READER)
    reader = Slowly(fdt.write(Node("")), "x.dtb")
    reader.blob()
    start = reader.data.index(b"\0\0\0\1")
    assert fdt._Reader._quickly(reader, start, len(reader.data), closed=False) == Node("")


@settings(deadline=None)
@given(root=TREES)
def test_libfdt_sees_the_same_tree(root: Node) -> None:
    libfdt = pytest.importorskip("libfdt", reason="no libfdt (the extra dtschema)")
    assert as_libfdt_sees_it(libfdt, fdt.write(root)) == root


def as_libfdt_sees_it(libfdt, data: bytes) -> Node:  # type: ignore[no-untyped-def]
    tree = libfdt.FdtRo(data)
    quiet = [libfdt.NOTFOUND]

    def node(offset: int) -> Node:
        properties = {}
        at = tree.first_property_offset(offset, quiet)
        while at >= 0:
            found = tree.get_property_by_offset(at)
            properties[found.name] = bytes(found)
            at = tree.next_property_offset(at, quiet)
        children = []
        at = tree.first_subnode(offset, quiet)
        while at >= 0:
            children.append(node(at))
            at = tree.next_subnode(at, quiet)
        return Node(tree.get_name(offset), properties, tuple(children))

    return node(0)


UNWRITABLE = {
    "nameless child": (Node("", {}, (Node(""),)), "node's name below /, found ''"),
    "slash": (Node("", {}, (Node("a/b"),)), "found 'a/b'"),
    "NUL": (Node("", {}, (Node("a\0"),)), r"found 'a\\x00'"),
    "beyond ASCII": (Node("", {}, (Node("ä"),)), r"found '\\xe4'"),
    "long": (Node("", {}, (Node("a" * 256),)), "node's name below /"),
    "two of a name": (Node("", {}, (Node("a"), Node("a"))), "one node a below /, found two"),
    "nameless property": (Node("", {"": b""}), "property's name in /, found ''"),
}


@pytest.mark.parametrize("case", UNWRITABLE)
def test_tree_no_blob_can_hold_is_not_written(case: str) -> None:
    root, message = UNWRITABLE[case]
    with pytest.raises(ValueError, match=message):
        fdt.write(root)


def test_too_deep_a_tree_is_not_written() -> None:
    node = Node("a")
    for _ in range(MAX_DEPTH - 1):
        node = Node("a", {}, (Node("b"), node))
    with pytest.raises(ValueError, match="nested at most 64 deep"):
        fdt.write(Node("", {}, (node,)))


def test_tree_beyond_the_size_limit_is_neither_written_nor_read() -> None:
    huge = bytes(fdt.MAX_BYTES)
    with pytest.raises(ValueError, match="at most 67108864 bytes"):
        fdt.write(Node("", {"reg": huge}))
    finding = refused(blob(begin() + prop(0, huge) + words(END_NODE, END)))
    assert "expected at most 67108864 bytes, found 67108959" in finding.message


def costly(what: str) -> bytes:
    """Blobs near the limits that make a careless reader slow or fat."""
    many = range(fdt.MAX_TOKENS // 2)
    if what == "NOPs":
        return blob(begin() + words(NOP) * 16_000_000 + words(END_NODE, END))
    if what == "nodes":
        begins, ends_ = words(BEGIN), words(END_NODE)
        nodes = (begins + b"n%06x\0" % index + ends_ for index in many)
        return blob(begin() + b"".join(nodes) + words(END_NODE, END))
    if what == "long string":
        properties = b"".join(prop(index) for index in many)
        return blob(begin() + properties + words(END_NODE, END), b"a" * (48 << 20))
    assert what == "overlapping names"
    # distinct strings of at most 255 bytes each, all ends of the same few
    ends = (index // 254 * 255 + index % 254 for index in many)
    nodes = (
        words(BEGIN) + b"n%06x\0" % index + prop(end) + words(END_NODE)
        for index, end in enumerate(ends)
    )
    strings = (b"a" * 254 + b"\0") * (len(many) // 254 + 1)
    return blob(begin() + b"".join(nodes) + words(END_NODE, END), strings)


@pytest.mark.parametrize(
    "what",
    [
        "NOPs",
        *slow("overlapping names", "nodes", "long string"),
    ],
)
def test_costly_blob_is_refused_in_time(what: str) -> None:
    data = costly(what)
    start = time.process_time()
    finding = refused(data)
    assert time.process_time() - start < 20
    assert what == "long string" or "at most 500000 tokens" in finding.message


def test_reading_is_fast() -> None:
    children = tuple(
        Node(f"node@{index:x}", {f"ibm,property-{number}": words(index) for number in range(8)})
        for index in range(500)
    )
    data = fdt.write(Node("", {}, children))
    assert len(data) > 64_000
    best = min(timed(data) for _ in range(5))
    assert best < 0.1


def timed(data: bytes) -> float:
    start = time.process_time()
    fdt.read(data, "x")
    return time.process_time() - start


@pytest.mark.parametrize("between", [0, 4, 4000])
def test_a_tree_behind_another_is_not_left_out(between: int) -> None:
    """Bootloaders are given the trees of several boards in one file."""
    one = blob(EMPTY)
    where = len(one) + between
    with pytest.raises(
        Unreadable, match=f"found another after it at offset {where}; split the file"
    ):
        fdt.read(one + bytes(between) + one, "x.dtb")
