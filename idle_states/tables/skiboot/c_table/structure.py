"""The arrays of a C file, their rows and members, as tree-sitter sees them once the macros that
make rows or members are expanded."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ....base.dataclass import dataclass, field
from ....base.extras import package
from ....base.reading import limits
from ....base.reading.c.lexer import UnsupportedC
from ....base.reading.c.preprocess import Preprocessed
from .unfolded import Span, Unfolded, unfolded

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_ARRAY_CHARACTERS = limits.C_ARRAY_CHARACTERS
"""Of all arrays together; skiboot's largest file has 12 KiB of them."""
MAX_ARRAYS = limits.C_ARRAYS
MAX_ROWS = limits.C_ROWS
MAX_NESTING = limits.C_NESTING

FIELD_MEMBERS = {
    # field of IdleState -> names of its member, newest first
    "name": ("name",),
    "latency": ("latency_ns",),
    "residency": ("residency_ns",),
    "control": ("pm_ctrl_reg_val", "pmicr", "psscr"),
    "mask": ("pm_ctrl_reg_mask", "pmicr_mask", "psscr_mask"),
    "flags": ("flags",),
}
"""struct cpu_idle_states, in its order since 952daa69b."""
_FORMER = {old: names[0] for names in FIELD_MEMBERS.values() for old in names[1:]}
_KNOWN = frozenset(name for names in FIELD_MEMBERS.values() for name in names)

_ATTRIBUTE = r"(?:__\w++\s*(?:\(\([^;{}=]{0,200}?\)\)\s*)?)?"
_ARRAY = re.compile(
    rf"struct(?<!\wstruct)\s+cpu_idle_states\s+(?:const\s+)?{_ATTRIBUTE}(\w+)\s*\[([^\[\]{{}};]{{0,200}})\]"
    rf"\s*{_ATTRIBUTE}=\s*",
    re.ASCII,
)
_STRUCT = re.compile(r"struct(?<!\wstruct)\s+cpu_idle_states\s*\{([^{}]{0,4000})\}")
_DECLARATORS = re.compile(r"\b(\w++)\s*+(?:\[[^\[\]]*\]\s*)?(?:,|$)", re.ASCII)
_BRACKET = re.compile(r"[][(){}]")
_DECLARATION = b"s x[]="


@dataclass(frozen=True, slots=True)
class CRow:
    """One row of an array. span: its text; members: name -> place of the value, as in the text."""

    span: Span
    members: dict[str, Span] = field(default_factory=dict)

    @property
    def macro(self) -> str:
        """The macro that makes the row or the first of its members that one makes; else ""."""
        places = (self.span, *self.members.values())
        return next((place.macro for place in places if place.macro), "")


@dataclass(frozen=True, slots=True)
class Array:
    """An array with its initialiser. size: the text between its brackets, which may be empty."""

    name: Span
    size: Span
    initialiser: Span


@dataclass(frozen=True, slots=True)
class StructMembers:
    """The struct's members in order. assumed: the file does not define it, so that it may be the
    struct of any release."""

    members: tuple[str, ...]
    assumed: bool

    def position(self, member: str) -> int | None:
        if self.assumed:
            member = _FORMER.get(member, member)
        return self.members.index(member) if member in self.members else None

    def member(self, field: str) -> str | None:
        """Returns the name of the struct member for a field of IdleState; None if the struct has
        none."""
        return next((name for name in FIELD_MEMBERS[field] if name in self.members), None)


def layout(clean: Preprocessed) -> StructMembers:
    match = _STRUCT.search(clean.bare)
    if match is None:
        return StructMembers(tuple(names[0] for names in FIELD_MEMBERS.values()), assumed=True)
    declarations = match[1].split(";")
    names = [name for part in declarations for name in _DECLARATORS.findall(part.rstrip())]
    return StructMembers(tuple(names), assumed=False)


def arrays(clean: Preprocessed, problems: list[UnsupportedC]) -> Iterator[Array]:
    """Yields every array of struct cpu_idle_states that has an initialiser. problems: what cannot
    be parsed is added."""
    total = 0
    for count, match in enumerate(_ARRAY.finditer(clean.bare), 1):
        name = Span(*match.span(1))
        if count > MAX_ARRAYS:
            message = f"expected at most {MAX_ARRAYS} tables, found more"
            problems.append(UnsupportedC(message, name.start, name.end))
            return
        try:
            end = _end_of_initialiser(clean.bare, match.end(), name)
        except UnsupportedC as problem:
            problems.append(problem)
            continue
        total += end - match.end()
        if total > MAX_ARRAY_CHARACTERS:
            message = f"expected at most {MAX_ARRAY_CHARACTERS} characters of tables, found more"
            problems.append(UnsupportedC(message, name.start, name.end))
            return
        yield Array(name, Span(*match.span(2)), Span(match.end(), end))


def _end_of_initialiser(bare: str, start: int, name: Span) -> int:
    """Returns the offset after the initialiser's closing brace. Raises UnsupportedC if no semicolon
    follows."""
    word = bare[name.start : name.end]
    if bare[start : start + 1] != "{":
        message = f"expected '{{' after {word}[] =, found {bare[start : start + 1]!a}"
        raise UnsupportedC(message, name.start, name.end)
    depth = 0
    for match in _BRACKET.finditer(bare, start):
        depth += 1 if match[0] in "({[" else -1
        if depth > MAX_NESTING:
            message = f"expected at most {MAX_NESTING} brackets inside each other, found more"
            raise UnsupportedC(message, match.start(), match.end())
        if depth == 0:
            rest = bare[match.end() : match.end() + 200].lstrip()[:1]
            if rest != ";":
                message = f"expected ';' after the rows of {word}, found {rest or 'nothing'}"
                raise UnsupportedC(message, match.start(), match.end())
            return match.end()
    message = f"expected '}};' at the end of {word}, found the end of the file"
    raise UnsupportedC(message, name.start, name.end)


