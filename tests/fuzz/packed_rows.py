"""Rows of what is no text: archives, flattened trees, AML, traces, images."""

import gzip
import lzma
import struct
import tarfile
import zlib
from collections.abc import Callable

from tests.fuzz.rows import Row, run
from tests.support import perf_data, trace_dat
from tests.support.hostile import words


def _block(name: bytes = b"a", size: int = 0, kind: bytes = b"0") -> bytes:
    info = tarfile.TarInfo()
    info.size, info.type = size, kind
    head = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    head[: len(name)] = name
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


def _padded(data: bytes, to: int = 512) -> bytes:
    return data + bytes(-len(data) % to)


def _member(data: bytes, kind: bytes = b"0", name: bytes = b"a") -> bytes:
    return _block(name, len(data), kind) + _padded(data)


TAR: dict[str, Row] = {
    "files": lambda count, inner: b"".join(_block(b"f%d" % at) for at in range(count)) + inner,
    "deep": lambda count, inner: (
        b"".join(_block(b"a/" * at + b"a") for at in range(min(count, 49))) + inner
    ),
    "long-names": lambda count, inner: _member(b"a\0", b"L") * count + inner,
    "longer": lambda count, inner: _member(b"a/" * count + b"\0", b"L") + _block() + inner,
    "pax": lambda count, inner: _member(b"9 path=a\n", b"x") * count + inner,
    "keys": lambda count, inner: (
        _member(b"".join(b"%d k%05d=a\n" % (12, at) for at in range(count)), b"x")
        + _block()
        + inner
    ),
    "global": lambda count, inner: _member(b"9 path=a\n", b"g") * count + inner,
    "digits": lambda count, inner: _member(b"1" * count, b"x") + _block() + inner,
    "properties": lambda count, inner: (
        b"".join(_member(bytes(4), name=b"t/n%d/phandle" % at) for at in range(count)) + inner
    ),
    "cpus": lambda count, inner: (
        b"".join(_member(b"cpu\0", name=b"t/cpus/cpu@%d/device_type" % at) for at in range(count))
        + inner
    ),
    "within": lambda count, inner: inner if not count else _member(inner, name=b"cpuidle.txt"),
    "gzip": lambda count, inner: (
        gzip.compress(inner, 9)
        if count == 1
        else inner
        if not count
        else gzip.compress(gzip.compress(inner, 9))
    ),
    "zeros": lambda count, inner: _member(bytes(min(count, 4000) << 16), name=b"t/zeros") + inner,
    "sparse": lambda count, inner: _block(kind=b"S") * count + inner,
}


def _names(count: int) -> list[bytes]:
    return [_padded(b"\0\0\0\1n%d\0" % at, 4) for at in range(count)]


def blob(inner: bytes) -> bytes:
    """A flattened tree of this structure within its root."""
    strings = b"phandle\0compatible\0cpu-idle-states\0device_type\0power-domains\0"
    body = bytes(16) + words(1, 0) + inner + words(2, 9)
    size = 40 + len(body) + len(strings)
    head = words(0xD00DFEED, size, 56, 40 + len(body), 40, 17, 16, 0, len(strings), len(body) - 16)
    return head + body + strings


def _property(name: int, data: bytes) -> bytes:
    return words(3, len(data), name) + _padded(data, 4)


FDT: dict[str, Row] = {
    "nodes": lambda count, inner: b"".join(name + words(2) for name in _names(count)) + inner,
    "nested": lambda count, inner: b"".join(_names(count)) + inner + words(2) * count,
    "named": lambda count, inner: b"\0\0\0\1" + _padded(b"n" * count + b"\0", 4) + words(2) + inner,
    "nops": lambda count, inner: words(4) * count + inner,
    "same": lambda count, inner: _property(0, b"") * count + inner,
    "compatible": lambda count, inner: _property(8, b"a\0" * count) + inner,
    "phandles": lambda count, inner: (
        b"".join(name + _property(0, words(at)) + words(2) for at, name in enumerate(_names(count)))
        + inner
    ),
    "cpus": lambda count, inner: (
        b"\0\0\0\1cpus\0\0\0\0"
        + b"".join(
            _padded(b"\0\0\0\1cpu@%d\0" % at, 4) + _property(35, b"cpu\0") + inner + words(2)
            for at in range(count)
        )
        + words(2)
    ),
    "references": lambda count, inner: _property(19, words(*range(count))) + inner,
    "domains": lambda count, inner: (
        b"".join(
            name + _property(0, words(at)) + _property(47, words(at + 1)) + words(2)
            for at, name in enumerate(_names(count))
        )
        + inner
    ),
    "same-reference": lambda count, inner: _property(19, words(1) * count) + inner,
}


def _package(data: bytes) -> bytes:
    """AML's length, which counts itself, and the data."""
    for more in range(4):
        size = len(data) + 1 + more
        if size < (64 if not more else 1 << 4 + 8 * more):
            break
    if not more:
        return bytes([size]) + data
    return bytes([more << 6 | size & 15]) + (size >> 4).to_bytes(more, "little") + data


def _wrapped(head: bytes, name: Callable[[int], bytes] = lambda at: b"") -> Row:
    def row(count: int, inner: bytes) -> bytes:
        for at in range(count):
            inner = head + _package(name(at) + inner)
        return inner

    return row


