"""Device-tree source (dts): read by dtc, written in a form that a reviewer can read.

dtc (Debian package device-tree-compiler) is run with bounds on time and memory, on a text that has
all includes in it, see dts_includes. #include is for the C preprocessor, which has to be run
before.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from ..findings import Finding, Location, Severity, Unreadable, unreadable
from ..reading import launching, limits, opening
from . import dts_includes, fdt
from .dts_places import Places, places
from .tree import Node

__all__ = ["Places", "places", "read", "write"]

_MOST_FINDINGS = 20

_COMPLAINT = re.compile(
    r"(?:(?P<kind>[A-Z][\w ]*): )?"
    r"(?P<file>[^\n:]+):(?P<line>[0-9]+)\.(?P<column>[0-9]+)"
    r"(?:-(?:(?P<last_line>[0-9]+)\.)?(?P<last>[0-9]+))?:? (?P<text>.+)"
)
_TRUNCATED = re.compile(r"^WARNING: .*: Value 0x\w+ truncated to 0x", re.MULTILINE | re.ASCII)
_PREPROCESSED = re.compile(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_NO_PLACE = re.compile(r"(?:FATAL ERROR|ERROR(?: \(\w+\))?): (?P<text>.+)")


def read(text: str | bytes, file: str, beside: Callable[[], opening.Tree] | None = None) -> Node:
    """The root node of a source.

    file    what messages call it
    beside  opens the directory where includes are sought; None: that of `file`

    Raises Unreadable: IS931 with dtc's complaints, each at the line and column of the file where it
    was written; IS930 if dtc is missing or goes beyond its bounds, or an include leads out of the
    source's directory.
    """
    source = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return fdt.read(_compiled(source, file, beside), file)


def write(root: Node, about: Sequence[str] = ()) -> str:
    """A source that dtc compiles to what fdt.write() makes of the same tree, byte for byte.

    about  lines of a comment at the top

    Raises ValueError for names that no source can hold.
    """
    # the template engine takes longer to import than a tree to read
    from .dts_text import render

    return render(root, about)


def _compiled(source: bytes, file: str, beside: Callable[[], opening.Tree] | None) -> bytes:
    program = launching.find("dtc")
    if program is None:
        raise unreadable(
            file,
            "expected dtc, which reads device-tree source, found none; on Debian it is in the "
            "package device-tree-compiler",
        )
    if len(source) > limits.DTS_BYTES:
        raise unreadable(file, f"expected at most {limits.DTS_BYTES} bytes, found {len(source)}")
    expanded = dts_includes.expanded(source, file, beside)
    bounds = launching.Bounds(
        time_s=limits.DTC_S,
        memory_bytes=limits.DTC_MEMORY_BYTES,
        output_bytes=limits.DTC_OUTPUT_BYTES,
    )
    words = ["-q", "-I", "dts", "-O", "dtb", "-o", "-", "-"]
    with launching.private_directory(expanded.binaries) as directory:
        done = launching.run(
            program, words, bounds, file, given=expanded.source, directory=directory
        )
    if done.status < 0:
        raise unreadable(file, f"expected dtc to compile it, signal {-done.status} came")
    # dtc from 1.7 on cuts a number that is too large, says so and goes on: the tree is another one
    if done.status or _TRUNCATED.search(done.complaints):
        text = source.decode("utf-8", "replace")
        findings = _complaints(done.complaints, file, text, expanded)
        named = {finding.location.file for finding in findings}
        included = {name: held for name, held in expanded.texts.items() if name in named}
        raise Unreadable(findings, {file: text, **included})
    return done.output


def _complaints(
    errors: str, file: str, text: str, expanded: dts_includes.ExpandedSource
) -> list[Finding]:
    """dtc's errors; those without a place only if no other says more."""
    include = _PREPROCESSED.search(text)
    if include:
        line = text.count("\n", 0, include.start()) + 1
        found = "#include; run the C preprocessor over the source first"
        return [_finding(found, Location("", file, line, 1, len(include[0])))]
    placed = list(_placed(errors, expanded))
    if placed:
        return placed[:_MOST_FINDINGS]
    texts = [match["text"] for line in errors.splitlines() if (match := _NO_PLACE.match(line))]
    last = errors.strip().rpartition("\n")[2]
    found = texts[0] if texts else last or "an error it does not name"
    return [_finding(found, Location(file=file))]


def _placed(errors: str, expanded: dts_includes.ExpandedSource) -> Iterator[Finding]:
    for line in errors.splitlines():
        match = _COMPLAINT.fullmatch(line)
        if not match or "Warning" in (match["kind"] or "") or match["text"].startswith("Warning"):
            continue
        column = int(match["column"])
        one_line = match["last"] and not match["last_line"]
        length = int(match["last"]) - column if one_line else 1
        # an empty source is at 0.0
        source, written = expanded.place(int(match["line"]))
        yield _finding(
            match["text"], Location("", source, max(1, written), max(1, column), max(1, length))
        )


def _finding(found: str, where: Location) -> Finding:
    message = f"expected device-tree source, dtc found: {found}"
    return Finding("IS931", "not-a-device-tree", Severity.ERROR, message, where)
