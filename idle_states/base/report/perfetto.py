"""A trace in Perfetto's public protobuf schema (perfetto.protos.Trace), written packet by packet.

Fields are given by their numbers in that schema; a message is its fields one after the other.
"""

from collections.abc import Callable

from .escapes.text import printable

TIME_MAX = (1 << 63) - 1
"""The latest time in ns that readers of the format hold."""
BEGIN, END, INSTANT = 1, 2, 3
"""TrackEvent.Type."""
_CLEARED, _CONTINUED = 1, 2
"""TracePacket.sequence_flags: incremental state begins here, or is needed."""
_EXPLICIT = 3
"""TrackDescriptor.child_ordering: by sibling_order_rank."""
_BOOTTIME = 6
"""The clock that readers take times for without a snapshot of clocks."""
_SEQUENCE = 1
_KEPT = 4096
"""Events that are kept with interned names; further ones have theirs in full, so that memory does
not grow with the trace."""


class PerfettoTrace:
    """Writes one sequence of packets. write: takes the bytes of each."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._iids: dict[tuple[int, str], int] = {}
        self._events: dict[tuple[int, int, str, str], bytes] = {}
        self._tracks = 0
        self._packet(_field(13, _CLEARED) + _field(59, _field(58, _BOOTTIME)))

    def track(self, name: str, parent: int = 0, rank: int = 0) -> int:
        """Returns the number of a new track. parent: the track that it stands below, 0 for none;
        rank: its place there."""
        self._tracks += 1
        below = _field(5, parent) if parent else b""
        order = _field(11, _EXPLICIT) + _field(12, rank)
        self._packet(_field(60, _field(1, self._tracks) + _field(2, name) + below + order))
        return self._tracks

    def event(self, kind: int, track: int, at_ns: int, name: str = "", category: str = "") -> None:
        """Writes an event of a track; an END has no name of its own."""
        key, news = (kind, track, name, category), b""
        event = self._events.get(key)
        if event is None:
            keep = len(self._events) < _KEPT
            own = _field(9, kind) + _field(11, track)
            for words, iid, whole, table in ((name, 10, 23, 2), (category, 3, 22, 1)):
                if words and keep:
                    number = self._iids.setdefault((table, words), len(self._iids) + 1)
                    own += _field(iid, number)
                    news += _field(table, _field(1, number) + _field(2, words))
                elif words:
                    own += _field(whole, words)
            event = _field(13, _CONTINUED) + _field(11, own)
            if keep:
                self._events[key] = event
        self._packet(_field(8, at_ns) + event + (_field(12, news) if news else b""))

    def _packet(self, fields: bytes) -> None:
        self._write(_field(1, _field(10, _SEQUENCE) + fields))


def _field(number: int, value: int | str | bytes) -> bytes:
    """A field: a whole number from 0 on as varint, else its length and its bytes."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = printable(value).encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
