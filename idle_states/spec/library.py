"""The packaged specs, and loading of any spec file with its ancestors."""

import hashlib
from collections import abc
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path, PurePath

from ..dataclass import dataclass, field
from ..findings import Faulty, Finding, Rejected, Severity, unreadable
from ..idle_tree import IdleTree
from ..reading import opening
from ..reading.complaints import SpecProblems
from ..reading.document import Mapping, Scalar, decode, parse
from ..resources import resource
from ..table import IdleTable
from .build import build
from .build_tree import build_tree
from .inherit import ExpandedSpec, expand, is_machine
from .packaged import Revision, machines, resolve_name, resolve_table, revisions
from .suppress import Suppression, suppressions


@dataclass(frozen=True, slots=True)
class LoadedSpec:
    """The result of loading a spec file.

    table         None if `findings` has errors, or for a machine
    machine       of a spec with an architecture; None if `findings` has errors
    sources       file -> text of the file and its ancestors, for quoting lines
    suppressions  suppressions in the file and its ancestors
    """

    table: IdleTable | None
    findings: tuple[Finding, ...]
    suppressions: tuple[Suppression, ...]
    sources: dict[str, str] = field(default_factory=dict)
    machine: IdleTree | None = None

    @property
    def name(self) -> str:
        """What the spec calls itself; "" if it has errors."""
        found = self.table or self.machine
        return found.name if found else ""


@cache
def find(name: str) -> IdleTable:
    """A packaged table of firmware by name.

    Raises KeyError if there is no such spec, Unreadable if it cannot be parsed, Faulty if it has
    errors.
    """
    revision = resolve_table(name)
    if revision is None:
        raise KeyError(name)
    loaded = load(revision.file)
    if loaded.table is None:
        raise Faulty(loaded.findings, loaded.sources)
    return loaded.table


def packaged(wanted: Callable[[Revision], bool] = lambda _: True) -> Iterator[IdleTable]:
    """Yields the packaged tables for which `wanted` is true, in the order of `revisions`.

    Tables whose spec has errors are left out: `list` and `check` report these.
    """
    for revision in revisions():
        if wanted(revision):
            try:
                yield find(revision.name)
            except Rejected:
                continue


def find_machine(name: str) -> IdleTree:
    """A packaged machine by name. Raises as `find` does."""
    revision = next((each for each in machines() if each.name == name), None)
    if revision is None:
        raise KeyError(name)
    loaded = load(revision.file)
    if loaded.machine is None:
        raise Faulty(loaded.findings, loaded.sources)
    return loaded.machine


def load(
    file: Path, shown_as: str | None = None, data: bytes | None = None, top: Path | None = None
) -> LoadedSpec:
    """Loads a spec with its ancestors.

    shown_as  how messages name the file; packaged specs are shown by their file name alone
    data      what the file holds, where it has been read
    top       the directory below which its ancestors must lie; None: see `_beside`
    Raises Unreadable (exit 3) if the file or an ancestor cannot be parsed, OSError if it
    cannot be read. All other problems are findings.
    """
    return _Loading({}, top).load(file, shown_as or display_name(file), data)


def load_held(path: str, contents: abc.Mapping[str, bytes]) -> LoadedSpec:
    """Like `load`, for a spec that is not on disk, such as one of a git commit.

    contents  path -> bytes of the spec and of all specs among which parents are searched
    """
    return _Loading(contents).load(PurePath(path), path)


def display_name(file: Path) -> str:
    """The name of a spec in messages: for a packaged spec the file name alone, else the path."""
    try:
        return "specs/" + file.resolve().relative_to(resource("specs")).as_posix()
    except ValueError:
        return file.as_posix()


