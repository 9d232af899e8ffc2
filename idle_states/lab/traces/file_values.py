"""Numbers and texts of a binary file, taken one after another from an offset on."""

from typing import Literal, NoReturn

from ...base.model.findings import unreadable
from ...base.reading import limits
from ...base.reading.inputs import Input

_WINDOW = 1 << 16
_TEXT_MAX = 4096


class FileValues:
    """Reads values from bytes of the file that begin at the offset `at`.

    data  the bytes; None: all that follows in the file
    """

    def __init__(
        self, source: Input, data: bytes | None = None, at: int = 0, order: str = "<"
    ) -> None:
        self.source = source
        self.order = order
        self._goes_on = data is None
        self._data = data or b""
        self._at = at
        self._done = 0

    def left(self) -> int:
        return len(self._data) - self._done

    def _fill(self, size: int) -> None:
        """Has so many bytes of the file at hand, as far as there are any."""
        if self._goes_on and self.left() < size:
            self._at += self._done
            self._done = 0
            if size > limits.TRACE_HEAD_BYTES:
                self.refuse(f"expected at most {limits.TRACE_HEAD_BYTES} bytes, found {size}")
            self._data = self.source.part(self._at, max(size, _WINDOW))

    def take(self, size: int) -> bytes:
        self._fill(size)
        if size > self.left():
            self.refuse(f"expected {size} bytes, found {self.left()} (a file cut short reads so)")
        self._done += size
        return self._data[self._done - size : self._done]

    def part(self, size: int) -> "FileValues":
        at = self._at + self._done
        return FileValues(self.source, self.take(size), at, self.order)

    def skip(self, size: int) -> None:
        self.take(size)

    def sized(self) -> bytes:
        return self.take(self.u64())

    def text(self) -> bytes:
        """A text up to its NUL."""
        self._fill(_TEXT_MAX)
        end = self._data.find(b"\0", self._done)
        if end < 0:
            self.refuse("expected a text that ends, found the end (a file cut short reads so)")
        return self.take(end + 1 - self._done)[:-1]

    def u16(self) -> int:
        return int.from_bytes(self.take(2), self._endian)

    def u32(self) -> int:
        return int.from_bytes(self.take(4), self._endian)

    def u64(self) -> int:
        return int.from_bytes(self.take(8), self._endian)

    @property
    def _endian(self) -> Literal["big", "little"]:
        return "big" if self.order == ">" else "little"

    def refuse(self, message: str) -> NoReturn:
        refuse(self.source, self._at + self._done, message)


def part_of(source: Input, offset: int, size: int) -> bytes:
    """Bytes of the file. Raises Unreadable if there are fewer."""
    if size > limits.TRACE_HEAD_BYTES:
        most = limits.TRACE_HEAD_BYTES
        refuse(source, offset, f"expected at most {most} bytes together, found {size}")
    found = source.part(offset, size)
    if len(found) < size:
        text = f"expected {size} bytes, found {len(found)} (a file cut short reads so)"
        refuse(source, offset, text)
    return found


def refuse(source: Input, offset: int, message: str) -> NoReturn:
    raise unreadable(source.name, f"offset {offset:#x}: {message}")
