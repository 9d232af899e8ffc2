"""Hostile inputs, made when needed: what arrives from the field, and what is made on purpose.

names()           all of them
make(name, into)  one, below a directory; the path to hand to a reader
"""

import bz2
import gzip
import io
import lzma
import os
import random
import struct
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from idle_states.base.model import power_mgt as dt
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.spec.library import find
from tests.support import DATA

REAL = DATA / "trees" / "powernv9.dtb"

Content = bytes | Callable[[Path], Path]
"""A file's bytes, or what makes the input below a directory."""


def names() -> list[str]:
    return sorted(_CASES)


def make(name: str, into: Path) -> Path:
    content = _CASES[name]()
    if callable(content):
        return content(into)
    path = into / name
    path.write_bytes(content)
    return path


_CASES: dict[str, Callable[[], Content]] = {}


def _case(name: str) -> Callable[[Callable[[], Content]], Callable[[], Content]]:
    def register(function: Callable[[], Content]) -> Callable[[], Content]:
        _CASES[name] = function
        return function

    return register


def _family(cases: Mapping[str, Callable[[], Content]]) -> None:
    _CASES.update(cases)


# Flattened trees


def words(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


def _blob(structure: bytes, strings: bytes = b"a\0", reserved: bytes = bytes(16)) -> bytes:
    at_structure = 40 + len(reserved)
    at_strings = at_structure + len(structure)
    total = at_strings + len(strings)
    sizes = (len(strings), len(structure))
    header = words(0xD00DFEED, total, at_structure, at_strings, 40, 17, 16, 0, *sizes)
    return header + reserved + structure + strings


_ROOT, _END_NODE, _END = words(1, 0), words(2), words(9)
_NAMED = words(1) + b"n\0\0\0"


def _header(field: int, value: int) -> bytes:
    """A real blob with one word of its header changed."""
    blob = REAL.read_bytes()
    return blob[: 4 * field] + words(value) + blob[4 * field + 4 :]


_FIELDS = (
    "magic",
    "totalsize",
    "off-struct",
    "off-strings",
    "off-reserved",
    "version",
    "compatible",
    "boot-cpu",
    "size-strings",
    "size-struct",
)
_family(
    {
        f"{name}-{value:#x}.dtb": lambda field=field, value=value: _header(field, value)
        for field, name in enumerate(_FIELDS)
        if name != "magic"
        for value in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF)
    }
)
_family(
    {
        f"cut-at-{size}.dtb": lambda size=size: REAL.read_bytes()[:size]
        for size in (1, 4, 27, 39, 40, 56, 4096)
    }
)
_family(
    {
        "empty.dtb": lambda: b"",
        "magic-alone.dtb": lambda: words(0xD00DFEED),
        "little-endian.dtb": lambda: _swapped(REAL.read_bytes()),
        "ten-thousand-deep.dtb": lambda: _blob(_ROOT + _NAMED * 10_000 + _END_NODE * 10_001 + _END),
        "million-nodes.dtb": lambda: _blob(
            _ROOT
            + b"".join(words(1) + b"%07d\0" % number + _END_NODE for number in range(1_000_000))
            + _END_NODE
            + _END
        ),
        "million-nops.dtb": lambda: _blob(_ROOT + words(4) * 1_000_000 + _END_NODE + _END),
        "endless-reservations.dtb": lambda: _blob(
            _ROOT + _END_NODE + _END, reserved=b"\1" * 16 * 100_000
        ),
        "property-of-4-gib.dtb": lambda: _blob(_ROOT + words(3, 0xFFFFFFFF, 0) + _END_NODE + _END),
        "name-offset-out-of-range.dtb": lambda: _blob(
            _ROOT + words(3, 0, 0xFFFFFFF0) + _END_NODE + _END
        ),
        "never-closed.dtb": lambda: _blob(_ROOT + _END),
        "two-roots.dtb": lambda: _blob(_ROOT + _END_NODE + _ROOT + _END_NODE + _END),
        "strings-without-nul.dtb": lambda: _blob(
            _ROOT + words(3, 0, 0) + _END_NODE + _END, b"a" * 1_000_000
        ),
        "non-utf8-node.dtb": lambda: _blob(
            _ROOT + words(1) + b"\xff\xfe\0\0" + _END_NODE * 2 + _END
        ),
        "noise.dtb": lambda: words(0xD00DFEED) + random.Random(1).randbytes(65536),
        "sixty-mebibytes-of-zeros.dtb": lambda: REAL.read_bytes() + bytes(60 << 20),
    }
)


