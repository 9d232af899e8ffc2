"""The definitions that the headers of a Linux tree give one of its files: macros and enumerators.

Only what the file itself includes is read, and of headers for one architecture those of the
architecture asked for.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ....base.model.findings import Unreadable
from ....base.patterns import pattern
from ....base.reading import limits, opening
from ....base.reading.c.expression import evaluate
from ....base.reading.c.lexer import UnsupportedC
from ....base.reading.c.preprocess import Preprocessed, own_definitions, preprocess
from ...devicetree.source_trees import SourceFiles

SIGN = "include/linux/cpuidle.h"
"""The header by which a Linux tree is told; it names the flags."""
BUILTIN = {
    "BIT(nr)": "(1UL << (nr))",
    "BIT_ULL(nr)": "(1ULL << (nr))",
    "UINT_MAX": "(~0U)",
    "INT_MAX": "((int) (~0U >> 1))",
    "USEC_PER_MSEC": "1000L",
    "NSEC_PER_USEC": "1000L",
    "NSEC_PER_MSEC": "1000000L",
}
"""Macros of every Linux that stand in headers which others include, or are made with ##."""
CONFIGURED = {"CONFIG_CPU_IDLE": "1", "__KERNEL__": "1"}
"""Options that are configured wherever a driver with a table is built."""
BEHIND = {"asm/mwait.h": ("arch/x86/include/asm/processor.h", "arch/x86/include/asm/msr-index.h")}
"""Header that a driver includes -> those that it has by way of others."""
_OURS = frozenset(name.partition("(")[0] for name in BUILTIN) | {"ARRAY_SIZE"}

_INCLUDE = pattern(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]{1,200})[>"]', re.MULTILINE)
_ENUM = pattern(r"\benum\b(?>\s*)\w*(?>\s*)\{([^{}]*)\}")
_ENUMERATOR = pattern(r"([^,()]|\([^()]*\))+")
_NAME = pattern(r"\s*([A-Za-z_]\w*)\s*", re.ASCII)


def tree_above(path: Path) -> Path | None:
    """The Linux tree that a file lies in; None if in none."""
    return next((top for top in path.parents if opening.is_file(top / SIGN)), None)


class Headers:
    """The headers of a tree, each read once.

    tree   the tree
    inner  path in it of the file that includes them
    """

    def __init__(self, tree: SourceFiles, inner: str) -> None:
        self.tree = tree
        self.inner = inner
        self._path2definitions: dict[str, Mapping[str, str]] = {}

    def included(self, text: str) -> list[tuple[str, bool]]:
        """(name, whether in quotes) of each header that a text includes."""
        return [(name, sign == '"') for sign, name in _INCLUDE.findall(text)]

    def archs(self, text: str) -> list[str]:
        """The architectures that a file may be for: its own, if it lies below one, else all that
        have the most of the headers <asm/...> that it includes. [""] if that makes no
        difference."""
        parts = self.inner.split("/")
        if parts[0] == "arch" and len(parts) > 2:
            return [parts[1]]
        asm = {name for name, _ in self.included(text) if name.startswith("asm/")}
        try:
            entries = sorted(entry.name for entry in self.tree.entries("arch", follow=False))
        except OSError:
            return [""]
        generic = {name for name in asm if self.tree.is_file(f"include/asm-generic/{name[4:]}")}
        arch2own = {
            arch: {name for name in asm if self.tree.is_file(f"arch/{arch}/include/{name}")}
            for arch in entries
        }
        # an architecture that lacks one of them does not build the file
        most = max((len(own | generic) for own in arch2own.values()), default=0)
        return [arch for arch, own in arch2own.items() if own and len(own | generic) == most] or [
            ""
        ]

    def definitions(self, text: str, arch: str) -> dict[str, str]:
        """Returns the headers' definitions for a file with this text on an architecture: "NAME" or
        "NAME(a, b)" -> text."""
        found: dict[str, str] = {}
        for path in dict.fromkeys(self.paths(text, arch)):
            found |= self.of(path)
        return found

    def paths(self, text: str, arch: str) -> Iterator[str]:
        """Paths of the headers that a file with this text is read by: SIGN, and those that there
        are of those that it includes."""
        yield SIGN
        system = ["include", *([f"arch/{arch}/include"] if arch else []), "include/uapi"]
        for name, quoted in self.included(text):
            folders = [posixpath.dirname(self.inner), *system] if quoted else system
            candidates = (posixpath.normpath(f"{folder}/{name}") for folder in folders)
            path = next((path for path in candidates if self.is_inside(path)), None)
            if path is not None:
                yield path
            yield from BEHIND.get(name, ())

    def is_inside(self, path: str) -> bool:
        try:
            return not path.startswith("../") and self.tree.is_file(path)
        except OSError:
            return False

    def of(self, path: str) -> Mapping[str, str]:
        """Returns the definitions of one header; none if it cannot be read."""
        if path not in self._path2definitions:
            try:
                data = self.tree.read(path, limits.C_CHARACTERS)
                text = data.decode("utf-8", "replace")
                self._path2definitions[path] = definitions_of(text)
            except (OSError, Unreadable):
                self._path2definitions[path] = {}
        return self._path2definitions[path]


def definitions_of(text: str) -> dict[str, str]:
    """Returns the definitions of a header, without those of BUILTIN and without ARRAY_SIZE."""
    clean = preprocess(text, CONFIGURED, BUILTIN)
    found = own_definitions(clean) | enumerators(clean)
    return {head: body for head, body in found.items() if head.partition("(")[0] not in _OURS}


def enumerators(clean: Preprocessed) -> dict[str, str]:
    """The enumerators of a file and their values, as macros; without those that follow one whose
    value cannot be evaluated."""
    found: dict[str, str] = {}
    if "enum" not in clean.bare:
        return found
    for match in _ENUM.finditer(clean.bare):
        following = 0
        for part in _ENUMERATOR.finditer(clean.bare, *match.span(1)):
            name = _NAME.match(clean.bare, *part.span())
            if name is None:
                continue
            if clean.bare[name.end() : name.end() + 1] == "=" and name.end() < part.end():
                try:
                    following = _value(clean, name.end() + 1, part.end(), found)
                except UnsupportedC:
                    break
            found[name[1]] = f"({following})"
            following += 1
    return found


def _value(clean: Preprocessed, start: int, end: int, known: Mapping[str, str]) -> int:
    tokens = clean.expanded(clean.tokens(start, end), start)
    settled = [
        token._replace(kind="number", text=known[token.text].strip("()"))
        if token.text in known
        else token
        for token in tokens
    ]
    return evaluate(settled, start, end).value
