"""The way out: whatever a command prints or writes leaves the program here.

Results go to standard output, or whole into a file; messages and progress to standard error. What
is for people is looked at once more on its way (escapes.text); what is for programs was made by its
own form's escapes and goes as it is.
"""

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from ..files import encoded, naming, replacing, write_file
from .escapes.text import guarded, printable
from .style import wants_colour

PROGRAM = "idle-states"
_STANDARD_OUTPUT = partial(naming, "standard output")


def document(content: str | bytes, file: str | None = None) -> None:
    """A result for programs: JSON, C, a device tree. file: None for standard output."""
    if file:
        write_file(Path(file), content)
    elif isinstance(content, bytes):
        with _STANDARD_OUTPUT():
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
    else:
        with _STANDARD_OUTPUT():
            sys.stdout.write(content)


def document_parts(parts: Iterable[str], file: str | None = None) -> None:
    """The same, part by part as they come."""
    if file:
        with replacing(Path(file)) as target:
            for part in parts:
                target.write(encoded(part))
    else:
        for part in parts:
            with _STANDARD_OUTPUT():
                sys.stdout.write(part)


def text(content: str, file: str | None = None) -> None:
    """A result for people."""
    document(_looked_at(content, file), file)


def text_parts(parts: Iterable[str], file: str | None = None) -> None:
    """The same, part by part as they come; each is whole lines."""
    document_parts((_looked_at(part, file) for part in parts), file)


def say(message: str) -> None:
    """A line on standard error, of what else the user should know."""
    sys.stderr.write(guarded(f"{PROGRAM}: {printable(message)}\n", coloured=False))


def say_text(content: str) -> None:
    """Lines on standard error, as they are."""
    sys.stderr.write(guarded(content, coloured=wants_colour(sys.stderr)))


def progress(line: str) -> None:
    """A line of a terminal, over the one before; "" clears it."""
    sys.stderr.write(f"\r\x1b[K{printable(line)}")
    sys.stderr.flush()


def flush() -> None:
    """So that a result is out before what comes next. Raises OSError."""
    sys.stdout.flush()


def _looked_at(content: str, file: str | None) -> str:
    return guarded(content, coloured=not file and wants_colour(sys.stdout))
