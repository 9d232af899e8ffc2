"""Colours of text on terminals."""

import os
import sys

from ..patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "strong": "1",
    "faint": "2",
    "good": "32",
}
STYLED = pattern(r"(\x1b\[(?:0|[1-9](?:;[0-9]{1,2})?|[0-9]{2})m)")
"""The escape sequences that Style writes."""


def wants_colour(stream: "TextIO") -> bool:
    """Tells whether a stream is a terminal with colours. Not so if NO_COLOR is set, or TERM is
    dumb."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Style:
    """Gives text a terminal's escape codes; without colour it leaves text as it is."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    @classmethod
    def of(cls, stream: "TextIO | None" = None) -> "Style":
        """Returns the style for what is printed to a stream, by default standard output."""
        return cls(wants_colour(stream or sys.stdout))

    def __call__(self, kind: str, text: str) -> str:
        """Returns the text as a kind is shown: error, warning, note, strong, faint or good."""
        return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if self.colour else text
