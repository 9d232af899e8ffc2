"""Where nodes and properties stand in device-tree source.

dtc says what a source means; this light scan only says where it was written. What comes from
an included file is not found and goes without a line.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping

from ..findings import Location
from .tree import MAX_DEPTH

# every alternative takes all it can or fails at once, so that no text takes more than one pass
_TOKEN = re.compile(
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

Places = Mapping[str, Mapping[str, Location]]
"""Node path -> property name -> place of the name; "" is the node's own name."""


def places(text: str, file: str) -> Places:
    """Places of all nodes and properties, each where it was written last.

    /ibm,opal/power-mgt -> {"": ..., "ibm,cpu-idle-state-names": ...}
    """
    scan = _Scan(text, file)
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind != "skip":
            scan.take(kind, match)
    return scan.found


class _Scan:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self.found: dict[str, dict[str, Location]] = {}
        self.label2path: dict[str, str] = {}
        self.open: list[str] = []
        self._next_statement()

    def _next_statement(self) -> None:
        self.labels: list[str] = []
        self.directive = ""
        self.name: re.Match[str] | None = None
        self.in_value = False

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
            self.found.setdefault(path, {})[""] = self._location(self.name, path)
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
        """What ends with "=" or ";": a property, or something deleted."""
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
        properties = self.found.setdefault(path, {})
        if self.directive == "/delete-property/":
            properties.pop(name, None)
        elif not self.directive:
            properties[name] = self._location(self.name, f"{path}:{name}")

    def _location(self, token: re.Match[str], path: str) -> Location:
        line = bisect_right(self.lines, token.start())
        column = token.start() - self.lines[line - 1] + 1
        return Location(path, self.file, line, column, len(token.group()))
