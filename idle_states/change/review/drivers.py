"""The tables in the sources of Linux's cpuidle drivers at the commits of a repository: those that a
change concerns, and the processors of intel_idle's list.

A driver is read where its source changes, or a header whose definitions it takes. What the range
changes and takes back again is not looked at. Only files whose path has "idle" in it, and those
below arch/, are taken for drivers: all of mainline's are among them.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping

from ...base.model.beyond_opal import MatchedCpu
from ...base.model.findings import Unreadable
from ...base.patterns import pattern
from ...base.reading import limits
from ...base.reading.git.commits import Commit, CommitReader, TreeEntry
from ...base.reading.git.private import DamagedObject
from ...base.reading.unexpected import on_input
from ...tables.devicetree.source_trees import Layout
from ...tables.linux.built_in import in_tree
from ...tables.linux.built_in.headers import SIGN
from ...tables.linux.governors.source.named import DIRECTORY
from ...tables.linux.releases import UnknownRelease, release
from ...tables.sources import Source, format_driver
from .boards import BoardsTree
from .commit_files import CommitFiles
from .tree import End, Gathered, TreeReader

_MAKEFILE = pattern(
    r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)[ \t]*=[ \t]*([\w.-]*)[ \t]*$", re.MULTILINE
)
_LIST = "x86_cpu_id"

_Read = tuple[tuple[Source, ...], tuple[MatchedCpu, ...]]


def is_linux(repository: CommitReader, commit: str) -> bool:
    """Tells whether a commit has cpuidle's drivers: it is of Linux."""
    return bool(repository.named(commit, repository.prefix + SIGN))


