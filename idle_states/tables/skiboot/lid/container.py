"""Unwraps a skiboot.lid from a secure-boot container, xz, or both; or loads a skiboot.elf.

A PNOR's PAYLOAD partition holds the image compressed, and signed: 4096 bytes of container, then
the xz stream. Sources: skiboot libstb/container.h (ROM_container_raw,
SECURE_BOOT_HEADERS_SIZE); core/flash.c and core/init.c read through both.
"""

import lzma

from ....base.dataclass import dataclass
from ....base.model.findings import unreadable
from ....base.reading import limits
from .symbols import ELF_MAGIC, loaded

CONTAINER_MAGIC = bytes.fromhex("17082011")
CONTAINER_BYTES = 4096
XZ_MAGIC = b"\xfd7zXZ\x00"

MAX_BYTES = limits.LID_BYTES
"""The most bytes of an image, packed or unpacked; a skiboot.lid has about 2.5 million."""
MAX_XZ_MEMORY = limits.LID_XZ_MEMORY_BYTES
"""The memory that unpacking may take; xz -9 needs 65 MiB."""


@dataclass(frozen=True, slots=True)
class Image:
    """An unwrapped image.

    data        the image as it is loaded into memory
    signed      whether it was in a secure-boot container
    compressed  whether it was compressed with xz
    linked      whether it was in an ELF file
    """

    data: bytes
    signed: bool = False
    compressed: bool = False
    linked: bool = False

    @property
    def wrapped(self) -> bool:
        return self.signed or self.compressed or self.linked


def is_wrapped(data: bytes) -> bool:
    return data.startswith((CONTAINER_MAGIC, XZ_MAGIC))


def unwrap(data: bytes, file: str) -> Image:
    """The image in a file's bytes. Raises Unreadable (IS930) if it is truncated, damaged or larger
    than the limits."""
    if len(data) > MAX_BYTES:
        raise unreadable(file, f"expected at most {MAX_BYTES} bytes, found {len(data)}")
    if data.startswith(ELF_MAGIC):
        return Image(loaded(data, file), linked=True)
    signed = data.startswith(CONTAINER_MAGIC)
    if signed:
        if len(data) <= CONTAINER_BYTES:
            message = (
                f"expected a payload behind the {CONTAINER_BYTES} bytes of the secure-boot "
                f"container, found {len(data)} bytes in all"
            )
            raise unreadable(file, message)
        data = data[CONTAINER_BYTES:]
    compressed = data.startswith(XZ_MAGIC)
    if compressed:
        data = _unpacked(data, file)
    return Image(data, signed, compressed)


def _unpacked(data: bytes, file: str) -> bytes:
    """The first xz stream; what follows it is the partition's padding."""
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_XZ_MEMORY)
    try:
        unpacked = unpacker.decompress(data, max_length=MAX_BYTES + 1)
    except lzma.LZMAError as error:
        message = f"expected an xz stream, found: {str(error).rstrip('.').lower()}"
        raise unreadable(file, message) from None
    if len(unpacked) > MAX_BYTES:
        raise unreadable(file, f"expected at most {MAX_BYTES} bytes when unpacked, found more")
    if not unpacker.eof:
        raise unreadable(file, "expected a whole xz stream, found its beginning only")
    return unpacked
