"""Decides whose files count without being named: the user's own and root's, as for git.

A configuration or a repository that is only found may be another user's, planted in a folder that
everybody may write to. Only the owner decides: who lets others write to a file has chosen so, and
the folder may be anybody's.
"""

import os
import pwd
from pathlib import Path

from .opening import Tree, kind_of

_OVERFLOW_UID = "/proc/sys/kernel/overflowuid"
_MAP = "/proc/self/uid_map"


def stranger(found: os.stat_result) -> str:
    """Returns the owner of a file in words, if that is another user; "" for the user or root.

    The user is the effective one. Of root under sudo, the user who called sudo counts too.
    """
    uid = found.st_uid
    if _is_unmapped(uid):
        return f"an owner that this user namespace does not show (uid {uid})"
    if uid in _own():
        return ""
    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def stranger_at(path: Path) -> str:
    """The same of a path, and of the link where it is one; "" for nothing of that name."""
    try:
        found = [path.lstat(), path.stat()]
    except (OSError, ValueError):
        return ""
    return next(filter(None, map(stranger, found)), "")


def belongs(path: Path) -> bool:
    """Returns False for another user's file or directory in a folder that is not that user's: it
    may be planted."""
    return not stranger_at(path) or path.lstat().st_uid == path.parent.stat().st_uid


def repository_of(directory: Path) -> Path | None:
    """Returns the nearest directory, here or above, with a .git that belongs there."""
    tops = (top for top in (directory, *directory.parents) if kind_of(top / ".git"))
    return next((top for top in tops if belongs(top / ".git")), None)


def tree_of(file: Path) -> tuple[Tree, str]:
    """The tree that a file belongs to, and its path there: the git repository that holds it, else
    the directory that does. Raises OSError where there is no such directory."""
    directory = Path(os.path.realpath(file.parent))
    top = repository_of(directory) or directory
    return Tree(top), (directory / file.name).relative_to(top).as_posix()


def _own() -> set[int]:
    user = os.geteuid()
    caller = os.environ.get("SUDO_UID", "") if user == 0 else ""
    return {0, user, *([int(caller)] if caller.isascii() and caller.isdecimal() else [])}


def _is_unmapped(uid: int) -> bool:
    """Tells whether a uid stands for all users that a user namespace does not have."""
    try:
        lines = Path(_MAP).read_text("ascii").splitlines()
        overflow = int(Path(_OVERFLOW_UID).read_text("ascii"))
    except (OSError, ValueError):
        return False
    ranges = [[int(word) for word in line.split()] for line in lines]
    return uid == overflow and not any(first <= uid < first + count for first, _, count in ranges)
