"""The places of nodes and properties in device-tree source.

dtc says what a source means; this light scan only says where it was written: the last writer of
each property, whatever names the node, its path or a label.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from ...base.model.findings import Location
from ...base.patterns import pattern
from .tree import MAX_DEPTH

# every alternative takes all it can or fails at once, so that no text takes more than one pass
_TOKEN = pattern(
    r"""
      (?P<skip> /\*.*?(?:\*/|\Z) | //[^\n]* | '(?:[^'\\\n]|\\.){0,8}'
              | ^[ \t]*\#[ \t]*(?:line|include|define|undef|if|ifdef|ifndef|elif|else|endif|[0-9])\b
                [^\n]* )
    | (?P<string> "(?>(?:[^"\\]|\\(?:.|\Z))*)(?:"|\Z) )
    | (?P<directive> /[a-z][a-z0-9-]*/ )
    | (?P<reference> & (?: \{ [^{};\n]*+ \} | \w+ ) )
    | (?P<label> [A-Za-z_]\w*+ \s*+ : )
    | (?P<word> [\w,.+*?\#@\\-]+ | / )
    | (?P<mark> [{};=] )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

Place = Callable[[int, int], tuple[str, int, int]]
"""Line and column of a text -> file, line and column where that was written."""

Places = Mapping[str, Mapping[str, Location]]
"""Node path -> property name -> place of the name; "" is the node's own name."""


def places(text: str, file: str, place: Place | None = None) -> Places:
    """Places of all nodes and properties, each where it was written last.

    place  where what stands in the text was written; None: there, in `file`

    /ibm,opal/power-mgt -> {"": ..., "ibm,cpu-idle-state-names": ...}
    """
    scan = _Scan(_Text(text, place or (lambda line, column: (file, line, column))))
    scan.run()
    return scan.found


def labels(text: str) -> Mapping[str, str]:
    """Label -> path of the node that has it."""
    scan = _Scan(_Text(text, lambda line, column: ("", line, column)))
    scan.run()
    return scan.label2path


class _NodePlaces(Mapping[str, Location]):
    """The places of one node, computed when asked for: few of a tree's are."""

    __slots__ = ("at", "path", "text")

    def __init__(self, path: str, text: "_Text") -> None:
        self.path = path
        self.text = text
        self.at: dict[str, tuple[int, int]] = {}

    def __getitem__(self, name: str) -> Location:
        start, length = self.at[name]
        path = f"{self.path}:{name}" if name else self.path
        return Location(path, *self.text.origin(start), length)

    def __iter__(self) -> Iterator[str]:
        return iter(self.at)

    def __len__(self) -> int:
        return len(self.at)


class _Text:
    def __init__(self, text: str, place: Place) -> None:
        self.text = text
        self.place = place

    @cached_property
    def lines(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def origin(self, at: int) -> tuple[str, int, int]:
        line = bisect_right(self.lines, at)
        return self.place(line, at - self.lines[line - 1] + 1)


class _Scan:
    def __init__(self, text: _Text) -> None:
        self.text = text
        self.found: dict[str, _NodePlaces] = {}
        self.label2path: dict[str, str] = {}
        self.open: list[str] = []
        self._next_statement()

    def _next_statement(self) -> None:
        self.labels: list[str] = []
        self.directive = ""
        self.name: re.Match[str] | None = None
        self.in_value = False

    def run(self) -> None:
        for match in _TOKEN.finditer(self.text.text):
            kind = match.lastgroup
            if kind != "skip":
                self.take(kind, match)

    def take(self, kind: str | None, token: re.Match[str]) -> None:
        text = token.group()
        if self.in_value:
            if text == ";":
                self._next_statement()
        elif kind == "label":
            self.labels.append(text[:-1].rstrip())
        elif kind == "directive":
            self.directive = text
        elif kind == "string":
            # /include/ "file" ends without a semicolon
            self.directive = ""
        elif kind in ("word", "reference"):
            self.name = token
        elif text == "{":
            self._enter()
        elif text == "}":
            if self.open:
                self.open.pop()
            self._next_statement()
        elif text in ("=", ";"):
            self._property()
            self._next_statement()
            self.in_value = text == "="

    def _enter(self) -> None:
        path = ""
        if self.name and len(self.open) < MAX_DEPTH:
            path = self._path(self.name.group())
        if self.name and path:
            self._note(path, "", self.name)
            self.label2path.update(dict.fromkeys(self.labels, path))
        self.open.append(path)
        self._next_statement()

    def _path(self, name: str) -> str:
        """Path of the node opened by a name or reference; empty if it cannot be known."""
        if name == "/":
            return "/"
        if name.startswith("&"):
            return self._referred(name)
        above = self.open[-1] if self.open else ""
        return f"{above.rstrip('/')}/{name}" if above else ""

    def _referred(self, reference: str) -> str:
        if reference.startswith("&{"):
            return reference[2:-1].strip()
        return self.label2path.get(reference[1:], "")

    def _property(self) -> None:
        """Notes a property at its "=" or ";", or forgets what is deleted there."""
        if self.name is None:
            return
        name = self.name.group()
        if self.directive == "/delete-node/":
            gone = self._path(name)
            for path in [p for p in self.found if gone and (p == gone or p.startswith(f"{gone}/"))]:
                del self.found[path]
            return
        if not self.open or not self.open[-1]:
            return
        path = self.open[-1]
        if self.directive == "/delete-property/":
            if path in self.found:
                self.found[path].at.pop(name, None)
        elif not self.directive:
            self._note(path, name, self.name)

    def _note(self, path: str, name: str, token: re.Match[str]) -> None:
        node = self.found.get(path)
        if node is None:
            node = self.found[path] = _NodePlaces(path, self.text)
        node.at[name] = token.start(), token.end() - token.start()
