"""The tables that a folder or repository holds: told by content, once the name allows it.

Unlike a TABLE that is named, a file that is only found must show what it is: a repository has YAML,
C and archives of other kinds as well.
"""

import errno
from collections.abc import Iterable
from os.path import relpath
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Unreadable, UsageError, unreadable
from ...base.patterns import pattern
from ...base.reading import limits, opening, owners
from ...base.reading.opening import Found
from ...base.reading.unexpected import one_of_several
from ...base.wording import joined
from ..spec.packaged import current, named
from . import read_sources
from .format_dtb import trees
from .formats import format_of, read_file
from .source import File, NoSuchTable, Source

if TYPE_CHECKING:
    from .walk import Walk

_OF_TREES = pattern(rb"cpu-idle-states?\b|ibm,opal\b|/cpuidle/state")
_OF_TABLES = ("spec", "c", "driver", "lid")
"""Formats of which a file that a walk finds has a table. A log has none."""
_MOST_LISTED = 4


@dataclass(frozen=True, slots=True)
class Looked:
    """The tables and files that were read.

    sources   all tables, in order
    files     what was found below directories
    failures  of files that cannot be read
    what      where it was found, for people; "": all of it was named
    """

    sources: tuple[Source, ...] = ()
    files: tuple[str, ...] = ()
    failures: tuple[Unreadable, ...] = ()
    what: str = ""

    def joined(self, other: "Looked") -> "Looked":
        return Looked(
            self.sources + other.sources, self.files + other.files, self.failures + other.failures
        )


def tables_here() -> Looked:
    """All tables of the repository or folder that a command is run in; where there are none, the
    packaged ones of current processors. Raises UsageError for a repository with too many files; of
    a folder, which may be anything (/, a home), only so much is searched, and `what` says so."""
    folder = Path.cwd()
    top = owners.repository_of(folder)
    whole = "repository" if top else "folder"
    walk = _walk()
    if top is None:
        walk.most, walk.partial = limits.STRAY_ENTRIES, True
    looked = _below(Path(relpath(top or folder)), walk)
    left = ""
    if walk.left:
        tops = dict.fromkeys(f"{each.partition('/')[0]}/" if each else "." for each in walk.left)
        left = (
            f"; not searched: {_first(tops)} (more than {limits.STRAY_ENTRIES:,} entries); "
            "name the file or folder"
        )
    if looked.files:
        return replace(looked, what=f"this {whole}: {_listed(looked)}{left}")
    sources = [source for name in current() for source in read_sources(name)]
    none = "none where it was searched" if left else "none"
    what = f"the packaged tables, because this {whole} has {none}{left}"
    return Looked(tuple(sources), what=what)


def tables_of(words: Iterable[str]) -> Looked:
    """All tables of TABLE arguments; a directory that is no table stands for those below it.

    Raises UsageError: NoSuchTable, and of a directory with too many files. What cannot be read is
    among the failures instead.
    """
    found, listings = Looked(), []
    for word in words:
        try:
            with one_of_several(word):
                looked = _below(Path(word)) if _is_folder(word) else Looked()
                if not looked.files:
                    _expect_tree(word)
                    # of a damaged device tree the reader says what is missing
                    looked = Looked(tuple(read_sources(word)))
        except Unreadable as error:
            looked = Looked(failures=(error,))
        if looked.files:
            listings.append(f"{word}: {_listed(looked)}")
        found = found.joined(looked)
    return replace(found, what="; ".join(listings))


def tables_within(folder: Path, names: Iterable[str]) -> Looked:
    """All tables of files and directories within a folder, which no name and no link leads out of.
    A name that is nothing there raises NoSuchTable; else as `tables_of`."""
    found, walk = list[Found](), _walk()
    with opening.Tree(folder) as tree:
        for name in names:
            if tree.is_directory(name) and not walk.is_whole(tree, name):
                found += walk.below(tree, f"{name.rstrip('/')}/")
            elif tree.kind_of(name) in (opening.FILE, opening.DIRECTORY):
                found.append(Found(folder, name))
            else:
                raise NoSuchTable(f"expected a file or directory within {folder}, found {name!r}")
    looked = _all(found)
    return replace(looked, what=_listed(looked))


