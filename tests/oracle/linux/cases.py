"""The properties that firmware hands over, built from plain values: the power-mgt node, the CEDE
latencies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "FLAGS",
    "LATENCIES",
    "NAMES",
    "PSSCR",
    "PSSCR_MASK",
    "RESIDENCIES",
    "DtState",
    "Properties",
    "cede_latencies",
    "cells",
    "power_mgt",
]

NAMES = "ibm,cpu-idle-state-names"
FLAGS = "ibm,cpu-idle-state-flags"
LATENCIES = "ibm,cpu-idle-state-latencies-ns"
RESIDENCIES = "ibm,cpu-idle-state-residency-ns"
PSSCR = "ibm,cpu-idle-state-psscr"
PSSCR_MASK = "ibm,cpu-idle-state-psscr-mask"

Properties = dict[str, bytes]


@dataclass(frozen=True)
class DtState:
    """A state of the device tree; by default of the lightest kind of POWER9."""

    name: str
    latency_ns: int
    residency_ns: int
    flags: int = 0x100000
    psscr: int = 0x330
    psscr_mask: int = 0x3003FF


def cells(values: Iterable[int], size: int) -> bytes:
    """Big-endian numbers of `size` bytes."""
    return b"".join(value.to_bytes(size, "big") for value in values)


def power_mgt(states: Sequence[DtState]) -> Properties:
    """The idle-state properties of /ibm,opal/power-mgt, PSSCR included."""
    return {
        NAMES: b"".join(state.name.encode() + b"\0" for state in states),
        FLAGS: cells((state.flags for state in states), 4),
        LATENCIES: cells((state.latency_ns for state in states), 4),
        RESIDENCIES: cells((state.residency_ns for state in states), 4),
        PSSCR: cells((state.psscr for state in states), 8),
        PSSCR_MASK: cells((state.psscr_mask for state in states), 8),
    }


def cede_latencies(
    *records: tuple[int, int, int], size: int = 10, length: int | None = None
) -> bytes:
    """The hypervisor's answer for token 45.

    records: latency specifier, wakeup latency in timebase ticks, responsive to interrupts.
    size: the size it gives for a record.
    length: the length it gives for all that follows the length; None for the true one.
    """
    payload = bytes([size - 1])
    for hint, ticks, wakes in records:
        payload += cells([hint], 1) + cells([ticks], 8) + cells([wakes], 1)
    payload += b"\0"
    return cells([len(payload) if length is None else length], 2) + payload