def _swapped(data: bytes) -> bytes:
    return b"".join(data[at : at + 4][::-1] for at in range(0, len(data), 4))


def _node(**changes: bytes | None) -> bytes:
    """A POWER9 tree whose arrays are changed by name; None removes one."""
    arrays = {"names": dt.NAMES, "latencies": dt.LATENCIES, "residencies": dt.RESIDENCIES}
    arrays |= {"flags": dt.FLAGS, "psscr": dt.PSSCR, "masks": dt.PSSCR_MASK}
    arrays |= {"levels": dt.STOP_LEVELS, "ids": dt.PSTATE_IDS, "least": dt.PSTATE_MIN}
    table = find("power9")
    properties = dt.encode(table.states, table.register) | {dt.STOP_LEVELS: words(0xEC000000)}
    for name, value in changes.items():
        if value is None:
            del properties[arrays[name]]
        else:
            properties[arrays[name]] = value
    cpu = Node("cpu@0", {"device_type": b"cpu\0", "cpu-version": words(0x4E1202)})
    opal = Node("ibm,opal", {}, (Node("power-mgt", properties),))
    return fdt.write(Node("", {}, (Node("cpus", {}, (cpu,)), opal)))


_family(
    {
        "no-names.dtb": lambda: _node(names=None),
        "no-psscr.dtb": lambda: _node(psscr=None),
        "zero-length.dtb": lambda: _node(
            **dict.fromkeys(("names", "latencies", "residencies", "flags", "psscr", "masks"), b"")
        ),
        "zero-length-flags.dtb": lambda: _node(flags=b""),
        "odd-length.dtb": lambda: _node(latencies=bytes(31), psscr=bytes(7), masks=bytes(65)),
        "odd-levels.dtb": lambda: _node(levels=b"\xec"),
        "fewer-names.dtb": lambda: _node(names=b"stop0\0"),
        "names-without-nul.dtb": lambda: _node(names=b"stop0"),
        "names-of-nothing.dtb": lambda: _node(names=bytes(8)),
        "non-utf8-names.dtb": lambda: _node(
            names=b"\xff\xfe\0\xc3\x28\0\n\r\0\x1b[2J\0a\0b\0c\0d\0"
        ),
        "long-names.dtb": lambda: _node(names=b"".join(b"n" * 100_000 + b"\0" for _ in range(8))),
        "little-endian-values.dtb": lambda: _node(
            latencies=_swapped(words(*(1000 * (state + 1) for state in range(8)))),
            flags=_swapped(words(*[0x100000] * 8)),
        ),
        "hundred-thousand-states.dtb": lambda: _node(
            names=b"s\0" * 100_000,
            **dict.fromkeys(("latencies", "residencies", "flags"), bytes(400_000)),
            **dict.fromkeys(("psscr", "masks"), bytes(800_000)),
        ),
        "thousand-states.dtb": lambda: _node(
            names=b"".join(b"s%d\0" % number for number in range(1000)),
            **dict.fromkeys(("latencies", "residencies", "flags"), words(*range(1000))),
            **dict.fromkeys(("psscr", "masks"), b"\0\0\0\0\0\x30\x03\x30" * 1000),
        ),
        "million-pstates.dtb": lambda: _node(ids=words(*range(1_000_000)), least=b""),
        "extreme-values.dtb": lambda: _node(
            **dict.fromkeys(("latencies", "residencies", "flags"), b"\xff" * 32),
            **dict.fromkeys(("psscr", "masks"), b"\xff" * 64),
        ),
    }
)


def _arm(cpu: Mapping[str, bytes], *states: Node) -> bytes:
    one = Node("cpu@0", {"device_type": b"cpu\0", "phandle": words(1), **cpu})
    cpus = Node("cpus", {}, (one, Node("idle-states", {}, states)))
    return fdt.write(Node("", {"compatible": b"arm,foundation\0"}, (cpus,)))


