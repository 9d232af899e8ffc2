"""trace.dat files made by hand, of versions 6 and 7, in either byte order."""

import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

PAGE_BYTES = 4096
IDLE, MISS, OTHER = 168, 169, 170
"""Numbers of cpu_idle, cpu_idle_miss and an event that has nothing to do with them."""
_COMMON = (
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
)
_FIELDS = {
    "cpu_idle": (
        IDLE,
        "\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n"
        "\tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n\n"
        'print fmt: "state=%lu cpu_id=%lu", (unsigned long)REC->state, '
        "(unsigned long)REC->cpu_id\n",
    ),
    "cpu_idle_miss": (
        MISS,
        "\tfield:u32 cpu_id;\toffset:8;\tsize:4;\tsigned:0;\n"
        "\tfield:u32 state;\toffset:12;\tsize:4;\tsigned:0;\n"
        "\tfield:bool below;\toffset:16;\tsize:1;\tsigned:0;\n\n"
        'print fmt: "cpu_id=%lu state=%lu type=%s", (unsigned long)REC->cpu_id, '
        '(unsigned long)REC->state, (REC->below)?"below":"above"\n',
    ),
    "other": (
        OTHER,
        "\tfield:u32 number;\toffset:8;\tsize:4;\tsigned:0;\n\n"
        'print fmt: "number=%u", REC->number\n',
    ),
}


class Page(NamedTuple):
    """A page of a CPU. ops: (what, ns since the one before, value) each, where what is "idle"
    (value: state), "miss" (state * 2, 1 more for below), "other", "long" (an event with its length
    beside it: so many bytes more than it has fields), "extend" (units of 2^27 ns), "stamp" or "pad"
    (bytes). lost: events lost before it, 0 if it does not say how many; None: none were."""

    start_ns: int
    ops: Sequence[tuple[str, int, int]]
    lost: int | None = None


def page(of: Page, cpu: int, order: str = "<", long: int = 8) -> bytes:
    """A page as the kernel lays it out; ops beyond its end are left out."""
    room = PAGE_BYTES - 8 - long - 8
    data = bytearray()
    now = of.start_ns
    for what, delta, value in of.ops:
        made = _op(what, delta, value, cpu, order, now)
        if len(data) + len(made) > room:
            break
        data += made
        now += (value << 27) + delta if what == "extend" else delta
    size = len(data)
    if of.lost is not None:
        size |= 1 << 31
        if of.lost:
            size |= 1 << 30
            data += struct.pack(f"{order}{'Q' if long == 8 else 'I'}", of.lost)
    head = struct.pack(f"{order}Q{'Q' if long == 8 else 'I'}", of.start_ns, size)
    return (head + data).ljust(PAGE_BYTES, b"\0")


