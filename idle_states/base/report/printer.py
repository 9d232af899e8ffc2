"""The way out: whatever a command prints or writes leaves the program here.

Results go to standard output, or whole into a file; messages and progress to standard error. What
is for people is looked at once more on its way (escapes.text); what is for programs was made by its
own form's escapes and goes as it is.
"""

import sys
from collections.abc import Iterable
from functools import partial

from ..files import discard, encoded, naming, replacing, write_file
from .escapes.text import guarded, printable
from .style import wants_colour
from .tables import terminal_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

PROGRAM = "idle-states"
_STANDARD_OUTPUT = partial(naming, "standard output")


def document(content: str | bytes, file: str | None = None) -> None:
    """A result for programs: JSON, C, a device tree. file: None for standard output."""
    if file:
        write_file(file, content)
    elif isinstance(content, bytes):
        if sys.stdout.isatty() and b"\0" in content:
            from ..model.findings import UsageError

            raise UsageError("expected -o FILE or a pipe for what is no text, found a terminal")
        with _STANDARD_OUTPUT():
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
    else:
        with _STANDARD_OUTPUT():
            sys.stdout.write(content)


def document_parts(parts: Iterable[str], file: str | None = None) -> None:
    """Writes a result for programs part by part, as the parts come. file: as of `document`."""
    if file:
        with replacing(file) as target:
            for part in parts:
                target.write(encoded(part))
    else:
        for part in parts:
            with _STANDARD_OUTPUT():
                sys.stdout.write(part)
                sys.stdout.flush()


def text(content: str, file: str | None = None) -> None:
    """Writes a result for people, fitted to the terminal that it goes to. file: as of
    `document`."""
    document(_looked_at(content, file), file)


def verbatim(content: str) -> None:
    """Writes to standard output what people look at and programs read, as a difference: no line is
    folded."""
    document(guarded(content, coloured=wants_colour(sys.stdout)))


def text_parts(parts: Iterable[str], file: str | None = None) -> None:
    """Writes a result for people part by part, as the parts come; each part is whole lines."""
    document_parts((_looked_at(part, file) for part in parts), file)


def say(message: str) -> None:
    """Writes a line to standard error: a note, a warning or an error."""
    line = _fitted(f"{PROGRAM}: {printable(message)}\n", sys.stderr)
    _complain(guarded(line, coloured=False))


def say_text(content: str) -> None:
    """Writes lines to standard error without the program's name before them."""
    fit = _fitted(content, sys.stderr)
    _complain(guarded(fit, coloured=wants_colour(sys.stderr)))


def progress(line: str) -> None:
    """Shows a progress line on the terminal in place of the one before; "" clears it. What does not
    fit in one line, which alone can be cleared, is cut off."""
    _complain(f"\r\x1b[K{printable(line)[: terminal_width(sys.stderr) - 1]}")


def flush() -> None:
    """Flushes standard output, so that it is complete before what follows elsewhere. Raises
    OSError, which names it."""
    with _STANDARD_OUTPUT():
        sys.stdout.flush()


def _complain(content: str) -> None:
    """Writes to standard error. That nobody reads it changes nothing about the result, nor the exit
    status."""
    try:
        sys.stderr.write(content)
        sys.stderr.flush()
    except BrokenPipeError:
        discard(sys.stderr)


def _looked_at(content: str, file: str | None) -> str:
    fit = content if file else _fitted(content, sys.stdout)
    return guarded(fit, coloured=not file and wants_colour(sys.stdout))


def _fitted(content: str, stream: "TextIO") -> str:
    """Returns text folded to a terminal's width, only here; for a pipe, lines as they are."""
    if not stream.isatty():
        return content
    from .fitting import fitted

    return fitted(content, terminal_width(stream))
