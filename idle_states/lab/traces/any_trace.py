"""Idle events of a trace of any kind: text, trace.dat or perf.data, by the reader of that kind."""

from collections.abc import Iterator

from ...base.model.findings import unreadable
from ...base.reading.inputs import Input, InputKind
from .text import Batch, TraceText

TRACE = "record a trace, as root: perf record -e power:cpu_idle -a sleep 10; it writes perf.data"


def batches(source: Input, reader: TraceText) -> Iterator[Batch]:
    """Yields a trace's events; `reader` counts them.

    A trace.dat that only trace-cmd reads is read as its text, which is a problem of the kind
    read-as-text. Raises Unreadable, also for a perf.data that only perf script reads.
    """
    if source.kind not in (InputKind.DAT, InputKind.PERF):
        return reader.batches_of(source)
    if not source.seekable:
        raise unreadable(
            source.name, f"expected a {source.kind} as a file of its own, not compressed or piped"
        )
    return (_of_dat if source.kind is InputKind.DAT else _of_perf)(source, reader)


def _of_dat(source: Input, reader: TraceText) -> Iterator[Batch]:
    from . import dat_file, ring_buffer
    from .event_formats import Beyond

    try:
        file = dat_file.read(source)
    except Beyond as beyond:
        from . import trace_cmd

        reader.problems.add("read-as-text", f"it has {beyond}")
        return reader.batches(trace_cmd.blocks(source, str(beyond)))
    return ring_buffer.batches(file, reader)


def _of_perf(source: Input, reader: TraceText) -> Iterator[Batch]:
    from . import perf_data, perf_file
    from .event_formats import Beyond

    try:
        file = perf_file.read(source)
    except Beyond as beyond:
        raise unreadable(
            source.name,
            f"expected a perf.data of events alone, found {beyond}; "
            "run perf script on it, with --ns",
        ) from None
    return perf_data.batches(file, reader)
