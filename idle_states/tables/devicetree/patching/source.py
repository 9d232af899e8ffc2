"""One file of device-tree source as it is written: blocks and properties with their places.

Nothing is included and no macro expanded: this is the text that a person edits. What it means is
seen when the boards that include it are built.
"""

import re
from collections.abc import Iterator

from ....base.dataclass import dataclass, field
from ....base.model.findings import Location
from ....base.patterns import pattern
from ...skiboot.patching import EditRefused
from ..tree import MAX_DEPTH

__all__ = ["DtsBlock", "DtsNode", "DtsProperty", "DtsText", "EditRefused"]

SKIPPED = (
    r"/\*.*?(?:\*/|\Z) | //[^\n]*"
    r" | ^[ \t]*\#[ \t]*(?:line|include|define|undef|ifdef|ifndef|if|elif|else|endif|error|[0-9])\b"
    r" (?![,-]) (?:[^\\\n]|\\.)*"
)
"""Comments, and directives of the preprocessor with the lines that continue them."""
COMMENT = pattern(SKIPPED, re.VERBOSE | re.DOTALL | re.MULTILINE)
TOKEN = pattern(
    rf"""
      (?P<skip> {SKIPPED} )
    | (?P<string> "(?>(?:[^"\\]|\\(?:.|\Z))*)(?:"|\Z) )
    | (?P<char> '(?:[^'\\\n]|\\.){{0,8}}' )
    | (?P<directive> /[a-z][a-z0-9-]*/ )
    | (?P<reference> & (?: \{{ [^{{}};\n]*+ \}} | \w+ ) )
    | (?P<label> [A-Za-z_]\w*+ \s*+ : )
    | (?P<word> [\w,.+*?\#@\\-]+ | / )
    | (?P<mark> [{{}};=] )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


@dataclass(slots=True)
class DtsProperty:
    """A statement that gives a property its value, or takes it away.

    start, end  of the statement, its semicolon included
    value       of the text after "=", without blanks at its ends; None for a property without value
    deletes     it is /delete-property/
    """

    name: str
    start: int
    end: int
    value: tuple[int, int] | None = None
    deletes: bool = False


@dataclass(slots=True)
class DtsBlock:
    """The block in braces after a node's name or a reference to one.

    name           "cpu@0", "/", "&label" or "&{/path}"
    path           of its node, as far as this file tells: "/cpus/cpu@0", "&label/child"
    start, end     from the first label to the semicolon
    opened, closed  places of "{" and of "}"
    """

    name: str
    labels: tuple[str, ...]
    path: str
    start: int
    opened: int
    closed: int = -1
    end: int = -1
    properties: list[DtsProperty] = field(default_factory=list)
    blocks: list["DtsBlock"] = field(default_factory=list)
    parent: "DtsBlock | None" = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class DtsNode:
    """A node as far as one file writes it.

    path    as of DtsBlock
    blocks  all that write it, in the order of the file
    """

    path: str
    labels: tuple[str, ...]
    blocks: tuple[DtsBlock, ...]

    @property
    def definition(self) -> DtsBlock:
        """The block that gives the node its name; where this file has none, the last one."""
        named = [block for block in self.blocks if not block.name.startswith("&")]
        return named[0] if named else self.blocks[-1]

    def writers(self, name: str) -> list[DtsProperty]:
        """The statements that write a property, in the order of the file."""
        return [p for block in self.blocks for p in block.properties if p.name == name]


class DtsText:
    """The text of a file in parts. file: what messages call it.

    Raises EditRefused for a text whose braces do not match, whatever the preprocessor decides.
    """

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.blocks: list[DtsBlock] = []
        self.label2path: dict[str, str] = {}
        """The labels that this file gives."""
        _Parser(self).run()

    def all_blocks(self) -> Iterator[DtsBlock]:
        """In the order of the file, a node before what it holds."""
        waiting = self.blocks[::-1]
        while waiting:
            block = waiting.pop()
            yield block
            waiting += block.blocks[::-1]

    def node(self, named: str) -> DtsNode:
        """The node with a label, a name such as "cpu@0", or a path, which may begin with a label:
        "label/cpu@0". Raises EditRefused where there is none, or more than one."""
        if named.startswith("/"):
            paths = {block.path for block in self.all_blocks() if block.path == named}
        elif named in self.label2path:
            paths = {self.label2path[named]}
        else:
            names = (named, f"&{named}")
            paths = {b.path for b in self.all_blocks() if b.name in names or b.path == names[1]}
        if len(paths) != 1:
            listed = ", ".join(sorted(paths)) or "none"
            raise EditRefused(f"expected one node {named} in the file, found {listed}", 0, 0)
        (path,) = paths
        labels = [label for label, other in self.label2path.items() if other == path]
        blocks = [block for block in self.all_blocks() if block.path == path]
        return DtsNode(path, tuple(labels), tuple(blocks))

    def location(self, start: int, end: int, path: str = "") -> Location:
        line = self.text.count("\n", 0, start) + 1
        column = start - self.text.rfind("\n", 0, start)
        length = max(1, len(self.text[start:end].split("\n")[0]))
        return Location(path, self.file, line, column, length)


class _Parser:
    def __init__(self, into: DtsText) -> None:
        self.into = into
        self.open: list[DtsBlock] = []
        self.next_statement()

    def next_statement(self) -> None:
        self.labels: list[str] = []
        self.directive = ""
        self.start = -1
        self.name = ""
        self.value = -1
        self.last = -1

    def run(self) -> None:
        for token in TOKEN.finditer(self.into.text):
            kind = token.lastgroup
            if kind == "skip":
                continue
            text = token[0]
            if self.value >= 0:
                if text == ";" and kind == "mark":
                    self.property(token.end())
                else:
                    self.last = token.end()
                continue
            if self.closing is not None:
                block, self.closing = self.closing, None
                block.end = token.end() if text == ";" else block.closed + 1
                if text == ";":
                    continue
            if self.start < 0:
                self.start = token.start()
            self.take(kind, text, token)
        if self.open:
            opened = self.open[-1].opened
            raise EditRefused("expected the } of this {, found none", opened, opened + 1)
        if self.closing is not None:
            self.closing.end = self.closing.closed + 1

    closing: DtsBlock | None = None

    def take(self, kind: str | None, text: str, token: re.Match[str]) -> None:
        if kind == "label":
            if self.name:
                # of a macro, as below
                self.name, self.labels, self.start = "", [], token.start()
            self.labels.append(text[:-1].rstrip())
        elif kind == "directive":
            self.directive = text
        elif kind == "string":
            # /include/ "file" ends without a semicolon
            self.next_statement()
        elif kind in ("word", "reference"):
            if self.name and not self.labels:
                # a macro stands before it, as a statement of its own
                self.start = token.start()
            self.name = text
        elif text == "{":
            self.enter(token)
        elif text == "}":
            self.leave(token)
        elif text == "=":
            self.value = self.last = token.end()
        elif text == ";":
            self.property(token.end())

    def enter(self, token: re.Match[str]) -> None:
        parent = self.open[-1] if self.open else None
        if len(self.open) >= MAX_DEPTH:
            message = f"expected nodes at most {MAX_DEPTH} deep"
            raise EditRefused(message, token.start(), token.end())
        path = self.path(parent)
        start = self.start if self.name else token.start()
        block = DtsBlock(self.name, tuple(self.labels), path, start, token.start(), parent=parent)
        (parent.blocks if parent else self.into.blocks).append(block)
        self.into.label2path.update(dict.fromkeys(self.labels, path))
        self.open.append(block)
        self.next_statement()

    def path(self, parent: DtsBlock | None) -> str:
        if self.name.startswith("&{"):
            return self.name[2:-1].strip()
        if self.name.startswith("&"):
            return self.into.label2path.get(self.name[1:], self.name)
        if parent is None:
            return self.name
        return f"{parent.path.rstrip('/')}/{self.name}"

    def leave(self, token: re.Match[str]) -> None:
        if not self.open:
            raise EditRefused("expected a { before this }, found none", *token.span())
        block = self.open.pop()
        block.closed = token.start()
        self.closing = block
        self.next_statement()

    def property(self, end: int) -> None:
        if self.name and self.open and self.directive in ("", "/delete-property/"):
            value = None
            if self.value >= 0:
                text = self.into.text
                start = self.value
                while start < end - 1 and text[start].isspace():
                    start += 1
                stop = end - 1
                while stop > start and text[stop - 1].isspace():
                    stop -= 1
                value = start, stop
            deletes = self.directive != ""
            made = DtsProperty(self.name, self.start, end, value, deletes)
            self.open[-1].properties.append(made)
        self.next_statement()
