"""Takes from a guest's console log the sections that its init script printed."""

import base64
import binascii
import re
import zlib
from collections.abc import Mapping, Sequence

from .guest import SECTIONS

MAX_SECTION_BYTES = 64 * 1024 * 1024
_SECTION = re.compile(r"@@begin (\w+)@@\n(.*?)@@end \1@@", re.DOTALL)
_INTRUDER = re.compile(r"\[ *[0-9]{1,9}\.(?:[0-9]{9},[0-9]|[0-9]{6})\] [^\n]*\n")
"""A line printed by firmware or kernel, which may interrupt a line of a section."""
_LAST_LINES = 5

STAGES = {
    "firmware": "OPAL ",
    "kernel": "INIT: Starting kernel",
    "workload": "@@stage workload@@",
    "collecting": "@@begin ",
}
"""Stage of a boot -> text on the console with which it begins, in order. Before the first of these,
the stage is "QEMU"."""


class Incomplete(Exception):
    """A log in which a section is missing or damaged: the guest ended before printing it whole."""


def sections(log: str, names: Sequence[str] = SECTIONS) -> Mapping[str, bytes]:
    """Name -> content of every section in the log.

    Raises Incomplete, with the log's last lines, if one of `names` is missing or damaged.
    """
    log = log.replace("\r", "")
    found = {}
    for match in _SECTION.finditer(_INTRUDER.sub("", log)):
        found[match[1]] = _content(match[1], match[2])
    missing = [name for name in names if name not in found]
    if missing:
        last = "\n".join(f"  {line}" for line in log.splitlines()[-_LAST_LINES:])
        raise Incomplete(
            f"expected {', '.join(missing)} in the guest's log, found none; it ends with:\n{last}"
        )
    return found


def reached(log: str) -> str:
    """The last stage of STAGES that has begun according to the log; "QEMU" if none has."""
    last = "QEMU"
    for stage, sign in STAGES.items():
        if sign in log:
            last = stage
    return last


def panicked(log: str) -> bool:
    return "Kernel panic" in log


def _content(name: str, text: str) -> bytes:
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        packed = base64.b64decode("".join(text.split()), validate=True)
        content = unpacker.decompress(packed, MAX_SECTION_BYTES)
    except (binascii.Error, zlib.error) as error:
        raise Incomplete(f"expected {name} gzipped in base64, found: {error}") from None
    if unpacker.unconsumed_tail:
        raise Incomplete(f"expected at most {MAX_SECTION_BYTES} bytes as {name}, found more")
    if not unpacker.eof:
        raise Incomplete(f"expected a whole gzip stream as {name}, found its beginning only")
    return content
