"""Compressed input: what it begins with, and all of it within bounds. gzip, bzip2 and xz; within
files that say so, zlib and zstd. Python has no zstd before 3.14: the system's library reads it.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Protocol

from . import limits

HEAD_BYTES = 4096
_GZIP, _BZIP2, _XZ = MAGICS = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
"""The first bytes of compressed data, each way."""


class TooLarge(Exception):
    """More came out than the limit given."""


class DamagedArchive(Exception):
    """The error for compressed data that cannot be read to its end; says why."""


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def beginning(data: bytes) -> bytes:
    """The first bytes of what was compressed, as far as they can be read; else of the data."""
    made = _decompressor(data)
    if made is None:
        return data[:HEAD_BYTES]
    try:
        return made.decompress(data[: 16 * HEAD_BYTES], HEAD_BYTES)
    except _errors():
        return b""


def whole(data: bytes, limit: int) -> bytes:
    """All of it; plain data as they are. Raises TooLarge and Damaged."""
    made = _decompressor(data)
    if made is None:
        return data
    try:
        # max_length 0 would mean no limit
        plain = made.decompress(data, limit + 1)
    except _errors() as error:
        raise DamagedArchive(str(error)) from None
    if len(plain) > limit:
        raise TooLarge
    if not made.eof:
        raise DamagedArchive("the compressed data end too early")
    return plain


def can_unpack(name: str) -> bool:
    """Tells whether `unpack` knows a way of compressing by this name."""
    return name == "zlib" or (name == "zstd" and _zstd() is not None)


def unpack(name: str, data: bytes, size: int) -> bytes:
    """Returns the `size` bytes that "zlib" or "zstd" compressed (`can_unpack`). Raises
    DamagedArchive for damaged data or another size."""
    if name == "zlib":
        import zlib

        made = zlib.decompressobj()
        try:
            plain = made.decompress(data, size + 1)
        except zlib.error as error:
            raise DamagedArchive(str(error)) from None
    else:
        import ctypes

        library = _zstd()
        room = ctypes.create_string_buffer(size + 1)
        found = library.ZSTD_decompress(room, size, data, len(data))
        if library.ZSTD_isError(found):
            raise DamagedArchive(library.ZSTD_getErrorName(found).decode("ascii", "replace"))
        plain = room.raw[:found]
    if len(plain) != size:
        raise DamagedArchive(f"expected {size} bytes unpacked, found {len(plain)}")
    return plain


class ZstdStream:
    """The decompressor of a zstd stream, by the system's library, which must be installed
    (`can_unpack`). It takes and yields part by part, so that memory does not depend on the
    stream's length."""

    def __init__(self) -> None:
        import ctypes

        library, self._buffer = _zstd_in_parts()
        self._library, self._by_reference = library, ctypes.byref
        self._stream = library.ZSTD_createDStream()
        self._room = ctypes.create_string_buffer(limits.ZSTD_PART_BYTES)
        self._cast, self._pointer = ctypes.cast, ctypes.c_void_p
        self._characters = ctypes.c_char_p

    def unpacked(self, data: bytes) -> Iterator[bytes]:
        """All that comes out when `data` go in, some at a time. Raises DamagedArchive."""
        size, held = len(self._room), self._characters(data)
        given = self._buffer(self._cast(held, self._pointer), len(data), 0)
        while True:
            room = self._buffer(self._cast(self._room, self._pointer), size, 0)
            found = self._library.ZSTD_decompressStream(
                self._stream, self._by_reference(room), self._by_reference(given)
            )
            if self._library.ZSTD_isError(found):
                name = self._library.ZSTD_getErrorName(found).decode("ascii", "replace")
                raise DamagedArchive(name)
            if room.done:
                yield self._room.raw[: room.done]
            if given.done == given.size and room.done < size:
                return

    def __del__(self) -> None:
        if stream := getattr(self, "_stream", None):
            self._library.ZSTD_freeDStream(stream)


@cache
def _zstd() -> Any:
    """The system's libzstd; None where it has none."""
    import ctypes

    try:
        library = ctypes.CDLL("libzstd.so.1")
        whole = library.ZSTD_decompress
    except (OSError, AttributeError):
        return None
    whole.restype = ctypes.c_size_t
    whole.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    library.ZSTD_isError.argtypes = library.ZSTD_getErrorName.argtypes = (ctypes.c_size_t,)
    library.ZSTD_getErrorName.restype = ctypes.c_char_p
    return library


@cache
def _zstd_in_parts() -> tuple[Any, Any]:
    """Returns the library with its functions on streams, and their structure. It is made once:
    ctypes never forgets a structure that it has made a pointer to."""
    import ctypes

    class Buffer(ctypes.Structure):
        _fields_ = (
            ("data", ctypes.c_void_p),
            ("size", ctypes.c_size_t),
            ("done", ctypes.c_size_t),
        )

    library = _zstd()
    library.ZSTD_createDStream.restype = ctypes.c_void_p
    library.ZSTD_freeDStream.argtypes = (ctypes.c_void_p,)
    library.ZSTD_decompressStream.restype = ctypes.c_size_t
    library.ZSTD_decompressStream.argtypes = (
        ctypes.c_void_p,
        ctypes.POINTER(Buffer),
        ctypes.POINTER(Buffer),
    )
    return library, Buffer


def _decompressor(data: bytes) -> _Decompressor | None:
    if data.startswith(_GZIP):
        import zlib

        return zlib.decompressobj(31)
    if data.startswith(_BZIP2):
        import bz2

        return bz2.BZ2Decompressor()
    if data.startswith(_XZ):
        import lzma

        return lzma.LZMADecompressor(memlimit=limits.XZ_MEMORY_BYTES)
    return None


def _errors() -> tuple[type[Exception], ...]:
    import lzma
    import zlib

    return zlib.error, OSError, ValueError, EOFError, lzma.LZMAError
