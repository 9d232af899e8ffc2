"""Values of properties: what a description wants, and the text that a value becomes.

A number keeps its base, its leading zeros and its parentheses. What a person would have to think
about is refused with its place.
"""

import re
from collections.abc import Sequence

from ....base.patterns import pattern
from ....base.reading.c.lexer import blanks
from ...skiboot.patching import EditRefused
from ...skiboot.patching.numbers import in_style_of
from ..idle_nodes import DOMAIN_LIST, ENTRY, EXIT, LIST, RESIDENCY, TIMER_STOP, WAKEUP
from .lists import entries_in, joined, with_entries, written
from .source import COMMENT, DtsProperty, DtsText

DtsValue = None | bool | int | str | tuple[str | int, ...]
"""None: the property is not there; True: there, without a value; a number of one cell, or several;
a string, or several; or the nodes that a list refers to, by label, each with its arguments:
("A", "B", 0) is <&A>, <&B 0>."""

TIMES = (ENTRY, EXIT, WAKEUP, RESIDENCY)
PARAMETERS = ("arm,psci-suspend-param", "riscv,sbi-suspend-param")
LISTS = (LIST, DOMAIN_LIST, "power-domains")
FLAGS = (TIMER_STOP,)
STRINGS = (
    *("status", "enable-method", "entry-method", "idle-state-name", "compatible"),
    "power-domain-names",
)

_NUMBER = r"0[xX][0-9a-fA-F]+|[0-9]+"
_ONE_CELL = pattern(
    rf"<\s*(?P<cell>\(*\s*(?:(?P<number>{_NUMBER})|(?P<macro>[A-Za-z_]\w*))\s*\)*)\s*>", re.ASCII
)
_STRING = pattern(r'"(?:[^"\\]|\\.)*"')
_STRINGS = pattern(rf"{_STRING.pattern}(?:\s*,\s*{_STRING.pattern})*")
_CELLS = pattern(rf"(?:[\s<>,]|\(+\s*(?:{_NUMBER})\s*\)+|{_NUMBER})*+", re.ASCII)


def fresh(name: str, value: DtsValue, like: str = "") -> str:
    """The text of a statement that gives a property its value, its semicolon included. like: how
    the file writes such a property's value elsewhere; "" if it does not."""
    if value is True:
        return f"{name};"
    if name in LISTS:
        return f"{name} = {joined(written(_items(value)), like)};"
    if isinstance(value, str) or name in STRINGS:
        return f"{name} = {_quoted(_items(value))};"
    known = re.search(_NUMBER, like)
    made = [
        in_style_of(known[0], int(one)) if known else hexadecimal(name, int(one))
        for one in _items(value)
    ]
    return f"{name} = <{' '.join(made)}>;"


def _items(value: DtsValue) -> tuple[str | int, ...]:
    """A value that is there, in its parts."""
    if isinstance(value, tuple):
        return value
    assert value is not None
    return (value,)


def _quoted(texts: Sequence[str | int]) -> str:
    return ", ".join(quoted(str(text)) for text in texts)


def hexadecimal(name: str, value: int) -> str:
    """A number as a new file would have it: parameters in hexadecimal."""
    return f"{value:#010x}" if name in PARAMETERS else str(value)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def blanked(text: str) -> str:
    """With comments and directives as blanks, as long as it was."""
    return COMMENT.sub(lambda match: blanks(match[0]), text)


def rewritten(source: DtsText, statement: DtsProperty, value: DtsValue) -> tuple[int, int, str]:
    """Returns the range of the file's text to replace, and the new text, so that a statement gives
    a property a value. Raises EditRefused."""
    if statement.deletes or statement.value is None or value is True:
        return _whole(source, statement, value)
    start, end = statement.value
    text = source.text[start:end]
    code = blanked(text)
    comments = "".join(f" {match[0]}" for match in COMMENT.finditer(text))
    if statement.name in LISTS:
        if entries_in(code) is None:
            raise _refused("references to nodes alone", source, start, end)
        return start, end, with_entries(text, code, written(_items(value)))
    if isinstance(value, str) or statement.name in STRINGS:
        return _strings(source, start, end, code, [str(one) for one in _items(value)], comments)
    if isinstance(value, int) and (
        not _CELLS.fullmatch(code) or len(re.findall(_NUMBER, code)) == 1
    ):
        return _number(source, start, end, code, value)
    return _numbers(source, start, end, code, [int(one) for one in _items(value)], comments)


