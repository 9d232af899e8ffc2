"""The places of a repository's parts, and the checks whether they may be read.

Forms: gitrepository-layout(5), git-worktree(1) "DETAILS", gitsubmodules(7).

What another user planted in a folder of somebody else's is no repository (`owners.belongs`).
A part counts if it lies in the directory that was named. A `.git` file may lead elsewhere only if
the directory it leads to leads back: a work tree's by its `gitdir`, a submodule's by its
`core.worktree`. Objects are borrowed from elsewhere only where the environment names the place.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from ...dataclass import dataclass
from ...model.findings import next_step, unreadable
from .. import limits, opening, owners

NAMED_OBJECTS = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
"""Variables by which a user, or git when it runs a hook, names places of objects."""
_POINTER_BYTES = 8192
_ALTERNATES = "info/alternates"
_DEPTH = 4
"""Directories within directories below objects/: info/commit-graphs/ is the deepest."""

Configuration = Callable[[bytes], Mapping[str, str]]
"""The contents of a configuration file: key -> value."""


@dataclass(frozen=True, slots=True)
class Place:
    """top      the work tree's top, or the bare repository, links resolved
    git_dir  where HEAD is
    common   where branches, configuration and objects are
    prefix   from the top to the directory that was named: "" or "some/directory/"
    """

    top: Path
    git_dir: Path
    common: Path
    prefix: str

    @property
    def objects(self) -> Path:
        return self.common / "objects"


@next_step("name the directory of a clone that git itself can read: git -C DIR log -1")
def find(directory: Path, shown: str, configuration: Configuration) -> Place:
    """The repository that a directory is, or lies in.

    Raises Unreadable (IS930) where there is none, or one of its parts but its objects leads
    elsewhere.
    """
    start = Path(os.path.realpath(directory))
    for top in (start, *start.parents):
        if is_top(top) and owners.belongs(top / ".git"):
            git_dir = _git_dir(top, shown, configuration)
            prefix = start.relative_to(top).as_posix()
            return _checked(top, git_dir, "" if prefix == "." else f"{prefix}/", shown)
        if _is_bare(top) and owners.belongs(top / "HEAD"):
            return _checked(top, top, "", shown)
    raise unreadable(shown, "expected a git repository, found none (not a git repository)")


def is_top(directory: Path) -> bool:
    """Tells whether a directory is the top of a work tree of its own."""
    return os.path.lexists(directory / ".git")


def _is_bare(directory: Path) -> bool:
    return (
        os.path.lexists(directory / "HEAD")
        and opening.is_directory(directory / "objects")
        and opening.is_directory(directory / "refs")
    )


def _git_dir(top: Path, shown: str, configuration: Configuration) -> Path:
    path = top / ".git"
    real = Path(os.path.realpath(path))
    if opening.is_directory(path):
        if not real.is_relative_to(top):
            raise unreadable(shown, f"expected .git in the directory, found a link to {real}")
        return real
    with opening.Tree(top) as tree:
        pointer = _pointer(tree, ".git", shown)
    if pointer is None or not pointer.startswith(b"gitdir: "):
        raise unreadable(shown, "expected a git repository, found a file .git without 'gitdir:'")
    git_dir = _resolved(top, pointer.removeprefix(b"gitdir: "))
    if not opening.is_directory(git_dir):
        raise unreadable(shown, f"expected a git directory, found none at {git_dir}")
    if not git_dir.is_relative_to(top) and not _leads_back(git_dir, top, shown, configuration):
        raise unreadable(
            shown,
            f"expected a git directory that belongs here, found .git leading to {git_dir}, which "
            "does not lead back; name that directory itself",
        )
    return git_dir


def _leads_back(git_dir: Path, top: Path, shown: str, configuration: Configuration) -> bool:
    with opening.Tree(git_dir) as tree:
        pointer = _pointer(tree, "gitdir", shown)
        if pointer is not None and _resolved(git_dir, pointer) == top / ".git":
            return True
        for name in ("config", "config.worktree"):
            if tree.is_file(name):
                read = tree.read(name, limits.GIT_CONFIGURATION_BYTES)
                worktree = configuration(read).get("core.worktree")
                if worktree and _resolved(git_dir, os.fsencode(worktree)) == top:
                    return True
    return False


def _checked(top: Path, git_dir: Path, prefix: str, shown: str) -> Place:
    with opening.Tree(git_dir) as tree:
        pointer = _pointer(tree, "commondir", shown)
    common = git_dir if pointer is None else _resolved(git_dir, pointer)
    # a work tree's directory lies where it belongs, in the common one
    if not common.is_relative_to(top) and git_dir not in (
        common,
        common / "worktrees" / git_dir.name,
    ):
        raise unreadable(shown, f"expected commondir in the repository, found it lead to {common}")
    return Place(top, git_dir, common, prefix)


def expect_own_objects(place: Place, shown: str) -> None:
    """Raises Unreadable (IS930) where objects lead out of the repository and of what the
    environment names."""
    named = named_objects()
    inside = [place.top, place.common, *named]
    for objects in (place.objects, *named):
        _check_objects(objects, inside, shown)


def named_objects() -> list[Path]:
    """Places of objects that the environment names. A name in quotes is not understood: it is as
    if it were not there."""
    values = (os.environ.get(name, "") for name in NAMED_OBJECTS)
    paths = [path for text in values for path in text.split(os.pathsep)]
    return [Path(os.path.realpath(p)) for p in paths if p and not p.startswith('"')]


def _check_objects(objects: Path, inside: Iterable[Path], shown: str) -> None:
    """All that git may read there. Raises Unreadable (IS930) for what leads out of `inside`."""
    waiting, seen = [objects], set()
    while waiting:
        path = waiting.pop()
        real = Path(os.path.realpath(path))
        if real in seen:
            continue
        seen.add(real)
        if len(seen) > limits.GIT_ALTERNATES:
            raise unreadable(
                shown,
                f"expected objects in at most {limits.GIT_ALTERNATES} directories, found more "
                f"({_ALTERNATES}); repack the repository (git repack -a -d)",
            )
        if not any(real.is_relative_to(root) for root in inside):
            raise unreadable(
                shown,
                f"expected all objects in the repository, found them borrowed from {real}; name it "
                f"in {NAMED_OBJECTS[1]} to have them read",
            )
        if not opening.is_directory(real):
            raise unreadable(shown, f"expected a directory of objects, found none at {real}")
        with opening.Tree(real) as tree:
            for name in _irregular(tree):
                raise unreadable(
                    shown,
                    f"expected files and directories in {real}, found {name}, which is neither",
                )
            if tree.is_file(_ALTERNATES):
                alternates = tree.read(_ALTERNATES, limits.GIT_ALTERNATES_BYTES, shown=shown)
                for line in alternates.split(b"\n"):
                    if line.startswith(b'"'):
                        raise unreadable(shown, f"expected {_ALTERNATES} without quotes in {real}")
                    if line and not line.startswith(b"#"):
                        waiting.append(_resolved(real, line))


def _irregular(tree: opening.Tree, below: str = "", depth: int = _DEPTH) -> Iterator[str]:
    """Names of devices, pipes and links that lead out."""
    for entry in tree.entries(below):
        name = f"{below}/{entry.name}" if below else entry.name
        kind = tree.kind_of(name) if entry.kind == opening.LINK else entry.kind
        if kind not in (opening.FILE, opening.DIRECTORY):
            yield name
        elif entry.kind == opening.DIRECTORY and depth > 1:
            yield from _irregular(tree, name, depth - 1)


def _pointer(tree: opening.Tree, name: str, shown: str) -> bytes | None:
    """The path that a file of one line says; None where there is no such file."""
    if tree.kind_of(name, follow=False) is None:
        return None
    try:
        return tree.read(name, _POINTER_BYTES).rstrip(b"\r\n")
    except OSError as error:
        message = f"expected a file {name} of the repository, found: {error.strerror}"
        raise unreadable(shown, message) from None


def _resolved(directory: Path, path: bytes) -> Path:
    if b"\0" in path:
        return directory / "a name with a NUL"
    return Path(os.path.realpath(directory / os.fsdecode(path)))