def rows(
    clean: Preprocessed, array: Array, struct: StructMembers, problems: list[UnsupportedC]
) -> list[CRow]:
    """Returns the rows of an array. Values without a designator are in the order of the struct's
    members. problems: what cannot be parsed is added."""
    text = unfolded(clean, array.initialiser)
    root = _parsed(text)
    if root is not None and root.has_error:
        # the arguments of a macro need not be expressions
        text, first = unfolded(clean, array.initialiser, every=True), (root, text)
        root = _parsed(text)
        if root is not None and root.has_error:
            problems.append(_syntax_error(*first))
            return []
    if root is None:
        message = f"expected at most {MAX_ARRAY_CHARACTERS} characters of tables, found more"
        problems.append(UnsupportedC(message, array.name.start, array.name.end))
        return []
    table = root.children[0].child_by_field_name("declarator")
    table = table and table.child_by_field_name("value")
    if table is None or table.type != "initializer_list":
        message = "expected rows in braces"
        problems.append(UnsupportedC(message, array.name.start, array.name.end))
        return []
    found = []
    for node in table.named_children:
        try:
            found.append(_row(node, text, struct))
        except UnsupportedC as problem:
            problems.append(problem)
            found.append(CRow(_span(node, text)))
        if len(found) > MAX_ROWS:
            message = f"expected at most {MAX_ROWS} rows, found more"
            problems.append(UnsupportedC(message, array.name.start, array.name.end))
            return []
    return found


def _parsed(text: Unfolded) -> "Node | None":
    """The root of an array's declaration; None for one that is too long."""
    if len(text.made) > MAX_ARRAY_CHARACTERS:
        return None
    return _parser().parse(_DECLARATION + text.made.encode("ascii", "replace") + b";").root_node


def _row(node: "Node", text: Unfolded, struct: StructMembers) -> CRow:
    span = text.row(*_ends(node))
    if span.start in text.refused:
        raise text.refused[span.start]
    if node.type != "initializer_list":
        word = _words(node, text).split("(")[0].split("=")[0].strip()
        raise UnsupportedC(f"expected a row in braces, found {word[:60]!a}", span.start, span.end)
    row = CRow(span)
    position = 0
    for child in node.named_children:
        value = child
        place = _span(child, text)
        if child.type == "initializer_pair":
            member, value = _designated(child, text)
        elif position < len(struct.members):
            member = struct.members[position]
        else:
            message = f"expected at most {len(struct.members)} values in a row, found more"
            raise UnsupportedC(message, place.start, place.end)
        found = struct.position(member)
        if found is None or member not in _KNOWN:
            known = ", ".join(name for name in struct.members if name in _KNOWN)
            message = f"expected a member of struct cpu_idle_states ({known}), found {member}"
            raise UnsupportedC(message, place.start, place.end)
        row.members[member] = _unbraced(value, text)
        position = found + 1
    return row


def _designated(pair: "Node", text: Unfolded) -> tuple[str, "Node"]:
    """Returns the member and value of `.member = value`, or of GNU C's `member: value`."""
    designators = pair.children_by_field_name("designator")
    value = pair.child_by_field_name("value")
    kinds = ("field_designator", "field_identifier")
    if value is None or len(designators) != 1 or designators[0].type not in kinds:
        span, found = _span(pair, text), _words(pair, text).split("=")[0].strip()
        message = f"expected a member's designator such as .name, found {found[:60]!a}"
        raise UnsupportedC(message, span.start, span.end)
    return _words(designators[0], text).lstrip(".").strip(), value


def _unbraced(value: "Node", text: Unfolded) -> Span:
    """Returns the place of a value without the one pair of braces that C allows around it."""
    if value.type == "initializer_list" and len(value.named_children) == 1:
        value = value.named_children[0]
    span = _span(value, text)
    if value.type in ("initializer_list", "initializer_pair"):
        raise UnsupportedC("expected one value, found a list", span.start, span.end)
    return span


def _span(node: "Node", text: Unfolded) -> Span:
    return text.span(*_ends(node))


def _ends(node: "Node") -> tuple[int, int]:
    return node.start_byte - len(_DECLARATION), node.end_byte - len(_DECLARATION)


def _words(node: "Node", text: Unfolded) -> str:
    return text.made[slice(*_ends(node))]


def _syntax_error(root: "Node", text: Unfolded) -> UnsupportedC:
    """Returns an error at the first place that does not parse."""
    node = root
    while not (node.is_error or node.is_missing):
        broken = next((child for child in node.children if child.has_error), None)
        if broken is None:
            break
        node = broken
    start, end = (max(0, at) for at in _ends(node))
    span = text.span(start, end)
    if node.is_missing:
        return UnsupportedC(f"expected {node.type!r}, found none", span.start, span.start + 1)
    found = text.made[start : min(end, start + 40)].split("\n")[0].strip()
    return UnsupportedC(f"expected C that parses, found {found!a}", span.start, span.end)


def require_parser(file: str) -> None:
    """Raises MissingPackage (IS930) if tree-sitter is not installed; file: what needs it."""
    for module in ("tree_sitter", "tree_sitter_c"):
        package("c", module, file)


@lru_cache(maxsize=1)
def _parser() -> "Parser":
    # Imported here: only who reads C needs it, and loading it takes as long as a small file.
    import tree_sitter
    import tree_sitter_c

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))
