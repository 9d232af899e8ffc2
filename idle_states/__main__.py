"""python -m idle_states, and the script idle-states."""

import signal
import sys


def run() -> int:
    """Runs the command line and returns its exit status.

    Until main() handles signals, and after it, nothing is under way: SIGINT ends the program at
    once, without the traceback that Python would print of an import.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
