"""The user's cache: what counts there is a regular file or a directory of the user's own or root's.

A link is not followed, and a pipe not waited on. Anything else is set aside under another name, and
never removed.
"""

import os
import stat
from pathlib import Path

from ..resources import cache_directory
from .opening import DIRECTORY, FILE, LINK, kind_of
from .owners import stranger


def own_cache() -> Path:
    """Returns the user's cache directory, made if it is missing. Raises OSError with what to do:
    without a home directory, if it cannot be made, or if it is a link or another user's."""
    directory = cache_directory()
    if directory is None:
        raise OSError("there is no home directory and no XDG_CACHE_HOME")
    # root's caches are made as the user's: for the owner alone
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    if fault := _planted(directory, DIRECTORY):
        raise OSError(f"{directory} {fault}; name another folder with XDG_CACHE_HOME")
    return directory


def fault_of(path: Path, kind: str = FILE) -> str:
    """Returns why what the cache has at a path cannot be used; "" if it can, or is not there.
    kind: FILE or DIRECTORY."""
    return _planted(path, kind) if os.path.lexists(path) else ""


def set_aside(path: Path) -> Path:
    """Gives what the cache has at a path another name, which it returns. Raises OSError."""
    for number in range(1, 1000):
        other = path.with_name(f"{path.name}.unusable-{number}")
        if not os.path.lexists(other):
            os.rename(path, other)
            return other
    raise OSError(f"{path} cannot be set aside; remove it")


def _planted(path: Path, kind: str) -> str:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        return f"is {LINK}"
    if kind_of(path) != kind:
        return f"is {kind_of(path)}, not {kind}"
    if owner := stranger(found):
        return f"belongs to {owner}"
    return ""