_family(
    {
        "cpu-is-its-own-idle-state.dtb": lambda: _arm({"cpu-idle-states": words(1, 1, 1)}),
        "dangling-phandles.dtb": lambda: _arm({"cpu-idle-states": words(0, 0xFFFFFFFF, 77)}),
        "odd-phandles.dtb": lambda: _arm({"cpu-idle-states": b"\0\0\0"}),
        "power-domains-in-a-circle.dtb": lambda: _arm(
            {"power-domains": words(2), "enable-method": b"psci\0"},
            Node(
                "a",
                {
                    "phandle": words(2),
                    "#power-domain-cells": words(0),
                    "power-domains": words(3),
                    "domain-idle-states": words(2, 3),
                },
            ),
            Node(
                "b",
                {
                    "phandle": words(3),
                    "#power-domain-cells": words(0),
                    "power-domains": words(2),
                    "domain-idle-states": words(3, 2),
                },
            ),
        ),
        "one-phandle-for-all.dtb": lambda: _arm(
            {"cpu-idle-states": words(9) * 10_000},
            *(Node(f"s{number}", {"phandle": words(9)}) for number in range(1000)),
        ),
        "a-thousand-cpus-a-thousand-states.dtb": lambda: fdt.write(
            Node(
                "",
                {},
                (
                    Node(
                        "cpus",
                        {},
                        (
                            *(
                                Node(
                                    f"cpu@{cpu}",
                                    {
                                        "device_type": b"cpu\0",
                                        "cpu-idle-states": words(*range(cpu + 1, cpu + 1001)),
                                    },
                                )
                                for cpu in range(1000)
                            ),
                            *(
                                Node(
                                    f"s{state}",
                                    {
                                        "compatible": b"arm,idle-state\0",
                                        "phandle": words(state),
                                        "entry-latency-us": words(1),
                                    },
                                )
                                for state in range(1, 2001)
                            ),
                        ),
                    ),
                ),
            )
        ),
    }
)


# Device-tree source

_DTS = b"/dts-v1/;\n"


def _beside(text: bytes, **others: bytes) -> Content:
    """A source with files beside it."""

    def made(into: Path) -> Path:
        for name, data in others.items():
            (into / name).write_bytes(data)
        (into / "tree.dts").write_bytes(_DTS + text)
        return into / "tree.dts"

    return made


_family(
    {
        "header-alone.dts": lambda: _DTS,
        "string-without-end.dts": lambda: _DTS + b'/ { model = "power',
        "comment-without-end.dts": lambda: _DTS + b"/ { /* model;",
        "ten-thousand-deep.dts": lambda: _DTS + b"/ {" + b"n {" * 10_000 + b"};" * 10_001,
        "million-closings.dts": lambda: _DTS + b"/ {};" + b"};" * 1_000_000,
        "nul.dts": lambda: _DTS + b"/ { a\0 = <1>; };",
        "non-utf8.dts": lambda: _DTS + b'/ { \xff\xfe = "\xff"; };',
        "circle-of-references.dts": lambda: (
            _DTS + b"/ { a: a { b = <&b>; p = &b; }; b: b { a = <&a>; p = &a; }; };"
        ),
        "dangling-reference.dts": lambda: _DTS + b"/ { a = <&nowhere>; b = &{/nowhere}; };",
        "division-by-zero.dts": lambda: _DTS + b"/ { a = <(1 / 0)>; };",
        "deep-expression.dts": lambda: (
            _DTS + b"/ { a = <" + b"(" * 100_000 + b"1" + b")" * 100_000 + b">; };"
        ),
        "huge-bits.dts": lambda: _DTS + b"/ { a = /bits/ 99999999999 <1>; };",
        "hundred-thousand-errors.dts": lambda: _DTS + b"/ {\n" + b"?\n" * 100_000 + b"};",
        "line-directives.dts": lambda: _DTS + b'# 4294967295 "x\\0y"\n' * 10_000 + b"/ { ? };",
        "preprocessor.dts": lambda: _DTS + b'#include "/etc/passwd"\n/ { };',
        "include-itself.dts": lambda: _beside(b'/include/ "tree.dts"\n'),
        "include-in-a-circle.dts": lambda: _beside(
            b'/include/ "a"\n', a=b'/include/ "b"\n', b=b'/include/ "a"\n'
        ),
        "include-doubling.dts": lambda: _beside(
            b'/include/ "f0"\n',
            **{f"f{n}": b'/include/ "f%d"\n/include/ "f%d"\n' % (n + 1, n + 1) for n in range(40)},
            f40=b"/ { };\n",
        ),
        "include-password-file.dts": lambda: _beside(b'/include/ "/etc/passwd"\n'),
        "include-above.dts": lambda: _beside(b'/include/ "../../../../../../etc/passwd"\n'),
        "incbin-password-file.dts": lambda: _beside(b'/ { a = /incbin/("/etc/passwd"); };'),
        "incbin-device.dts": lambda: _beside(b'/ { a = /incbin/("/dev/zero"); };'),
        "incbin-doubling.dts": lambda: _beside(
            b"/ {" + b"".join(b'p%d = /incbin/("big");' % number for number in range(40)) + b"};",
            big=bytes(32 << 20),
        ),
        "hundred-thousand-includes.dts": lambda: _beside(b'/include/ "absent"\n' * 100_000),
        "macro-quotes-doubling.dts": lambda: (
            _DTS
            + b"#define q_(x) #x\n#define q(x) q_(x)\n/ { a = "
            + b"q(" * 26
            + b'"\\\\"'
            + b")" * 26
            + b"; };"
        ),
        "macro-pastes-doubling.dts": lambda: (
            _DTS
            + b"#define c(a, b) a##b\n#define d(x) c(x, x)\n/ { "
            + b"d(" * 34
            + b"a"
            + b")" * 34
            + b" { }; };"
        ),
        "macro-calls-doubling.dts": lambda: (
            _DTS
            + b"".join(b"#define f%d(x) f%d(f%d(x))\n" % (n, n - 1, n - 1) for n in range(1, 12))
            + b"#define f0(x) x x\n/ { a = <f11(1)>; };"
        ),
        "macro-of-long-text.dts": lambda: (
            _DTS + b'#define a "' + b"a" * 30_000 + b'"\n/ { a = ' + b"a, " * 10_000 + b"a; };"
        ),
        "macros-within-200.dts": lambda: (
            _DTS
            + b"#define f0(x) x\n"
            + b"".join(b"#define f%d(x) f%d(x x)\n" % (n, n - 1) for n in range(1, 190))
            + b"/ { a = <f189(1)>; };"
        ),
        "sixty-mebibytes.dts": lambda: _DTS + b"/ { a = [" + b"00 " * (20 << 20) + b"]; };",
    }
)


