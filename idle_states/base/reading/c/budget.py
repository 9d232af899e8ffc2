"""The amount that the macros of one source may produce, in C and in device-tree source.

A token counts as limits.MACRO_TOKEN_BYTES and its characters: `#` and `##` make few tokens of any
length, and a token without a text takes memory too.
"""

from collections.abc import Iterable

from .. import limits
from .lexer import Token


class TooMuch(Exception):
    """The macros of a source produce more than its size allows."""


class MacroBudget:
    """The bytes that macros may still produce. It grows with each file that is read.

    Bounds the work too: every token that is copied, joined or quoted is paid for once more.
    """

    def __init__(self, size: int) -> None:
        """size: of the source, in bytes."""
        self.allowed = self.left = limits.MACRO_BYTES + limits.MACRO_BYTES_PER_BYTE * size

    def grow(self, size: int) -> None:
        """Adds what a further file of `size` bytes allows."""
        self.allowed += limits.MACRO_BYTES_PER_BYTE * size
        self.left += limits.MACRO_BYTES_PER_BYTE * size

    def spend(self, count: int, macro: str) -> None:
        """Takes off `count` bytes. Raises TooMuch, which names the macro."""
        self.left -= count
        if self.left < 0:
            raise TooMuch(
                f"expected macros to produce at most {self.allowed} bytes of tokens, found more in "
                f"the expansion of {macro}; shorten its definition, or give the source as the C "
                "preprocessor leaves it"
            )


def weight(tokens: Iterable[Token]) -> int:
    """Returns the bytes that tokens count as."""
    return sum(limits.MACRO_TOKEN_BYTES + len(token.text) for token in tokens)
