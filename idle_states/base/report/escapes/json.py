r"""JSON: what a terminal or a viewer would obey is written as \u escapes, which mean the same.

So the bytes hold nothing but printable text, and who parses them gets the very names. A byte of a
name that is not UTF-8 is a lone surrogate \udc80 to \udcff, as Python's surrogateescape has it.
"""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from ...patterns import pattern
from .text import OLD_WORKFLOW

_SUSPECT = pattern(r"[^\x20-\x7e\n]")


def encoded(document: Any, *, indent: int | None = 2, depth: int = 0) -> str:
    """One JSON document without a newline at its end. indent: None for a single line; depth: spaces
    before each."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(document, indent=indent, ensure_ascii=False, separators=separators)
    # outside of its strings JSON is ASCII
    text = OLD_WORKFLOW.sub(r"\\u0023", _SUSPECT.sub(_escape, text))
    return textwrap.indent(text, " " * depth) if depth else text


def listed(texts: Iterable[str], depth: int) -> Iterator[str]:
    """Yields a list of documents in parts, as `encoded` writes it. depth: spaces before its
    end."""
    before = "[\n"
    for text in texts:
        yield before + text
        before = ",\n"
    yield "[]" if before[0] == "[" else f"\n{' ' * depth}]"


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return char if char.isprintable() else json.dumps(char)[1:-1]
