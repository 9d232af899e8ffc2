"""A trace.dat as text, by trace-cmd.

trace-cmd is asked for idle events only, with times in ns, and writes its text to a pipe. A trace
may be of any length: trace-cmd's memory is limited, its processor time in proportion to the file,
and the time for which it may write nothing. For a truncated file it writes nothing and still
succeeds, so empty output is an error.
"""

import math
from collections.abc import Iterator

from ...base.model.findings import unreadable
from ...base.reading import launching, limits
from ...base.reading.inputs import Input

_EVENTS = "cpu_idle.*"
"""A pattern: asked for by its plain name, cpu_idle_miss is an error in a trace without it."""


def blocks(source: Input, why: str = "") -> Iterator[bytes]:
    """Yields the text that trace-cmd makes of a trace.dat. why: what only trace-cmd reads in it.
    Raises Unreadable if trace-cmd is missing or cannot read it."""
    program = launching.find("trace-cmd")
    if program is None:
        has = f" that has {why}" if why else ""
        raise unreadable(
            source.name,
            f"expected the program trace-cmd to read a trace.dat{has}, found none; install it, or "
            "give the text that trace-cmd report -t prints elsewhere",
        )
    # read the file that was opened, even if its name now refers to another
    number = source.descriptor()
    words = ["report", "-N", "-t", "-F", _EVENTS, "-i", f"/proc/self/fd/{number}"]
    least, more = limits.TRACE_CMD_S, limits.TRACE_CMD_S_PER_MIB / limits.MIB
    bounds = launching.Bounds(
        stall_s=limits.TRACE_CMD_STALL_S,
        memory_bytes=limits.TRACE_CMD_MEMORY_BYTES,
        cpu_s=math.ceil(limits.in_proportion(least, more, source.size)),
    )
    empty = True
    with launching.Child(program, words, bounds, source.name, passed=[number]) as child:
        for block in child.blocks():
            empty = False
            yield block
        status = child.end()
        if status or empty:
            complaint = child.errors[:2000].decode("utf-8", "replace").split()
            ended = f"exit status {status}" if status > 0 else f"signal {-status}"
            found = " ".join(complaint) or (ended if status else "nothing")
            raise unreadable(
                source.name,
                f"expected a trace that trace-cmd can read, found: {found[:300]}"
                + (" (a file cut short reads so)" if not complaint and empty else ""),
            )
