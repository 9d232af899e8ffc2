"""Device-tree source (dts): read by dtc, written in a form that a reviewer can read.

dtc (Debian package device-tree-compiler) is run with bounds on time and memory, on a text that has
all includes in it: those of the C preprocessor (see preprocessor) in a tree of sources, and those
of dtc (see dts_includes).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Finding, Location, Severity, Unreadable, unreadable
from ...base.patterns import pattern
from ...base.reading import launching, limits, opening
from . import dts_includes, fdt
from .dts_places import Place, Places, labels, places
from .preprocessor import ANY as PREPROCESSED
from .preprocessor import preprocess
from .source_trees import SourceTree
from .tree import Node

__all__ = ["Places", "PreparedSource", "compiled", "places", "prepared", "read", "write"]

_MOST_FINDINGS = 20

_COMPLAINT = pattern(
    r"(?:(?P<kind>[A-Z][\w ]*): )?"
    r"(?P<file>[^\n:]+):(?P<line>[0-9]+)\.(?P<column>[0-9]+)"
    r"(?:-(?:(?P<last_line>[0-9]+)\.)?(?P<last>[0-9]+))?:? (?P<text>.+)"
)
_TRUNCATED = pattern(r"^WARNING: .*: Value 0x\w+ truncated to 0x", re.MULTILINE | re.ASCII)
_DELETED = pattern(rb"/delete-node/[ \t]*&\{(?P<label>\w+)/(?P<node>[\w,.+@-]+)\}[ \t]*;")
"""A node deleted by a label and a name below, which dtc 1.6 refuses."""
_NO_PLACE = pattern(r"(?:FATAL ERROR|ERROR(?: \(\w+\))?): (?P<text>.+)")


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """A source with all that it includes, as dtc is given it: a text that names no file.

    file      what messages call the source
    text      what dtc is given
    binaries  name in the private directory where dtc runs -> content, for /incbin/
    texts     file -> text as it was written, of the source and of what it includes
    digests   file -> SHA-256, of what it includes
    place     where what stands in the text was written
    """

    file: str
    text: bytes
    binaries: Mapping[str, bytes]
    texts: dict[str, str]
    digests: Mapping[str, str]
    place: Place

    def places(self) -> Places:
        """Returns the place where each node and property of the source was written last."""
        return places(self.text.decode("utf-8", "replace"), self.file, self.place)

    def labels(self) -> Mapping[str, str]:
        """Label -> path of the node that has it."""
        return labels(self.text.decode("utf-8", "replace"))


def read(text: str | bytes, file: str, beside: Callable[[], opening.Tree] | None = None) -> Node:
    """The root node of a source that needs no preprocessor.

    file    what messages call it
    beside  opens the directory where includes are sought; None: that of `file`

    Raises Unreadable as `prepared` and `compiled` do.
    """
    source = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return compiled(prepared(source, file, beside))


def prepared(
    source: bytes,
    file: str,
    beside: Callable[[], opening.Tree] | None = None,
    within: SourceTree | None = None,
) -> PreparedSource:
    """A source with its includes.

    file    what messages call it
    beside  opens the directory where includes are sought; None: that of `file`
    within  the tree that the source lies in, in place of `beside`: macros are expanded, #include
            and /include/ are sought in the tree as its own build seeks them

    Raises Unreadable: IS931 at the place of what the preprocessor refuses, or of an include that is
    not there; IS930 of an include that leads out of the directory or tree, or is too much.
    """
    if len(source) > limits.DTS_BYTES:
        raise unreadable(file, f"expected at most {limits.DTS_BYTES} bytes, found {len(source)}")
    texts = {file: source.decode("utf-8", "replace")}
    digests: dict[str, str] = {}
    text, origin = source, None
    if PREPROCESSED.search(source):
        if within is None:
            raise _needs_preprocessor(source, file)
        made = preprocess(source, file, within.find)
        text, origin = made.text.encode("utf-8", "surrogateescape"), made.place
        texts |= made.shown
        digests |= made.digests
    above = 0
    if file.endswith(".dtsi") and b"/dts-v1/" not in text:
        # a part of a source: the whole says so once
        text, above = b"/dts-v1/;\n" + text, 1
    binaries: Mapping[str, bytes] = {}
    line_of: Callable[[int], tuple[str, int]] | None = None
    if dts_includes.NEEDED.search(text):
        try:
            whole = dts_includes.expanded(text, file, beside, within)
        except Unreadable as error:
            raise Unreadable([_moved(f, file, origin) for f in error.findings], texts) from None
        text, binaries, line_of = whole.source, whole.binaries, whole.place
        texts = {**whole.texts, **texts}
        digests |= whole.digests

    def place(line: int, column: int) -> tuple[str, int, int]:
        source, written = line_of(line) if line_of else (file, line)
        if source != file:
            return source, written, column
        written = max(1, written - above)
        return origin(written, column) if origin else (file, written, column)

    digests.pop(file, None)
    return PreparedSource(file, text, binaries, texts, digests, place)


def compiled(source: PreparedSource) -> Node:
    """The root node of a source.

    Raises Unreadable: IS931 with dtc's complaints, each at the line and column of the file where it
    was written; IS930 if dtc is missing or goes beyond its bounds.
    """
    return fdt.read(_blob(source), source.file)


def write(root: Node, about: Sequence[str] = ()) -> str:
    """A source that dtc compiles to what fdt.write() makes of the same tree, byte for byte.

    about  lines of a comment at the top

    Raises ValueError for names that no source can hold.
    """
    # the template engine takes longer to import than a tree to read
    from .dts_text import render

    return render(root, about)


def _blob(source: PreparedSource) -> bytes:
    program = launching.find("dtc")
    file = source.file
    if program is None:
        raise unreadable(
            file,
            "expected dtc, which reads device-tree source, found none; on Debian it is in the "
            "package device-tree-compiler",
        )
    bounds = launching.in_proportion(
        len(source.text) + sum(map(len, source.binaries.values())),
        (limits.DTC_S, limits.DTC_S_PER_MIB),
        (limits.DTC_MEMORY_BYTES, limits.DTC_MEMORY_PER_BYTE),
        limits.DTC_OUTPUT_BYTES,
    )
    words = ["-q", "-I", "dts", "-O", "dtb", "-o", "-", "-"]
    with launching.private_directory(source.binaries) as directory:
        done = launching.run(program, words, bounds, file, given=source.text, directory=directory)
        if done.status > 0 and _DELETED.search(source.text):
            text = _DELETED.sub(rb"&\g<label> { /delete-node/ \g<node>; };", source.text)
            done = launching.run(program, words, bounds, file, given=text, directory=directory)
    if done.status < 0:
        raise unreadable(file, f"expected dtc to compile it, signal {-done.status} came")
    # dtc from 1.7 on cuts a number that is too large, says so and goes on: the tree is another one
    if done.status or _TRUNCATED.search(done.complaints):
        findings = _complaints(done.complaints, source)
        named = {file, *(finding.location.file for finding in findings)}
        raise Unreadable(findings, {f: text for f, text in source.texts.items() if f in named})
    return done.output


def _needs_preprocessor(source: bytes, file: str) -> Unreadable:
    include = PREPROCESSED.search(source)
    line = source.count(b"\n", 0, include.start()) + 1 if include else 1
    found = "#include or another directive; run the C preprocessor over the source first"
    where = Location("", file, line, 1, 1)
    return Unreadable([_finding(found, where)], {file: source.decode("utf-8", "replace")})


def _moved(finding: Finding, file: str, origin: Place | None) -> Finding:
    """A finding of what dtc includes, moved to where the preprocessor found the line."""
    where = finding.location
    if origin is None or where.file != file or where.line is None:
        return finding
    source, line, column = origin(where.line, where.column or 1)
    return replace(finding, location=replace(where, file=source, line=line, column=column))


def _complaints(errors: str, source: PreparedSource) -> list[Finding]:
    """dtc's errors; those without a place only if no other says more."""
    placed = list(_placed(errors, source))
    if placed:
        return placed[:_MOST_FINDINGS]
    texts = [match["text"] for line in errors.splitlines() if (match := _NO_PLACE.match(line))]
    last = errors.strip().rpartition("\n")[2]
    found = texts[0] if texts else last or "an error it does not name"
    return [_finding(found, Location(file=source.file))]


def _placed(errors: str, source: PreparedSource) -> Iterator[Finding]:
    for line in errors.splitlines():
        match = _COMPLAINT.fullmatch(line)
        if not match or "Warning" in (match["kind"] or "") or match["text"].startswith("Warning"):
            continue
        column = int(match["column"])
        one_line = match["last"] and not match["last_line"]
        length = int(match["last"]) - column if one_line else 1
        # an empty source is at 0.0
        file, written, column = source.place(max(1, int(match["line"])), max(1, column))
        yield _finding(
            match["text"], Location("", file, max(1, written), max(1, column), max(1, length))
        )


def _finding(found: str, where: Location) -> Finding:
    message = f"expected device-tree source, dtc found: {found}"
    return Finding("IS931", "not-a-device-tree", Severity.ERROR, message, where)
