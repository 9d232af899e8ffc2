"""Rows of struct cpu_idle_states as a compiler for skiboot's target stores them.

Big-endian and aligned to 8 bytes. The struct was laid out in three ways:

    up to 4.1     name[16], latency, flags, value, mask                        40 bytes
    4.1.1 - 5.2   name[16], latency, residency, flags, (4), value, mask        48 bytes
    5.3 and on    name[16], latency, residency, value, mask, flags, (4)        48 bytes

Source: skiboot hw/slw.c at every release, later include/slw.h; 0d7b1161a, 952daa69b.
"""

import re
import struct
from collections.abc import Iterator
from functools import cache, cached_property

from ....base.dataclass import dataclass
from ....base.model.table import KNOWN_FLAGS, NAME_BYTES, Flag, IdleState
from ....base.patterns import pattern

ALIGNMENT = 8
CLASSES = (
    Flag.NAP_ENABLED
    | Flag.SLEEP_ENABLED
    | Flag.WINKLE_ENABLED
    | Flag.SLEEP_ENABLED_ER1
    | Flag.STOP_INST_FAST
    | Flag.STOP_INST_DEEP
)
_LIKELY_FLAGS = KNOWN_FLAGS | 0x700
"""With the places that the context-loss bits had in 2014."""
_NAME = pattern(rb"[A-Za-z][!-~]{0,15}\0*")


@dataclass(frozen=True)
class RecordLayout:
    """One way the struct was laid out.

    era      skiboot releases that have it
    codes    struct codes of the fields, in order
    fields   their names; "" is padding
    """

    era: str
    codes: str
    fields: tuple[str, ...]

    @cached_property
    def struct(self) -> struct.Struct:
        return struct.Struct(">" + self.codes)

    @property
    def size(self) -> int:
        return self.struct.size

    @property
    def has_residency(self) -> bool:
        return "residency" in self.fields

    def offset(self, field: str) -> int:
        """Bytes from the row's start to a field."""
        before = self.codes[: _code_at(self.codes, self.fields.index(field))]
        return struct.calcsize(">" + before)

    def decode(self, row: bytes) -> IdleState:
        values = dict(zip(self.fields, self.struct.unpack(row), strict=True))
        name = values["name"].partition(b"\0")[0].decode("utf-8", "surrogateescape")
        return IdleState(
            name=name,
            latency_ns=values["latency"],
            residency_ns=values.get("residency"),
            flags=values["flags"],
            control=values["control"],
            mask=values["mask"],
        )

    def encode(self, state: IdleState) -> bytes:
        """The row; padding is 0. Values must fit, and there must be a residency if the layout
        has one."""
        values: dict[str, object] = {
            "name": state.name.encode("utf-8", "surrogateescape"),
            "latency": state.latency_ns,
            "residency": state.residency_ns,
            "flags": state.flags,
            "control": state.control,
            "mask": state.mask,
            "": 0,
        }
        return self.struct.pack(*(values[field] for field in self.fields))

    def fits(self, data: bytes, start: int) -> bool:
        """Tells whether a row whose flags are beyond doubt starts here."""
        return (
            start % ALIGNMENT == 0
            and 0 <= start <= len(data) - self.size
            and is_name(data[start : start + NAME_BYTES])
            and self.padding_is_zero(data, start)
        )

    def padding_is_zero(self, data: bytes, start: int) -> bool:
        if "" not in self.fields:
            return True
        at = start + self.offset("")
        return not any(data[at : at + 4])


def is_name(field: bytes) -> bool:
    """Tells whether 16 bytes can be a state's name: printable, no blank, the rest NUL."""
    return _NAME.fullmatch(field) is not None


LAYOUTS = (
    RecordLayout(
        "5.3 and on",
        "16sIIQQII",
        ("name", "latency", "residency", "control", "mask", "flags", ""),
    ),
    RecordLayout(
        "4.1.1 to 5.2",
        "16sIIIIQQ",
        ("name", "latency", "residency", "flags", "", "control", "mask"),
    ),
    RecordLayout("up to 4.1", "16sIIQQ", ("name", "latency", "flags", "control", "mask")),
)
"""Newest first."""


def _split_codes(codes: str) -> list[str]:
    return re.findall(r"[0-9]*[A-Za-z]", codes)


def _code_at(codes: str, index: int) -> int:
    return len("".join(_split_codes(codes)[:index]))


def sure_rows(data: bytes, *, little_endian: bool = False) -> Iterator[tuple[RecordLayout, int]]:
    """Rows beyond doubt, with their offsets: a name, a flag word of likely bits with a class, and
    padding of 0. little_endian: in the wrong byte order, to say so."""
    for match in _pattern(little_endian).finditer(data):
        for layout in LAYOUTS:
            start = match.start() - layout.offset("flags")
            if layout.fits(data, start):
                yield layout, start


@cache
def _pattern(little_endian: bool) -> re.Pattern[bytes]:
    """The flag word, which few places have, and a name before it: time is linear."""
    before = sorted({layout.offset("flags") + 4 - NAME_BYTES for layout in LAYOUTS})
    names = b"|".join(
        rb"(?<=[A-Za-z][!-~\0]{%d}.{%d})" % (NAME_BYTES - 1, distance) for distance in before
    )
    return re.compile(rb"%s(?:%s)" % (_flag_pattern(little_endian), names), re.DOTALL)


def _flag_pattern(little_endian: bool) -> bytes:
    """Four bytes with likely flags only, and at least one class."""
    parts = []
    for shift in (24, 16, 8, 0):
        likely, classes = _LIKELY_FLAGS >> shift & 0xFF, int(CLASSES) >> shift & 0xFF
        allowed = [
            byte for byte in range(256) if not byte & ~likely and (byte & classes or not classes)
        ]
        parts.append(b"[" + b"".join(rb"\x%02x" % byte for byte in allowed) + b"]")
    return b"".join(reversed(parts) if little_endian else parts)
