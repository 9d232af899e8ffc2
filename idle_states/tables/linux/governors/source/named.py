"""The file that --governor names: FILE.c, TREE:NAME, TREE@REVISION:NAME, or one that was given."""

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from .....base.dataclass import dataclass
from .....base.model.findings import UsageError, unreadable
from .....base.reading import limits, opening

if TYPE_CHECKING:
    from .....base.reading.git.commits import CommitReader

UNCONFINED = "unconfined:"
"""Before a name: compiler and governor may reach what the user may."""
DIRECTORY, HEADER = "drivers/cpuidle/governors", "include/linux/cpuidle.h"
_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^<>"\n]+)[>"]', re.MULTILINE)
_PLAIN = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
_GIVEN: "dict[str, SourceFile]" = {}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A governor's source.

    name      as it was given
    file      of the C file, as messages name it
    text      its content
    beside    file name -> content of the files that it includes from its own folder
    headers   the kernel headers that it and those include
    header    its kernel's include/linux/cpuidle.h; "" where there is none beside it
    confined  whether it may reach nothing
    """

    name: str
    file: str
    text: str
    beside: Mapping[str, str]
    headers: tuple[str, ...]
    header: str
    confined: bool

    @property
    def sha256(self) -> str:
        """The digest of the C file."""
        return _digest(self.text)

    @property
    def digest(self) -> str:
        """The digest of all that is compiled of the user's."""
        return _digest("\0".join([self.text, *sum(sorted(self.beside.items()), ())]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def find(name: str) -> SourceFile:
    """Reads the source that a name stands for. Raises UsageError for a name of no file, Unreadable
    for a file that cannot be read or includes what lies elsewhere, OSError."""
    if name in _GIVEN:
        return _GIVEN[name]
    plain = name.removeprefix(UNCONFINED)
    place, _, governor = plain.rpartition(":")
    if not place:
        return _gathered(name, plain, _beside(Path(plain)))
    if not re.fullmatch(r"\w+", governor):
        raise UsageError(
            f"expected TREE:NAME with a governor's name such as menu, found {governor!r}"
        )
    return _gathered(name, f"{DIRECTORY}/{governor}.c", tree_reader(place))


def give(repository: "CommitReader", commit: str, governor: str) -> SourceFile:
    """Reads a governor's source at a commit, which may be held in memory, and returns it under the
    name by which --governor takes it from then on. Raises Unreadable as find() does."""
    name, file = f"{commit}:{governor}", f"{DIRECTORY}/{governor}.c"
    if not re.fullmatch(r"[\w-]+", governor, re.ASCII):
        raise unreadable(file, f"expected a governor's name such as menu, found {governor!r}")
    if name not in _GIVEN:
        _GIVEN[name] = _gathered(name, file, of_commit(repository, commit))
    return _GIVEN[name]


def tree_reader(place: str) -> "Read":
    """Returns the function that reads a file of a kernel's source tree by its path, None for none.

    place: DIR, or DIR@REVISION of a git repository. Raises UsageError for what is no folder,
    Unreadable for a revision that the repository lacks.
    """
    directory, at, revision = place.rpartition("@")
    if at and not opening.is_directory(place):
        from .....base.reading.git.repository import Repository

        repository = Repository(Path(directory or "."))
        return of_commit(repository, repository.resolve(revision))
    if not opening.is_directory(place):
        raise UsageError(
            f"expected a folder with a kernel's source, or FOLDER@REVISION, found {place!r}"
        )
    return _below(Path(place))


Read = Callable[[str], str | None]


def _beside(file: Path) -> Read:
    """Reads a file, others of its folder, and of its tree the header of cpuidle."""
    top = file.resolve().parent
    if top.as_posix().endswith(f"/{DIRECTORY}"):
        top = top.parents[2]

    def read(name: str) -> str | None:
        if name == HEADER:
            return _text(top / name)
        return _text(file if name == file.as_posix() else file.parent / PurePosixPath(name).name)

    return read


def _below(tree: Path) -> Read:
    return lambda name: _text(tree / name)


def _text(file: Path) -> str | None:
    if not opening.is_file(file):
        return None
    return opening.decoded(opening.read(file, limits.GOVERNOR_BYTES))


def of_commit(repository: "CommitReader", commit: str) -> Read:
    """Returns the function that reads a file of a commit by its path below the directory under
    review, None for none."""

    def read(name: str) -> str | None:
        found = repository.named(commit, repository.prefix + name)
        if not found:
            return None
        return opening.decoded(repository.content(found[0], limits.GOVERNOR_BYTES))

    return read


def _gathered(name: str, file: str, read: Read) -> SourceFile:
    text = read(file)
    if text is None:
        raise unreadable(file, f"expected a governor's source for {name!r}, found no such file")
    folder = PurePosixPath(file).parent
    beside: dict[str, str] = {}
    headers: dict[str, None] = {}
    waiting = [text]
    while waiting:
        for mark, included in _INCLUDED.findall(waiting.pop()):
            if not _PLAIN.fullmatch(included) or ".." in included:
                raise unreadable(file, f"expected includes of kernel headers, found {included!r}")
            if mark == "<" or "/" in included:
                headers[included] = None
                continue
            found = None if included in beside else read(f"{folder}/{included}")
            if found is not None:
                beside[included] = found
                waiting.append(found)
            if len(beside) > limits.GOVERNOR_FILES:
                raise unreadable(file, f"expected at most {limits.GOVERNOR_FILES} included files")
    return SourceFile(
        name,
        file,
        text,
        beside,
        tuple(headers),
        read(HEADER) or "",
        not name.startswith(UNCONFINED),
    )