@_case("include-through-link.dts")
def _include_link() -> Content:
    def made(into: Path) -> Path:
        (into / "beside").symlink_to("/etc/passwd")
        (into / "tree.dts").write_bytes(_DTS + b'/include/ "beside"\n')
        return into / "tree.dts"

    return made


# C

_HEAD = b"static struct cpu_idle_states s[] = {\n"


def _row(name: bytes = b'"nap"', latency: bytes = b"1") -> bytes:
    return b"{ .name = " + name + b", .latency_ns = " + latency + b", .flags = 1 },\n"


def _value(text: bytes, before: bytes = b"") -> bytes:
    return before + _HEAD + _row(latency=text) + b"};\n"


_family(
    {
        "array-without-end.c": lambda: _HEAD + _row() * 3,
        "row-without-end.c": lambda: _HEAD + b"{ .name = ",
        "comment-without-end.c": lambda: _HEAD + b"/* " + _row() + b"};",
        "string-without-end.c": lambda: _HEAD + b'{ .name = "nap',
        "head-alone.c": lambda: _HEAD,
        "a-million-rows.c": lambda: _HEAD + b"{},\n" * 1_000_000 + b"};",
        "ten-thousand-arrays.c": lambda: b"".join(
            b"struct cpu_idle_states a%d[] = { {} };\n" % number for number in range(10_000)
        ),
        "deep-braces.c": lambda: _HEAD + b"{" * 1_000_000 + b"}" * 1_000_000 + b"};",
        "deep-parentheses.c": lambda: _value(b"(" * 100_000 + b"1" + b")" * 100_000),
        "deep-signs.c": lambda: _value(b"-" * 19_000 + b"1"),
        "deep-conditionals.c": lambda: _value(b"1?" * 6_000 + b"1" + b":1" * 6_000),
        "long-sum.c": lambda: _value(b"1+" * 1_000_000 + b"1"),
        "macros-in-a-circle.c": lambda: _value(b"A", b"#define A B\n#define B A\n"),
        "macro-of-itself.c": lambda: _value(b"F(F(F(1)))", b"#define F(x) F(F(x))\n"),
        "macros-doubling.c": lambda: _value(
            b"M40",
            b"#define M0 1\n"
            + b"".join(b"#define M%d M%d+M%d\n" % (n, n - 1, n - 1) for n in range(1, 41)),
        ),
        "macro-arguments-doubling.c": lambda: _value(
            b"D(" * 40 + b"1" + b")" * 40, b"#define D(x) (x)+(x)\n"
        ),
        "macro-arguments-without-end.c": lambda: _value(b"F(1", b"#define F(x) x\n"),
        "hundred-thousand-macros.c": lambda: _value(
            b"M99999", b"".join(b"#define M%d M%d\n" % (n, n - 1) for n in range(1, 100_000))
        ),
        "conditions-without-end.c": lambda: b"#if 1\n" * 100_000 + _value(b"1"),
        "endifs.c": lambda: b"#endif\n" * 100_000 + _value(b"1"),
        "condition-of-a-mebibyte.c": lambda: b"#if " + b"1+" * (1 << 19) + b"1\n" + _value(b"1"),
        "include-itself.c": lambda: b'#include "include-itself.c"\n' + _value(b"1"),
        "division-by-zero.c": lambda: _value(b"1 / 0"),
        "division-overflow.c": lambda: _value(b"(-2147483647 - 1) / -1"),
        "shift-by-billions.c": lambda: _value(b"1ul << 99999999999"),
        "number-of-a-million-digits.c": lambda: _value(b"9" * 1_000_000),
        "index-out-of-range.c": lambda: _HEAD + b"[99999999999] = { .name = " + b'"a" } };',
        "size-out-of-range.c": lambda: b"struct cpu_idle_states s[99999999999999999999] = { };",
        "nul-in-name.c": lambda: _HEAD + _row(b'"\\0"') + b"};",
        "escapes-in-name.c": lambda: _HEAD + _row(b'"\\xfffffffff\\777\\u0041\\') + b"};",
        "non-utf8.c": lambda: _HEAD + _row(b'"\xff\xfe"') + b"};",
        "nul.c": lambda: _HEAD + _row().replace(b"1", b"\0") + b"};",
        "line-splices.c": lambda: _value(b"\\\n" * 100_000 + b"1"),
        "carriage-returns.c": lambda: _value(b"1").replace(b"\n", b"\r"),
        "heads.c": lambda: b"cpu_idle_states " * 200_000,
        "open-heads.c": lambda: b"struct cpu_idle_states s[" * 200_000,
        "sixty-mebibytes.c": lambda: _HEAD + b"\xff" * (60 << 20),
        "wide-characters.c": lambda: _HEAD + "\U0001f4a3".encode() + b"\xff" * (60 << 20),
        "trigraphs.c": lambda: _value(b"1 ??/\n"),
    }
)


