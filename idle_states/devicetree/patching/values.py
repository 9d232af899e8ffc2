"""Values of properties: what a description wants, and the text that a value becomes.

A number keeps its base, its leading zeros and its parentheses; a list keeps its groups where what
goes or comes lets it. What a person would have to think about is refused with its place.
"""

import re
from collections.abc import Sequence

from ...skiboot.patching import EditRefused
from ...skiboot.patching.numbers import in_style_of
from ..idle_nodes import DOMAIN_LIST, ENTRY, EXIT, LIST, RESIDENCY, TIMER_STOP, WAKEUP
from .source import SKIPPED, DtsProperty, DtsText

DtsValue = None | bool | int | str | tuple[str, ...]
"""None: the property is not there; True: there, without a value; a number of one cell; a string; or
the nodes that a list refers to, by label."""

TIMES = (ENTRY, EXIT, WAKEUP, RESIDENCY)
PARAMETERS = ("arm,psci-suspend-param", "riscv,sbi-suspend-param")
LISTS = (LIST, DOMAIN_LIST, "power-domains")
FLAGS = (TIMER_STOP,)
STRINGS = ("status", "enable-method", "idle-state-name", "compatible", "power-domain-names")

_NUMBER = r"0[xX][0-9a-fA-F]+|[0-9]+"
_ONE_CELL = re.compile(
    rf"<\s*(?P<cell>\(*\s*(?:(?P<number>{_NUMBER})|(?P<macro>[A-Za-z_]\w*))\s*\)*)\s*>", re.ASCII
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENT = re.compile(SKIPPED, re.VERBOSE | re.DOTALL | re.MULTILINE)
_REFERENCE = re.compile(r"&(?:\{[^{};\n]*\}|\w+)")
_ONLY_REFERENCES = re.compile(r"(?:[\s<>,]|&(?:\{[^{};\n]*\}|\w+))*")


def fresh(name: str, value: DtsValue, like: str = "") -> str:
    """The text of a statement that gives a property its value, its semicolon included. like: how
    the file writes such a property's value elsewhere; "" if it does not."""
    if value is True:
        return f"{name};"
    if isinstance(value, str):
        return f"{name} = {quoted(value)};"
    if isinstance(value, tuple):
        joint = " " if re.search(r"<[^<>]*&[^<>]*&", like) else ">, <"
        return f"{name} = <{joint.join(f'&{label}' for label in value)}>;"
    assert isinstance(value, int)
    known = re.search(_NUMBER, like)
    made = in_style_of(known[0], value) if known else hexadecimal(name, value)
    return f"{name} = <{made}>;"


def hexadecimal(name: str, value: int) -> str:
    """A number as a new file would have it: parameters in hexadecimal."""
    return f"{value:#010x}" if name in PARAMETERS else str(value)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def blanked(text: str) -> str:
    """With comments and directives as blanks, as long as it was."""
    return _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def rewritten(source: DtsText, statement: DtsProperty, value: DtsValue) -> tuple[int, int, str]:
    """Where the file's text changes so that a statement gives a property a value, and to what.
    Raises EditRefused."""
    if statement.deletes or statement.value is None or value is True:
        message = f"expected a value of {statement.name}, found none; change it by hand"
        raise EditRefused(message, statement.start, statement.end)
    start, end = statement.value
    code = blanked(source.text[start:end])
    if isinstance(value, int):
        return _number(source, start, end, code, value)
    if isinstance(value, str):
        found = _STRING.fullmatch(code.strip())
        if found is None:
            raise _refused("one string", source, start, end)
        at = start + code.index('"')
        return at, at + len(found[0]), quoted(value)
    assert isinstance(value, tuple)
    if not _ONLY_REFERENCES.fullmatch(code):
        raise _refused("references to nodes alone", source, start, end)
    return start, end, _list(source.text[start:end], code, value)


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


def _list(text: str, code: str, wanted: Sequence[str]) -> str:
    """A list's text with other references: those that go are cut out, those that come stand behind
    the one they follow; in another order it is written anew, with its comments behind."""
    references = [f"&{name}" for name in wanted]
    present = list(_REFERENCE.finditer(code))
    names = [match[0] for match in present]
    if _is_within(references, names) and references:
        return _cut(text, code, present, references)
    if _is_within(names, references) and names:
        return _extended(text, code, present, references)
    joint = " " if re.search(r"<[^<>]*&[^<>]*&", code) else ">, <"
    comments = "".join(f" {match[0]}" for match in _COMMENT.finditer(text))
    return f"<{joint.join(references)}>{comments}"


def _is_within(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether the first list is the second with items left out."""
    rest = iter(others)
    return all(item in rest for item in some)


def _cut(text: str, code: str, present: Sequence["re.Match[str]"], wanted: Sequence[str]) -> str:
    """With the references that are not wanted cut out, each with the blanks before it; a group that
    is left empty goes with its comma. Comments stay."""
    waiting = list(wanted)
    gone: list[tuple[int, int]] = []
    for match in present:
        if waiting and match[0] == waiting[0]:
            waiting.pop(0)
            continue
        gone.append(match.span())
    made, plain = text, code
    for start, end in reversed(gone):
        before = plain[:start]
        if before.rstrip().endswith("<"):
            # what follows takes its place
            end += len(made[end:]) - len(made[end:].lstrip())
        else:
            kept = made[:start].rstrip()
            # what ends a line as a comment does not take in what follows
            start = start if "//" in kept.rpartition("\n")[2] else len(kept)
        made, plain = made[:start] + made[end:], plain[:start] + plain[end:]
    while empty := re.search(r"<\s*>\s*,\s*|,\s*<\s*>", plain):
        start, end = empty.span()
        comments = [match[0] for match in _COMMENT.finditer(made[start:end])]
        left = "".join(f" {one}\n" if one.startswith("//") else f" {one}" for one in comments)
        made = made[:start] + left + made[end:]
        plain = plain[:start] + " " * len(left) + plain[end:]
    return made


def _extended(
    text: str, code: str, present: Sequence["re.Match[str]"], wanted: Sequence[str]
) -> str:
    """With the references that come put behind the one they follow, or before the first."""
    joint = _joint(code, present)
    number = 0
    pieces: list[str] = []
    done = 0
    ahead: list[str] = []
    for reference in wanted:
        if number < len(present) and reference == present[number][0]:
            match = present[number]
            number += 1
            pieces.append(text[done : match.start()])
            pieces += [f"{one}{joint}" for one in ahead]
            ahead = []
            pieces.append(match[0])
            done = match.end()
        elif number:
            pieces.append(f"{joint}{reference}")
        else:
            ahead.append(reference)
    return "".join([*pieces, text[done:]])


def _joint(code: str, present: Sequence["re.Match[str]"]) -> str:
    """What stands between two references, without comments."""
    if len(present) < 2:
        return ">, <"
    return code[present[-2].end() : present[-1].start()]


def _refused(expected: str, source: DtsText, start: int, end: int) -> EditRefused:
    found = " ".join(source.text[start:end].split())[:60]
    return EditRefused(f"expected {expected}, found {found}; change it by hand", start, end)
