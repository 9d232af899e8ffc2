"""Starts programs and ends them, in one way for all.

A program has an absolute name and a list of words, which no shell reads; an environment that holds
a search path, the C locale and what its caller adds; nothing on standard input unless it is given;
a session of its own that ends as a whole; and the limits of `Bounds`. It leaves no core dump.
"""

import atexit
import contextlib
import errno
import os
import resource
import signal
import stat
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from ..dataclass import dataclass
from ..signals import deferred

PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL

Process = subprocess.Popen[bytes]

_SAFE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SHELL = "/bin/sh"
_STEP_S = 0.005

_running: set[Process] = set()


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program may use; None: no limit.

    time_s        from its start to its end
    stall_s       without taking input or giving output
    memory_bytes  address space of each of its processes
    cpu_s         processor time of each of its processes
    output_bytes  on standard output; of standard error limits.COMPLAINT_BYTES are kept, and the
                  rest is dropped
    """

    time_s: float | None = None
    stall_s: float | None = None
    memory_bytes: int | None = None
    cpu_s: int | None = None
    output_bytes: int | None = None


def start(
    words: Sequence[str | bytes],
    bounds: Bounds,
    directory: str | Path,
    environment: Mapping[str, str] | None,
    *,
    stdin: int = DEVNULL,
    output: BinaryIO | None = None,
    passed: Sequence[int] = (),
) -> Process:
    """A running program.

    words        its absolute name and its arguments
    environment  variables beside the clean ones
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
            _limited(words, bounds),
            stdin=stdin,
            stdout=PIPE if output is None else output,
            stderr=PIPE if output is None else subprocess.STDOUT,
            cwd=directory,
            env={"PATH": _SAFE_PATH, "LC_ALL": "C", **(environment or {})},
            start_new_session=True,
            pass_fds=passed,
            bufsize=0,
        )
        _running.add(process)
    return process


def has_ended(process: Process) -> bool:
    """Seen before it is waited for, so that its number still means it and what it started."""
    if process.returncode is not None:
        return True
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def wait(process: Process, time_s: float) -> None:
    """Until it has ended, and no longer than that."""
    until = time.monotonic() + time_s
    while not has_ended(process) and (left := until - time.monotonic()) > 0:
        time.sleep(min(_STEP_S, left))


def end(process: Process) -> int:
    """Ends it with all that it started; its exit status, or minus the signal that ended it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    status = process.wait()
    _running.discard(process)
    return status


@atexit.register
def _end_all() -> None:
    """Ends what a signal took from its owner between `start` and the owner's own cleaning up."""
    for process in list(_running):
        end(process)


def _limited(words: Sequence[str | bytes], bounds: Bounds) -> list[str | bytes]:
    """The words of a shell that sets its own limits, none above those that stand, and becomes the
    program. To set them by a function between fork and exec, Python copies the page tables of the
    whole process, which takes longer than most programs that are run."""
    wanted = [("c", resource.RLIMIT_CORE, 0, 1)]
    if bounds.memory_bytes is not None:
        wanted.append(("v", resource.RLIMIT_AS, bounds.memory_bytes, 1024))
    if bounds.cpu_s is not None:
        wanted.append(("t", resource.RLIMIT_CPU, bounds.cpu_s, 1))
    script = ""
    for letter, what, value, unit in wanted:
        _, highest = resource.getrlimit(what)
        most = value if highest == resource.RLIM_INFINITY else min(value, highest)
        script += f"ulimit -{letter} {most // unit} && "
    return [_SHELL, "-c", script + 'exec "$@"', _SHELL, *words]