# Specs

_SPEC = b"name: mine\nextends: power9\n"


def _two(a: bytes, b: bytes) -> Content:
    def made(into: Path) -> Path:
        (into / "a.yaml").write_bytes(a)
        (into / "b.yaml").write_bytes(b)
        return into / "a.yaml"

    return made


_family(
    {
        "aliases-doubling.yaml": lambda: (
            b"a: &a [x, x]\n"
            + b"".join(b"%c: &%c [*%c, *%c]\n" % (n, n, n - 1, n - 1) for n in range(98, 122))
        ),
        "deep-flow.yaml": lambda: b"a: " + b"[" * 100_000,
        "deep-blocks.yaml": lambda: b"".join(b" " * n + b"a:\n" for n in range(600)),
        "many-values.yaml": lambda: b"a: [" + b"1," * 120_000 + b"]",
        "long-key.yaml": lambda: b"k" * 200_000 + b": 1\n",
        "python-object.yaml": lambda: b"!!python/object/apply:os.system ['touch /tmp/pwned']\n",
        "duplicate-keys.yaml": lambda: _SPEC * 2,
        "two-documents.yaml": lambda: _SPEC + b"---\n" + _SPEC,
        "extends-itself.yaml": lambda: _two(b"name: a\nextends: a\n", b""),
        "extends-in-a-circle.yaml": lambda: _two(
            b"name: a\nextends: b\n", b"name: b\nextends: a\n"
        ),
        "extends-password-file.yaml": lambda: b"name: mine\nextends: ../../../../etc/passwd\n",
        "extends-list.yaml": lambda: b"name: mine\nextends: [power9, power9]\n",
        "top-list.yaml": lambda: b"- a\n- b\n",
        "scalar.yaml": lambda: b"power9\n",
        "null.yaml": lambda: b"name:\nextends:\nstates:\noverride:\ndrop:\n",
        "every-key-a-list.yaml": lambda: b"name: []\nextends: []\nstates: []\noverride: []\n",
        "tab.yaml": lambda: b"name:\tmine\n\textends: power9\n",
        "nul.yaml": lambda: b"name: a\0b\n",
        "control-characters.yaml": lambda: b"name: \x01\x02\n",
        "non-utf8.yaml": lambda: b"name: \xff\xfe\n",
        "utf16.yaml": lambda: _SPEC.decode().encode("utf-16-le").replace(b"\0", b"\xc2\x80"),
        "surrogates.yaml": lambda: b'name: "\\ud800\\udc00\\x00"\nextends: power9\n',
        "huge-number.yaml": lambda: (
            _SPEC + b"override:\n  stop0: {latency: " + b"9" * 100_000 + b"ns}\n"
        ),
        "huge-exponent.yaml": lambda: (
            _SPEC + b"override:\n  stop0: {latency: 1e999999999ns, residency: 1e-999999999s}\n"
        ),
        "infinite.yaml": lambda: _SPEC + b"override:\n  stop0: {latency: .inf, residency: .nan}\n",
        "empty.yaml": lambda: b"",
        "oversized.yaml": lambda: b"#" * (60 << 20),
        "anchors.yaml": lambda: b"".join(b"k%d: &a%d v\n" % (n, n) for n in range(9_000)),
        "unclosed-quote.yaml": lambda: b'name: "' + b"a\n" * 100_000,
        "suppressions.yaml": lambda: _SPEC + b"# idle-states: ignore[IS206\n" * 5_000,
    }
)