def _below(folder: Path, walk: "Walk | None" = None) -> Looked:
    return _all((walk or _walk()).inputs([folder.as_posix()]))


def _walk() -> "Walk":
    from .walk import Walk

    return Walk(other_kind=_other_kind, hidden=False, most=limits.FOLDER_ENTRIES)


def _all(found: Iterable[Path | Found]) -> Looked:
    sources: list[Source] = []
    files: list[str] = []
    failures: list[Unreadable] = []
    for each in found:
        files.append(each.as_posix())
        try:
            with one_of_several(each.as_posix()):
                sources += _read(each)
        except Unreadable as error:
            failures.append(error)
        if len(sources) > limits.FOLDER_TABLES:
            raise UsageError(
                f"expected at most {limits.FOLDER_TABLES:,} tables below a directory, found more; "
                "name fewer directories, or use audit, which forgets each table once it is audited"
            )
    return Looked(tuple(sources), tuple(files), tuple(failures))


def _is_folder(word: str) -> bool:
    """Tells whether a TABLE is a directory that is no table itself."""
    if any(word == revision.name for revision in named()) or not opening.is_directory(word):
        return False
    try:
        with opening.Tree(word) as tree:
            return not _walk().is_whole(tree, "")
    except OSError:
        return False


def _expect_tree(word: str) -> None:
    """Raises Unreadable for a directory that shows no sign of a device tree."""
    if _is_folder(word):
        from ..devicetree.directory import is_device_tree

        with opening.Tree(word) as tree:
            try:
                list(tree.entries(""))
            except OSError as error:
                raise OSError(error.errno, error.strerror, word) from None
            if not is_device_tree(tree):
                message = "expected tables below it, a skiboot or a device tree, found none"
                raise unreadable(word, message)


def _other_kind(tree: opening.Tree, found: Found) -> str:
    """Returns what a walk tells of a file. Inputs without a word of idle states and tables of the
    past, REVISION@COMMIT, must be named: here they are others, too."""
    from .walk import other_kind

    return other_kind(tree, found) or ("" if _is_table(found) else "files without a table")


def _is_table(found: Found) -> bool:
    if "@" in PurePosixPath(found.inner).name:
        return False
    try:
        file = File.open(found)
        form = format_of(file)
        if form == "acpi":
            from . import format_acpi

            return format_acpi.speaks_of_it(file.data)
        # the words stand in every kernel, whatever trees are in its image
        data = b"".join(trees(file, limits.FILE_TREES)) if form == "dtb" else file.unpacked
    except (OSError, Unreadable) as error:
        # a disk that fails may hide a table
        cause = error if isinstance(error, OSError) else error.__context__
        return isinstance(cause, OSError) and cause.errno == errno.EIO
    return form in _OF_TABLES or form == "sysfs" or bool(form != "log" and _OF_TREES.search(data))


def _read(found: Path | Found) -> list[Source]:
    path = found.path if isinstance(found, Found) else found
    home = path.resolve()
    packaged = next((each.name for each in named() if each.file.resolve() == home), None)
    return read_sources(packaged) if packaged else read_file(File.open(found))


def _listed(looked: Looked) -> str:
    read = [source.file for source in looked.sources]
    failed = [each.findings[0].location.file or "" for each in looked.failures]
    return _first(dict.fromkeys(read + failed))


def _first(names: Iterable[str]) -> str:
    """The first few in words, and how many more there are."""
    known = list(names)
    more = len(known) - _MOST_LISTED
    return joined([*known[:_MOST_LISTED], *([f"{more} more"] if more > 0 else [])])
