"""Device-tree source (dts): read by dtc, written in a form that a reviewer can read.

dtc (Debian package device-tree-compiler) is run with bounds on time and memory, and only on
sources whose includes stay below their own directory. #include is for the C preprocessor, which
has to be run before.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..findings import Finding, Location, Severity, Unreadable
from . import dts_includes, fdt
from .dts_places import Places, places
from .tree import Node

__all__ = ["Places", "places", "read", "write"]

TIMEOUT_S = 30
MEMORY_BYTES = 1 << 30
MAX_SOURCE_BYTES = 16 * 1024 * 1024
"""A POWER9 server's tree as source has 2 million."""
_MOST_FINDINGS = 20

_COMPLAINT = re.compile(
    r"(?:(?P<kind>[A-Z][\w ]*): )?"
    r"(?P<file>[^\n:]+):(?P<line>\d+)\.(?P<column>\d+)"
    r"(?:-(?:(?P<last_line>\d+)\.)?(?P<last>\d+))?:? (?P<text>.+)"
)
_PREPROCESSED = re.compile(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_NO_PLACE = re.compile(r"(?:FATAL ERROR|ERROR(?: \(\w+\))?): (?P<text>.+)")


def read(text: str, file: str) -> Node:
    """The root node of a source; `file` is what messages call it, and where includes are sought.

    Raises Unreadable: IS931 with dtc's complaints, each at its line and column; IS930 if dtc is
    missing or goes beyond its bounds, or an include leads out of the source's directory.
    """
    dts_includes.check(text, file)
    return fdt.read(_compiled(text, file), file)


def write(root: Node, about: Sequence[str] = ()) -> str:
    """A source that dtc compiles to what fdt.write() makes of the same tree, byte for byte.

    about  lines of a comment at the top

    Raises ValueError for names that no source can hold.
    """
    # the template engine takes longer to import than a tree to read
    from .dts_text import render

    return render(root, about)


def _compiled(text: str, file: str) -> bytes:
    program = shutil.which("dtc")
    if program is None:
        raise _unreadable(
            file,
            "expected dtc, which reads device-tree source, found none; on Debian it is in the "
            "package device-tree-compiler",
        )
    source = text.encode("utf-8", "surrogateescape")
    if len(source) > MAX_SOURCE_BYTES:
        raise _unreadable(file, f"expected at most {MAX_SOURCE_BYTES} bytes, found {len(source)}")
    directory = Path(file).parent
    process = subprocess.Popen(
        [program, "-q", "-I", "dts", "-O", "dtb", "-o", "-", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=directory if directory.is_dir() else None,
    )
    with process:
        try:
            _limit_memory(process.pid)
            blob, errors = process.communicate(source, TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            message = f"expected dtc to end within {TIMEOUT_S} s, it did not"
            raise _unreadable(file, message) from None
        except BaseException:
            process.kill()
            raise
    if process.returncode < 0:
        raise _unreadable(file, f"expected dtc to compile it, signal {-process.returncode} came")
    if process.returncode:
        raise Unreadable(_complaints(errors.decode("utf-8", "replace"), file, text), {file: text})
    return blob


def _limit_memory(pid: int) -> None:
    """dtc waits for its input meanwhile, so nothing is read before the limit stands."""
    if sys.platform == "linux":
        import resource

        # forbidden in some containers
        with suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _unreadable(file: str, message: str) -> Unreadable:
    where = Location(file=file)
    return Unreadable([Finding("IS930", "unreadable-input", Severity.ERROR, message, where)])


def _complaints(errors: str, file: str, text: str) -> list[Finding]:
    """dtc's errors; those without a place only if no other says more."""
    include = _PREPROCESSED.search(text)
    if include:
        line = text.count("\n", 0, include.start()) + 1
        found = "#include; run the C preprocessor over the source first"
        return [_finding(found, Location("", file, line, 1, len(include[0])))]
    placed = list(_placed(errors, file))
    if placed:
        return placed[:_MOST_FINDINGS]
    texts = [match["text"] for line in errors.splitlines() if (match := _NO_PLACE.match(line))]
    last = errors.strip().rpartition("\n")[2]
    found = texts[0] if texts else last or "an error it does not name"
    return [_finding(found, Location(file=file))]


def _placed(errors: str, file: str) -> Iterator[Finding]:
    for line in errors.splitlines():
        match = _COMPLAINT.fullmatch(line)
        if not match or "Warning" in (match["kind"] or "") or match["text"].startswith("Warning"):
            continue
        column = int(match["column"])
        one_line = match["last"] and not match["last_line"]
        length = int(match["last"]) - column if one_line else 1
        source = file if match["file"] == "<stdin>" else match["file"]
        # an empty source is at 0.0
        where = Location("", source, max(1, int(match["line"])), max(1, column), max(1, length))
        yield _finding(match["text"], where)


def _finding(found: str, where: Location) -> Finding:
    message = f"expected device-tree source, dtc found: {found}"
    return Finding("IS931", "not-a-device-tree", Severity.ERROR, message, where)
