"""Files written whole or not at all: beside the target, and renamed."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def write_file(path: Path, content: str | bytes) -> None:
    """Raises OSError, with the name that was given."""
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    with replacing(path) as file:
        file.write(data)


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
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to be written beside `path`, which takes its place if nothing fails.

    A link stays: what it leads to is replaced. A device or a pipe, as /dev/null, is written to.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        with naming(path), target.open("wb") as file:
            yield file
        return
    try:
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with naming(path), os.fdopen(handle, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
