"""What a device-tree source includes: only files beside it or below, so that reading a tree from
elsewhere reads nothing else of the machine.

dtc opens whatever /include/ and /incbin/ name. They are looked for in the bare text, comments and
strings too: what dtc would pass over may be refused here, but nothing it would open is missed.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from ..findings import Finding, Location, Severity, Unreadable
from .fdt import MAX_BYTES

MAX_FILES = 256
MAX_DIRECTIVES = 4096

_DIRECTIVE = re.compile(r"/(include|incbin)/")
_NAME = {
    "include": re.compile(r'\s*"([^"\n]*)"'),
    # dtc undoes escapes in this one
    "incbin": re.compile(r'\s*\(\s*"([^"\\\n]*)"'),
}


def check(text: str, file: str) -> None:
    """Raises Unreadable (IS930) for the first include that leaves the directory of `file`, is no
    regular file, or is one too many. One that does not exist is left for dtc to complain of."""
    top = Path(file).parent
    waiting = [(text, file, top)]
    seen: set[Path] = set()
    bytes_left, directives_left = MAX_BYTES, MAX_DIRECTIVES
    while waiting:
        text, shown, directory = waiting.pop()
        for kind, name, where in _directives(text, shown):
            directives_left -= 1
            if directives_left < 0:
                raise _refused(where, f"expected at most {MAX_DIRECTIVES} includes in all")
            path = _allowed(name, directory, top, where)
            if path is None or path in seen:
                continue
            seen.add(path)
            bytes_left -= path.stat().st_size
            if len(seen) > MAX_FILES or bytes_left < 0:
                message = f"expected at most {MAX_FILES} included files and {MAX_BYTES} bytes"
                raise _refused(where, message)
            if kind == "include":
                included = path.read_bytes().decode("utf-8", "replace")
                waiting.append((included, path.as_posix(), (directory / name).parent))


def _directives(text: str, file: str) -> Iterator[tuple[str, str, Location]]:
    """Kind, name and place of each."""
    line, counted = 1, 0
    for match in _DIRECTIVE.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
        where = Location("", file, line, column, len(match[0]))
        name = _NAME[match[1]].match(text, match.end())
        if name is None:
            raise _refused(where, f"expected a plain file name after {match[0]}, found none")
        yield match[1], name[1], where


def _allowed(name: str, directory: Path, top: Path, where: Location) -> Path | None:
    """The file, None if there is none."""
    try:
        path = (directory / name).resolve()
        inside = path.is_relative_to(top.resolve()) and not Path(name).is_absolute()
        if inside and path.exists() and not path.is_file():
            raise _refused(where, f"expected a regular file, found {name!a}")
        if inside:
            return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):
        # a NUL, a name too long, a circle of links
        pass
    raise _refused(
        where, f"expected includes below the directory of the source only, found {name[:100]!a}"
    )


def _refused(where: Location, message: str) -> Unreadable:
    return Unreadable([Finding("IS930", "unreadable-input", Severity.ERROR, message, where)])
