"""Takes from a guest's console log the sections that its init script printed.

A guest is a stranger: its firmware or kernel may print these marks itself, as often as it likes.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...base.reading import limits

_INTRUDER = re.compile(r"\[ *[0-9]{1,9}\.(?:[0-9]{9},[0-9]|[0-9]{6})\] [^\n]*(?:\n|\Z)")
"""A line printed by firmware or kernel, which may interrupt a line of a section."""
_LAST_LINES = 5
_LAST_CHARACTERS = 1000

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


def read(log: Path) -> str:
    """Returns the text of a log, up to the most that a guest may print."""
    with log.open("rb") as file:
        return file.read(limits.CONSOLE_BYTES).decode("utf-8", "replace")


def sections(log: str, names: Sequence[str]) -> Mapping[str, bytes]:
    """Name -> content of the sections with these names; where one is printed again, the last.

    Raises Incomplete, with the log's last lines, if one is missing or damaged, or if all of them
    hold more than CONSOLE_UNPACKED_BYTES.
    """
    log = log.replace("\r", "")
    text = _INTRUDER.sub("", log)
    found: dict[str, bytes] = {}
    left = limits.CONSOLE_UNPACKED_BYTES
    for name in dict.fromkeys(names):
        begin = f"@@begin {name}@@\n"
        end = text.rfind(f"@@end {name}@@")
        start = text.rfind(begin, 0, max(0, end))
        if start >= 0:
            found[name] = _content(name, text[start + len(begin) : end], left)
            left -= len(found[name])
    missing = [name for name in names if name not in found]
    if missing:
        lines = log[-_LAST_CHARACTERS:].rstrip("\n").split("\n")[-_LAST_LINES:]
        last = "\n".join(f"  {line}" for line in lines)
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


def _content(name: str, text: str, most: int) -> bytes:
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        encoded = text.encode("ascii", "replace").translate(None, b" \t\n\r\f\v")
        content = unpacker.decompress(base64.b64decode(encoded, validate=True), most + 1)
    except (binascii.Error, zlib.error) as error:
        raise Incomplete(f"expected {name} gzipped in base64, found: {error}") from None
    if len(content) > most:
        whole = limits.CONSOLE_UNPACKED_BYTES
        raise Incomplete(f"expected at most {whole} bytes in all sections, found more in {name}")
    if not unpacker.eof:
        raise Incomplete(f"expected a whole gzip stream as {name}, found its beginning only")
    return content
