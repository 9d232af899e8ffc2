"""Opens what lies outside: files, directories and standard input. No other module does.

What is opened is a regular file, and no more of it is read than a limit says. A device, a socket or
a pipe is refused before it is opened, for opening alone may do harm (a watchdog starts, a pipe
waits); what was opened is looked at again, so that nothing can be put in its place meanwhile.

A link is followed where the user named it, as an operand or the value of an option. Below a
directory that the user named (`Tree`) a link is followed only if it ends within that directory.
The way there is walked one name at a time, each opened from the directory before, so that a link
put there meanwhile leads nowhere else.

Names are bytes: those that are no UTF-8 are str with surrogates, as os.fsdecode() makes them.
"""

import codecs
import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Self

from ..dataclass import dataclass
from ..model.findings import unreadable
from ..options import STANDARD_INPUT as STANDARD_INPUT
from . import budget, limits

FILE, DIRECTORY, LINK, PIPE = "a regular file", "a directory", "a link", "a pipe"
_KINDS = {
    stat.S_IFREG: FILE,
    stat.S_IFDIR: DIRECTORY,
    stat.S_IFLNK: LINK,
    stat.S_IFIFO: PIPE,
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
}
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_WALKED = _FLAGS | os.O_NOFOLLOW
_PASSED = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
"""A directory on the way, which need not be readable."""
_FIRST_BLOCK, _BLOCK = 1 << 16, 1 << 20
"""Bytes that are read at once, so that memory for many is not taken for the few of most files."""
_TOO_DEEP = f"more than {limits.DIRECTORY_DEPTH} directories within each other"


class Outside(OSError):
    """A link, or a name with "..", that leads out of the directory it was found in."""


def kind_of(path: str | Path) -> str | None:
    """Returns an operand's kind: FILE, DIRECTORY, "a pipe", "a device" ...; links are followed.
    None if nothing has that name, or nothing can have it."""
    try:
        return _kind(os.stat(path).st_mode)
    except (OSError, ValueError):
        return None


def is_file(path: str | Path) -> bool:
    return kind_of(path) == FILE


def size_of(path: str | Path) -> int:
    """Returns the bytes of a regular file; 0 for what is none."""
    return os.stat(path).st_size if is_file(path) else 0


def is_directory(path: str | Path) -> bool:
    return kind_of(path) == DIRECTORY


def expect_allowed(path: str | Path) -> None:
    """Raises PermissionError if a folder on the way to an operand may not be entered, so that
    nobody can tell whether there is anything of that name."""
    try:
        os.stat(path)
    except PermissionError:
        raise
    except (OSError, ValueError):
        return


def longest_file(text: str) -> tuple[str, str]:
    """Splits FILE:NAME, where both may contain colons, at the longest FILE that exists: of all of
    it, NAME is ""; without one, FILE is."""
    end = len(text) if kind_of(text) or text == STANDARD_INPUT else text.rfind(":")
    while end > 0 and not (kind_of(text[:end]) or text[:end] == STANDARD_INPUT):
        end = text.rfind(":", 0, end)
    return (text[:end], text[end + 1 :]) if end > 0 else ("", text)


def read(path: str | Path, limit: int = limits.FILE_BYTES, *, shown: str | None = None) -> bytes:
    """The bytes of a file that the user named.

    limit  the most bytes it may have
    shown  what messages call it; None: by its path
    Raises OSError for what is missing or forbidden; Unreadable (IS930) for what is no regular file
    or has more bytes.
    """
    name = os.fspath(path) if shown is None else shown
    return _read(path, limit, name)


def read_text(path: str | Path, limit: int = limits.FILE_BYTES) -> str:
    """The same as UTF-8, without a byte-order mark; bytes that are none are replaced."""
    return decoded(read(path, limit))


def decoded(data: bytes) -> str:
    """Bytes as `read_text` takes them."""
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


