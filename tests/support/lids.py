"""Images with tables of idle states, made by hand: the struct's layouts written down once more."""

import struct
from collections.abc import Sequence
from pathlib import Path

from idle_states.base.model.table import IdleState
from tests.oracle import skipping

FORMS = {"5.3 and on": ">16sIIQQI4x", "4.1.1 to 5.2": ">16sIII4xQQ", "up to 4.1": ">16sIIQQ"}
FILLER = b"\xf5" * 4096


def row(state: IdleState, era: str = "5.3 and on") -> bytes:
    name = state.name.encode("utf-8", "surrogateescape")
    times = (state.latency_ns,) if era == "up to 4.1" else (state.latency_ns, state.residency_ns)
    registers = (state.control, state.mask)
    values = (*registers, state.flags) if era == "5.3 and on" else (state.flags, *registers)
    return struct.pack(FORMS[era], name, *times, *values)


def image(states: Sequence[IdleState], era: str = "5.3 and on") -> bytes:
    """Returns an image of skiboot that holds these rows back to back."""
    return FILLER + b"".join(row(state, era) for state in states) + FILLER


def stock_lid() -> bytes:
    """Returns the bytes of Debian's skiboot.lid, 7.0 or later; skips the test where it cannot be
    had."""
    from tests.oracle.debian import binary_file

    installed = Path("/usr/share/qemu/skiboot.lid")
    with skipping():
        file = (
            installed
            if installed.is_file()
            else binary_file("qemu-system-data", "usr/share/qemu/skiboot.lid")
        )
    return file.read_bytes()
