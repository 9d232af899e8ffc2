"""Docstrings as Markdown.

They are plain text in a few forms: paragraphs, blocks of code that are indented, rows of a name,
two or more blanks and its meaning, and lists with dashes.
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator

_MARKUP = re.compile(r"[\\*_\[\]<>|]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "|": "&#124;"}
_ROW = re.compile(r"([^\s-]\S*(?: \S+){0,4}?)  +(\S.*)")
_DASH = re.compile(r"- +\S")


def inline(text: str) -> str:
    """Text within a line. What stands between backticks is code; all else is taken as it is."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        # one that opens nothing
        parts[-2:] = ["&#96;".join(parts[-2:])]
    return "`".join(
        part if number % 2 else _MARKUP.sub(lambda found: _escaped(found[0]), part)
        for number, part in enumerate(parts)
    )


def _escaped(char: str) -> str:
    return _ENTITIES.get(char) or f"\\{char}"


def markdown(docstring: str) -> str:
    """A docstring, or a part of one, as Markdown; "" for an empty one."""
    text = inspect.cleandoc(docstring)
    return "\n\n".join(block for part in re.split(r"\n\s*\n", text) for block in _blocks(part))


def fenced(code: str, language: str = "text") -> str:
    """A block of code."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", code)), 3)
    return f"{fence}{language}\n{textwrap.dedent(code).strip(chr(10))}\n{fence}"


def _blocks(part: str) -> Iterator[str]:
    """Yields blocks of lines without an empty one between them: code, rows, a list or a
    paragraph."""
    lines = part.split("\n")
    if all(line.startswith("  ") for line in lines):
        yield fenced(part)
        return
    item = next((form for form in (_DASH, _ROW) if form.match(lines[0])), None)
    if item is None:
        end = _first(lines, lambda line: bool(_DASH.match(line) or _ROW.match(line)))
        yield inline(" ".join(line.strip() for line in lines[:end]))
    else:
        end = _first(lines, lambda line: not line.startswith(" ") and not item.match(line))
        items = _items(lines[:end], item)
        rows = (each[2:].strip() for each in items) if item is _DASH else map(_row, items)
        yield "\n".join(f"- {inline(row)}" for row in rows)
    if end < len(lines):
        yield from _blocks("\n".join(lines[end:]))


def _first(lines: list[str], ends: Callable[[str], bool]) -> int:
    """The number of the first line after line 0 that ends what begins there."""
    return next((n for n, line in enumerate(lines) if n and ends(line)), len(lines))


def _items(lines: list[str], pattern: re.Pattern[str]) -> Iterator[str]:
    """Each with the lines that go on with it, as one."""
    item = ""
    for line in lines:
        if item and pattern.match(line) and not line.startswith("  "):
            yield item
            item = ""
        item += f" {line.strip()}" if item else line
    yield item


def _row(item: str) -> str:
    found = _ROW.fullmatch(item)
    assert found
    return ", ".join(f"`{name}`" for name in found[1].split(", ")) + f": {found[2]}"
