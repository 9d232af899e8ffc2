"""Files written whole or not at all: beside the target, and renamed."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from .signals import deferred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO, TextIO

StrPath = os.PathLike[str] | str
STANDARD = "-"
"""The word for standard output where a file is asked for."""

_NAME = 200
"""Bytes of the target's name that a temporary name may keep beside what it adds."""


def write_file(path: StrPath, content: str | bytes, *, named: bool = True) -> None:
    """Writes a file whole or not at all. Raises OSError, with `path` as its filename.

    named: see `replacing`
    """
    data = encoded(content) if isinstance(content, str) else content
    with replacing(path, named=named) as file:
        file.write(data)


def encoded(text: str) -> bytes:
    """The text in UTF-8; a surrogate, which UTF-8 cannot hold, as a backslash escape."""
    return text.encode("utf-8", "backslashreplace")


@contextmanager
def locked(path: StrPath) -> Iterator[None]:
    """Waits until no other process holds the lock of that file, which is made, and holds it. Raises
    OSError for what is no regular file: a link is not followed, a pipe not waited on."""
    import fcntl

    with appended(path, own=True) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def appended(path: StrPath, *, own: bool = False) -> "IO[bytes]":
    """A regular file, made if it is missing, open for writing at its end. own: it is for the user
    alone, and a link at the path is not followed. Raises OSError."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
    number = os.open(path, flags | (os.O_NOFOLLOW if own else 0), 0o600 if own else 0o666)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "expected a regular file", str(path))
    return os.fdopen(number, "ab")


def standard_output_fails() -> bool:
    """Flushes standard output and returns whether that failed; if so it is discarded."""
    try:
        sys.stdout.flush()
    except OSError:
        discard(sys.stdout)
        return True
    return False


def discard(stream: "TextIO") -> None:
    """Lets a standard stream, of which a write has failed, go to /dev/null: the interpreter writes
    what is left in its buffer once more when it exits."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def naming(file: StrPath) -> Iterator[None]:
    """A context manager: an OSError raised within that names no file gets `file` as its filename
    (errors of write() name none)."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(file)
        raise


@contextmanager
def replacing(path: StrPath, *, named: bool = True) -> "Iterator[IO[bytes]]":
    """A context manager: a temporary file beside `path`, open for writing, which is renamed to
    `path` if nothing fails and removed otherwise. Of "-" standard output.

    A replaced file's mode is kept, and its owner where that is allowed; a new file's mode follows
    the umask. If `path` is a link, the file it leads to is replaced. A device or a pipe, such as
    /dev/null, is written to directly. The temporary file is left behind only after SIGKILL.

    named: True if the user named the file; False if only its directory was named: a link at `path`
    may then be somebody else's, and is itself replaced.
    """
    if named and os.fspath(path) == STANDARD:
        with naming("standard output"):
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    if not named and os.path.islink(path):
        with suppress(FileNotFoundError):
            os.unlink(path)
    target = _target(path)
    before = os.stat(target) if os.path.exists(target) else None
    if before is not None and not stat.S_ISREG(before.st_mode):
        with naming(path), open(target, "wb") as file:
            yield file
        return
    beside = ""
    try:
        with deferred():
            handle, beside = _beside(target, path)
        with naming(path), os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            _take_over(file.fileno(), before)
        with deferred():
            os.replace(beside, target)
            beside = ""
    finally:
        if beside:
            with suppress(FileNotFoundError):
                os.unlink(beside)


def _target(path: StrPath) -> str:
    """The file that is written: where a link leads. Raises OSError for links that lead in a circle:
    to rename a file onto one would replace the link."""
    target = os.path.realpath(path)
    if os.path.islink(target):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def _beside(target: str, shown: StrPath) -> tuple[int, str]:
    """Creates the temporary file in the target's directory. Returns its descriptor and path."""
    import tempfile  # slow to import, and most commands write no file

    try:
        folder, name = os.path.split(target)
        name = os.fsdecode(os.fsencode(name)[:_NAME])
        return tempfile.mkstemp(dir=folder, prefix=f".{name}.")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(shown)) from None


def _take_over(file: int, before: os.stat_result | None) -> None:
    """Gives the new file the owner and mode of `before`, the file it replaces; if there was none,
    the mode that the umask leaves."""
    if before is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(file, 0o666 & ~mask)
        return
    mode = stat.S_IMODE(before.st_mode)
    now = os.fstat(file)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(file, before.st_uid, before.st_gid)
        except OSError:
            # the owner could not be kept: a set-user-ID program must not become this user's
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.fchmod(file, mode)


def keep_newest(folder: "Path", pattern: str, suffix: str, count: int) -> None:
    """Removes all but the newest files of a cache. pattern, suffix: of those that are counted."""
    kept = [each for each in folder.glob(pattern) if each.suffix == suffix]
    kept.sort(key=lambda each: each.lstat().st_mtime, reverse=True)
    for each in kept[count:]:
        each.unlink(missing_ok=True)


def check_writable(name: str | None, *, appended: bool = False) -> None:
    """Raises OSError if `name` cannot be written: asked before work that may take hours.

    appended: the file is to be appended to, not replaced
    """
    if not name or name == STANDARD:
        return
    target = _target(name)
    directory = os.path.dirname(target)
    # a regular file is replaced by a new one beside it, a device is written to directly
    as_it_is = os.path.exists(target) and (appended or not os.path.isfile(target))
    fault = 0
    if os.path.isdir(target):
        fault = errno.EISDIR
    elif not os.path.isdir(directory):
        fault = errno.ENOENT
    elif not os.access(target if as_it_is else directory, os.W_OK):
        fault = errno.EACCES
    if fault:
        raise OSError(fault, os.strerror(fault), name)
