"""The compiled modules as they are built here: without debug information, which was four fifths of
them."""

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.compiled import needs_core
from tools.wheel_audit import COMPILED

HEADER = struct.Struct("<40xQ10xHHH")
"""An ELF file's header: where section headers begin; their size, number, and that of the names."""
SECTION = struct.Struct("<I20xQQ24x")


def sections(path: Path) -> Iterator[str]:
    """Yields the names of a file's sections."""
    content = path.read_bytes()
    start, size, count, names = HEADER.unpack_from(content)
    headers = [SECTION.unpack_from(content, start + size * number) for number in range(count)]
    _, offset, length = headers[names]
    texts = content[offset : offset + length]
    for name, _, _ in headers:
        yield texts[name : texts.index(b"\0", name)].decode()


@needs_core
@pytest.mark.parametrize("name", COMPILED)
def test_no_debug_information(name: str) -> None:
    path = ROOT / name
    if not path.is_file() or path.read_bytes()[:6] != b"\x7fELF\x02\x01":
        pytest.skip("not built here as a 64-bit little-endian ELF file")
    found = {*sections(path)}
    assert ".text" in found
    assert not {each for each in found if each.startswith((".debug", ".symtab"))}
