"""The parts of a new revision beside its case: its array, and names of its chips and generation."""

import re

from ....base.model.table import IdleTable
from ....base.patterns import pattern
from ....base.reading.c.lexer import UnsupportedC
from ..c_table.builtin import preprocess
from ..c_table.names import comment_lines
from .edit import edit_table
from .rows import Replacement, replaced
from .source import EditRefused, SourceText

_REST = pattern(r"[ \t]*;[^\n]*(?:\n|\Z)")
CHIPS, GENERATIONS = "proc_chip_type", "proc_gen"
ENUM2HEADER = {CHIPS: "include/chip.h", GENERATIONS: "include/skiboot.h"}


def with_array(source: SourceText, array: str, table: IdleTable, after: str) -> str:
    """The file's text with a new array of a table behind another one, of the file's own struct,
    macros and names of flags. Raises EditRefused."""
    refuse_used(source.clean.bare, array)
    kin = source.tables[after].array
    rest = _REST.match(source.text, kin.initialiser.end)
    end = rest.end() if rest else kin.initialiser.end
    head = source.text.rfind("\n", 0, kin.name.start) + 1
    before = source.text[head : kin.name.start]
    if before.strip() != "static struct cpu_idle_states":
        before = "static struct cpu_idle_states "
    lines = [*comment_lines(table.title or table.name)]
    newline = source.newline
    comment = f"/* {lines[0]} */{newline}" if len(lines) == 1 else ""
    empty = f"{newline}{comment}{before}{array}[] = {{{newline}}};{newline}"
    made = source.with_text(source.text[:end] + empty + source.text[end:])
    if array not in made.tables:
        raise EditRefused(
            f"expected to find {array} behind {after}, found that this place is not compiled; "
            "add the array by hand",
            kin.name.start,
            kin.name.end,
        )
    return edit_table(made, array, table.states, table.register)


def refuse_used(code: str, name: str) -> None:
    """Raises EditRefused where code without comments has a name already."""
    found = re.search(rf"\b{re.escape(name)}\b", code)
    if found:
        raise EditRefused(
            f"expected no {name} yet, found the name in use for something else; give the spec's "
            "firmware an array of another name",
            *found.span(),
        )


def enumerators(text: str, enum: str) -> list[str]:
    """The names in an enumeration of a header; none where it has no such enumeration."""
    place = _body_of(text, enum)
    if place is None:
        return []
    body = preprocess(text).bare[slice(*place)]
    return [found for part in body.split(",") for found in re.findall(r"^\s*(\w+)", part)]


def with_enumerator(text: str, enum: str, name: str) -> str:
    """A header's text with one more name at the end of an enumeration. Raises EditRefused."""
    place = _body_of(text, enum)
    if place is None:
        raise EditRefused(f"expected enum {enum}, found none", 0, 1)
    bare = preprocess(text).bare
    refuse_used(bare, name)
    words = list(re.finditer(r"\w+", bare[slice(*place)]))
    last = place[0] + words[-1].end() if words else place[0]
    comma = re.compile(r"\s*,").match(bare, last)
    line = text.rfind("\n", 0, last) + 1
    blanks = re.match(r"[ \t]*", text[line:last])
    indent = blanks[0] if blanks and blanks[0] else "\t"
    rest = re.compile(r"[^\r\n]*").match(text, comma.end() if comma else last)
    assert rest is not None
    newline = "\r\n" if "\r\n" in text else "\n"
    added = [] if comma or not words else [Replacement(last, last, ",")]
    return replaced(
        text, [*added, Replacement(rest.end(), rest.end(), f"{newline}{indent}{name},")]
    )


def _body_of(text: str, enum: str) -> tuple[int, int] | None:
    """Offsets of what is within an enumeration's braces."""
    try:
        bare = preprocess(text).bare
    except UnsupportedC:
        return None
    found = re.search(rf"\benum\s+{enum}\s*(\{{)[^{{}}]*(\}})", bare)
    return None if found is None else (found.end(1), found.start(2))
