"""Definitions cut out of a skiboot tree, and the host compiler.

Nothing of skiboot is kept in this repository: the text is taken from the tree at hand,
wherever that release has it (hw/slw.c; later also hw/slw-p8.c and include/slw.h).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from .. import Unavailable

#: C of our own that the programs include.
STUBS = Path(__file__).parent / "stubs"

_NOT_CODE = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""", re.DOTALL | re.VERBOSE
)
_ARRAY = r"^(?:static\s+)?(?:const\s+)?struct\s+cpu_idle_states\s+({name})\s*\[\w*\]\s*=\s*\{{"
_FUNCTION = r"^[A-Za-z_][\w\s*]*?\b{name}\s*\([^;{{}}()]*\)\s*\{{"
_ENUM = r"^enum\s+{name}\s*\{{"
_STRUCT = r"^struct\s+{name}\s*\{{"


def blanked(text: str) -> str:
    """C with comments and literals blanked out, every offset unchanged."""
    return _NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class SourceFile:
    """One C file and the definitions at its top level."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text(encoding="utf-8", errors="replace")

    @cached_property
    def code(self) -> str:
        return blanked(self.text)

    def definitions(self, head: str) -> Iterator[tuple[re.Match[str], str]]:
        """Each match of `head`, which ends in a brace, with the text of its definition."""
        for match in re.finditer(head, self.code, re.MULTILINE):
            yield match, self.text[match.start() : self._end(match.end())]

    def _end(self, position: int) -> int:
        """The end of the definition whose first brace has just been opened."""
        depth = 1
        while depth:
            brace = re.compile(r"[{}]").search(self.code, position)
            if brace is None:
                raise ValueError("unbalanced braces")
            depth += 1 if brace[0] == "{" else -1
            position = brace.end()
        semicolon = re.compile(r"\s*;").match(self.code, position)
        return semicolon.end() if semicolon else position


class Tree:
    """The files and facts that the oracles need of a skiboot tree."""

    FILES = (
        "include/skiboot.h",
        "include/chip.h",
        "include/slw.h",
        "hw/slw.c",
        "hw/slw-p8.c",
        "core/device.c",
        "libc/stdlib/strtol.c",
        "libc/string/strcasecmp.c",
        "libc/string/strlen.c",
        "libc/string/strncpy.c",
    )

    def __init__(self, root: Path) -> None:
        self.root = root
        paths = (root / name for name in self.FILES)
        self.files = [SourceFile(path) for path in paths if path.is_file()]
        if not (root / "hw/slw.c").is_file():
            raise Unavailable(f"{root} is no skiboot tree: it has no hw/slw.c")

    @cached_property
    def arrays(self) -> dict[str, str]:
        """Each array of idle states with its definition, in the tree's order."""
        head = _ARRAY.format(name=r"\w+")
        return {match[1]: text for file in self.files for match, text in file.definitions(head)}

    def function(self, name: str) -> str | None:
        return self._definition(_FUNCTION.format(name=name))

    def enum(self, name: str) -> str | None:
        return self._definition(_ENUM.format(name=name))

    def struct(self, name: str) -> str | None:
        return self._definition(_STRUCT.format(name=name))

    def enumerators(self, name: str) -> list[str]:
        return re.findall(r"[{,]\s*(\w+)", _NOT_CODE.sub(" ", self.enum(name) or ""))

    def macro(self, name: str) -> str | None:
        """The one-line #define of `name`."""
        for file in self.files:
            if match := re.search(rf"^#define[ \t]+{name}\b[^\n]*$", file.code, re.MULTILINE):
                return match[0]
        return None

    def _definition(self, head: str) -> str | None:
        for file in self.files:
            for _, text in file.definitions(head):
                return text
        return None

    def idle_state_type(self) -> str:
        """struct cpu_idle_states and the macro for the length of a name."""
        parts = [self.macro("MAX_NAME_LEN"), self.struct("cpu_idle_states")]
        return "\n".join(part for part in parts if part)


def tree_includes(tree: Tree) -> list[str]:
    """Options that put the tree's headers after the host's, in the host's byte order."""
    return [
        f"-DHAVE_{sys.byteorder.upper()}_ENDIAN=1",
        *("-idirafter", str(tree.root / "include")),
        *("-idirafter", str(tree.root)),
    ]
