"""python -m idle_states, and the script idle-states."""

import os
import signal
import sys
from contextlib import suppress

_BY_SIGNAL = 128
"""Exit statuses above it are those of signals."""


def run() -> int:
    """Runs the command line and returns its exit status.

    Until main() handles signals, and after it, nothing is under way: SIGINT ends the program at
    once, without the traceback that Python would print of an import.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .cli import main

    status = main()
    if status > _BY_SIGNAL:
        # all is cleaned up; the interpreter would wait for threads that wait for ended processes
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(run())
