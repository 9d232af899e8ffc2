"""XML 1.0: no markup, and no character that XML cannot write, not even as a reference."""

from xml.sax.saxutils import escape, quoteattr

from .text import printable, printable_lines


def attribute(text: str) -> str:
    """A value with its quotes, on one line."""
    return quoteattr(printable(text))


def content(text: str) -> str:
    """An element's text; its lines stay."""
    return escape(printable_lines(text))
