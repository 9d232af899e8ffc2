"""YAML text -> located tree.

The tree is built from libyaml's events, not from constructed Python objects: every scalar keeps
its raw text and place, nothing is guessed (no octal 010, no `no` that becomes False), and
hostile input is bounded before anything recurses.
"""

from collections.abc import Iterator

import yaml

from ..dataclass import dataclass, field
from ..model.findings import Finding, Location, Severity, Unreadable
from . import limits

MAX_BYTES = limits.SPEC_BYTES
MAX_NODES = limits.SPEC_VALUES
MAX_DEPTH = limits.SPEC_DEPTH

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class Scalar:
    """Raw text; `quoted` tells "1" from 1."""

    text: str
    quoted: bool
    where: Location

    kind = "a scalar"


@dataclass(slots=True)
class Sequence:
    items: list["Node"]
    where: Location

    kind = "a list"


@dataclass(slots=True)
class Mapping:
    """Ordered entries; `keys` has the place of each key itself."""

    entries: dict[str, "Node"]
    where: Location
    keys: dict[str, Location] = field(default_factory=dict)

    kind = "a mapping"


Node = Scalar | Sequence | Mapping


def written(node: Node) -> str:
    """The node on one line, as a person would write it."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return f"[{', '.join(map(written, node.items))}]"
    return "{" + ", ".join(f"{key}: {written(item)}" for key, item in node.entries.items()) + "}"


def unreadable(code: str, name: str, message: str, where: Location) -> Unreadable:
    return Unreadable([Finding(code, name, Severity.ERROR, message, where)])


def decode(data: bytes, file: str) -> str:
    """Bytes of a file as text.

    Raises Unreadable: too large, or not UTF-8 (with the line of the first bad byte).
    """
    if len(data) > MAX_BYTES:
        raise unreadable(
            "IS912",
            "oversized-spec",
            f"expected at most {MAX_BYTES} bytes, found {len(data)}",
            Location(file=file, line=1, column=1),
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        raise unreadable(
            "IS910",
            "yaml-syntax",
            f"expected UTF-8, found byte {data[error.start]:#04x}",
            Location(file=file, line=line, column=column),
        ) from None


def parse(text: str, file: str) -> Mapping:
    """The document's top-level mapping.

    Raises Unreadable for YAML errors, duplicate keys (all of them), several documents, aliases,
    depth or size beyond the limits, and a top level that is not a mapping.
    """
    try:
        return _Builder(file, text).build()
    except Unreadable as error:
        raise Unreadable(error.findings, {file: text}) from None
    except yaml.MarkedYAMLError as error:
        found = _syntax(error, file, text)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        column = error.position - (text.rfind("\n", 0, error.position) + 1) + 1
        found = Finding(
            "IS910",
            "yaml-syntax",
            Severity.ERROR,
            f"expected printable text, found character {error.character:#06x}"
            if isinstance(error.character, int)
            else str(error.reason),
            Location(file=file, line=line, column=column),
        )
    raise Unreadable([found], {file: text})


def _syntax(error: yaml.MarkedYAMLError, file: str, text: str) -> Finding:
    """Returns libyaml's error, at a place in the text: the end of its last line stands for anything
    behind it. Related is the beginning of the construct that libyaml was reading."""
    lines = text.splitlines() or [""]

    def place(mark: yaml.Mark) -> Location:
        if mark.line < len(lines):
            return Location(file=file, line=mark.line + 1, column=mark.column + 1)
        last = max((at for at, line in enumerate(lines) if line.strip()), default=0)
        return Location(file=file, line=last + 1, column=len(lines[last].rstrip()) + 1)

    mark = error.problem_mark or error.context_mark
    where = place(mark) if mark else Location(file=file, line=1, column=1)
    begun = place(error.context_mark) if error.context and error.context_mark else where
    related = ((begun, str(error.context)),) if begun != where else ()
    problem = error.problem or str(error)
    if mark and "cannot start any token" in problem and text[mark.index : mark.index + 1] == "\t":
        problem = "expected spaces as indentation, found a tab"
    return Finding("IS910", "yaml-syntax", Severity.ERROR, problem, where, related=related)


class _Builder:
    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.duplicates: list[Finding] = []
        self._root: Node | None = None
        self._stack: list[Node] = []
        self._pending_keys: list[Scalar | None] = []

    def build(self) -> Mapping:
        """Raises Unreadable."""
        stack, pending_keys = self._stack, self._pending_keys
        nodes = documents = 0
        for event in self._events():
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise unreadable(
                        "IS910",
                        "yaml-syntax",
                        "expected one document, found another after it",
                        self._where(event),
                    )
                continue
            if isinstance(event, yaml.AliasEvent):
                raise unreadable(
                    "IS912",
                    "oversized-spec",
                    f"expected no aliases in a spec, found *{event.anchor}; use extends",
                    self._where(event),
                )
            if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)):
                nodes += 1
                if nodes > MAX_NODES or len(stack) >= MAX_DEPTH:
                    most = f"at most {MAX_NODES} values"
                    most = most if nodes > MAX_NODES else f"nesting of at most {MAX_DEPTH}"
                    message = f"expected {most}, found more"
                    raise unreadable("IS912", "oversized-spec", message, self._where(event))
                where = self._where(event)
                if isinstance(event, yaml.ScalarEvent):
                    self._attach(Scalar(event.value, event.style in ("'", '"', "|", ">"), where))
                else:
                    node: Node = (
                        Sequence([], where)
                        if isinstance(event, yaml.SequenceStartEvent)
                        else Mapping({}, where)
                    )
                    self._attach(node)
                    stack.append(node)
                    pending_keys.append(None)
            elif isinstance(event, yaml.CollectionEndEvent):
                stack.pop()
                pending_keys.pop()

        if self.duplicates:
            raise Unreadable(self.duplicates)
        root = self._root
        if not isinstance(root, Mapping):
            found = "an empty file" if root is None else root.kind
            where = root.where if root is not None else Location(file=self.file, line=1, column=1)
            raise unreadable("IS910", "yaml-syntax", f"expected a mapping, found {found}", where)
        return root

    def _attach(self, node: Node) -> None:
        """Gives a node to the one that it stands in. Raises Unreadable for a key that is none."""
        if not self._stack:
            self._root = node
            return
        parent = self._stack[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
            return
        assert isinstance(parent, Mapping)
        key = self._pending_keys[-1]
        if key is None:
            if not isinstance(node, Scalar):
                message = f"expected a key, found {node.kind}"
                raise unreadable("IS910", "yaml-syntax", message, node.where)
            self._pending_keys[-1] = node
            return
        self._pending_keys[-1] = None
        if key.text in parent.entries:
            self.duplicates.append(
                Finding(
                    "IS911",
                    "duplicate-key",
                    Severity.ERROR,
                    f"expected each key once, found {key.text!r} again",
                    key.where,
                    related=((parent.keys[key.text], "first given here"),),
                )
            )
            return
        parent.entries[key.text] = node
        parent.keys[key.text] = key.where

    def _events(self) -> Iterator[yaml.Event]:
        loader = _Loader(self.text)
        try:
            while loader.check_event():
                yield loader.get_event()
        finally:
            loader.dispose()

    def _where(self, event: yaml.Event) -> Location:
        start, end = event.start_mark, event.end_mark
        assert start is not None
        assert end is not None
        same_line = start.line == end.line
        return Location(
            file=self.file,
            line=start.line + 1,
            column=start.column + 1,
            length=max(1, end.column - start.column) if same_line else 1,
        )
