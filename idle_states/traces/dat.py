"""trace.dat as text, by trace-cmd if that is installed; only trace-cmd knows the file's format.

trace-cmd is asked for idle events only, with times in ns, and writes its text to a pipe. A trace
may be of any length: trace-cmd's memory is limited, and the time for which it may write nothing.
For a truncated file it writes nothing and still succeeds, so empty output is an error.
"""

from collections.abc import Iterator

from ..findings import unreadable
from ..reading import launching, limits
from ..reading.inputs import Input, InputKind

_EVENTS = "cpu_idle.*"
"""A pattern: asked for by its plain name, cpu_idle_miss is an error in a trace without it."""


def blocks(source: Input) -> Iterator[bytes]:
    """Yields the report's text. Raises Unreadable if trace-cmd is missing or cannot read it."""
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
    # read the file that was opened, even if its name now refers to another
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


def text(source: Input) -> Iterator[bytes]:
    """Yields the text of a trace: that of a trace.dat by trace-cmd."""
    return blocks(source) if source.kind is InputKind.DAT else source.ahead()
