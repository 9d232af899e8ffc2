"""perf.data files made by hand, in either byte order, whose events are those of trace_dat.py."""

import struct
from collections.abc import Sequence

from tests.support.trace_dat import IDLE, MISS, OTHER, event_bytes, formats, header_info

CPUS = 3
EVENTS = {"idle": IDLE, "miss": MISS, "other": OTHER}
IDENTIFIER, TIME, CHAIN, CPU, RAW = 1 << 16, 1 << 2, 1 << 5, 1 << 7, 1 << 10
_HAS = IDENTIFIER | 0b11 | TIME | CPU | 1 << 8 | RAW
_ATTR_BYTES, _HEAD_BYTES = 112, 104
LOST, SAMPLE, ROUND, AUXTRACE, PACKED = 2, 9, 68, 71, 81

Op = tuple[str, int, int, int]
"""The kind of event, time in ns, CPU, value: "idle", "miss" or "other", an event with a value as
Page has them; "lost": so many events; "round": a FINISHED_ROUND; "comm": a record of the kernel's;
"aux": so many bytes beside the records."""


class Writer:
    """order: "<" or ">". chain: callers of each sample, None: it has no chain. one: only cpu_idle
    is recorded, and samples have no number of their event."""

    def __init__(self, order: str = "<", chain: int | None = None, *, one: bool = False) -> None:
        self.order = order
        self.chain = chain
        self.one = one
        self.has = (_HAS | (CHAIN if chain is not None else 0)) & ~(IDENTIFIER if one else 0)

    def record(self, op: Op) -> bytes:
        what, ns, cpu, value = op
        if what == "round":
            return self._framed(ROUND, b"")
        if what == "aux":
            return self._framed(AUXTRACE, self._pack("5Q", value, 0, 0, 0, 0)) + bytes(value)
        if what in ("lost", "comm"):
            body = (
                self._pack("QQ", 0, value) if what == "lost" else self._pack("II8s", 7, 7, b"name")
            )
            trailer = self._pack("IIQII", 7, 7, ns, cpu, 0)
            number = b"" if self.one else self._pack("Q", self._id("idle", cpu))
            return self._framed(LOST if what == "lost" else 3, body + trailer + number)
        raw = event_bytes(what, value, cpu, self.order)
        raw += bytes(-(len(raw) + 4) % 8)
        number = b"" if self.one else self._pack("Q", self._id(what, cpu))
        body = number + self._pack("QIIQIIQ", 0, 7, 7, ns, cpu, 0, 1)
        if self.chain is not None:
            body += self._pack(f"Q{self.chain}Q", self.chain, *[0x1000] * self.chain)
        return self._framed(SAMPLE, body + self._pack("I", len(raw)) + raw)

    def file(self, ops: Sequence[Op]) -> bytes:
        """A file of records, one after another as they are given."""
        return self.around(b"".join(map(self.record, ops)))

    def around(self, records: bytes) -> bytes:
        """A file of records that were made before."""
        events = ["idle"] if self.one else list(EVENTS)
        attrs_at = _HEAD_BYTES + 8 * CPUS * len(events)
        start = attrs_at + (_ATTR_BYTES + 16) * len(events)
        head = b"PERFILE2" if self.order == "<" else b"2ELIFREP"
        head += self._pack("2Q", _HEAD_BYTES, _ATTR_BYTES + 16)
        head += self._pack("2Q", attrs_at, start - attrs_at)
        head += self._pack("2Q", start, len(records))
        head += self._pack("6Q", 0, 0, 1 << 1 | 1 << 3, 0, 0, 0)
        numbers = [self._id(what, cpu) for what in events for cpu in range(CPUS)]
        attrs = b"".join(
            self._attr(EVENTS[what], _HEAD_BYTES + 8 * CPUS * at) for at, what in enumerate(events)
        )
        numbered = self._pack(f"{len(numbers)}Q", *numbers)
        at = start + len(records) + 32
        # perf takes the other byte order of a file only with the name of its host
        data, host = self._tracing_data(), self._pack("I8s", 8, b"host")
        sections = self._pack("4Q", at, len(data), at + len(data), len(host))
        return head + numbered + attrs + records + sections + data + host

    def _attr(self, number: int, ids_at: int) -> bytes:
        # inherit, sample_id_all; bit fields begin at the other end of a big-endian number
        flags = sum(1 << (bit if self.order == "<" else 63 - bit) for bit in (1, 18))
        attr = self._pack("II", 2, _ATTR_BYTES) + self._pack("5Q", number, 1, self.has, 4, flags)
        return attr.ljust(_ATTR_BYTES, b"\0") + self._pack("2Q", ids_at, 8 * CPUS)

    def _tracing_data(self) -> bytes:
        order = self.order
        return b"".join(
            (
                b"\x17\x08\x44tracing0.6\0",
                bytes([order == ">", 8]),
                self._pack("I", 4096),
                header_info(order, 8),
                self._pack("I", 0),
                formats(order),
                self._pack("IIQ", 0, 0, 0),
            )
        )

    def _id(self, what: str, cpu: int) -> int:
        return 100 * (1 + list(EVENTS).index(what)) + min(cpu, CPUS - 1)

    def _framed(self, kind: int, body: bytes) -> bytes:
        return self._pack("I2H", kind, 0, 8 + len(body)) + body

    def _pack(self, form: str, *values: object) -> bytes:
        return struct.pack(self.order + form, *values)
