"""Starts programs and ends them, in one way for all.

A program has an absolute name and a list of words, which no shell reads; an environment that holds
a search path, the C locale and what its caller adds; nothing on standard input unless it is given;
a session of its own that ends as a whole; and the limits of `Bounds`. It leaves no core dump.

A program ends with this process, however that ends, with all it started: a guard, a shell of which
there is one for this process, reads which sessions run, and kills them when its input ends. No
program begins before the guard has been told of it.
"""

import atexit
import contextlib
import errno
import math
import os
import resource
import select
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from ..dataclass import dataclass
from ..signals import deferred
from . import limits

PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL

Process = subprocess.Popen[bytes]

_SAFE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CLEAN = {"PATH": _SAFE_PATH, "LC_ALL": "C"}
_SHELL = "/bin/sh"
_STEP_S = 0.005
_GUARD_S = 1.0
"""The time that the guard is waited for at the end. A child that another process forked may hold it
up."""

_GUARD = """
trap "" HUP INT TERM
all=" "
while read -r sign group; do
    case "$sign$all" in
    +*) all="$all$group " ;;
    -*" $group "*) all="${all%%" $group "*} ${all#*" $group "}" ;;
    esac
done
for group in $all; do kill -KILL "-$group"; done
"""
"""The guard's script. It reads "+ 123" when session 123 begins, and "- 123" once that is killed."""

_running: set[Process] = set()
_guards: list[Process] = []
"""The guard last, after those that were killed."""
_starting = threading.Lock()


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a program; None: no limit, except on processor time.

    time_s        from its start to its end
    stall_s       without taking input or giving output
    memory_bytes  address space of each of its processes
    cpu_s         processor time of each of its processes; None: as much as `time_s`, or else
                  limits.PROCESSOR_S
    output_bytes  on standard output; of standard error limits.COMPLAINT_BYTES are kept, and the
                  rest is dropped
    """

    time_s: float | None = None
    stall_s: float | None = None
    memory_bytes: int | None = None
    cpu_s: int | None = None
    output_bytes: int | None = None

    @property
    def processor_s(self) -> int:
        """The seconds of processor time that each process may use."""
        if self.cpu_s is not None:
            return self.cpu_s
        return limits.PROCESSOR_S if self.time_s is None else math.ceil(self.time_s) + 1


def start(
    words: Sequence[str | bytes],
    bounds: Bounds,
    directory: str | Path,
    environment: Mapping[str, str] | None,
    *,
    talks: bool = False,
    output: BinaryIO | None = None,
    passed: Sequence[int] = (),
) -> Process:
    """A running program.

    words        its absolute name and its arguments
    environment  variables beside the clean ones
    talks        whether it has a standard input, a pipe
    output       a file for all that it says; None: two pipes
    passed       file descriptors it inherits, under the same numbers
    Raises OSError if it cannot be started.
    """
    program = os.fspath(words[0])
    assert os.path.isabs(program), program
    if not stat.S_ISREG(os.stat(program).st_mode) or not os.access(program, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), program)
    # a signal after the fork, before its number is kept, would leave the program behind
    with deferred():
        process = subprocess.Popen(
            _limited(words, bounds, talks),
            stdin=PIPE,
            stdout=PIPE if output is None else output,
            stderr=PIPE if output is None else subprocess.STDOUT,
            cwd=directory,
            env=_CLEAN | dict(environment or {}),
            start_new_session=True,
            pass_fds=passed,
            bufsize=0,
        )
        _running.add(process)
        _begin(process, talks)
    return process


def has_ended(process: Process) -> bool:
    """Seen before it is waited for, so that its number still means it and what it started."""
    if process.returncode is not None:
        return True
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def wait(process: Process, time_s: float) -> None:
    """Until it has ended, and no longer than that. Looks again and again only before Linux 5.3."""
    if has_ended(process):
        return
    with contextlib.suppress(OSError):
        number = os.pidfd_open(process.pid)
        try:
            poll = select.poll()
            poll.register(number, select.POLLIN)
            poll.poll(max(0, time_s) * 1000)
        finally:
            os.close(number)
        return
    until = time.monotonic() + time_s
    while not has_ended(process) and (left := until - time.monotonic()) > 0:
        time.sleep(min(_STEP_S, left))


def ask_to_end(process: Process, time_s: float) -> None:
    """Sends its session SIGTERM, unless it has ended, and waits for it so long; no signal to this
    process cuts that short."""
    with deferred():
        if not has_ended(process):
            os.killpg(process.pid, signal.SIGTERM)
            wait(process, time_s)


def end(process: Process) -> int:
    """Ends it with all that it started; its exit status, or minus the signal that ended it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        _tell(f"- {process.pid}")
    status = process.wait()
    _running.discard(process)
    return status


