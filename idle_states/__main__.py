"""python -m idle_states, and the script idle-states.

Before main() installs its signal handlers, SIGINT ends the program at once: nothing needs cleaning
up yet, and Python would otherwise print the traceback of an import.
"""

import _signal  # type: ignore[import-not-found]

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    # without the module signal, whose own imports take longer than all until here
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import atexit
import gc
import os
import sys
from contextlib import suppress

from .base.prepared import BundleFinder

_BY_SIGNAL = 128
"""An exit status of 128 + N says that signal N ended the program."""


def run() -> int:
    """Runs the command line and returns its exit status, where threads or processes are left."""
    # what is imported stays: looking through it for garbage took a twentieth of each start
    gc.set_threshold(50_000)
    # libraries start programs by name; none of the working directory's
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(filter(os.path.isabs, path))
    sys.meta_path.insert(0, BundleFinder)
    from .cli import main

    try:
        status = main()
    except SystemExit as ended:
        # of argparse, which has printed what was to be said
        status = int(ended.code or 0)
    if status <= _BY_SIGNAL:
        threading = sys.modules.get("threading")
        if threading is not None and threading.active_count() > 1:
            # Python looks through all objects for garbage before it ends
            gc.freeze()
            return status
        # nobody else is left: taking all modules apart took a twelfth of a short run
        atexit._run_exitfuncs()
    # after a signal everything is cleaned up; a normal exit would wait for threads which themselves
    # wait for processes that have been ended
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(run())