def _seg(at: int) -> bytes:
    return b"A%03X" % (at % 4096)


AML: dict[str, Row] = {
    "scopes": _wrapped(b"\x10", _seg),
    "devices": _wrapped(b"\x5b\x82", _seg),
    "methods": _wrapped(b"\x14", lambda at: _seg(at) + b"\0"),
    "packages": lambda count, inner: (
        b"\x08PKGS" + _wrapped(b"\x12", lambda _: b"\1")(count, b"\x12\2\0") + inner
    ),
    "ifs": _wrapped(b"\xa0", lambda _: b"\1"),
    "whiles": _wrapped(b"\xa2", lambda _: b"\1"),
    "processors": lambda count, inner: b"".join(
        b"\x5b\x83" + _package(_seg(at) + bytes([at % 256]) + bytes(5) + inner)
        for at in range(count)
    ),
    "cst": lambda count, inner: (
        b"\x08_CST" + b"\x12" + _package(bytes([min(count, 255)]) + b"\x0a\1" * count) + inner
    ),
    "cst-method": lambda _, inner: b"\x14" + _package(b"_CST\0" + inner),
    "calls": lambda count, inner: (
        b"".join(b"\x14" + _package(_seg(at) + b"\0\xa4" + _seg(at + 1)) for at in range(count))
        + inner
    ),
    "doubling": lambda count, inner: (
        b"".join(b"\x14" + _package(_seg(at) + b"\0" + _seg(at + 1) * 2) for at in range(count))
        + inner
    ),
    "call": run(b"A000"),
    "loop": lambda count, inner: b"\xa2" + _package(b"\1" + b"\x75\x60" * count) + inner,
    "strings": lambda count, inner: (
        b"".join(b"\x08" + _seg(at) + b"\x0daaaa\0" for at in range(count)) + inner
    ),
    "concatenated": run(b"\x73\x60\x60\x60", b"\x70\x0daaaa\0\x60"),
    "buffers": lambda count, inner: (
        b"".join(
            b"\x08" + _seg(at) + b"\x11" + _package(b"\x0c\xff\xff\0\0") for at in range(count)
        )
        + inner
    ),
    "path": lambda count, inner: (
        b"\x08" + b"\x2f" + bytes([min(count, 255)]) + b"A000" * min(count, 255) + b"\1" + inner
    ),
    "carets": run(b"^", b"\x08", b"A000\1"),
    "fields": lambda count, inner: (
        b"\x5b\x80REGN\0\0\x0a\xff\x5b\x81"
        + _package(b"REGN\0" + b"".join(_seg(at) + b"\1" for at in range(count)))
        + inner
    ),
    "aliases": lambda count, inner: (
        b"".join(b"\x06" + _seg(at) + _seg(at + 1) for at in range(count)) + inner
    ),
}


def _pages(count: int) -> bytes:
    ops = [("idle", 1, at & 1) for at in range(400)]
    return trace_dat.page(trace_dat.Page(1, ops), 0) * count


DAT: dict[str, Row] = {
    "pages": lambda count, inner: trace_dat.version_7([_pages(count)]),
    "plain": lambda count, inner: trace_dat.version_6([_pages(count)]),
    "cpus": lambda count, inner: trace_dat.version_7([_pages(1)] * count),
    "zeros": lambda count, inner: trace_dat.version_7([bytes(4096 * count)]),
    "extends": lambda count, inner: trace_dat.version_7(
        [trace_dat.page(trace_dat.Page(1, [("extend", 1, 0)] * 450), 0) * count]
    ),
}
WRITER = perf_data.Writer()
PERF: dict[str, Row] = {
    "events": lambda count, inner: (
        b"".join(WRITER.record(("idle", at, at % 3, at & 1)) for at in range(count)) + inner
    ),
    "back": lambda count, inner: (
        b"".join(WRITER.record(("idle", count - at, 0, at & 1)) for at in range(count)) + inner
    ),
    "rounds": lambda count, inner: WRITER.record(("round", 0, 0, 0)) * count + inner,
    "lost": lambda count, inner: WRITER.record(("lost", 1, 0, 1 << 40)) * count + inner,
    "names": lambda count, inner: WRITER.record(("comm", 1, 0, 0)) * count + inner,
    "packed": lambda count, inner: b"".join(
        struct.pack("<I2H", 81, 0, 8 + len(part)) + part for part in [zlib.compress(inner)] * count
    ),
}

_ROWS = b"\0ibm,cpu-idle-state-"
LID: dict[str, Row] = {
    "rows": lambda count, inner: (
        b"".join(
            struct.pack(">16sIIQQI4x", b"stop%d" % at, at, at, 0x300330, 0x3003FF, 0x100000)
            for at in range(count)
        )
        + inner
    ),
    "properties": lambda count, inner: _ROWS * count + inner,
    "names": lambda count, inner: b"stop0".ljust(16, b"\0") * count + inner,
    "zeros": lambda count, inner: bytes(count) + inner,
    "packed-zeros": lambda count, inner: bytes(min(count, 4000) << 16) + inner,
    "versions": run(b"skiboot-v6.0"),
    "containers": lambda count, inner: (bytes.fromhex("17082011") + bytes(4092)) * count + inner,
    "xz": lambda count, inner: lzma.compress(inner) if count else inner,
    "elves": run(b"\x7fELF\2\2\1"),
}
