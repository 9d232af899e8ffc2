"""trace.dat -> text, through trace-cmd where it is installed. The file's format is trace-cmd's own.

trace-cmd is asked for idle events only and for whole nanoseconds, and gives its text through a
pipe. A trace may be of any length: its memory is bounded, and the time in which it says nothing.
It says nothing and succeeds on a file that is cut short, so no text at all is an error.
"""

from collections.abc import Iterator

from ..reading import launching, limits
from ..reading.inputs import Input
from ..reading.problems import unreadable

_EVENTS = "cpu_idle.*"
"""A pattern: a plain cpu_idle_miss is an error where the trace does not know that event."""


def blocks(source: Input) -> Iterator[bytes]:
    """The report's text. Raises Unreadable without trace-cmd, or if that cannot read the file."""
    program = launching.find("trace-cmd")
    if program is None:
        raise unreadable(
            source.name,
            "expected the program trace-cmd to read a trace.dat, found none; install it, or give "
            "the text that trace-cmd report -t prints elsewhere",
        )
    if source.packed or source.name == "-":
        raise unreadable(
            source.name, "expected a trace.dat as a file of its own, not compressed or piped"
        )
    # what has been opened, whatever its name stands for by now
    number = source.descriptor()
    words = ["report", "-N", "-t", "-F", _EVENTS, "-i", f"/proc/self/fd/{number}"]
    bounds = launching.Bounds(
        stall_s=limits.TRACE_CMD_STALL_S, memory_bytes=limits.TRACE_CMD_MEMORY_BYTES
    )
    empty = True
    with launching.Child(program, words, bounds, source.name, passed=[number]) as child:
        for block in child.blocks():
            empty = False
            yield block
        status = child.end()
        if status or empty:
            said = child.errors[:2000].decode("utf-8", "replace").split()
            ended = f"exit status {status}" if status > 0 else f"signal {-status}"
            found = " ".join(said) or (ended if status else "nothing")
            raise unreadable(
                source.name,
                f"expected a trace that trace-cmd can read, found: {found[:300]}"
                + (" (a file cut short reads so)" if not said and empty else ""),
            )
