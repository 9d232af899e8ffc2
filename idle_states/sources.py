"""What a command line calls TABLE: a revision's name, or any file the tool can read.

The kind of a file is told by its content, not its name. FILE:NAME picks one table of several. A
name that is also a file means the revision; ./NAME means the file.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .devicetree.power_mgt import PowerMgt
from .findings import Faulty, Finding, Location, Severity, Unreadable
from .spec.library import Loaded, load, resolve_name, revisions
from .spec.problems import suggestion
from .spec.suppress import Suppression
from .table import IdleTable

MAX_BYTES = 64 * 1024 * 1024
_FDT_MAGICS = (b"\xd0\x0d\xfe\xed", b"\xed\xfe\x0d\xd0")
"""Big-endian as it should be, and little-endian, which the reader refuses with a reason."""
_DTS = re.compile(
    # atomic, so that a file full of comments is not tried in every way
    r"^\s*(?:(?>/\*.*?\*/)\s*|//[^\n]*\n\s*|#[^\n]*\n\s*)*(?:/dts-v1/|/\s*\{)",
    re.DOTALL,
)
_C = re.compile(r"\bcpu_idle_states\b[^;{]*\[")


@dataclass(frozen=True, slots=True)
class Source:
    """One table as read, with what belongs to it.

    table         None where reading found errors (see findings) or a tree has no such node
    findings      what reading found
    node          raw power-mgt node, for device trees
    suppressions  from the spec and its ancestors
    texts         file -> text, for source frames
    """

    name: str
    file: str
    sha256: str
    table: IdleTable | None
    findings: tuple[Finding, ...] = ()
    node: PowerMgt | None = None
    suppressions: tuple[Suppression, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)


class NoSuchTable(Exception):
    """A TABLE that names nothing, or one of several without saying which: a usage error."""


def read_sources(text: str) -> list[Source]:
    """All tables that TABLE stands for.

    Raises NoSuchTable; Unreadable for input that cannot be parsed at all.
    """
    revision = resolve_name(text)
    if revision is not None:
        return [_spec(revision.file, None)]
    path, name = _split(text)
    sources = _read_path(path)
    if name is None:
        return sources
    chosen = [source for source in sources if name in (source.name, source.name.rpartition("/")[2])]
    if not chosen:
        known = ", ".join(source.name for source in sources)
        raise NoSuchTable(f"expected a table of {path} ({known}), found {name!r}")
    return chosen


def read_source(text: str) -> Source:
    """The one table that TABLE stands for. Raises NoSuchTable also if there are several."""
    sources = read_sources(text)
    if len(sources) == 1:
        return sources[0]
    listing = "\n".join(f"  {text}:{source.name}" for source in sources)
    raise NoSuchTable(f"{text} has {len(sources)} tables; name one:\n{listing}")


def read_table(text: str) -> Source:
    """Like read_source, but the table must be usable: raises Faulty with its findings if not."""
    source = read_source(text)
    if source.table is None:
        raise Faulty(source.findings, source.texts)
    return source


def _split(text: str) -> tuple[Path, str | None]:
    path = Path(text)
    if path.exists():
        return path, None
    before, colon, name = text.rpartition(":")
    if colon and before and Path(before).exists():
        return Path(before), name
    known = [revision.name for revision in revisions()]
    raise NoSuchTable(
        f"expected a revision (see idle-states list) or a file, found {text!r}"
        f"{suggestion(text, known)}"
    )


def _read_path(path: Path) -> list[Source]:
    shown = path.as_posix()
    try:
        if path.is_dir():
            return _directory(path, shown)
        if not path.is_file():
            raise _unreadable(shown, "expected a regular file or a directory")
        if path.stat().st_size > MAX_BYTES:
            raise _unreadable(shown, f"expected at most {MAX_BYTES} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(shown, f"expected a readable file, found: {error.strerror}") from None
    if data.startswith(_FDT_MAGICS):
        return _dtb(data, shown)
    text = data.decode("utf-8", "replace")
    if _DTS.match(text):
        return _dts(text, shown, data)
    if _C.search(text) and not path.suffix.startswith(".y"):
        return _c(text, shown, data)
    if b"\0" in data:
        raise _unreadable(
            shown, "expected a spec, a C source, a dts or a dtb, found an unknown binary format"
        )
    return [_spec(path, shown)]


def _unreadable(file: str, message: str) -> Unreadable:
    return Unreadable(
        [Finding("IS930", "unreadable-input", Severity.ERROR, message, Location(file=file))]
    )


def _spec(path: Path, shown: str | None) -> Source:
    loaded: Loaded = load(path, shown)
    file = next(iter(loaded.sources))
    digest = hashlib.sha256(loaded.sources[file].encode()).hexdigest()
    name = loaded.table.name if loaded.table else path.stem
    return Source(
        name, file, digest, loaded.table, loaded.findings, None, loaded.suppressions, loaded.sources
    )


def _c(text: str, shown: str, data: bytes) -> list[Source]:
    from .skiboot import c_table

    digest = hashlib.sha256(data).hexdigest()
    tables = c_table.read(text, shown, sha256=digest)
    if not tables:
        raise _unreadable(shown, "expected an array of struct cpu_idle_states, found none")
    return [Source(table.name, shown, digest, table, texts={shown: text}) for table in tables]


def _dtb(data: bytes, shown: str) -> list[Source]:
    from .devicetree import fdt, tables

    digest = hashlib.sha256(data).hexdigest()
    return _from_tree(tables.tables_of(fdt.read(data, shown), shown, "dtb", digest), shown, digest)


def _dts(text: str, shown: str, data: bytes) -> list[Source]:
    from .devicetree import dts, tables

    digest = hashlib.sha256(data).hexdigest()
    root = dts.read(text, shown)
    found = tables.tables_of(root, shown, "dts", digest, dts.places(text, shown))
    return _from_tree(found, shown, digest, {shown: text})


def _directory(path: Path, shown: str) -> list[Source]:
    from .devicetree import directory, tables

    return _from_tree(tables.tables_of(directory.read(path), shown, "directory", ""), shown, "")


def _from_tree(
    found: Sequence[tuple[PowerMgt, IdleTable]],
    shown: str,
    digest: str,
    texts: dict[str, str] | None = None,
) -> list[Source]:
    if not found:
        message = "expected a node /ibm,opal/power-mgt, found none"
        where = Location("/ibm,opal", shown)
        finding = Finding("IS114", "missing-node", Severity.ERROR, message, where, table=shown)
        return [Source(shown, shown, digest, None, (finding,), texts=texts or {})]
    return [
        Source(table.name, shown, digest, table, node=node, texts=texts or {})
        for node, table in found
    ]
