"""Traces of any length, written as they are made: python -m tests.support.long_traces FORM BYTES

FORM is text or dat. Two CPUs of text, one of a trace.dat, are idle 5 us and awake 5 us, in states 1
and 2 in turn.
"""

import struct
import sys
from collections.abc import Iterator

from tests.support import trace_dat

PERIOD_NS = 10_000
_LINE = "          <idle>-0     [%03d] d..1. %6d.%06d: cpu_idle: state=%d cpu_id=%d\n"
_OPS = [("idle", PERIOD_NS // 2, state) for state in (1, 0xFFFFFFFF, 2, 0xFFFFFFFF)] * 50


def text(size: int) -> Iterator[bytes]:
    at = 0
    while size > 0:
        lines = []
        for period in range(at, at + 1000):
            for part, state in enumerate((1 + period % 2, 0xFFFFFFFF)):
                us = (period * PERIOD_NS + part * PERIOD_NS // 2) // 1000
                lines += [_LINE % (cpu, *divmod(us, 1_000_000), state, cpu) for cpu in range(2)]
        at += 1000
        block = "".join(lines).encode()
        size -= len(block)
        yield block


def dat(size: int) -> Iterator[bytes]:
    page = trace_dat.page(trace_dat.Page(0, _OPS), 0)
    per_page = (struct.unpack_from("<Q", page, 8)[0] // 20) // 4 * 4
    page = trace_dat.page(trace_dat.Page(0, _OPS[:per_page]), 0)
    count = size // len(page)
    head = trace_dat.version_6([b""])
    empty = struct.pack("<QQ", len(head), 0)
    assert empty in head
    yield head.replace(empty, struct.pack("<QQ", len(head), count * len(page)))
    for number in range(count):
        yield struct.pack("<Q", number * per_page * PERIOD_NS // 2) + page[8:]


if __name__ == "__main__":
    for block in {"text": text, "dat": dat}[sys.argv[1]](int(sys.argv[2])):
        sys.stdout.buffer.write(block)
