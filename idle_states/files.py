"""Files written whole or not at all: beside the target, and renamed."""

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from .signals import deferred

_NAME = 200
"""Bytes of a name that fit beside what a temporary one adds."""


def write_file(path: Path, content: str | bytes, *, named: bool = True) -> None:
    """named: see `replacing`. Raises OSError, with the name that was given."""
    data = encoded(content) if isinstance(content, str) else content
    with replacing(path, named=named) as file:
        file.write(data)


def encoded(text: str) -> bytes:
    """UTF-8 whatever the text holds; what has no such form is written as an escape."""
    return text.encode("utf-8", "backslashreplace")


def standard_output_fails() -> bool:
    """Whether what is left for standard output cannot be written. It is given up then, or the
    interpreter would fail on it once more at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


@contextmanager
def naming(file: Path | str) -> Iterator[None]:
    """A write that fails does not know its file; within, its OSError is given the name."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(file)
        raise


@contextmanager
def replacing(path: Path, *, named: bool = True) -> Iterator[IO[bytes]]:
    """A file to be written beside `path`, which takes its place if nothing fails.

    A file that is there keeps its mode, and its owner where that is allowed; a new one gets what
    the umask leaves. A link stays: what it leads to is replaced. A device or a pipe, as /dev/null,
    is written to. Whatever ends the program but SIGKILL, nothing is left beside.

    named: whether the user named the file, and not its directory alone: a link there may be
    somebody else's, and is replaced itself.
    """
    if not named and path.is_symlink():
        with suppress(FileNotFoundError):
            path.unlink()
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    if before is not None and not stat.S_ISREG(before.st_mode):
        with naming(path), target.open("wb") as file:
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


def _beside(target: Path, shown: Path) -> tuple[int, str]:
    """A new file, open, in the target's directory."""
    try:
        name = os.fsdecode(os.fsencode(target.name)[:_NAME])
        return tempfile.mkstemp(dir=target.parent, prefix=f".{name}.")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(shown)) from None


def _take_over(file: int, before: os.stat_result | None) -> None:
    """Owner and mode of the file that is replaced."""
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
            # somebody else's program must not become this user's
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.fchmod(file, mode)


def check_writable(name: str | None, *, appended: bool = False) -> None:
    """Before hours of work, whose result is to go there. Raises OSError."""
    if not name:
        return
    target = os.path.realpath(name)
    directory = os.path.dirname(target)
    # a file is replaced by one from beside it, a device is written to
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
