"""The tables of a repository as they were at a commit: skiboot's C, or specs.

A file that did not change between commits is parsed once. What cannot be parsed is a finding of
that commit; the other files are read all the same. Objects that the repository has lost end
the review.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from ...base.dataclass import dataclass, field, replace
from ...base.model.beyond_opal import MatchedCpu
from ...base.model.findings import Finding, Unreadable
from ...base.patterns import pattern
from ...base.reading.git.commits import Commit, CommitReader, TreeEntry
from ...base.reading.git.private import DamagedObject
from ...base.reading.git.trees import AlikeFiles
from ...base.reading.unexpected import on_input
from ...tables.skiboot import c_table
from ...tables.skiboot.layout import HEADERS, TABLES
from ...tables.sources import MAX_BYTES, Source
from ...tables.sources.source import of_skiboot, together
from ...tables.spec.library import packaged

_WORD = pattern(r"[A-Za-z_]\w*")
_SPEC_WORDS = frozenset({"extends", "states"})
_SPEC_SUFFIXES = (".yaml", ".yml")
_BLOCK_KEY = pattern(r"""^(["']?)(name|extends|states)\1[ \t]*:""", re.MULTILINE)
_FLOW_KEY = pattern(r"""[{,]\s*(["']?)(name|extends|states)\1\s*:""")
_FLOW = pattern(r"\ufeff?(?>(?:\s|#[^\n]*\n|---(?=\s|\{))*)\{")
"""Matches a YAML document that is a mapping in braces."""


@dataclass(frozen=True, slots=True)
class End:
    """The tables of the repository at one end of a change.

    sources   readable sources in order of their files; a spec with errors has no table
    findings  findings about files that could not be parsed
    unread    the files that could not be parsed: nothing is known of their tables
    texts     file -> text of the unread files, for quoting lines
    cpus      the processors of intel_idle's list, where a change of a Linux tree concerns it
    """

    sources: tuple[Source, ...] = ()
    findings: tuple[Finding, ...] = ()
    unread: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    cpus: tuple[MatchedCpu, ...] = ()


class Gathered:
    """The sources and findings read from a commit, file by file."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.findings: list[Finding] = []
        self.unread: set[str] = set()
        self.texts: dict[str, str] = {}

    @contextmanager
    def reading(self, path: str) -> Iterator[None]:
        """A context manager: a file that cannot be read within it stays unread."""
        try:
            with on_input(path):
                yield
        except DamagedObject:
            raise
        except Unreadable as problem:
            self.failed(path, problem, problem.texts)

    def failed(self, path: str, problem: Unreadable, texts: Mapping[str, str]) -> None:
        """Takes down why a file stays unread. texts: what findings may quote."""
        self.findings += problem.findings
        self.texts.update(texts)
        self.unread.add(path)

    def end(self, sources: Iterable[Source], cpus: Iterable[MatchedCpu] = ()) -> End:
        unread, found = frozenset(self.unread), tuple(self.findings)
        return End(tuple(sources), found, unread, self.texts, tuple(cpus))


class TreeReader(ABC):
    """Reads ends of changes; each commit once.

    copied   file -> number of all paths with its content, where it stands for the others
    remarks  what else the user must know of what is read
    left_out  file that cannot be read, where there is no tree -> number of its statements on states
    governors  C files of Linux's governors that the range concerns, from the repository's top
    """

    def __init__(self, repository: CommitReader) -> None:
        self.repository = repository
        self.copied: dict[str, int] = {}
        self.remarks: list[str] = []
        self.left_out: dict[str, int] = {}
        self.governors: list[str] = []
        self._ends: dict[str, End] = {}

    @abstractmethod
    def commits(self, base: str, head: str) -> list[Commit]:
        """Commits of base..head that may change tables, oldest first."""

    @abstractmethod
    def _read(self, commit: str) -> End: ...

    def at(self, commit: str) -> End:
        """The tables at a commit, given its hash; "" for the empty tree before the first commit."""
        if commit not in self._ends:
            self._ends[commit] = self._read(commit)
        return self._ends[commit]

    def _count(self, files: AlikeFiles) -> None:
        if files.count > len(files.paths):
            self.copied[files.paths[0]] = files.count

    def release_of(self, commit: str) -> str:
        """The kernel that a commit of Linux is of, by its Makefile; "" for none that is known."""
        return ""

    def _content(self, entry: TreeEntry) -> bytes:
        return self.repository.content(entry, MAX_BYTES)


class SkibootTree(TreeReader):
    """Reads the C files that hold tables at either end of a range, and the headers they need."""

    def __init__(self, repository: CommitReader, base: str, head: str) -> None:
        super().__init__(repository)
        prefix = repository.prefix
        found = {prefix + file for file in TABLES}
        alike = list(repository.alike((base, head), (".c",), alone=True))
        entries = (TreeEntry(each.paths[0], name) for each in alike for name in each.hashes if name)
        holding = repository.holding(entries, "cpu_idle_states")
        for files in alike:
            if not holding.isdisjoint(files.hashes):
                found.update(files.paths)
                self._count(files)
        self.files = sorted(found)
        self.headers = [prefix + file for file in HEADERS]
        self._definitions: dict[str, dict[str, str]] = {}
        self._parsed: dict[tuple[str, str, frozenset[tuple[str, str]]], tuple[Source, ...]] = {}
        self._texts: dict[str, tuple[str, str, frozenset[str]]] = {}

    def commits(self, base: str, head: str) -> list[Commit]:
        return self.repository.commits(base, head, [*self.files, *self.headers])

    def has_tables(self, commit: str) -> bool:
        """Tells whether a commit has a file that may hold tables."""
        return bool(commit) and any(self.repository.entries(commit, self.files))

    def _read(self, commit: str) -> End:
        entries = {e.path: e for e in self.repository.entries(commit, [*self.files, *self.headers])}
        macros: dict[str, str] = {}
        found = Gathered()
        for header in self.headers:
            if header in entries:
                macros |= self._macros(entries[header])
        there = [entries[file] for file in self.files if file in entries]
        for entry in there:
            with found.reading(entry.path):
                found.sources += self._tables(entry, macros)
        names = {source.name for source in found.sources}
        for entry in there if not found.unread else ():
            text, _, words = self._texts[entry.hash]
            used = _used(words, macros)
            found.findings += c_table.unmodelled(text, entry.path, used, names)
        code = {e.path: self._texts[e.hash][0] for e in there if e.hash in self._texts}
        return found.end(of_skiboot(found.sources, code))

    def _macros(self, entry: TreeEntry) -> dict[str, str]:
        if entry.hash not in self._definitions:
            text = self._content(entry).decode("utf-8", "replace")
            self._definitions[entry.hash] = c_table.definitions_in(text)
        return self._definitions[entry.hash]

    def _tables(self, entry: TreeEntry, macros: Mapping[str, str]) -> tuple[Source, ...]:
        if entry.hash not in self._texts:
            data = self._content(entry)
            text = data.decode("utf-8", "replace")
            digest = hashlib.sha256(data).hexdigest()
            words = frozenset(_WORD.findall(text)) if "cpu_idle_states" in text else frozenset()
            self._texts[entry.hash] = text, digest, words
        text, digest, words = self._texts[entry.hash]
        used = _used(words, macros)
        key = entry.path, entry.hash, frozenset(used.items())
        if key not in self._parsed:
            tables = c_table.read(text, entry.path, defines=used, sha256=digest)
            self._parsed[key] = tuple(
                Source(table.name, entry.path, digest, table, texts={entry.path: text})
                for table in tables
            )
        return self._parsed[key]


class SpecTree(TreeReader):
    """Reads all specs: YAML files with `states` or `extends` at their top level.

    A file with only `name` counts as a spec if there are specs beside it, since many other YAML
    files have a name. A file that cannot be parsed counts if it seems to have these keys.
    """

    def __init__(self, repository: CommitReader, base: str, head: str) -> None:
        super().__init__(repository)
        self._ends_of = base, head
        self._contents: dict[str, tuple[bytes, frozenset[str]]] = {}
        self._loaded: dict[tuple[str, bytes], tuple[dict[str, bytes | None], list[Source]]] = {}

    def commits(self, base: str, head: str) -> list[Commit]:
        return self.repository.commits(base, head, [], _SPEC_SUFFIXES)

    def _read(self, commit: str) -> End:
        found_words: dict[str, tuple[bytes, frozenset[str]]] = {}
        found, aside = Gathered(), Gathered()
        own, beside = self._entries(commit)
        for path, entry in beside.items():
            with (found if path in own else aside).reading(path):
                found_words[path] = self._words(entry)
        certain = {path for path, (_, words) in found_words.items() if words & _SPEC_WORDS}
        directories = {path.rpartition("/")[0] for path in certain}
        specs = {
            path: data
            for path, (data, words) in found_words.items()
            if path in certain or (words and path.rpartition("/")[0] in directories)
        }
        for path in [path for path in specs if path in own]:
            with found.reading(path):
                found.sources += self._sources(path, specs)
            if path in found.unread:
                found.texts[path] = specs[path].decode("utf-8", "replace")
        names = {source.name for source in found.sources}
        others = packaged(lambda spec: not spec.historical and spec.name not in names)
        found.findings = list(dict.fromkeys(found.findings))
        return found.end(together(found.sources, others))

    def _entries(self, commit: str) -> tuple[set[str], dict[str, TreeEntry]]:
        """The YAML files to be read at a commit, and those that lie beside them, by their paths."""
        base, head = self._ends_of
        points = list(dict.fromkeys((base, commit, head)))
        at = points.index(commit)
        own: set[str] = set()
        beside: dict[str, TreeEntry] = {}
        for files in self.repository.alike(points, _SPEC_SUFFIXES):
            if files.hashes[at]:
                own.update(files.paths)
                self._count(files)
                for folder in {path.rpartition("/")[0] for path in files.paths}:
                    slash = "/" if folder else ""
                    if f"{folder}{slash}{next(iter(files.beside))}" in beside:
                        continue
                    for name, hashes in files.beside.items():
                        if hashes[at]:
                            path = f"{folder}{slash}{name}"
                            beside[path] = TreeEntry(path, hashes[at])
        return own, dict(sorted(beside.items()))

    def _words(self, entry: TreeEntry) -> tuple[bytes, frozenset[str]]:
        """Content of a YAML file, and which of a spec's words it has."""
        if entry.hash not in self._contents:
            data = self._content(entry)
            words = _words_of(data)
            self._contents[entry.hash] = data if words else b"", words
        return self._contents[entry.hash]

    def _sources(self, path: str, specs: Mapping[str, bytes]) -> list[Source]:
        """Loaded once for as long as it and its ancestors stay as they are."""
        key = path, specs[path]
        if key in self._loaded:
            needed, found = self._loaded[key]
            if all(specs.get(file) == content for file, content in needed.items()):
                return found
        needed, found = _load(path, specs)
        if all(source.table is not None for source in found):
            self._loaded[key] = needed, found
        return found


def _words_of(data: bytes) -> frozenset[str]:
    """name, extends, states: those that are keys of a YAML text's top level, or seem to be."""
    from ...base.reading.document import decode, parse

    text = data.decode("utf-8", "replace")
    keys = _FLOW_KEY if _FLOW.match(text) else _BLOCK_KEY
    seeming = frozenset(match[2] for match in keys.finditer(text))
    # an escape may stand for any letter of them
    if "\\" not in text and not any(word in text for word in _SPEC_WORDS):
        return seeming
    try:
        return (_SPEC_WORDS | {"name"}) & parse(decode(data, ""), "").entries.keys()
    except Unreadable:
        return seeming


def _load(path: str, specs: Mapping[str, bytes]) -> tuple[dict[str, bytes | None], list[Source]]:
    """Loads a spec. Returns path -> content of the files it was made of (None for a file that does
    not exist, for which a packaged ancestor was taken), and the sources."""
    from ...tables.sources.format_spec import sources
    from ...tables.spec.library import load_held

    loaded = load_held(path, specs)
    directory, slash, file = path.rpartition("/")
    needed: dict[str, bytes | None] = {}
    for shown in loaded.sources:
        if shown in specs:
            needed[shown] = specs[shown]
        else:
            needed[f"{directory}{slash}{shown.rpartition('/')[2]}"] = None
    digest = hashlib.sha256(specs[path]).hexdigest()
    found = [replace(source, sha256=digest) for source in sources(loaded, file.rpartition(".")[0])]
    if loaded.machine is not None:
        # its tables are named by CPUs, as those of others
        found = [replace(source, name=f"{loaded.name}:{source.name}") for source in found]
    return needed, found


def _used(words: Iterable[str], macros: Mapping[str, str]) -> dict[str, str]:
    """The macros that a text with these words uses, directly or within other macros."""
    heads: dict[str, list[str]] = {}
    for head in macros:
        heads.setdefault(head.partition("(")[0], []).append(head)
    used: dict[str, str] = {}
    waiting = [word for word in words if word in heads]
    while waiting:
        for head in heads[waiting.pop()]:
            if head not in used:
                used[head] = macros[head]
                waiting += [word for word in _WORD.findall(macros[head]) if word in heads]
    return used
