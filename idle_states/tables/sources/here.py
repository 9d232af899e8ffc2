"""What a folder or repository holds that can be checked: told by content, once the name allows it.

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
from . import format_skiboot, format_spec, read_sources
from .formats import format_module, format_of, read_file
from .source import File, NoSuchTable, Source

if TYPE_CHECKING:
    from .walk import Walk

_END2FORMAT = {
    ".yaml": "spec",
    ".yml": "spec",
    ".c": "c",
    ".h": "c",
    ".dts": "dts",
    ".lid": "lid",
    ".lid.xz": "lid",
    ".tar": "tar",
    ".tgz": "tar",
    ".tar.gz": "tar",
    ".tar.xz": "tar",
    ".tar.bz2": "tar",
}
"""End of a name -> the one format that such a file may be. Others are told by their first bytes."""
_OF_TREES = pattern(rb"cpu-idle-states?\b|ibm,opal\b")
_BY_BEGINNING = ("acpi", "dtb", "sysfs")
_HEAD_BYTES = 4096
_MOST_LISTED = 4


@dataclass(frozen=True, slots=True)
class Looked:
    """What was read.

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
            f"; not at all of {_first(tops)}, for there are more than {limits.STRAY_ENTRIES:,} "
            "entries: name what is meant"
        )
    if looked.files:
        return replace(looked, what=f"this {whole}: {_listed(looked)}{left}")
    sources = [source for name in current() for source in read_sources(name)]
    none = "none where it was searched" if left else "none"
    what = f"the packaged tables, for this {whole} has {none}{left}"
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
    found: list[Found] = []
    with opening.Tree(folder) as tree:
        for name in names:
            if tree.is_directory(name) and not _is_whole(tree, name):
                found += _walk().below(tree, f"{name.rstrip('/')}/")
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

    return Walk(_is_whole, _other_kind, hidden=False, most=limits.FOLDER_ENTRIES)


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
    """Whether a TABLE is a directory that is no table itself."""
    if any(word == revision.name for revision in named()) or not opening.is_directory(word):
        return False
    try:
        with opening.Tree(word) as tree:
            return not _is_whole(tree, "")
    except OSError:
        return False


def _expect_tree(word: str) -> None:
    """Raises Unreadable for a directory that shows no sign of a device tree."""
    if _is_folder(word):
        from .walk import is_tree

        with opening.Tree(word) as tree:
            try:
                list(tree.entries(""))
            except OSError as error:
                raise OSError(error.errno, error.strerror, word) from None
            if not is_tree(tree):
                message = "expected tables below it, a skiboot or a device tree, found none"
                raise unreadable(word, message)


def _is_whole(tree: opening.Tree, relative: str) -> bool:
    """Whether a directory is a skiboot, a device tree or its node of idle states."""
    from ...base.reading.acpi import signs

    if format_skiboot.is_skiboot(tree, relative or "."):
        return True
    try:
        if signs.is_whole(tree, relative):
            return True
        names = {entry.name for entry in tree.entries(relative, follow=False)}
    except (OSError, Unreadable):
        return False
    return (
        "ibm,opal" in names
        or {"#address-cells", "cpus"} <= names
        or any("ibm,cpu-idle-state" in name for name in names)
    )


def _other_kind(tree: opening.Tree, found: Found) -> str:
    return "" if _is_table(tree, found) else "files without a table"


def _is_table(tree: opening.Tree, found: Found) -> bool:
    """Whether a file is a table of today; those of the past, REVISION@COMMIT, must be named."""
    name = PurePosixPath(found.inner).name
    form = next((form for end, form in _END2FORMAT.items() if name.endswith(end)), None)
    if "@" in name or (form is None and not _begins_as_table(tree, found)):
        return False
    try:
        file = File.open(found)
        return format_of(file) in ((form,) if form else _BY_BEGINNING) and _speaks_of_it(file, form)
    except (OSError, Unreadable) as error:
        # a disk that fails may hide a table
        cause = error if isinstance(error, OSError) else error.__context__
        return isinstance(cause, OSError) and cause.errno == errno.EIO


def _begins_as_table(tree: opening.Tree, found: Found) -> bool:
    try:
        head = tree.beginning(found.inner, _HEAD_BYTES)
    except (OSError, Unreadable):
        return False
    return any(format_module(form).recognises(head, found.path) for form in _BY_BEGINNING)


def _speaks_of_it(file: File, form: str | None) -> bool:
    """Whether a file of a form has anything of idle states."""
    if form == "spec":
        return format_spec.speaks_of_it(file.data)
    if form in ("c", "lid"):
        return True
    if form is None:
        from . import format_acpi

        if format_acpi.recognises(file.data, file.path):
            return format_acpi.speaks_of_it(file.data)
    data = file.unpacked if form == "tar" else file.data
    return bool(_OF_TREES.search(data)) or b"/cpuidle/" in data[:_HEAD_BYTES]


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
