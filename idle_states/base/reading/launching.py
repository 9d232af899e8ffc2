"""Launches every program that is run: those that read outside input for us (dtc, trace-cmd, git,
dt-validate), and those of a boot (QEMU, make, apt, tar).

All of them are started the same way (`processes.start`), and run within `Bounds`: what they say is
read as it comes (`run`, `Child`), or goes to a file (`run_logged`).
"""

import contextlib
import math
import os
import selectors
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from ..dataclass import dataclass
from ..model.findings import Unreadable, unreadable
from . import limits, processes
from .processes import Bounds

__all__ = ["Bounds", "Child", "Done", "find", "private_directory", "run", "run_logged"]

_BLOCK = 1 << 16
_LAST_WORDS_S = 5
"""The time that a program that has closed its output may take to end."""
_STEP_S = 0.1


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a program. status: its exit status, or minus the signal that ended it."""

    status: int
    output: bytes
    errors: bytes

    @property
    def complaints(self) -> str:
        return self.errors.decode("utf-8", "replace")


def find(name: str, path: str | None = None) -> str | None:
    """The absolute name of a program; None where there is none. Of PATH, or of `path` in its
    place, only absolute directories count: the current one is not the user's choice."""
    directories = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(d for d in directories if os.path.isabs(d)))


def in_proportion(
    size: int, time_s: tuple[int, int], memory_bytes: tuple[int, int], output_bytes: int
) -> Bounds:
    """The bounds of a program that reads an input of `size` bytes.

    time_s        of its processor: the least, and for each MiB
    memory_bytes  the least, and for each byte; at most limits.PROGRAM_MEMORY_BYTES
    """
    cpu_s = math.ceil(limits.in_proportion(time_s[0], time_s[1] / limits.MIB, size))
    memory = int(limits.in_proportion(*memory_bytes, size))
    return Bounds(
        time_s=limits.WAITING * cpu_s,
        cpu_s=cpu_s,
        memory_bytes=min(memory, limits.PROGRAM_MEMORY_BYTES),
        output_bytes=output_bytes,
    )


def run(
    program: str,
    words: Sequence[str | bytes],
    bounds: Bounds,
    file: str,
    *,
    given: bytes = b"",
    directory: str | Path = "/",
    environment: Mapping[str, str] | None = None,
    passed: Sequence[int] = (),
) -> Done:
    """Runs a program and returns its status, output and errors.

    program      its absolute name
    words        its arguments
    file         what errors name: the input it reads
    given        its standard input
    directory    where it runs
    environment  variables beside the clean ones
    passed       file descriptors it inherits, under the same numbers
    Raises Unreadable (IS930) if it cannot be started or goes beyond a bound.
    """
    with Child(
        program,
        words,
        bounds,
        file,
        talks=bool(given),
        directory=directory,
        environment=environment,
        passed=passed,
    ) as child:
        child.write_later(given)
        output = b"".join(child.blocks())
        status = child.end()
        return Done(status, output, child.errors)


def run_logged(
    program: str,
    words: Sequence[str],
    time_s: float,
    log: Path,
    *,
    directory: str | Path = "/",
    environment: Mapping[str, str] | None = None,
    begun: Callable[[], None] = lambda: None,
    watch: Callable[[float], None] = lambda elapsed_s: None,
    grace_s: float = 0,
) -> int | None:
    """Runs a program until it ends, with all that it says in a file.

    log     the file, made anew
    begun   called once it runs
    watch   called now and then with the seconds so far
    grace_s where it is to end early: how long it has to clean up after SIGTERM
    Gives its exit status, or minus the signal that ended it; None when the time is up. Whatever
    happens, what `begun` and `watch` raise among it, the program ends with all that it started.
    Its threads may keep every processor busy.
    Raises Unreadable (IS930) if it cannot be started; OSError of the log.
    """
    bounds = Bounds(time_s=time_s, cpu_s=math.ceil(time_s * (os.cpu_count() or 1)) + 1)
    with log.open("wb") as output:
        start = time.monotonic()
        try:
            process = processes.start(
                [program, *words], bounds, directory, environment, output=output
            )
        except OSError as error:
            raise _failed(str(log), program, f"to run, found: {error.strerror or error}") from None
        try:
            begun()
            while not (ended := processes.has_ended(process)):
                elapsed_s = time.monotonic() - start
                if elapsed_s >= time_s:
                    break
                watch(elapsed_s)
                processes.wait(process, min(_STEP_S, time_s - elapsed_s))
        finally:
            if grace_s:
                processes.ask_to_end(process, grace_s)
            status = processes.end(process)
    return status if ended else None


