"""Terminal styles: colour only on a terminal that wants it (NO_COLOR, dumb terminals)."""

import os
import sys
from typing import TextIO

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "strong": "1",
    "faint": "2",
    "good": "32",
}


def wants_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Style:
    """Wraps text in escape codes, or not."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    @classmethod
    def of(cls, stream: TextIO | None = None) -> "Style":
        return cls(wants_colour(stream or sys.stdout))

    def __call__(self, kind: str, text: str) -> str:
        return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if self.colour else text