def _whole(source: DtsText, statement: DtsProperty, value: DtsValue) -> tuple[int, int, str]:
    """The edit that replaces a whole statement: for one without a value, as "p;" and
    /delete-property/ are, and where the new value is none."""
    text = source.text[statement.start : statement.end]
    if blanked(text) != text or not text.startswith((statement.name, "/delete-property/")):
        message = f"expected {statement.name} without labels and comments; change it by hand"
        raise EditRefused(message, statement.start, statement.end)
    return statement.start, statement.end, fresh(statement.name, value)


def _strings(
    source: DtsText, start: int, end: int, code: str, wanted: Sequence[str], comments: str
) -> tuple[int, int, str]:
    if not _STRINGS.fullmatch(code.strip()):
        raise _refused("one string" if len(wanted) == 1 else "strings", source, start, end)
    found = list(_STRING.finditer(code))
    if len(found) != len(wanted):
        return start, end, _quoted(wanted) + comments
    made = source.text[start:end]
    for match, one in reversed(list(zip(found, wanted, strict=True))):
        if match[0] != quoted(one):
            made = made[: match.start()] + quoted(one) + made[match.end() :]
    return start, end, made


def _numbers(
    source: DtsText, start: int, end: int, code: str, wanted: Sequence[int], comments: str
) -> tuple[int, int, str]:
    if not _CELLS.fullmatch(code):
        raise _refused("numbers", source, start, end)
    found = list(re.finditer(_NUMBER, code))
    if len(found) != len(wanted):
        made = " ".join(in_style_of(found[0][0], one) if found else str(one) for one in wanted)
        return start, end, f"<{made}>{comments}"
    made = source.text[start:end]
    for match, one in reversed(list(zip(found, wanted, strict=True))):
        if int(match[0], 0) != one:
            made = made[: match.start()] + in_style_of(match[0], one) + made[match.end() :]
    return start, end, made


def _number(source: DtsText, start: int, end: int, code: str, value: int) -> tuple[int, int, str]:
    cell = _ONE_CELL.fullmatch(code.strip())
    if cell is None or cell["cell"].count("(") != cell["cell"].count(")"):
        raise _refused("one number", source, start, end)
    first = start + len(code) - len(code.lstrip())
    if cell["number"]:
        at = first + cell.start("number")
        return at, at + len(cell["number"]), in_style_of(cell["number"], value)
    return _macro(source, cell["macro"], first + cell.start("macro"), value)


def _macro(source: DtsText, name: str, used: int, value: int) -> tuple[int, int, str]:
    """The definition of the macro that a value is, where it is this file's and for this value
    alone."""
    pattern = rf"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+\(?[ \t]*(?P<number>{_NUMBER})\b"
    definitions = list(re.finditer(pattern, source.text, re.MULTILINE | re.ASCII))
    uses = len(re.findall(rf"\b{name}\b", _without_comments(source.text), re.ASCII))
    if len(definitions) == 1 and uses == 2:
        start, end = definitions[0].span("number")
        return start, end, in_style_of(definitions[0]["number"], value)
    where = (
        "the file does not define"
        if not definitions
        else f"the file defines once and uses {uses - 1} times"
        if len(definitions) == 1
        else "the file defines more than once"
    )
    message = (
        f"expected a number, or a macro that is this value's alone, found {name}, which {where}; "
        "change it by hand"
    )
    raise EditRefused(message, used, used + len(name))


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def _refused(expected: str, source: DtsText, start: int, end: int) -> EditRefused:
    found = " ".join(source.text[start:end].split())[:60]
    return EditRefused(f"expected {expected}, found {found}; change it by hand", start, end)
