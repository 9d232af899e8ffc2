"""Files of a boot: those in its directory, and digests of what was booted."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from ...base.files import naming
from ...base.reading import opening

EMULATED = "times and power of any state: an emulated CPU has neither"
"""Facts that no boot under QEMU can confirm."""


def digests(*files: Path) -> tuple[tuple[str, str], ...]:
    """(name, SHA-256) of each file."""
    found = []
    for name in files:
        with opening.open_file(name) as file:
            digest = hashlib.sha256()
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        found.append((name.as_posix(), digest.hexdigest()))
    return tuple(found)


def keep(directory: Path, contents: Mapping[str, bytes]) -> None:
    """Writes files into a boot's directory. contents: by name. Raises OSError."""
    for name, content in contents.items():
        with naming(directory / name):
            (directory / name).write_bytes(content)
