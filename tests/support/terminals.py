"""A pseudo-terminal of a given width, in place of standard output and error."""

import fcntl
import os
import re
import struct
import sys
import termios
import threading
from collections.abc import Callable

import pytest

_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")


def shown(run: Callable[[], object], width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns what a terminal of so many columns got, without colours."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    parts: list[bytes] = []

    def read() -> None:
        try:
            while part := os.read(ours, 1 << 16):
                parts.append(part)
        except OSError:
            pass  # the terminal's other end is closed

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with open(theirs, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
            patched.delenv("COLUMNS", raising=False)
            patched.setenv("TERM", "xterm")
            patched.setattr(sys, "stdout", stream)
            patched.setattr(sys, "stderr", stream)
            run()
    finally:
        reader.join()
        os.close(ours)
    return _COLOUR.sub("", b"".join(parts).decode().replace("\r\n", "\n"))
