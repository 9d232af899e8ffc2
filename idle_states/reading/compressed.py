"""Compressed input: what it begins with, and all of it within bounds. gzip, bzip2 and xz."""

from typing import Protocol

from . import limits

HEAD_BYTES = 4096
_MAX_XZ_MEMORY = limits.XZ_MEMORY_BYTES
"""xz -9 needs 65 MiB."""


class TooLarge(Exception):
    """More came out than the limit given."""


class DamagedArchive(Exception):
    """What was compressed cannot be read to its end; says why."""


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


def _decompressor(data: bytes) -> _Decompressor | None:
    if data.startswith(b"\x1f\x8b"):
        import zlib

        return zlib.decompressobj(31)
    if data.startswith(b"BZh"):
        import bz2

        return bz2.BZ2Decompressor()
    if data.startswith(b"\xfd7zXZ\0"):
        import lzma

        return lzma.LZMADecompressor(memlimit=_MAX_XZ_MEMORY)
    return None


def _errors() -> tuple[type[Exception], ...]:
    import lzma
    import zlib

    return zlib.error, OSError, ValueError, EOFError, lzma.LZMAError