def expect_utf8(head: bytes, shown: str) -> None:
    """Raises Unreadable (IS930) for text that begins with a byte-order mark of UTF-16."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        message = "expected UTF-8, found UTF-16; iconv -f UTF-16 -t UTF-8 converts it"
        raise unreadable(shown, message, 1)


_read_before: tuple[object, bytes] | None = None


def standard_input(limit: int) -> bytes:
    """All of standard input, which is read once however often it is asked for. Raises
    Unreadable."""
    global _read_before
    if _read_before is None or _read_before[0] is not sys.stdin:
        _read_before = sys.stdin, bounded(sys.stdin.buffer, limit, STANDARD_INPUT)
    return _read_before[1]


def beginning_of_standard_input() -> bytes:
    """Returns what standard input begins with, without reading it; of a pipe, what is there."""
    begins: bytes = sys.stdin.buffer.peek()  # type: ignore[union-attr]
    return begins


def read_operand(name: str, limit: int = limits.FILE_BYTES) -> bytes:
    """The same of an operand that may be "-" or a pipe, see `open_operand`."""
    file = open_operand(name)
    try:
        return bounded(file, limit, name)
    finally:
        if name != STANDARD_INPUT:
            file.close()


def open_file(path: str | Path, *, shown: str | None = None) -> io.FileIO:
    """A regular file that the user named, unbuffered. Raises as `read` does."""
    name = os.fspath(path) if shown is None else shown
    return _regular(path, name, pipes=False)


def device_beginning(path: str, size: int) -> bytes:
    """Returns the first bytes of a character device. Raises OSError."""
    with open(path, "rb", buffering=0) as device:
        return device.read(size)


def open_operand(name: str) -> BinaryIO:
    """An operand that is read once from its beginning to its end: a regular file; "-", standard
    input, which is not to be closed; or a pipe, as the shell's <(command) is one. Nothing but the
    operand itself may be a pipe. Waits for the other end of a pipe. Raises as `read` does."""
    return sys.stdin.buffer if name == STANDARD_INPUT else _regular(name, name, pipes=True)


def given_names() -> Iterator[str]:
    """Names of files on standard input, one a line, as they come. One longer than any file's is cut
    where that shows, so that it alone is refused."""
    read = sys.stdin.buffer.readline
    while line := read(limits.NAME_BYTES):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = read(limits.NAME_BYTES)
        if line.strip():
            yield os.fsdecode(line.removesuffix(b"\n"))


def bounded(file: BinaryIO, limit: int, shown: str) -> bytes:
    """All that follows. Raises Unreadable (IS930) if it is more than `limit` bytes."""
    return _rest(file.read, limit, shown)


def _rest(read: Callable[[int], bytes], limit: int, shown: str, first: bytes = b"") -> bytes:
    """`first`, and all that `read` gives after it, as `bounded` does."""
    parts, left, block = [first], limit + 1 - len(first), _FIRST_BLOCK
    while left and (part := read(min(left, block))):
        parts.append(part)
        left -= len(part)
        block = _BLOCK
    if not left:
        raise unreadable(shown, f"expected at most {limit} bytes")
    data = b"".join(parts)
    budget.grow(len(data))
    return data


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """An entry of a directory. kind: FILE, DIRECTORY, LINK, "a pipe", "a socket", "a device"."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Found:
    """The place of a file below a directory that the user named, enough to reach it again by way of
    `Tree`, also from another process.

    top    the directory that was named
    inner  the path below it
    """

    top: Path
    inner: str

    @property
    def path(self) -> Path:
        return self.top / self.inner

    @property
    def name(self) -> str:
        return self.inner.rpartition("/")[2]

    @property
    def directory(self) -> str:
        """The directory it lies in, below `top`; "" for that."""
        return self.inner.rpartition("/")[0]

    def as_posix(self) -> str:
        """Returns path.as_posix(), in less time than making `path` takes."""
        top = self.top.as_posix()
        if top == ".":
            return self.inner
        return f"{top}{self.inner}" if top.endswith("/") else f"{top}/{self.inner}"