def _op(what: str, delta: int, value: int, cpu: int, order: str, now: int) -> bytes:
    def head(kind: int, delta: int = delta) -> bytes:
        word = kind << 27 | delta if order == ">" else delta << 5 | kind
        return struct.pack(f"{order}I", word)

    if what == "extend":
        return head(30) + struct.pack(f"{order}I", value)
    if what == "stamp":
        full = now + delta
        return head(31, full & (1 << 27) - 1) + struct.pack(f"{order}I", full >> 27)
    if what == "pad":
        return head(29, max(delta, 1)) + struct.pack(f"{order}I", 4 + value) + bytes(value)
    body = event_bytes(what, value, cpu, order)
    if what == "long":
        body += bytes(value)
        return head(0) + struct.pack(f"{order}I", len(body) + 4) + body + bytes(-len(body) % 4)
    return head(len(body) // 4) + body


def event_bytes(what: str, value: int, cpu: int, order: str = "<") -> bytes:
    """An event as a tracepoint writes it: "idle", "miss" (see Page) or any other."""
    if what == "idle":
        return struct.pack(f"{order}HBBiII", IDLE, 0, 0, 0, value, cpu)
    if what == "miss":
        return struct.pack(f"{order}HBBiIIB3x", MISS, 0, 0, 0, cpu, value >> 1, value & 1)
    return struct.pack(f"{order}HBBiI", OTHER, 0, 0, 0, value)


def version_6(
    cpus: Sequence[bytes], order: str = "<", long: int = 8, options: bytes = b""
) -> bytes:
    """A file of version 6. cpus: the pages of each."""
    number = f"{order}I"
    head = b"".join(
        (
            b"\x17\x08\x44tracing6\0",
            bytes([order == ">", long]),
            struct.pack(number, PAGE_BYTES),
            header_info(order, long),
            struct.pack(number, 0),
            formats(order),
            struct.pack(f"{order}IIQ", 0, 0, 0),
            struct.pack(number, len(cpus)),
            b"options  \0" + options + bytes(2),
            b"flyrecord\0",
        )
    )
    places, data = [], bytearray()
    begin = -(-(len(head) + 16 * len(cpus)) // PAGE_BYTES) * PAGE_BYTES
    for pages in cpus:
        places.append(struct.pack(f"{order}QQ", begin + len(data), len(pages)))
        data += pages
    return (head + b"".join(places)).ljust(begin, b"\0") + bytes(data)


def version_7(
    cpus: Sequence[bytes], order: str = "<", long: int = 8, *, packed: bool = True
) -> bytes:
    """A file of version 7, with zlib's compression or none. cpus: the pages of each."""
    start = b"\x17\x08\x44tracing7\0" + bytes([order == ">", long])
    start += struct.pack(f"{order}I", PAGE_BYTES)
    start += b"zlib\x001.2.13\0" if packed else b"none\0\0"
    made = bytearray(start + bytes(8))

    def section(kind: int, data: bytes) -> int:
        at = len(made)
        if packed:
            small = zlib.compress(data)
            data = struct.pack(f"{order}II", len(small), len(data)) + small
        made.extend(struct.pack(f"{order}HHIQ", kind, packed, 0, len(data)) + data)
        return at

    options = b"".join(
        struct.pack(f"{order}HIQ", kind, 8, section(kind, data))
        for kind, data in ((16, header_info(order, long)), (18, formats(order)))
    )
    buffer_at = len(made)
    made.extend(struct.pack(f"{order}HHIQ", 3, packed, 0, 0))
    entries = []
    for cpu, pages in enumerate(cpus):
        at = len(made)
        if packed and pages:
            chunks = [pages[from_ : from_ + 2 * PAGE_BYTES]
                      for from_ in range(0, len(pages), 2 * PAGE_BYTES)]  # fmt: skip
            made.extend(struct.pack(f"{order}I", len(chunks)))
            for chunk in chunks:
                small = zlib.compress(chunk)
                made.extend(struct.pack(f"{order}II", len(small), len(chunk)) + small)
        else:
            made.extend(pages)
        size = len(made) - at - (4 if packed and pages else 0)
        entries.append(struct.pack(f"{order}IQQ", cpu, at, size))
    buffer = struct.pack(f"{order}Q", buffer_at) + b"\0local\0"
    buffer += struct.pack(f"{order}II", PAGE_BYTES, len(cpus)) + b"".join(entries)
    options += struct.pack(f"{order}HI", 3, len(buffer)) + buffer
    options += struct.pack(f"{order}HIQ", 0, 8, 0)
    at = section(0, options)
    struct.pack_into(f"{order}Q", made, len(start), at)
    return bytes(made)


def header_info(order: str, long: int) -> bytes:
    page = (
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
        f"\tfield: local_t commit;\toffset:8;\tsize:{long};\tsigned:1;\n"
        f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
        f"\tfield: char data;\toffset:{8 + long};\tsize:{PAGE_BYTES - 8 - long};\tsigned:1;\n"
    ).encode("ascii")
    event = b"# compressed entry header\n\ttype_len    :    5 bits\n"
    return b"".join(
        name + b"\0" + struct.pack(f"{order}Q", len(text)) + text
        for name, text in ((b"header_page", page), (b"header_event", event))
    )


def formats(order: str) -> bytes:
    found = struct.pack(f"{order}I", 1) + b"power\0" + struct.pack(f"{order}I", len(_FIELDS))
    for name, (number, fields) in _FIELDS.items():
        text = f"name: {name}\nID: {number}\nformat:\n{_COMMON}{fields}".encode("ascii")
        found += struct.pack(f"{order}Q", len(text)) + text
    return found
