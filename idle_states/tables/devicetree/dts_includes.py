"""A device-tree source with all its includes, expanded to one text that names no file.

dtc opens any file that /include/ or /incbin/ names. Here `reading` opens these files instead; names
are resolved as in dtc, but only below the directory of the source. /include/ is replaced by the
file's content. /incbin/ stays, with the name of a file in the private directory where dtc runs. The
text given to dtc holds no other /include/ or /incbin/, not even in a string or a comment, so dtc
opens nothing else however it parses the text.

The expanded text has its own line numbers; `ExpandedSource.place` maps them to the original files.
Line markers of the C preprocessor are honoured in the same way. Of a tree of sources (SourceTree)
names are sought in its folders, too, and files opened within it.

Source: dtc 1.6.1 dtc-lexer.l (comments, strings, line markers, /include/ taken word for word),
dtc-parser.y (/incbin/ with its escapes undone), srcpos.c (search path of names).
"""

import os
import re
from bisect import bisect_right
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from ...base.dataclass import dataclass, field
from ...base.digests import sha256
from ...base.model.findings import Location, Unreadable, unreadable
from ...base.patterns import pattern
from ...base.reading import limits, opening
from .source_trees import SourceFiles, SourceTree
from .tree import not_a_tree

_STRING = rb'"(?>(?:[^\\"]|\\[^\n])*)"'
_COMMENT = rb"/\*(?>(?s:.*?)(?:\*/|\Z))|//[^\n]*+(?:\n|\Z)"
_TOKEN = pattern(
    rb"(?P<comment>" + _COMMENT + rb")"
    rb"|(?P<include>/include/\s*(?P<included>" + _STRING + rb"))"
    rb"|(?P<incbin>/incbin/(?P<gap>(?>(?:\s|" + _COMMENT + rb")*)\("
    rb"(?>(?:\s|" + _COMMENT + rb")*))(?P<binary>" + _STRING + rb"))"
    rb"|(?P<marker>^\#(?:line)?[ \t]+(?P<number>[0-9]{1,9})[ \t]+(?P<marked>" + _STRING + rb")"
    rb"(?:[ \t]+[0-9]+)?)"
    rb"|(?P<string>" + _STRING + rb")"
    rb"|(?P<nameless>/(?:include|incbin)/)"
    rb"|'(?:[^'\\]|\\.){1,8}'"
    rb"|&\{[\w,.+*\#?@/-]*\}"
    rb"|/(?:dts-v1|plugin|memreserve|bits|delete-property|delete-node|omit-if-no-ref)/",
    re.DOTALL | re.MULTILINE,
)
_DIRECTIVE = pattern(rb"(include|incbin)/")
NEEDED = pattern(rb"/(?:include|incbin)/|^#(?:line)?[ \t]+[0-9]", re.MULTILINE)
"""The words of a text that is to be expanded."""
_BEGUN = pattern(rb'"|/[*/]')
_ESCAPE = pattern(rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_ESCAPED = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


@dataclass(slots=True)
class ExpandedSource:
    """The source that dtc is given.

    source    the text
    binaries  name in the private directory -> content, for /incbin/
    texts     file -> text, of the included sources
    digests   file -> SHA-256 of what was included, /incbin/ too
    """

    source: bytes
    binaries: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    _starts: list[int] = field(default_factory=lambda: [1])
    _origins: list[tuple[str, int]] = field(default_factory=list)

    def place(self, line: int) -> tuple[str, int]:
        """The file and line where a line of the text was written; columns stay the same."""
        at = max(0, bisect_right(self._starts, line) - 1)
        file, first = self._origins[at]
        return file, first + max(0, line - self._starts[at])


def expanded(
    source: bytes,
    file: str,
    beside: Callable[[], opening.Tree] | None = None,
    within: SourceTree | None = None,
) -> ExpandedSource:
    """file, beside, within: as of `dts.prepared`.

    Raises Unreadable: IS931 for an include that does not exist; IS930 for one that leads out of the
    directory of `file`, is no regular file, or is one too many. Both at the place of the include.
    """
    if within is not None:
        folders = (os.path.dirname(within.inner), *within.includes)
        return _Expansion(within.tree, file, within.shown, folders).run(source)
    with ExitStack() as stack:
        tree = None
        if _DIRECTIVE.search(source):
            try:
                opened = beside() if beside else opening.Tree(Path(file).parent)
                tree = stack.enter_context(opened)
            except OSError:
                # a source that lies in no directory, as one of an archive
                tree = None
        return _Expansion(tree, file, tree.shown if tree else str).run(source)


class _Expansion:
    """shown: what messages call a file of the tree; folders: where names are sought, the source's
    own first."""

    def __init__(
        self,
        tree: SourceFiles | None,
        file: str,
        shown: Callable[[str], str],
        folders: tuple[str, ...] = ("",),
    ) -> None:
        self.tree = tree
        self.file = file
        self.shown = shown
        self.folders = folders
        self.made = ExpandedSource(b"", _origins=[(file, 1)])
        self.parts: list[bytes] = []
        self.line = 1
        self.size = 0
        self.read: dict[str, bytes] = {}
        self.includes = 0
        self.binaries = 0

    def run(self, source: bytes) -> ExpandedSource:
        self._take(source, self.file, self.folders[0], 0)
        self.made.source = text = b"".join(self.parts)
        if text.count(b"/include/") or text.count(b"/incbin/") != self.binaries:
            message = "expected /include/ and /incbin/ to stand apart from other words"
            raise unreadable(Location(file=self.file), message)
        return self.made

    def _take(self, source: bytes, file: str, base: str, depth: int) -> None:
        """Expands one file. base: the directory relative to which dtc resolves its includes."""
        # which file and line stand at a line of the source
        name, first, since = file, 1, 1
        line, counted, done = 1, 0, 0
        for token in _TOKEN.finditer(source):
            kind, start = token.lastgroup, token.start()
            self._plain(source[done:start], name, first + line - since)
            line += source.count(b"\n", counted, start)
            counted, done = start, token.end()
            column = start - source.rfind(b"\n", 0, start)
            where = Location("", name, first + line - since, column, len(b"/include/"))
            if token["included"] is not None:
                self._include(token["included"][1:-1], where, base, depth)
            elif token["binary"] is not None:
                gap = _DIRECTIVE.sub(rb"\1 ", token["gap"])
                self._add(b"/incbin/" + gap + self._binary(token["binary"][1:-1], where, base))
            elif token["marker"] is not None:
                name, first = token["marked"][1:-1].decode("utf-8", "replace"), int(token["number"])
                since = line + 1
            elif token["nameless"] is not None:
                found = token["nameless"].decode()
                raise unreadable(where, f"expected a plain file name after {found}, found none")
            elif token["comment"] is not None:
                self._add(_DIRECTIVE.sub(rb"\1 ", token[0]))
                continue
            elif token["string"] is not None and _DIRECTIVE.search(token[0]):
                self._add(_DIRECTIVE.sub(rb"\1\\x2f", token[0]))
            else:
                self._add(token[0])
                continue
            if kind == "marker":
                self._origin(self.line + 1, name, first)
                continue
            # what follows on the same line keeps its column
            line += source.count(b"\n", counted, done)
            counted = done
            self._add(b"\n")
            self._origin(self.line, name, first + line - since)
            self._add(b" " * (done - source.rfind(b"\n", 0, done) - 1))
        if depth:
            self._plain(source[done:], name, first + line - since)
        else:
            self._add(source[done:])

    def _plain(self, text: bytes, file: str, line: int) -> None:
        """Adds the text between tokens. Raises Unreadable for an unterminated string or comment."""
        begun = _BEGUN.search(text)
        if begun:
            where = Location("", file, line + text.count(b"\n", 0, begun.start()), 1)
            message = f"expected the end of what begins with {begun[0].decode()}, found none"
            raise not_a_tree(where, message)
        self._add(text)

    def _include(self, name: bytes, where: Location, base: str, depth: int) -> None:
        if depth >= limits.DTS_INCLUDE_DEPTH:
            message = f"expected includes at most {limits.DTS_INCLUDE_DEPTH} deep"
            raise unreadable(where, message)
        path, data = self._file(name, where, base)
        shown = self.shown(path)
        self.made.texts[shown] = data.decode("utf-8", "replace")
        self._add(b"\n")
        self._origin(self.line, shown, 1)
        self._take(data, shown, os.path.dirname(path), depth + 1)

    def _binary(self, literal: bytes, where: Location, base: str) -> bytes:
        path, data = self._file(_ESCAPE.sub(_unescaped, literal), where, base)
        self.binaries += 1
        number = str(list(self.read).index(path))
        self.made.binaries[number] = data
        return b'"%s"' % number.encode()

    def _file(self, name: bytes, where: Location, base: str) -> tuple[str, bytes]:
        """Path within the tree, and content."""
        self.includes += 1
        if self.includes > limits.DTS_INCLUDES:
            raise unreadable(where, f"expected at most {limits.DTS_INCLUDES} includes in all")
        shown = os.fsdecode(name)
        path = os.path.join(base, shown)
        if self.tree is not None and not self.tree.is_file(path):
            others = [os.path.join(folder, shown) for folder in self.folders[1:]]
            path = next(filter(self.tree.is_file, others), path)
        if path in self.read:
            return path, self.read[path]
        files, most = limits.DTS_INCLUDED_FILES, limits.DTS_EXPANDED_BYTES
        try:
            if b"\0" in name or name.startswith(b"/"):
                raise opening.Outside
            if self.tree is None:
                raise FileNotFoundError
            data = self.tree.read(path, most)
        except Unreadable as error:
            # a pipe, a directory, too much
            raise unreadable(where, f"{error.findings[0].message}: {shown[:100]!a}") from None
        except opening.Outside:
            message = "expected includes below the directory of the source only"
            raise unreadable(where, f"{message}, found {shown[:100]!a}") from None
        except (FileNotFoundError, NotADirectoryError):
            message = f"expected a file to include, found none to open: {shown[:100]!a}"
            raise not_a_tree(where, message) from None
        except OSError as error:
            message = f"expected a file to include, found: {error.strerror}: {shown[:100]!a}"
            raise unreadable(where, message) from None
        self.read[path] = data
        self.made.digests[self.shown(path)] = sha256(data)
        if len(self.read) > files or sum(map(len, self.read.values())) > most:
            raise unreadable(where, f"expected at most {files} included files and {most} bytes")
        return path, data

    def _add(self, data: bytes) -> None:
        self.parts.append(data)
        self.line += data.count(b"\n")
        self.size += len(data)
        if self.size > limits.DTS_EXPANDED_BYTES:
            message = f"expected at most {limits.DTS_EXPANDED_BYTES} bytes with all includes"
            raise unreadable(Location(file=self.file), message)

    def _origin(self, line: int, file: str, first: int) -> None:
        self.made._starts.append(line)
        self.made._origins.append((file, first))


def _unescaped(escape: re.Match[bytes]) -> bytes:
    octal, hexadecimal, other = escape.groups()
    if other is not None:
        return bytes([_ESCAPED.get(other[0], other[0])])
    return bytes([int(octal or hexadecimal, 8 if octal else 16) & 0xFF])