class _Loading:
    """One load.

    contents  path -> bytes of specs that are not read from disk
    top       the directory below which parents must lie; None: see `_beside`
    """

    def __init__(self, contents: abc.Mapping[str, bytes], top: Path | None = None) -> None:
        self.contents = contents
        self.top = top
        self.problems = SpecProblems()
        self.suppressions: list[Suppression] = []
        self.sources: dict[str, str] = {}
        self.digests: dict[str, str] = {}

    def load(self, file: PurePath, shown: str, data: bytes | None = None) -> LoadedSpec:
        expanded = self.expand_file(file, shown, (), data)
        table, machine = None, None
        if is_machine(expanded):
            machine = build_tree(expanded, shown, self.digests[shown], self.problems)
        else:
            table = build(expanded, shown, self.digests[shown], self.problems)
        findings = tuple(dict.fromkeys(self.problems.findings))
        if not expanded.ok or any(f.severity is Severity.ERROR for f in findings):
            table, machine = None, None
        return LoadedSpec(table, findings, tuple(self.suppressions), self.sources, machine)

    def expand_file(
        self, file: PurePath, shown: str, chain: tuple[str, ...], data: bytes | None = None
    ) -> ExpandedSpec:
        """Reads a file and expands its spec. data: the file's content, if it has been read."""
        if data is None:
            data = self.contents.get(file.as_posix())
        document = _parsed(opening.read(Path(file)) if data is None else data, shown)
        self.sources[shown] = document.text
        self.digests[shown] = document.sha256
        self.suppressions += document.suppressions
        name = _own_name(document.root)

        def parent_of(parent: str) -> ExpandedSpec | None:
            parent_file, data = self.parent_file(file, parent)
            if parent_file is None:
                return None
            held = parent_file.as_posix() in self.contents
            shown = parent_file.as_posix() if held else display_name(Path(parent_file))
            return self.expand_file(parent_file, shown, (*chain, name), data)

        return expand(document.root, parent_of, (*chain, name), self.problems)

    def parent_file(self, child: PurePath, name: str) -> tuple[PurePath | None, bytes | None]:
        """The file of a parent, and its content if that was read. A file beside the child comes
        before a packaged spec. The name cannot lead out of the directory, nor a link out of the
        repository, see `_beside`."""
        if "/" in name or "\\" in name or name.startswith("."):
            return None, None
        beside = child.parent / f"{name}.yaml"
        if child.as_posix() in self.contents:
            if beside.as_posix() in self.contents:
                return beside, None
        elif (data := _beside(Path(beside), self.top)) is not None:
            return beside, data
        revision = resolve_name(name)
        return (revision.file if revision else None), None


def _beside(file: Path, top: Path | None) -> bytes | None:
    """The content of a parent beside its child; None if there is no such file. The file must be
    below `top`; if `top` is None, or the child a packaged spec that one below it extends, in the
    child's repository or, if the child is in none, in its directory. Raises Unreadable (IS930) for
    a link that leads elsewhere, without reading its target."""
    if top is None or not file.is_relative_to(top):
        tree, path = opening.tree_of(file)
    else:
        tree, path = opening.Tree(top), file.relative_to(top).as_posix()
    with tree:
        if tree.is_file(path):
            return tree.read(path, shown=file.as_posix())
        if not opening.is_file(file):
            return None
        where = tree.path.as_posix()
    message = f"expected a parent within {where}, found a link that leads out of it"
    raise unreadable(file.as_posix(), message)


@dataclass(frozen=True, slots=True)
class _Document:
    root: Mapping
    text: str
    sha256: str
    suppressions: tuple[Suppression, ...]


@lru_cache(maxsize=64)
def _parsed(data: bytes, shown: str) -> _Document:
    """Parses a document. Cached by content: power9.yaml is an ancestor of many."""
    text = decode(data, shown)
    return _Document(
        parse(text, shown), text, hashlib.sha256(data).hexdigest(), suppressions(text, shown)
    )


def _own_name(root: Mapping) -> str:
    node = root.entries.get("name")
    return node.text if isinstance(node, Scalar) else ""