def is_beyond_processor_time(status: int) -> bool:
    """Tells whether a program that ended so used more processor time than it may."""
    return status == -signal.SIGXCPU


def _begin(process: Process, talks: bool) -> None:
    """Tells the guard of a program, and then lets it begin."""
    with _starting:
        if not _guards or not _tell(f"+ {process.pid}"):
            _guards.append(
                subprocess.Popen(
                    [_SHELL, "-c", _GUARD],
                    stdin=PIPE,
                    stdout=DEVNULL,
                    stderr=DEVNULL,
                    cwd="/",
                    env=_CLEAN,
                    start_new_session=True,
                    bufsize=0,
                )
            )
            # all of them, where another guard was killed
            for running in list(_running):
                _tell(f"+ {running.pid}")
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(b"\n")
    if not talks:
        process.stdin.close()
        process.stdin = None


def _tell(line: str) -> bool:
    """Writes a line to the guard. Returns whether it is there to read it."""
    stdin = _guards[-1].stdin if _guards else None
    try:
        return stdin is not None and not stdin.closed and stdin.write(f"{line}\n".encode()) > 0
    except BrokenPipeError:
        return False


def _forked() -> None:
    """Leaves to the process that this one was forked from what that started."""
    global _starting
    _starting = threading.Lock()
    _running.clear()
    for guard in _guards:
        guard.returncode = 0
        if guard.stdin is not None:
            guard.stdin.close()
    _guards.clear()


os.register_at_fork(after_in_child=_forked)


@atexit.register
def _end_all() -> None:
    """Ends what a signal took from its owner between `start` and the owner's own cleaning up."""
    for process in list(_running):
        end(process)
    for guard in _guards:
        if guard.stdin is not None:
            guard.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            guard.wait(_GUARD_S)


def _limited(words: Sequence[str | bytes], bounds: Bounds, talks: bool) -> list[str | bytes]:
    """The words of a shell that waits for a line, sets its own limits, none above those that stand,
    and becomes the program. To set them by a function between fork and exec, Python copies the page
    tables of the whole process, which takes longer than most programs that are run.

    Beyond the lower limit of processor time a program is sent SIGXCPU, beyond the higher SIGKILL.
    """
    most = bounds.processor_s
    wanted = [
        ("-c", resource.RLIMIT_CORE, 0, 1),
        ("-S -t", resource.RLIMIT_CPU, most, 1),
        ("-H -t", resource.RLIMIT_CPU, most + 1, 1),
    ]
    if bounds.memory_bytes is not None:
        wanted.append(("-v", resource.RLIMIT_AS, bounds.memory_bytes, 1024))
    _, highest = resource.getrlimit(resource.RLIMIT_DATA)
    # the lower limit may be that of the input which this process reads, see `budget`
    data = "unlimited" if highest == resource.RLIM_INFINITY else highest // 1024
    script = f"read -r go && ulimit -S -d {data} && "
    for option, what, value, unit in wanted:
        _, highest = resource.getrlimit(what)
        most = value if highest == resource.RLIM_INFINITY else min(value, highest)
        script += f"ulimit {option} {most // unit} && "
    script += 'exec "$@"' + ("" if talks else " </dev/null")
    return [_SHELL, "-c", script, _SHELL, *words]
