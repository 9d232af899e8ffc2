"""trace.dat by the reader of its pages, or as text by trace-cmd where that alone reads it.

trace-cmd is asked for idle events only, with times in ns, and writes its text to a pipe. A trace
may be of any length: trace-cmd's memory is limited, and the time for which it may write nothing.
For a truncated file it writes nothing and still succeeds, so empty output is an error.
"""

from collections.abc import Iterator

from ..findings import unreadable
from ..reading import launching, limits
from ..reading.inputs import Input, InputKind
from . import dat_file, event_formats, perf_data, perf_file, ring_buffer
from .text import Batch, PackedBatch, TraceText

_EVENTS = "cpu_idle.*"
"""A pattern: asked for by its plain name, cpu_idle_miss is an error in a trace without it."""


def batches(source: Input, reader: TraceText) -> Iterator[Batch | PackedBatch]:
    """Yields the events of a trace, text, trace.dat or perf.data; `reader` counts them. What makes
    trace-cmd read a trace.dat is a problem of the kind read-as-text. Raises Unreadable."""
    if source.kind not in (InputKind.DAT, InputKind.PERF):
        yield from reader.batches(source.ahead())
        return
    if not source.seekable:
        raise unreadable(
            source.name, f"expected a {source.kind} as a file of its own, not compressed or piped"
        )
    if source.kind is InputKind.PERF:
        try:
            recorded = perf_file.read(source)
        except event_formats.Beyond as beyond:
            raise unreadable(
                source.name,
                f"expected a perf.data of events alone, found {beyond}; "
                "run perf script on it, with --ns",
            ) from None
        yield from perf_data.batches(recorded, reader)
        return
    try:
        file = dat_file.read(source)
    except event_formats.Beyond as beyond:
        text = blocks(source, str(beyond))
        reader.problems.add("read-as-text", f"it has {beyond}")
        yield from reader.batches(text)
        return
    yield from ring_buffer.batches(file, reader)


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