# Images, compressed files


def _stream(data: bytes, times: int) -> bytes:
    return data * times


_family(
    {
        "bomb.lid": lambda: lzma.compress(bytes(40 << 20), preset=0),
        "bomb-in-container.lid": lambda: (
            bytes.fromhex("17082011") + bytes(4092) + lzma.compress(bytes(40 << 20), preset=0)
        ),
        "dictionary-of-1-5-gib.lid": lambda: _big_dictionary(),
        "cut.lid": lambda: lzma.compress(random.Random(2).randbytes(100_000))[:5000],
        "container-alone.lid": lambda: bytes.fromhex("17082011"),
        "container-of-nothing.lid": lambda: bytes.fromhex("17082011") + bytes(4092),
        "container-in-containers.lid": lambda: (bytes.fromhex("17082011") + bytes(4092)) * 100,
        "property-alone.lid": lambda: b"\0ibm,cpu-idle-state-",
        "noise.lid": lambda: b"\0ibm,cpu-idle-state-" + random.Random(3).randbytes(30 << 20),
        "forty-mebibytes.lid": lambda: b"\0ibm,cpu-idle-state-" + bytes(40 << 20),
        "rows-without-end.lid": lambda: b"\0ibm,cpu-idle-state-" + _lid_rows(20_000),
        "five-hundred-rows.lid": lambda: b"\0ibm,cpu-idle-state-" + _lid_rows(500),
        "names-without-end.lid": lambda: (
            b"\0ibm,cpu-idle-state-" + b"stop0\0\0\0\0\0\0\0\0\0\0\0" * 600_000
        ),
    }
)


def _big_dictionary() -> bytes:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 20}]
    data = bytearray(lzma.compress(b"x" * 100, filters=filters))
    # the filter's property byte, and the header's checksum over it
    header = (data[12] + 1) * 4
    data[12 + 4] = 40
    import zlib

    data[12 + header - 4 : 12 + header] = struct.pack("<I", zlib.crc32(data[12 : 12 + header - 4]))
    return bytes(data)


def _lid_rows(count: int) -> bytes:
    form = ">16sIIQQI4x"
    return b"".join(
        struct.pack(form, b"stop%d" % (n % 90), n, n, 0x300330, 0x3003FF, 0x100000)
        for n in range(count)
    )


# Archives


def _tar(fill: Callable[[tarfile.TarFile], None], **options: int) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", **options) as archive:  # type: ignore[call-overload]
        fill(archive)
    return out.getvalue()


def _member(name: str, kind: bytes = tarfile.REGTYPE, data: bytes = b"", link: str = "") -> bytes:
    def fill(archive: tarfile.TarFile) -> None:
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size = kind, link, len(data)
        archive.addfile(info, io.BytesIO(data))

    return _tar(fill)


