"""Device-tree source."""

import re
from pathlib import Path

from .source import File, Source

_BLANKS = re.compile(rb"\s*")
_START = re.compile(rb"/dts-v1/|/\s*\{")
_LOOKED_AT = 1 << 22
"""Limit for the comments before the tree, in bytes; longer than any that people write."""


def recognises(head: bytes, path: Path) -> bool:
    at = 0
    while at < _LOOKED_AT:
        blanks = _BLANKS.match(head, at)
        at = blanks.end() if blanks else at
        if head.startswith(b"/*", at):
            end = head.find(b"*/", at + 2) + 2
        elif head.startswith((b"//", b"#"), at):
            end = head.find(b"\n", at) + 1
        else:
            return bool(_START.match(head, at))
        if end <= at:
            return False
        at = end
    return False


def read(file: File) -> list[Source]:
    from ..devicetree import dts
    from .trees import sources_of

    root = dts.read(file.data, file.shown, file.beside)
    places = dts.places(file.text, file.shown)
    return sources_of(root, file.shown, "dts", file.sha256, places, {file.shown: file.text})
