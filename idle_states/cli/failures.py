"""Exceptions a command may end with -> a message and an exit status."""

import sys
import tempfile
from errno import EDQUOT, ENOSPC

from ..files import standard_output_fails
from ..findings import Rejected, Unreadable, UsageError
from ..linux.governors import UnknownGovernor
from ..linux.releases import UnknownRelease
from ..report import printer
from ..report.escapes.text import printable
from ..report.findings_text import render
from ..report.style import Style
from ..skiboot.platform import BadPlatform
from ..skiboot.releases import UnknownSkiboot
from ..sources import NoSuchTable
from .status import FOUND, UNREADABLE, USAGE


def report(error: Exception) -> int:
    """Says what happened on standard error. Re-raises what no command should end with."""
    if isinstance(error, Rejected):
        style = Style.of(sys.stderr)
        printer.say_text(render(error.findings, error.texts, style, notes=True))
        return UNREADABLE if isinstance(error, Unreadable) else FOUND
    if isinstance(error, NoSuchTable):
        printer.say(f"{error.message}{':' if error.choices else ''}")
        printer.say_text("".join(f"  {printable(choice)}\n" for choice in error.choices))
        return USAGE
    if isinstance(
        error,
        (UnknownGovernor, UnknownRelease, UnknownSkiboot, BadPlatform, UsageError),
    ):
        printer.say(str(error))
        return USAGE
    if isinstance(error, OSError):
        failed = standard_output_fails()
        name = error.filename or ("standard output" if failed else "")
        said = f"{name}: {error.strerror or error}" if name else f"{error.strerror or error}"
        if not name and error.errno in (ENOSPC, EDQUOT) and tempfile.tempdir:
            said += f"; temporary files are in {tempfile.tempdir}, TMPDIR names another folder"
        printer.say(said)
        return UNREADABLE
    raise error
