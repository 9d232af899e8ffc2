"""trace.dat -> text, through trace-cmd where it is installed. The file's format is trace-cmd's own.

trace-cmd is asked for idle events only and for whole nanoseconds, and gives its text through a
pipe. It says nothing and succeeds on a file that is cut short, so no text at all is an error.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from ..reading.inputs import BLOCK, Input
from ..reading.problems import unreadable

_EVENTS = "cpu_idle.*"
"""A pattern: a plain cpu_idle_miss is an error where the trace does not know that event."""


def blocks(source: Input) -> Iterator[bytes]:
    """The report's text. Raises Unreadable without trace-cmd, or if that cannot read the file."""
    program = shutil.which("trace-cmd")
    if program is None:
        raise unreadable(
            source.name,
            "expected the program trace-cmd to read a trace.dat, found none; install it, or give "
            "the text that trace-cmd report -t prints elsewhere",
        )
    if source.packed or source.name == "-":
        raise unreadable(
            source.name, "expected a trace.dat as a file of its own, not compressed or piped"
        )
    command = [program, "report", "-N", "-t", "-F", _EVENTS, "-i", os.fspath(source.path)]
    environment = {**os.environ, "LC_ALL": "C"}
    empty = True
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=environment,
        ) as process:
            assert process.stdout is not None
            try:
                while block := process.stdout.read(BLOCK):
                    empty = False
                    yield block
                process.wait()
            finally:
                if process.poll() is None:
                    process.kill()
        if process.returncode or empty:
            complaints.seek(0)
            words = complaints.read(2000).decode("utf-8", "replace").split()
            status = f"exit status {process.returncode}"
            said = " ".join(words) or (status if process.returncode else "nothing")
            raise unreadable(
                source.name,
                f"expected a trace that trace-cmd can read, found: {said[:300]}"
                + (" (a file cut short reads so)" if not words and empty else ""),
            )
