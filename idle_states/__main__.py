"""python -m idle_states, and the script idle-states."""

import gc
import os
import signal
import sys
from contextlib import suppress

_BY_SIGNAL = 128
"""An exit status of 128 + N says that signal N ended the program."""


def run() -> int:
    """Runs the command line and returns its exit status.

    Before main() installs its signal handlers, SIGINT ends the program at once: nothing needs
    cleaning up yet, and Python would otherwise print the traceback of an import.
    """
    # what is imported stays: looking through it for garbage took a twentieth of each start
    gc.set_threshold(50_000)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # libraries start programs by name (matplotlib: fc-list); none of the working directory's
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(filter(os.path.isabs, path))
    from .cli import main

    try:
        status = main()
    finally:
        # Python looks through all objects for garbage before it ends, an eighth of a short run
        gc.freeze()
    if status > _BY_SIGNAL:
        # everything is cleaned up; a normal exit would wait for threads which themselves wait for
        # processes that have been ended
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(run())
