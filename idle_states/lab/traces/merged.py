"""Idle events of several CPUs, packed with the time to merge them by, as one batch in order."""

import struct
from typing import Any

from ...tables.linux.governors.core.packing import EVENT, RING_EVENT, Buffer
from .text import LOST, Batch, TraceText

_LOST_BYTES = struct.pack("<q", LOST)
"""In packed events, whatever else may look like it: then there is just more to look at."""


def batch_of(merged: Buffer, reader: TraceText, core: Any) -> Batch:
    """Sorts events, RING_EVENT each, by the time to merge them by; equal ones keep their order.
    `reader` counts them as lines, and collects where events were lost. core: None: without it."""
    packed = _sorted(merged, core)
    first_line = reader.lines + 1
    count = len(packed) // EVENT.size
    reader.lines += count
    reader.events += count
    if _LOST_BYTES in packed:
        for what, lost, line, cpu, _ in EVENT.iter_unpack(packed):
            if what == LOST:
                reader.report_lost(cpu, lost, first_line + line)
                reader.events -= 1
    return Batch(packed, first_line)


def _sorted(merged: Buffer, core: Any) -> bytes:
    """Packs events with lines from 0 on."""
    if core is not None:
        found: bytes = core.sort_ring(merged)
        return found
    events = sorted(RING_EVENT.iter_unpack(merged), key=lambda event: event[-1])
    return b"".join(
        EVENT.pack(what, ns, line, cpu, False)
        for line, (what, ns, _, cpu, _, _) in enumerate(events)
    )