class DriversTree(TreeReader):
    """Reads drivers' sources at either end of a range, and between.

    paths  files of the drivers that the range concerns, and of the headers that it changes of them
    """

    def __init__(self, repository: CommitReader, base: str, head: str) -> None:
        super().__init__(repository)
        self._commit2files: dict[str, CommitFiles] = {}
        self._key2read: dict[object, _Read | Unreadable] = {}
        self._hash2text: dict[str, tuple[str, str]] = {}
        concerned = dict(self._concerned(base, head))
        self._drivers = sorted(concerned)
        paths = {path for paths in concerned.values() for path in paths}
        self.governors, beside = self._governors(base, head)
        self.paths = sorted(repository.prefix + path for path in {*paths, *beside})

    def commits(self, base: str, head: str) -> list[Commit]:
        return self.repository.commits(base, head, self.paths) if self.paths else []

    def release_of(self, commit: str) -> str:
        try:
            text = self._files(commit).read("Makefile", limits.C_CHARACTERS)
        except OSError:
            return ""
        fields = dict(_MAKEFILE.findall(text.decode("utf-8", "replace")))
        point = fields.get("SUBLEVEL", "0")
        name = f"{fields.get('VERSION', '')}.{fields.get('PATCHLEVEL', '')}"
        name += ("" if point == "0" else f".{point}") + fields.get("EXTRAVERSION", "")
        try:
            return release(name).name
        except UnknownRelease:
            return ""

    def _files(self, commit: str) -> CommitFiles:
        if commit not in self._commit2files:
            self._commit2files[commit] = CommitFiles(
                self.repository, commit, self.repository.prefix
            )
        return self._commit2files[commit]

    def _text(self, entry: TreeEntry) -> tuple[str, str]:
        """A driver's text and the SHA-256 of its bytes; "" for a file without tables."""
        if entry.hash not in self._hash2text:
            data = self.repository.content(entry, limits.C_CHARACTERS)
            found = "", ""
            if format_driver.has_table(data):
                found = data.decode("utf-8", "replace"), hashlib.sha256(data).hexdigest()
            self._hash2text[entry.hash] = found
        return self._hash2text[entry.hash]

    def _concerned(self, base: str, head: str) -> Iterator[tuple[str, list[str]]]:
        """The drivers' sources that a change concerns, each with the files of it that change."""
        ends = [self._files(commit) for commit in (base, head)]
        before, after = ({path: e.hash for path, e in end.files.items()} for end in ends)
        changed = {path for path, _ in before.items() ^ after.items()}
        has_headers = any(path.endswith(".h") for path in changed)
        copies: dict[object, list[str]] = {}
        concerned: list[list[str]] = []
        for path in sorted(before.keys() | after.keys()):
            if not (path.endswith(".c") and ("idle" in path or path.startswith("arch/"))):
                continue
            if path not in changed and (not has_headers or "idle" not in path):
                continue
            same = copies.setdefault((before.get(path), after.get(path)), [])
            same.append(path)
            if len(same) > limits.GIT_COPIES:
                continue
            needed = {path}
            for end in ends:
                entry = end.entry(path)
                text = self._text(entry)[0] if entry else ""
                if text:
                    needed |= in_tree.reached(end, path, text)
            if len(needed) > 1 and not changed.isdisjoint(needed):
                yield path, sorted(changed & needed)
                concerned.append(same)
        for same in concerned:
            if len(same) > limits.GIT_COPIES:
                self.copied[same[0]] = len(same) - limits.GIT_COPIES + 1

    def _governors(self, base: str, head: str) -> tuple[list[str], list[str]]:
        """Returns the governors that a change concerns, and all files of theirs that it changes: of
        a header there, all governors may be made."""
        before, after = (
            {path: entry.hash for path, entry in self._files(commit).files.items()}
            for commit in (base, head)
        )
        changed = [
            path for path, _ in before.items() ^ after.items() if path.startswith(f"{DIRECTORY}/")
        ]
        changed = sorted({path for path in changed if path.endswith((".c", ".h"))})
        has_headers = any(path.endswith(".h") for path in changed)
        some = {*before, *after} if has_headers else changed
        found = sorted(p for p in some if p.startswith(f"{DIRECTORY}/") and p.endswith(".c"))
        return [self.repository.prefix + path for path in found], changed

    def _read(self, commit: str) -> End:
        files = self._files(commit)
        found = Gathered()
        cpus: list[MatchedCpu] = []
        for path in self._drivers:
            entry = files.entry(path)
            if entry is None:
                continue
            made = self._made(files, path, entry)
            if isinstance(made, Unreadable):
                found.failed(entry.path, made, {entry.path: self._text(entry)[0]})
            else:
                found.sources += made[0]
                cpus += made[1]
        return found.end(found.sources, cpus)

    def _made(self, tree: CommitFiles, path: str, entry: TreeEntry) -> _Read | Unreadable:
        """Returns the tables of a driver's source, built once for the same files."""
        text, digest = self._text(entry)
        if not text:
            return (), ()
        reached = in_tree.reached(tree, path, text)
        there = sorted(name for name in reached if tree.is_file(name))
        needed = [e for name in there if (e := tree.entry(tree.resolved(name))) is not None]
        key = entry, frozenset(needed)
        if key not in self._key2read:
            self._key2read[key] = self._built(tree, path, text, digest, entry.path)
            if isinstance(self._key2read[key], Unreadable):
                # lost objects are no fault of the source's
                for each in needed:
                    self.repository.content(each)
        return self._key2read[key]

    def _built(
        self, files: CommitFiles, path: str, text: str, digest: str, shown: str
    ) -> _Read | Unreadable:
        try:
            with on_input(shown):
                tables = in_tree.tables_in(files, path, text, shown, digest)
        except DamagedObject:
            raise
        except Unreadable as problem:
            return problem
        cpus = in_tree.cpus_in(files, path, text, shown) if _LIST in text else []
        found = (Source(each.name, shown, digest, each, texts={shown: text}) for each in tables)
        return tuple(found), tuple(cpus)


class LinuxTree(TreeReader):
    """Reads both at either end of a range, and between."""

    def __init__(
        self, repository: CommitReader, base: str, head: str, trees: Mapping[str, Layout]
    ) -> None:
        super().__init__(repository)
        self._drivers = DriversTree(repository, base, head)
        self._boards = BoardsTree(repository, base, head, dict(trees))
        self.copied = self._drivers.copied
        self.governors = self._drivers.governors
        self.remarks = self._boards.remarks
        self.left_out = self._boards.left_out

    def commits(self, base: str, head: str) -> list[Commit]:
        paths = sorted({*self._drivers.paths, *self._boards.paths})
        return self.repository.commits(base, head, paths) if paths else []

    def release_of(self, commit: str) -> str:
        return self._drivers.release_of(commit)

    def _read(self, commit: str) -> End:
        drivers, boards = self._drivers.at(commit), self._boards.at(commit)
        return End(
            (*drivers.sources, *boards.sources),
            (*drivers.findings, *boards.findings),
            drivers.unread | boards.unread,
            {**drivers.texts, **boards.texts},
            drivers.cpus,
        )
