"""Finds in a tree's source which values of features its traces tell of (`base/model/traces.py`)."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from ....base.model.traces import Trace, Traces
from ....base.reading.c import lexer

ReadFile = Callable[[str], str | None]
"""From a path in the tree to the file's text; None for none."""
_TRACE = re.compile(r"(\w+)(?:([?!])|: *(?:(\w+)\(\) *)?(!?) *(.*))", re.DOTALL)
_MOST_OF_A_RUN = 40


class Code:
    """A file of C as its tokens, one blank between any two."""

    def __init__(self, text: str) -> None:
        self.text = spaced(text)
        self._name2bodies: dict[str, str] = {}

    def body(self, function: str) -> str:
        """Returns all bodies of a function, which differ by configuration; "" where it has none.
        function: "" is the whole file."""
        if not function:
            return self.text
        found = self._name2bodies.get(function)
        if found is None:
            found = self._name2bodies[function] = "".join(self._bodies(function))
        return found

    def _bodies(self, function: str) -> Iterator[str]:
        start = self.text.find(f" {function} ( ")
        while start >= 0:
            end = _closed(self.text, start + len(function) + 2, "()")
            if self.text.startswith("{ ", end):
                yield self.text[end - 1 : _closed(self.text, end, "{}")]
            start = self.text.find(f" {function} ( ", max(end, start + 1))


def spaced(text: str) -> str:
    """Returns C without comments, each token between two blanks."""
    return f" {' '.join(token.text for token in lexer.scan(text))} "


def _closed(text: str, start: int, pair: str) -> int:
    """Returns where what follows a closing bracket begins. start: of the opening one."""
    depth = 0
    for found in re.finditer(rf" ([{re.escape(pair)}])(?= )", text[start - 1 :]):
        depth += 1 if found[1] == pair[0] else -1
        if not depth:
            return start + found.end()
    return len(text)


class TracedTree:
    """The files of one tree in which traces are sought, each read once."""

    def __init__(self, read: ReadFile) -> None:
        self._read = read
        self._path2code: dict[str, Code | None] = {}

    def values(self, traces: Traces) -> dict[str, Any]:
        """Returns feature -> value, of the features whose value can be told."""
        found = {}
        for name, entry in traces.of.items():
            if isinstance(entry, Mapping):
                for value, trace in entry.items():
                    if self._holds(trace, traces.files):
                        found[name] = value
                        break
            elif (holds := self._holds(entry, traces.files)) is not None:
                found[name] = holds
        return found

    def code(self, paths: str) -> Code | None:
        """Returns the first of several files that is there. Raises Unreadable, OSError."""
        for path in paths.split():
            if path not in self._path2code:
                text = self._read(path)
                self._path2code[path] = None if text is None else Code(text)
            if (code := self._path2code[path]) is not None:
                return code
        return None

    def _holds(self, trace: Trace, files: Mapping[str, str]) -> bool | None:
        if isinstance(trace, list):
            held = [self._holds(each, files) for each in trace]
            return True if True in held else False if False in held else None
        if isinstance(trace, tuple):
            found = (self._holds(each, files) for each in trace)
            return next((each for each in found if not each), True)
        key, mark, function, absent, tokens = _parsed(trace)
        code = self.code(files[key])
        if mark:
            return (code is None) == (mark == "!")
        body = "" if code is None else code.body(function)
        if not body:
            return None
        return (_pattern(tokens).search(body) is None) == absent if tokens else True


@cache
def _parsed(trace: str) -> tuple[str, str, str, bool, str]:
    """Key, "?" or "!" where it only asks for the file, function, whether tokens are absent,
    tokens."""
    match = _TRACE.fullmatch(trace)
    if match is None:
        raise ValueError(f"expected a trace such as 'key: function() tokens', found {trace!r}")
    return match[1], match[2] or "", match[3] or "", match[4] == "!", match[5] or ""


@cache
def _pattern(tokens: str) -> re.Pattern[str]:
    parts = []
    words = tokens.replace("@@", " __run__ ").replace("@", " __one__ ")
    for token in lexer.scan(words):
        if token.text == "__run__":
            parts.append(rf"(?:\S+ ){{0,{_MOST_OF_A_RUN}}}?")
        elif token.text == "__one__":
            parts.append(r"\S+ ")
        elif token.text.startswith('"..') and token.text.endswith('.."'):
            parts.append(rf'"[^"]*{re.escape(token.text[3:-3])}[^"]*" ')
        else:
            parts.append(f"{re.escape(token.text)} ")
    return re.compile("(?<= )" + "".join(parts))