@contextlib.contextmanager
def private_directory(files: Mapping[str, bytes]) -> Iterator[Path]:
    """A directory that no other user can look into, with these files; gone when the `with` ends.
    What a program may read lies there, and it runs there."""
    with tempfile.TemporaryDirectory(prefix="idle-states-") as name:
        directory = Path(name)
        for file, content in files.items():
            (directory / file).write_bytes(content)
        yield directory


class Child:
    """A running program: what it says is read as it comes. Ends, with all it started, when the
    `with` ends. Arguments as of `run`; talks: it has a standard input to be written to.

    errors   what it said on standard error so far, at most limits.COMPLAINT_BYTES
    is_late  it did not take input or give output in time
    """

    def __init__(
        self,
        program: str,
        words: Sequence[str | bytes],
        bounds: Bounds,
        file: str,
        *,
        talks: bool = False,
        directory: str | Path = "/",
        environment: Mapping[str, str] | None = None,
        passed: Sequence[int] = (),
    ) -> None:
        assert os.path.isabs(program), program
        self.errors = b""
        self.is_late = False
        self._program = program
        self._file = file
        self._bounds = bounds
        self._given = memoryview(b"")
        self._ending = False
        self._output = bytearray()
        self._count = 0
        self._started = time.monotonic()
        try:
            self._process = processes.start(
                [program, *words],
                bounds,
                directory,
                environment,
                talks=talks,
                passed=passed,
            )
        except OSError as error:
            raise _failed(file, program, f"to run, found: {error.strerror or error}") from None
        self._selector = selectors.DefaultSelector()
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for stream in (self._process.stdout, self._process.stderr):
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream.fileno(), selectors.EVENT_READ)
        if self._process.stdin is not None:
            os.set_blocking(self._process.stdin.fileno(), False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.kill()

    def kill(self) -> None:
        """Ends it with all that it started; nothing happens if it has ended."""
        processes.end(self._process)
        self._selector.close()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                # what was not written any more
                with contextlib.suppress(OSError):
                    stream.close()

    def write_later(self, data: bytes) -> None:
        """All of its standard input, written while its output is read; closed behind it."""
        self._given = memoryview(data)
        self._ending = True
        self._watch_input()

    def write(self, data: bytes) -> None:
        """Some of its standard input, written now. What it says meanwhile is kept."""
        self._given = memoryview(data)
        stdin = self._process.stdin
        if stdin is not None and not stdin.closed:
            self._write_some(stdin.fileno())
        if self._given:
            self._watch_input()
        while self._given:
            self._wait()

    def read(self, size: int) -> bytes:
        """So many bytes of its output, fewer only at the end."""
        while len(self._output) < size and self._is_open(self._process.stdout):
            self._wait()
        data = bytes(self._output[:size])
        del self._output[:size]
        return data

    def readline(self, most: int = _BLOCK) -> bytes:
        """A line of its output with its end; without, at the end or after `most` bytes."""
        while (
            b"\n" not in self._output
            and len(self._output) < most
            and self._is_open(self._process.stdout)
        ):
            self._wait()
        found = self._output.find(b"\n", 0, most)
        return self.read(min(most, len(self._output)) if found < 0 else found + 1)

    def blocks(self) -> Iterator[bytes]:
        """All the rest of its output, as it comes."""
        while self._output or self._is_open(self._process.stdout):
            if not self._output:
                self._wait()
            if self._output:
                block = bytes(self._output)
                self._output.clear()
                yield block

    def end(self) -> int:
        """Its exit status, or minus the signal that ended it. Closes its standard input, and gives
        it some seconds to end."""
        self._close(self._process.stdin)
        until = time.monotonic() + _LAST_WORDS_S
        while self._is_open(self._process.stderr) and time.monotonic() < until:
            self._wait(until)
        while not processes.has_ended(self._process):
            if time.monotonic() >= until:
                message = f"to end within {_LAST_WORDS_S} s of its output, it did not"
                raise self._failed(message)
            time.sleep(0.001)
        status = processes.end(self._process)
        if processes.is_beyond_processor_time(status):
            most = self._bounds.processor_s
            raise self._failed(f"to use at most {most} s of processor time, it used more")
        return status

    def _wait(self, until: float | None = None) -> None:
        """For the next thing to happen: output, errors, room for input. Raises Unreadable."""
        now = time.monotonic()
        time_s, stall_s = self._bounds.time_s, self._bounds.stall_s
        if time_s is not None and now >= self._started + time_s:
            raise self._failed(f"to end within {time_s:g} s, it did not")
        ends = [now + 3600.0 if until is None else until]
        if time_s is not None:
            ends.append(self._started + time_s)
        if stall_s is not None:
            ends.append(now + stall_s)
        happened = self._selector.select(max(0.0, min(ends) - now))
        stalled = stall_s is not None and time.monotonic() >= now + stall_s
        if not happened and until is None and stalled:
            self.is_late = True
            raise self._failed(f"to say something within {stall_s:g} s, it did not")
        for key, _ in happened:
            self._take(key.fd)

    def _take(self, number: int) -> None:
        process = self._process
        if (
            process.stdin is not None
            and not process.stdin.closed
            and number == process.stdin.fileno()
        ):
            self._feed(number)
            return
        with contextlib.suppress(BlockingIOError):
            data = os.read(number, _BLOCK)
            if not data:
                self._selector.unregister(number)
            if process.stdout is not None and number == process.stdout.fileno():
                self._count += len(data)
                most = self._bounds.output_bytes
                if most is not None and self._count > most:
                    raise self._failed(f"to give at most {most} bytes, it gave more")
                self._output += data
            else:
                self.errors = (self.errors + data)[: limits.COMPLAINT_BYTES]

    def _write_some(self, number: int) -> None:
        try:
            written = os.write(number, self._given[:_BLOCK])
        except BlockingIOError:
            return
        except BrokenPipeError:
            # it has ended, or reads no more: its status says why
            written = len(self._given)
        self._given = self._given[written:]

    def _feed(self, number: int) -> None:
        self._write_some(number)
        if not self._given:
            self._selector.unregister(number)
            if self._ending:
                self._close(self._process.stdin)

    def _watch_input(self) -> None:
        stdin = self._process.stdin
        if stdin is None or stdin.closed:
            self._given = memoryview(b"")
        elif self._given:
            self._selector.register(stdin.fileno(), selectors.EVENT_WRITE)
        elif self._ending:
            self._close(stdin)

    def _is_open(self, stream: object) -> bool:
        number = stream.fileno()  # type: ignore[attr-defined]
        return number in self._selector.get_map()

    def _close(self, stream: object) -> None:
        if stream is not None and not stream.closed:  # type: ignore[attr-defined]
            with contextlib.suppress(KeyError):
                self._selector.unregister(stream)  # type: ignore[arg-type]
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[attr-defined]

    def _failed(self, what: str) -> Unreadable:
        return _failed(self._file, self._program, what)


def _failed(file: str, program: str, what: str) -> Unreadable:
    return unreadable(file, f"expected {os.path.basename(program)} {what}")