def _tar_header(size: bytes = b"00000000000", kind: bytes = b"0", name: bytes = b"a") -> bytes:
    block = bytearray(512)
    block[: len(name)] = name
    block[100:107], block[108:115], block[116:123] = b"0000644", b"0000000", b"0000000"
    block[124 : 124 + len(size)] = size
    block[136:147] = b"00000000000"
    block[156:157], block[257:265] = kind, b"ustar\00000"
    block[148:156] = b" " * 8
    block[148:155] = b"%06o\0" % sum(block)
    return bytes(block)


def _extension(kind: bytes, data: bytes) -> bytes:
    padded = data + bytes(-len(data) % 512)
    return _tar_header(b"%011o" % len(data), kind) + padded


_family(
    {
        "bomb.tar.gz": lambda: gzip.compress(_member("a", data=bytes(136 << 20)), 1),
        "bomb.tar.bz2": lambda: bz2.compress(_member("a", data=bytes(136 << 20)), 1),
        "bomb.tar.xz": lambda: lzma.compress(_member("a", data=bytes(136 << 20)), preset=0),
        "dictionary-of-1-5-gib.tar.xz": lambda: _big_dictionary(),
        "bomb-in-bomb.tar.gz": lambda: gzip.compress(gzip.compress(bytes(50 << 20), 1)),
        "cut.tar.gz": lambda: gzip.compress(_member("compatible", data=bytes(9000)))[:-30],
        "packed-in-parts.tar.gz": lambda: gzip.compress(_member("a")) * 1000,
        "gzip-magic-alone": lambda: b"\x1f\x8b",
        "bzip2-magic-alone": lambda: b"BZh9",
        "xz-magic-alone": lambda: b"\xfd7zXZ\0",
        "link.tar": lambda: _member("compatible", tarfile.SYMTYPE, link="/etc/passwd"),
        "hard-link.tar": lambda: _member("compatible", tarfile.LNKTYPE, link="/etc/passwd"),
        "device.tar": lambda: _member("compatible", tarfile.CHRTYPE),
        "pipe.tar": lambda: _member("compatible", tarfile.FIFOTYPE),
        "absolute.tar": lambda: _member("/etc/passwd", data=b"x"),
        "above.tar": lambda: _member("../../etc/passwd", data=b"x"),
        "deep.tar": lambda: _member("a/" * 5000 + "a", data=b"x"),
        "non-utf8.tar": lambda: _member("\udcff\udcfe", data=b"x"),
        "file-and-directory.tar": lambda: (
            _member("a", data=b"x")[:1024] + _member("a/b", data=b"x")
        ),
        "size-lies.tar": lambda: _tar_header(b"77777777777"),
        "size-negative.tar": lambda: _tar_header(b"\xff" * 11),
        "size-no-number.tar": lambda: _tar_header(b"zzzzzzzzzzz"),
        "long-names-in-long-names.tar": lambda: _extension(b"L", b"a\0") * 5_000 + _tar_header(),
        "extensions-of-extensions.tar": lambda: (
            _extension(b"x", b"9 path=a\n") * 5_000 + _tar_header()
        ),
        "extension-size.tar": lambda: (
            _extension(b"x", b"99999999999999999999 path=a\n") + _tar_header()
        ),
        "extension-of-digits.tar": lambda: _extension(b"x", b"1" * 100_000) + _tar_header(),
        "extension-number.tar": lambda: (
            _extension(b"x", b"18 size=9999999999\n"[:18] + b"\n") + _tar_header()
        ),
        "global-digits.tar": lambda: _extension(b"g", b"1" * 60_000) + _tar_header(),
        "global-extension.tar": lambda: _extension(b"g", b"15 size=-10000\n") + _tar_header(),
        "sparse.tar": lambda: _tar_header(b"00000000000", b"S") + _tar_header(),
        "extension-sparse.tar": lambda: (
            _extension(
                b"x",
                b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n30 GNU.sparse.realsize=99999999\n",
            )
            + _tar_header()
        ),
        "hundred-thousand-files.tar": lambda: b"".join(
            _tar_header(name=b"f%06d" % number) for number in range(100_000)
        ),
    }
)


# Dumps of sysfs


def _sysfs_line(cpu: int = 0, state: int = 0, attribute: str = "name", value: str = "x") -> bytes:
    return f"/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{state}/{attribute}:{value}\n".encode()


def _sysfs(cpus: int, states: int) -> Iterator[bytes]:
    for cpu in range(cpus):
        for state in range(states):
            for attribute, value in (("name", f"s{cpu}"), ("latency", "1"), ("residency", "2")):
                yield _sysfs_line(cpu, state, attribute, value)


