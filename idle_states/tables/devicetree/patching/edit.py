"""Edits of a file's text: a property set or removed, a node added, removed or renamed."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from .lists import cut, entries_in
from .source import TOKEN, DtsBlock, DtsNode, DtsProperty, DtsText, EditRefused
from .values import LISTS, DtsValue, blanked, fresh, rewritten

Place = Literal["after", "before", "in"]
PLACES: tuple[Place, ...] = get_args(Place)
"""The place of a new node: beside another one, or in it as its last."""


def with_property(source: DtsText, node: DtsNode, name: str, value: DtsValue) -> str:
    """The text in which a node's property has a value, None for no such property. Of several
    statements that write it, the last one changes. Raises EditRefused."""
    text = source.text
    writers = node.writers(name)
    if value is None:
        for statement in reversed(writers):
            text = _without_lines(text, statement.start, statement.end)
        if not writers:
            block = node.definition
            message = f"expected {name} in {node.path}, found none"
            raise EditRefused(message, block.start, block.opened)
        return text
    if not writers:
        return _inserted(source, node, name, value)
    start, end, made = rewritten(source, writers[-1], value)
    return text[:start] + made + text[end:]


def with_node(
    source: DtsText,
    beside: DtsNode,
    name: str,
    label: str,
    properties: Mapping[str, DtsValue],
    *,
    place: Place = "after",
) -> str:
    """The text with a new node after or before another, laid out like it, or in it.

    What every node beside it has to have, its compatible, is taken from there if it is not given.
    Raises EditRefused.
    """
    other = beside.definition
    indent = _inner_indent(source, other) if place == "in" else _indent(source.text, other.start)
    newline = _newline(source.text)
    given = dict(properties)
    like = {p.name: source.text[p.value[0] : p.value[1]] for p in other.properties if p.value}
    lines = []
    if place == "in":
        like = {}
    if "compatible" not in given and "compatible" in like:
        lines.append(f"compatible = {like['compatible']};")
    lines += [fresh(key, value, like.get(key, "")) for key, value in given.items()]
    deeper = f"{indent}\t" if place == "in" else _inner_indent(source, other)
    body = "".join(f"{deeper}{line}{newline}" for line in lines)
    head = f"{label}: {name}" if label else name
    made = f"{indent}{head} {{{newline}{body}{indent}}};"
    text = source.text
    if place == "in":
        return _as_last(text, other, made, newline)
    if place == "before":
        at = text.rfind("\n", 0, other.start) + 1
        return f"{text[:at]}{made}{newline}{newline}{text[at:]}"
    at = _line_end(text, other.end)
    return f"{text[:at]}{newline}{newline}{made}{text[at:]}"


def _as_last(text: str, block: DtsBlock, made: str, newline: str) -> str:
    """The text with another node before the brace that ends a block."""
    at = text.rfind("\n", 0, block.closed) + 1
    if text[at : block.closed].strip():
        # the brace shares its line
        head, indent = text[: block.closed].rstrip(), _indent(text, block.start)
        return f"{head}{newline}{made}{newline}{indent}{text[block.closed :]}"
    gap = newline if block.properties or block.blocks else ""
    return f"{text[:at]}{gap}{made}{newline}{text[at:]}"


def without_node(source: DtsText, node: DtsNode) -> str:
    """The text without a node, whatever blocks write it, and without it in the lists of the file. A
    list that is left empty goes. Raises EditRefused."""
    names = {f"&{label}" for label in node.labels}
    edits: list[tuple[int, int, str]] = []
    for block in source.all_blocks():
        if any(_holds(one, block) for one in node.blocks):
            continue
        for statement in block.properties:
            if statement.name not in LISTS or statement.value is None:
                continue
            start, end = statement.value
            text = source.text[start:end]
            code = blanked(text)
            listed = entries_in(code)
            if listed is None:
                if names & set(re.findall(r"&\w+", code)):
                    message = f"expected references to nodes alone in {statement.name}"
                    raise EditRefused(message, start, end)
                continue
            gone = [(one.start, one.end) for one in listed if one.reference in names]
            if len(gone) < len(listed):
                edits.append((start, end, cut(text, code, gone)))
            elif gone:
                edits.append((*_lines(source.text, statement.start, statement.end), ""))
    edits += [(*_with_blank_line(source.text, block), "") for block in node.blocks]
    text = source.text
    for start, end, made in sorted(edits, reverse=True):
        text = text[:start] + made + text[end:]
    return text


def with_name(source: DtsText, node: DtsNode, name: str) -> str:
    """The text with another name for a node, before its braces and in references by path. Labels
    stay. Raises EditRefused."""
    old = node.path.rpartition("/")[2]
    named = [block for block in node.blocks if not block.name.startswith("&")]
    place = node.definition
    if not named:
        message = f"expected the name of {node.path} in the file, found references to it alone"
        raise EditRefused(message, place.start, place.opened)
    path = f"{node.path.rpartition('/')[0]}/{name}"
    if any(block.path == path for block in source.all_blocks()):
        raise EditRefused(f"expected no {path} yet, found it", place.start, place.opened)
    places = []
    deletes = False
    for token in TOKEN.finditer(source.text):
        if token.lastgroup == "reference" and _names(token[0], node.path):
            places.append(token.start() + token[0].index(node.path) + len(node.path) - len(old))
        elif token.lastgroup == "word" and deletes and token[0] == old:
            message = f"expected {old} to be deleted by label, found it by name; change it by hand"
            raise EditRefused(message, *token.span())
        if token.lastgroup != "skip":
            deletes = token[0] == "/delete-node/"
    for block in named:
        head = blanked(source.text[block.start : block.opened])
        places.append(block.start + head.rindex(old))
    text = source.text
    for at in sorted(places, reverse=True):
        text = text[:at] + name + text[at + len(old) :]
    return text


def _names(reference: str, path: str) -> bool:
    """Tells whether a reference by path, such as &{/cpus}, is to a node or to one below it."""
    found = reference[2:-1].strip() if reference.startswith("&{") else ""
    return f"{found}/".startswith(f"{path}/")


def _holds(outer: DtsBlock, block: DtsBlock) -> bool:
    return outer.start <= block.start and block.end <= outer.end


def _inserted(source: DtsText, node: DtsNode, name: str, value: DtsValue) -> str:
    """With a property that the node lacks: where the nodes beside it have it, else after the last
    that it has."""
    block = node.definition
    siblings = _like(source, block, name)
    like = ""
    after: DtsProperty | None = block.properties[-1] if block.properties else None
    before: DtsProperty | None = None
    if siblings:
        given = siblings[0].properties
        at = next(i for i, p in enumerate(given) if p.name == name)
        span = given[at].value
        like = source.text[span[0] : span[1]] if span else ""
        own = {p.name: p for p in block.properties}
        ahead = [p.name for p in given[:at] if p.name in own]
        behind = [p.name for p in given[at + 1 :] if p.name in own]
        if ahead:
            after = own[ahead[-1]]
        elif behind:
            before = own[behind[0]]
    made = fresh(name, value, like)
    text, newline = source.text, _newline(source.text)
    indent = _inner_indent(source, block)
    if before is not None:
        at = text.rfind("\n", 0, before.start) + 1
        return f"{text[:at]}{indent}{made}{newline}{text[at:]}"
    at = _line_end(text, after.end if after is not None else block.opened + 1)
    return f"{text[:at]}{newline}{indent}{made}{text[at:]}"


def _like(source: DtsText, block: DtsBlock, name: str) -> list[DtsBlock]:
    """The nodes beside a block that have a property, else any node of its kind that has."""
    beside = block.parent.blocks if block.parent else source.blocks
    kind = block.name.partition("@")[0]
    found = [b for b in beside if b is not block and any(p.name == name for p in b.properties)]
    return sorted(found, key=lambda b: b.name.partition("@")[0] != kind)


def _inner_indent(source: DtsText, block: DtsBlock) -> str:
    for statement in block.properties:
        indent = _indent(source.text, statement.start)
        if source.text[: statement.start].endswith(f"\n{indent}"):
            return indent
    return f"{_indent(source.text, block.start)}\t"


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_end(text: str, at: int) -> int:
    """The end of the line that a place is in, where nothing but a comment follows; else the
    place."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    rest = text[at:end]
    if blanked(rest).strip():
        return at
    if "/*" in rest and "*/" not in rest:
        return at
    return end - 1 if rest.endswith("\r") else end


def _lines(text: str, start: int, end: int) -> tuple[int, int]:
    """From start to end with the whole lines around, where nothing else stands on them."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last + 1
    if text[first:start].strip() or text[end:last].strip():
        return start, end
    return first, last


def _without_lines(text: str, start: int, end: int) -> str:
    start, end = _lines(text, start, end)
    return text[:start] + text[end:]


def _with_blank_line(text: str, block: DtsBlock) -> tuple[int, int]:
    """The lines of a block, with one of the blank lines that kept it apart."""
    start, end = _lines(text, block.start, block.end)
    before = re.search(r"(?:\A|\n)([ \t]*\r?\n)\Z", text[:start])
    if before is not None:
        return before.start(1), end
    after = re.match(r"[ \t]*\r?\n", text[end:])
    return start, end + (after.end() if after else 0)
