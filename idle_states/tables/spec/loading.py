"""Loading of a spec file with its ancestors, from YAML."""

import os
from collections import abc
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path, PurePath

from ...base.dataclass import dataclass
from ...base.digests import sha256
from ...base.model.findings import Rejected, Severity, unreadable
from ...base.model.processors import Processor
from ...base.model.table import Firmware
from ...base.reading import limits, opening, owners
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, decode, parse
from . import compiled
from .build import build
from .build_header import firmware_of
from .inherit import EndlessChain, ExpandedSpec, expand, is_acpi, is_machine
from .loaded import LoadedSpec
from .packaged import resolve_name, revisions
from .processor import processor_of
from .suppress import Suppression, suppressions


class Loading:
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
            from .build_tree import build_tree

            machine = build_tree(expanded, shown, self.digests[shown], self.problems)
        else:
            if is_acpi(expanded):
                from .build_acpi import build_acpi

                table = build_acpi(expanded, shown, self.digests[shown], self.problems)
            else:
                beside = SpecsBeside(self, file)
                table = build(expanded, shown, self.digests[shown], self.problems, beside)
        findings = tuple(dict.fromkeys(self.problems.findings))
        if not expanded.ok or any(f.severity is Severity.ERROR for f in findings):
            table, machine = None, None
        return LoadedSpec(table, findings, tuple(self.suppressions), self.sources, machine)

    def expand_file(
        self, file: PurePath, shown: str, below: tuple[str, ...], data: bytes | None = None
    ) -> ExpandedSpec:
        """Reads a file and expands its spec.

        below  identities of the files that are being expanded, each the parent of the one before
        data   the file's content, if it has been read
        """
        chain = (*below, self.identity(file))
        _expect_end(chain)
        if data is None:
            data = self.contents.get(file.as_posix())
        document = _parsed(opening.read(Path(file)) if data is None else data, shown)
        self.sources[shown] = document.text
        self.digests[shown] = document.sha256
        self.suppressions += document.suppressions

        def parent_of(parent: str) -> ExpandedSpec | None:
            parent_file, data = self.parent_file(file, parent)
            if parent_file is None:
                return None
            return self.expand_file(parent_file, parent_file.as_posix(), chain, data)

        return expand(document.root, parent_of, self.problems)

    def identity(self, file: PurePath) -> str:
        """The same for all names and links of a file."""
        name = file.as_posix()
        return name if name in self.contents else os.path.realpath(file)

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


class SpecsBeside:
    """The specs that a loaded one may name. Their problems are reported where they are loaded."""

    def __init__(self, loading: Loading, child: PurePath) -> None:
        self.loading, self.child = loading, child
        self.shared: set[str] = set()

    def _expanded(self, name: str) -> ExpandedSpec | None:
        file, data = self.loading.parent_file(self.child, name)
        chain = (self.loading.identity(self.child),)
        if file is None or self.loading.identity(file) in chain:
            return None
        apart = Loading(self.loading.contents, self.loading.top)
        try:
            expanded = apart.expand_file(file, file.as_posix(), (), data)
        except Rejected:
            return None
        self.loading.sources |= apart.sources
        return expanded

    def generations(self) -> list[str]:
        return [each.name for each in processors()]

    def processor(self, name: str) -> Processor | None:
        if packaged := next((each for each in processors() if each.name == name), None):
            return packaged
        expanded = self._expanded(name)
        if expanded is None or expanded.processor is None:
            return None
        return processor_of(expanded.processor, SpecProblems())

    def firmware(self, name: str) -> Firmware | None:
        if name in self.shared:
            return None
        self.shared.add(name)
        expanded = self._expanded(name)
        return firmware_of(expanded, self, SpecProblems()) if expanded is not None else None


@cache
def processors() -> tuple[Processor, ...]:
    """The processors that packaged specs of today define."""
    held = compiled.registry()
    return held.processors if held else tuple(_defined())


def _defined() -> Iterator[Processor]:
    for revision in revisions():
        if revision.historical:
            continue
        try:
            expanded = Loading({}).expand_file(revision.file, revision.file.as_posix(), ())
        except Rejected:
            continue
        if expanded.defines and expanded.processor is not None:
            found = processor_of(expanded.processor, SpecProblems())
            if found is not None:
                yield found


def _beside(file: Path, top: Path | None) -> bytes | None:
    """The content of a parent beside its child; None if there is no such file. The file must be
    below `top`; if `top` is None, or the child a packaged spec that one below it extends, in the
    child's repository or, if the child is in none, in its directory. Raises Unreadable (IS930) for
    a link that leads elsewhere, without reading its target."""
    if top is None or not file.is_relative_to(top):
        tree, path = owners.tree_of(file)
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
    return _Document(parse(text, shown), text, sha256(data), suppressions(text, shown))


def _expect_end(chain: tuple[str, ...]) -> None:
    """Raises EndlessChain if the last file of a chain is also an earlier one, or one too many."""
    *others, last = chain
    if last in others:
        stems = [PurePath(file).stem for file in chain[others.index(last) :]]
        cycle = " -> ".join(stems)
        message = f"expected a tree of specs, found a cycle: {cycle}"
        if len(stems) == 2 and resolve_name(stems[0]):
            message += f"; to extend the packaged {stems[0]}, give the file another name"
        raise EndlessChain(message)
    if len(others) > limits.SPEC_ANCESTORS:
        message = f"expected at most {limits.SPEC_ANCESTORS} specs that extend each other"
        raise EndlessChain(f"{message}, found more; put some of them together")