_family(
    {
        "one-line.sysfs": lambda: _sysfs_line(),
        "cpu-99999.sysfs": lambda: _sysfs_line(99999),
        "state-999.sysfs": lambda: _sysfs_line(state=999),
        "huge-number.sysfs": lambda: _sysfs_line(attribute="latency", value="9" * 60_000),
        "other-digits.sysfs": lambda: _sysfs_line(attribute="latency", value="\u0663\u00b2"),
        "long-line.sysfs": lambda: _sysfs_line() + b"a" * 1_000_000,
        "non-utf8.sysfs": lambda: _sysfs_line() + _sysfs_line().replace(b":x", b":\xff\x1b[2J"),
        "other-lines.sysfs": lambda: _sysfs_line() + b"noise\n",
        "bomb.sysfs.gz": lambda: gzip.compress(_sysfs_line() * 5_000_000, 1),
        "cut.sysfs.gz": lambda: gzip.compress(b"".join(_sysfs(8, 4)))[:-40],
        "eight-thousand-cpus.sysfs": lambda: b"".join(_sysfs(8192, 9)),
        "many-states.sysfs.gz": lambda: gzip.compress(b"".join(_sysfs(2048, 32)), 1),
    }
)


# Directories and files that are none


def _directory(fill: Callable[[Path], None]) -> Content:
    def made(into: Path) -> Path:
        top = into / "device-tree"
        (top / "ibm,opal" / "power-mgt").mkdir(parents=True)
        (top / "compatible").write_bytes(b"ibm,powernv\0")
        fill(top)
        return top

    return made


def _deep(top: Path) -> None:
    here = os.open(top, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("n", dir_fd=here)
        below = os.open("n", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


_family(
    {
        "links-out": lambda: _directory(
            lambda top: (top / "ibm,opal/power-mgt" / dt.NAMES).symlink_to("/etc/passwd")
        ),
        "link-to-itself": lambda: _directory(lambda top: (top / "cpus").symlink_to(".")),
        "pipe-inside": lambda: _directory(lambda top: os.mkfifo(top / "model")),
        "deep-directory": lambda: _directory(_deep),
        "terabyte-inside": lambda: _directory(lambda top: _sparse(top / "model", 1 << 40)),
        "newline-in-name": lambda: _directory(lambda top: (top / "a\nb").write_bytes(b"")),
        "non-utf8-name": lambda: _directory(
            lambda top: Path(os.fsdecode(bytes(top) + b"/\xff\xfe")).write_bytes(b"")
        ),
        "empty-directory": lambda: lambda into: _made(into / "device-tree"),
        "pipe": lambda: lambda into: _pipe(into / "pipe.dtb"),
        "device": lambda: lambda into: Path("/dev/zero"),
        "link-to-device": lambda: lambda into: _link(into / "a.dtb", "/dev/zero"),
        "link-to-nothing": lambda: lambda into: _link(into / "a.dtb", "nothing"),
        "link-circle": lambda: lambda into: _link(into / "a.dtb", "a.dtb"),
        "absent": lambda: lambda into: into / "absent.dtb",
        "long-name": lambda: lambda into: into / ("a" * 5000),
        "terabyte.dtb": lambda: lambda into: _terabyte(into / "a.dtb"),
        "zeros": lambda: bytes(1 << 20),
        "ones": lambda: b"\xff" * (1 << 20),
        "noise": lambda: random.Random(4).randbytes(1 << 20),
        "newlines": lambda: b"\n" * (1 << 20),
        "lines-without-text": lambda: b"a text of words\n" + b"\n" * (200 << 10),
        "sixty-mebibytes-of-words": lambda: b"cpu_idle_states " + b"x " * (30 << 20),
        "spaces": lambda: b" " * (60 << 20),
        "slashes": lambda: b"/" * (8 << 20),
        "comments": lambda: b"/*" * (4 << 20),
        "closed-comments": lambda: b"/**/ " * (4 << 20),
        "hashes": lambda: b"#\n" * (4 << 20),
    }
)


def _made(path: Path) -> Path:
    path.mkdir()
    return path


def _pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def _link(path: Path, target: str) -> Path:
    path.symlink_to(target)
    return path


def _terabyte(path: Path) -> Path:
    _sparse(path, 1 << 40)
    return path
