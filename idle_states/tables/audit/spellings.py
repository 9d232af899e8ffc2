"""The ways in which a serial number or a MAC address is written, as patterns to look for."""

import base64
import re
from collections.abc import Iterable, Iterator

_GAP = r"[\0\s.:_-]{0,3}"
"""Pattern of what may be between two characters: a separator or nothing, also in UTF-16."""
_SHORTEST = 4
_SHORTEST_CODED = 5
"""Least number of base64 characters, independent of neighbouring bytes, to search for."""
_PAIR, _FOUR = "[0-9A-Fa-f]{2}", "[0-9A-Fa-f]{4}"
ANY_MAC = re.compile(
    r"(?<![0-9A-Za-z])(?<![0-9A-Fa-f][:. -])(?:"
    + "|".join(
        f"{_PAIR}(?:{gap}{_PAIR}){{{more}}}" for gap in ("[:-]", " ", r"\.") for more in (7, 5)
    )
    + "|"
    + "|".join(rf"{_FOUR}(?:[.:]{_FOUR}){{{more}}}" for more in (3, 2))
    + r")(?![0-9A-Za-z])(?![:. -][0-9A-Fa-f]{2}(?![0-9A-Za-z]))"
)
"""Pattern of MACs and EUI-64s that no tree names: groups of two or four digits with separators,
not part of a longer sequence."""


def any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    """One expression that matches any of the patterns; None if there are no patterns."""
    found = "|".join(dict.fromkeys(patterns))
    return re.compile(found) if found else None


def serial(text: str) -> Iterator[str]:
    """Patterns of a serial number: with and without separators, in UTF-16, as hex, as base64."""
    bare = re.sub(_GAP.removesuffix("{0,3}"), "", text)
    if len(bare) >= _SHORTEST:
        yield f"(?i:{_GAP.join(map(re.escape, bare))})"
    for coding in ("utf-8", "utf-16-le", "utf-16-be"):
        data = text.encode(coding, "replace")
        yield _hex(data)
        yield from _base64(data)


def mac(address: bytes) -> Iterator[str]:
    """Patterns of a MAC that a tree has named, and of the EUI-64s made of it."""
    for data in (address, *_eui64(address)):
        yield _hex(data)
        yield from _base64(data)
        for gap in (":", "-", ""):
            yield from _base64(data.hex(gap).encode() if gap else data.hex().encode())


def raw_mac(address: bytes) -> Iterator[str]:
    """Patterns of a MAC's bytes as they are, decoded as Latin-1."""
    for data in (address, *_eui64(address)):
        yield re.escape(data.decode("latin-1"))


def _eui64(address: bytes) -> tuple[bytes, bytes]:
    """The EUI-64 of a MAC, and the IPv6 interface identifier: the same with the universal/local bit
    inverted."""
    whole = address[:3] + b"\xff\xfe" + address[3:]
    return whole, bytes([whole[0] ^ 2]) + whole[1:]


def _hex(data: bytes) -> str:
    return f"(?i:{_GAP.join(data.hex())})"


def _base64(data: bytes) -> Iterator[str]:
    """Patterns for the data within a base64 text, one for each alignment to 3 bytes: the characters
    that do not depend on neighbouring bytes, and the rest of the base64 word around them."""
    for before in range(3):
        coded = base64.b64encode(bytes(before) + data).decode("ascii")
        core = coded[-(-8 * before // 6) : 8 * (before + len(data)) // 6]
        if len(core) >= _SHORTEST_CODED:
            for word in {core, core.translate(str.maketrans("+/", "-_"))}:
                yield rf"[A-Za-z0-9+/_-]*{re.escape(word)}[A-Za-z0-9+/_-]*={{0,2}}"
