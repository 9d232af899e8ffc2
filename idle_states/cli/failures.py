"""Exceptions a command may end with -> a message and an exit status."""

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from errno import EDQUOT, ENOSPC
from typing import TYPE_CHECKING

from ..base.files import standard_output_fails
from ..base.model.findings import Location, Rejected, Unreadable, UsageError
from ..base.reading.unexpected import TRACEBACK, internal_error
from ..base.report import printer
from ..base.report.escapes.text import printable
from ..base.report.findings_text import FoundPart, render
from ..base.report.style import Style
from ..tables.sources import NoSuchTable
from .status import FOUND, UNREADABLE, USAGE

if TYPE_CHECKING:
    from .derive import CommandLine


def report(error: Exception, words: Sequence[str] = (), line: "CommandLine | None" = None) -> int:
    """Says what happened on standard error and returns the exit status. words: the command line;
    line: the options in it, if these are known."""
    if isinstance(error, Rejected):
        _reported(error, words, line)
        return UNREADABLE if isinstance(error, Unreadable) else FOUND
    if isinstance(error, NoSuchTable):
        printer.say(f"{error.message}{':' if error.choices else ''}")
        printer.say_text("".join(f"  {printable(choice)}\n" for choice in error.choices))
        return USAGE
    if isinstance(error, UsageError):
        printer.say(str(error))
        return USAGE
    if isinstance(error, OSError):
        failed = standard_output_fails()
        name = error.filename or ("standard output" if failed else "")
        message = f"{name}: {error.strerror or error}" if name else f"{error.strerror or error}"
        if name not in ("", "standard output") and error.errno in (ENOSPC, EDQUOT):
            message += "; free some space there, or name a file elsewhere"
        elif not name and error.errno in (ENOSPC, EDQUOT) and tempfile.tempdir:
            message += f"; temporary files are in {tempfile.tempdir}, TMPDIR names another folder"
        printer.say(message)
        return UNREADABLE
    if os.environ.get(TRACEBACK):
        printer.say_text("".join(traceback.format_exception(error)))
    shown = printable(" ".join(("idle-states", *words)))
    finding = internal_error(error, Location(path=shown))
    _reported(Unreadable([finding]), words, line)
    return UNREADABLE


def _reported(error: Rejected, words: Sequence[str], line: "CommandLine | None") -> None:
    """Shows findings on standard error and, where programs expect findings, as a document."""
    style = Style.of(sys.stderr)
    printer.say_text(render(error.findings, error.texts, style, notes=True))
    from .output import Output

    out = None if line is None else line.part(Output)
    if out is not None and out.format in ("sarif", "github", "junit"):
        from ..tables.check.formats import render as rendered

        found = FoundPart(error.findings, (), error.texts)
        out.document(rendered(out.format, words[0], found))
