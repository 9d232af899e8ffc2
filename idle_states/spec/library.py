"""The packaged specs, and loading of any spec file with its ancestors."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from ..findings import Finding, Severity, Unreadable
from ..resources import resource
from ..table import IdleTable
from .build import build
from .document import Mapping, Scalar, decode, parse
from .inherit import Expanded, expand
from .problems import Problems
from .suppress import Suppression, suppressions


@dataclass(frozen=True, slots=True)
class Revision:
    """A packaged spec. historical: a table as skiboot once had it, named REVISION@COMMIT."""

    name: str
    file: Path
    historical: bool


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of a spec file.

    table         None if `findings` has errors
    sources       file -> text, of the file and its ancestors, for source frames
    suppressions  of the file and its ancestors
    """

    table: IdleTable | None
    findings: tuple[Finding, ...]
    suppressions: tuple[Suppression, ...]
    sources: dict[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1)
def revisions() -> tuple[Revision, ...]:
    """Packaged specs in the order of processor generations, historical ones last."""
    found = [
        Revision(file.stem, file, "@" in file.stem)
        for file in resource("specs").iterdir()
        if file.suffix == ".yaml"
    ]
    return tuple(sorted(found, key=lambda r: (r.historical, _generation_key(r.name), r.name)))


def _generation_key(name: str) -> tuple[int, int]:
    if name.startswith("power"):
        digits = "".join(char for char in name[5:7] if char.isdigit())
        return (0, int(digits or 0))
    return (1, 0)


def resolve_name(name: str) -> Revision | None:
    return next((revision for revision in revisions() if revision.name == name), None)


@cache
def find(name: str) -> IdleTable:
    """A packaged table by name.

    Raises KeyError for a name that is not packaged, Unreadable for a broken packaged spec.
    """
    revision = resolve_name(name)
    if revision is None:
        raise KeyError(name)
    loaded = load(revision.file)
    if loaded.table is None:
        raise Unreadable(loaded.findings)
    return loaded.table


def current() -> Iterator[str]:
    """Names of the revisions that `check` takes when none is named."""
    return (revision.name for revision in revisions() if not revision.historical)


def load(file: Path, shown_as: str | None = None) -> Loaded:
    """Loads a spec with its ancestors.

    shown_as  how messages name the file; packaged specs are shown by their file name alone
    Raises Unreadable (exit 3) if the file or an ancestor cannot be parsed, OSError if it
    cannot be read. All other problems are findings.
    """
    loading = _Loading()
    shown = shown_as or display_name(file)
    expanded = loading.expand_file(file, shown, ())
    table = build(expanded, shown, loading.digests[shown], loading.problems)
    findings = tuple(dict.fromkeys(loading.problems.findings))
    usable = expanded.ok and not any(f.severity is Severity.ERROR for f in findings)
    return Loaded(table if usable else None, findings, tuple(loading.suppressions), loading.sources)


def display_name(file: Path) -> str:
    """Packaged specs are named the same wherever they are installed; others as given."""
    try:
        return "specs/" + file.resolve().relative_to(resource("specs")).as_posix()
    except ValueError:
        return file.as_posix()


class _Loading:
    def __init__(self) -> None:
        self.problems = Problems()
        self.suppressions: list[Suppression] = []
        self.sources: dict[str, str] = {}
        self.digests: dict[str, str] = {}

    def expand_file(self, file: Path, shown: str, chain: tuple[str, ...]) -> Expanded:
        document = _parsed(file, shown, _stamp(file))
        self.sources[shown] = document.text
        self.digests[shown] = document.sha256
        self.suppressions += document.suppressions
        name = _own_name(document.root)

        def parent_of(parent: str) -> Expanded | None:
            parent_file = _parent_file(file, parent)
            if parent_file is None:
                return None
            return self.expand_file(parent_file, display_name(parent_file), (*chain, name))

        return expand(document.root, parent_of, (*chain, name), self.problems)


@dataclass(frozen=True, slots=True)
class _Document:
    root: Mapping
    text: str
    sha256: str
    suppressions: tuple[Suppression, ...]


def _stamp(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _parsed(file: Path, shown: str, stamp: tuple[int, int]) -> _Document:
    """Parsed once per content: power9.yaml is an ancestor of many."""
    data = file.read_bytes()
    text = decode(data, shown)
    return _Document(
        parse(text, shown), text, hashlib.sha256(data).hexdigest(), suppressions(text, shown)
    )


def _own_name(root: Mapping) -> str:
    node = root.entries.get("name")
    return node.text if isinstance(node, Scalar) else ""


def _parent_file(child: Path, name: str) -> Path | None:
    """A parent lies beside the child, else it is packaged. Names cannot leave the directory."""
    if "/" in name or "\\" in name or name.startswith("."):
        return None
    beside = child.parent / f"{name}.yaml"
    if beside.is_file():
        return beside
    revision = resolve_name(name)
    return revision.file if revision else None
