"""Finds the trees of a file that holds one or several: one behind another, as boot loaders are
given them, or in an image of a kernel or of Android's.

A head says that a file may hold trees; each is then found by its own header, wherever it stands:
kernels and boot images give no offset of trees that were put behind a compressed kernel.

Sources: Android's docs "Boot image header" and "DTB/DTBO partition formats"; Linux Documentation
arm64/booting.rst and arm/booting.rst; U-Boot doc/usage/fit (Flattened Image Tree).
"""

import struct
from collections.abc import Iterator

from ...base.reading import compressed
from . import fdt

_HEADS = (
    (0, fdt.MAGIC_BYTES),
    (0, b"ANDROID!"),
    (0, b"VNDRBOOT"),
    (0, b"\xd7\xb7\xab\x1e"),  # a dtbo partition
    (0, b"QCDT"),  # Qualcomm's table of trees
    (0x24, b"\x18\x28\x6f\x01"),  # zImage of 32-bit Arm
    (0x38, b"ARM\x64"),  # Image of 64-bit Arm
    (0x38, b"RSC\x05"),  # and of RISC-V
)
_FIT = b"\0\0\0\1images\0\0"
"""The node of a Flattened Image Tree, whose properties hold files."""
_HEADER = struct.Struct(">7I")


def may_hold_trees(head: bytes) -> bool:
    """Tells whether a file's first bytes are those of a tree or of an image that may hold trees,
    compressed or not."""
    head = compressed.beginning(head)
    return any(head.startswith(sign, at) for at, sign in _HEADS)


def trees_in(data: bytes) -> Iterator[bytes]:
    """Yields the blobs of a file, in order; of a file that begins as a blob, but is not a whole
    one, all of it."""
    at = 0
    while (at := data.find(fdt.MAGIC_BYTES, at)) >= 0:
        size = _size(data, at)
        if not size and not at:
            yield data
            return
        blob = data[at : at + size]
        if not size or _FIT in blob:
            at += len(fdt.MAGIC_BYTES)
            continue
        yield blob
        at += size


def _size(data: bytes, at: int) -> int:
    """The size that a header gives its tree; 0 where these bytes are no header of one."""
    if len(data) - at < _HEADER.size:
        return 0
    _, size, structure, strings, _, version, compatible = _HEADER.unpack_from(data, at)
    fits = _HEADER.size <= structure < size and strings <= size <= len(data) - at
    known = version >= fdt.LAST_COMPATIBLE and compatible <= fdt.VERSION
    return size if fits and known and structure % 4 == 0 else 0
