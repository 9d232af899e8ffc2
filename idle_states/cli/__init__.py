"""The command line: one module per sub-command, named in commands.py.

A module cmd_NAME.py has run(given: NameCommand) -> exit status, and this class: its fields are the
request of the command's room and what the command alone asks for, such as where the result goes.
The options are made of them (derive.py). A module imports what it needs inside run(), and is itself
imported where its command is on the command line, so that --help stays quick.
"""

import io
import os
import signal
import sys
import warnings
from contextlib import suppress

from ..base.files import discard
from ..base.report import printer
from ..base.report.printer import say
from ..base.signals import Ended, deferred, handled

TYPE_CHECKING = False
"""The same name as typing's, whose import takes --version a tenth of its time."""
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from .derive import CommandLine


def _note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: "TextIO | None" = None,
    line: str | None = None,
) -> None:
    """A warning, without the place in the program."""
    say(f"note: {message}")


def main(argv: "Sequence[str] | None" = None) -> int:
    """Runs a command line and returns its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # names from the field may hold what the terminal's encoding does not
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _note
    try:
        with handled():
            return _run(words)
    except KeyboardInterrupt:
        say("interrupted")
        return 128 + signal.SIGINT
    except Ended as ended:
        say(f"ended by {ended.name}")
        return 128 + ended.number


def _open_standard_streams() -> None:
    """Makes closed standard streams (>&-) unusable instead, so that no other file takes
    their numbers and a result that cannot be written is an error, not a traceback."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                opened = os.open(os.devnull, os.O_RDONLY if number < 2 else os.O_WRONLY)
                if opened != number:
                    os.dup2(opened, number)
                    os.close(opened)
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def _answered(words: list[str]) -> bool:
    """Answers what needs no parser, --version and a prepared completion script, and tells whether
    it did."""
    if words == ["--version"]:
        from .version import version

        printer.text(version())
        return True
    if len(words) == 2 and words[0] == "--completion":
        from ..base.prepared import product

        if (script := product(f"completion {words[1]}")) is not None:
            printer.document(script.decode())
            return True
    return False


def _parsed(words: list[str]) -> "CommandLine":
    from .parsers import parsed

    return parsed(words)


def _run(words: list[str]) -> int:
    line = None
    try:
        try:
            with deferred():
                # argparse's own clean-up fails, and hides the signal, where a signal interrupts it
                if _answered(words):
                    return 0
                line = _parsed(words)
        finally:
            # what --help printed; argparse ends the program
            printer.flush()
        if (platform := line.platform) not in ("", "all-levels"):
            from .platform_note import note_platform

            note_platform(platform, line.tables)
        status = line.run()
        printer.flush()
        return status
    except BrokenPipeError:
        # the reader has gone away, as with | head: nothing is left to say, but what was found is
        # not known to be clean
        discard(sys.stdout)
        return 128 + signal.SIGPIPE
    except Exception as error:
        if isinstance(error.__cause__, (KeyboardInterrupt, Ended)):
            # before 3.12 Python makes a RuntimeError of a signal within a __set_name__
            raise error.__cause__ from None
        from .failures import report

        return report(error, words, line)