class Tree:
    """A directory that the user named, and what lies below it.

    Paths are relative to it, parted by "/"; "" is the directory itself. A link is followed if what
    it leads to lies below the directory; Outside is raised for one that leaves it, and for "..".
    """

    def __init__(self, path: str | Path) -> None:
        """Raises OSError, also for what is no directory."""
        self.path = Path(path)
        self._root = os.open(path, _PASSED)
        self._real = os.fsencode(os.path.realpath(path))

    def close(self) -> None:
        os.close(self._root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def below(self, relative: str) -> "Tree":
        """A directory below this one, and no link, as a tree of its own. Raises OSError, Outside
        among them."""
        made = object.__new__(Tree)
        with self._reached(relative, False) as (directory, name):
            made._root = os.open(name, _PASSED | os.O_NOFOLLOW, dir_fd=directory)
        made.path = self.path / relative
        made._real = os.path.join(self._real, os.fsencode(relative))
        return made

    def kind_of(self, relative: str, *, follow: bool = True) -> str | None:
        """Returns the kind as kind_of() above; None also outside. follow: the last link too."""
        try:
            with self._reached(relative, follow) as (directory, name):
                return _kind(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)
        except (OSError, ValueError):
            return None

    def is_file(self, relative: str) -> bool:
        return self.kind_of(relative) == FILE

    def is_directory(self, relative: str) -> bool:
        return self.kind_of(relative) == DIRECTORY

    def mode(self, relative: str) -> int:
        """Permissions of what is there; links are followed. Raises OSError, Outside among them."""
        with self._reached(relative, True) as (directory, name):
            return stat.S_IMODE(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)

    def open_file(
        self, relative: str, *, shown: str | None = None, follow: bool = True
    ) -> BinaryIO:
        """A regular file. follow: also where the last name is a link.
        Raises OSError, Outside among them; Unreadable (IS930) for what is no regular file."""
        name = self.shown(relative) if shown is None else shown
        with self._reached(relative, follow) as (directory, last):
            return _regular(last, name, pipes=False, directory=directory)

    def beginning(self, relative: str, size: int) -> bytes:
        """The first bytes of a regular file, unless it is a link. Raises as `open_file`."""
        with self.open_file(relative, follow=False) as file:
            return file.read(size)

    def read(
        self,
        relative: str,
        limit: int = limits.FILE_BYTES,
        *,
        shown: str | None = None,
        follow: bool = True,
    ) -> bytes:
        """The bytes of a regular file. Raises as `open_file`, and Unreadable for more bytes."""
        name = self.shown(relative) if shown is None else shown
        if not follow and "/" not in relative and relative not in ("", ".", ".."):
            # is nowhere but in the directory itself
            return _read(os.fsencode(relative), limit, name, self._root)
        with self._reached(relative, follow) as (directory, last):
            return _read(last, limit, name, directory)

    def entries(self, relative: str = "", *, follow: bool = True) -> Iterator[DirectoryEntry]:
        """Yields a directory's entries, in no order; links are not followed. Raises OSError, also
        Outside; Unreadable (IS930) for more than limits.DIRECTORY_ENTRIES."""
        with self._reached(relative, follow) as (directory, last):
            opened = os.open(last, _WALKED | os.O_DIRECTORY, dir_fd=directory)
        try:
            with os.scandir(opened) as entries:
                for number, entry in enumerate(entries):
                    if number >= limits.DIRECTORY_ENTRIES:
                        message = f"expected at most {limits.DIRECTORY_ENTRIES} entries"
                        raise unreadable(self.shown(relative), message)
                    yield DirectoryEntry(entry.name, _kind_of_entry(entry))
        finally:
            os.close(opened)

    @property
    def real(self) -> str:
        """The directory's absolute path, links followed."""
        return os.fsdecode(self._real)

    def resolved(self, relative: str) -> str:
        """The path below the directory of what is there, without links and "..", as it is now.
        Raises OSError, Outside among them."""
        path = os.path.join(self._real, os.fsencode(relative))
        return os.fsdecode(self._within(os.path.realpath(path, strict=True), relative))

    def shown(self, relative: str) -> str:
        """Returns the name of a file of the tree in messages."""
        return (self.path / relative).as_posix()

    @contextmanager
    def _reached(self, relative: str, follow: bool) -> Iterator[tuple[int, bytes]]:
        """An open directory and a name in it that is no link, or need not be followed."""
        todo = _names(os.fsencode(relative))
        opened = [self._root]
        links = 0
        try:
            while True:
                name = todo.pop() if todo else b"."
                if name == b"..":
                    if len(opened) == 1:
                        raise Outside(None, "a name that leads out of the directory", relative)
                    os.close(opened.pop())
                    continue
                target = _target(name, opened[-1]) if todo or follow else None
                if target is not None:
                    links += 1
                    if links > limits.LINKS:
                        raise OSError(None, "too many links on the way", relative)
                    if target.startswith(b"/"):
                        target = self._within(target, relative)
                        while len(opened) > 1:
                            os.close(opened.pop())
                    todo += _names(target)
                elif todo:
                    if len(opened) > limits.DIRECTORY_DEPTH:
                        raise OSError(errno.ENAMETOOLONG, _TOO_DEEP, relative)
                    opened.append(os.open(name, _PASSED | os.O_NOFOLLOW, dir_fd=opened[-1]))
                else:
                    yield opened[-1], name
                    return
        finally:
            for directory in opened[1:]:
                os.close(directory)

    def _within(self, target: bytes, relative: str) -> bytes:
        """Returns the part of an absolute path below the tree. Raises Outside."""
        top = self._real.rstrip(b"/") + b"/"
        if not (target + b"/").startswith(top):
            raise Outside(None, "a link that leads out of the directory", relative)
        return target[len(top) :]


def _names(path: bytes) -> list[bytes]:
    """The last first."""
    return [name for name in reversed(path.split(b"/")) if name not in (b"", b".")]


def _target(name: bytes, directory: int) -> bytes | None:
    """Returns the target of a link; None if it is no link."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError:
        return None


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "something else")


def _kind_of_entry(entry: "os.DirEntry[str]") -> str:
    if entry.is_file(follow_symlinks=False):
        return FILE
    if entry.is_dir(follow_symlinks=False):
        return DIRECTORY
    if entry.is_symlink():
        return LINK
    with suppress(OSError):
        return _kind(entry.stat(follow_symlinks=False).st_mode)
    return "something else"


def _regular(
    path: str | bytes | Path, shown: str, *, pipes: bool, directory: int | None = None
) -> io.FileIO:
    """Opened if it is a regular file, or a pipe where those are allowed."""
    number = _opened(path, shown, pipes, directory)
    try:
        mode = _expect(os.fstat(number), shown, pipes).st_mode
        if stat.S_ISFIFO(mode):
            # opened without waiting; reading before the other end is there would find an end
            import select

            waiting = select.poll()
            waiting.register(number, select.POLLIN)
            waiting.poll()
            os.set_blocking(number, True)
        return _Opened(number, shown)
    except BaseException:
        os.close(number)
        raise


def _opened(path: str | bytes | Path, shown: str, pipes: bool, directory: int | None) -> int:
    """The descriptor of what was a regular file, or such a pipe, and is to be looked at again."""
    follow = directory is None
    try:
        _expect(os.stat(path, dir_fd=directory, follow_symlinks=follow), shown, pipes)
        return os.open(path, _FLAGS if follow else _WALKED, dir_fd=directory)
    except ValueError:
        # a NUL
        raise unreadable(shown, "expected a name that a file can have") from None


def _read(path: str | bytes | Path, limit: int, shown: str, directory: int | None = None) -> bytes:
    """All of a regular file: in one call where it is as large as it says, which those of /proc
    are not."""
    number = _opened(path, shown, False, directory)
    try:
        size = _expect(os.fstat(number), shown, False).st_size
        with _naming(shown):
            data = os.read(number, min(size, limit) + 1)
            if len(data) == size <= limit:
                budget.grow(size)
                return data
            return _rest(partial(os.read, number), limit, shown, data)
    finally:
        os.close(number)


@contextmanager
def _naming(shown: str) -> Iterator[None]:
    """Gives errors the file's name. Reading does not wait, as some files of /proc would have it."""
    try:
        yield
    except BlockingIOError:
        raise BlockingIOError(errno.EAGAIN, "a file that has no end now", shown) from None
    except OSError as error:
        error.filename = shown
        raise


class _Opened(io.FileIO):
    """A file that is open, of which the same holds; a pipe's reader does wait."""

    def __init__(self, number: int, shown: str) -> None:
        super().__init__(number, "rb")
        self._shown = shown

    def read(self, size: int | None = -1, /) -> bytes:
        with _naming(self._shown):
            found: bytes = self._held(super().read(size))
        return found

    def readinto(self, buffer: Any, /) -> int:
        with _naming(self._shown):
            found: int = self._held(super().readinto(buffer))
        return found

    def _held(self, found: Any) -> Any:
        if found is None:
            raise BlockingIOError
        return found


def _expect(found: os.stat_result, shown: str, pipes: bool) -> os.stat_result:
    mode = found.st_mode
    if not stat.S_ISREG(mode) and not (pipes and stat.S_ISFIFO(mode)):
        raise unreadable(shown, f"expected a regular file, found {_kind(mode)}")
    return found
