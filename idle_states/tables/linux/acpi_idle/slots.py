"""C-states as the kernel keeps them, one to a slot: of the FADT where there is no _CST, which of
them can be used, and the order of their latencies.

acpi_processor_get_power_info_fadt() and acpi_processor_power_verify() of processor_idle.c, with
what they call.
"""

from collections.abc import Sequence
from typing import Literal

from ....base.dataclass import dataclass
from .features import AcpiIdleFeatures
from .machine import AMD, CENTAUR, HYGON, INTEL, ZHAOXIN, AcpiIdleParameters, AcpiMachine

SLOTS = 8
"""ACPI_PROCESSOR_MAX_POWER; slot 0 is C0's and stays empty."""
MOST_C2_US, MOST_C3_US = 100, 1000
"""ACPI_PROCESSOR_MAX_C2_LATENCY and _C3_LATENCY: of the FADT's states."""
LIMITED_BOARDS = {"Clevo 5600D": 2, "Pavilion zv5000": 1, "Asus L8400B": 1, "IBM ThinkPad T40": 2}
"""Name of a board -> its deepest C-state."""
HALT = "ACPI HLT"
FADT_WBINVD, FADT_C2_MP = 1, 1 << 3
Method = Literal["io", "ffh", "halt"]


@dataclass(slots=True)
class CstateSlot:
    """A struct acpi_processor_cx. Latency in us.

    kind    type of the state, as _CST has it in its low byte: 1 for C1
    valid   the kernel takes it for usable
    source  which entry of _CST it is, from 0 on; None for what the kernel made
    """

    kind: int = 0
    valid: bool = False
    address: int = 0
    method: Method = "io"
    latency_us: int = 0
    description: str = ""
    source: int | None = None


def fadt(slots: Sequence[CstateSlot], machine: AcpiMachine, features: AcpiIdleFeatures) -> bool:
    """Fills the slots of C2 and C3 with what the FADT and P_BLK say. Returns whether there are
    states for them."""
    found = machine.acpi.fadt
    if not machine.block:
        return False
    latencies = (found.c2_latency_us, found.c3_latency_us) if found else (0, 0)
    for number, latency, most in zip((2, 3), latencies, (MOST_C2_US, MOST_C3_US), strict=True):
        slot = slots[number]
        slot.kind, slot.latency_us = number, latency
        slot.address = machine.block + 2 + number if latency <= most else 0
        if features.describes_fadt:
            slot.description = f"ACPI P_LVL{number} IOPORT {slot.address:#x}"
    return bool(slots[2].address or slots[3].address) or not features.fadt_needs_port


def add_c1(slots: Sequence[CstateSlot], features: AcpiIdleFeatures) -> None:
    """Makes slot 1 a halt, unless a C1 is there. What else was there leaves address and latency."""
    slot = slots[1]
    if not slot.valid:
        slot.kind, slot.valid, slot.method = 1, True, "halt"
        if features.describes_c1:
            slot.description = HALT


@dataclass(slots=True)
class Verified:
    """The result of checking the slots.

    broadcast     the first slot in which the local timer stops; None for none
    bm_check      entering C3 looks at bus masters; None while no C3 was looked at
    out_of_order  latencies had to be put in order
    tsc_unstable  how often it was found that the TSC halts
    """

    broadcast: int | None = None
    bm_check: bool | None = None
    out_of_order: bool = False
    tsc_unstable: int = 0


def verify(
    slots: Sequence[CstateSlot],
    machine: AcpiMachine,
    parameters: AcpiIdleParameters,
    max_cstate: int,
    has_cst: bool,
    features: AcpiIdleFeatures,
) -> Verified:
    """Decides which slots are valid, and puts their latencies in order if a state is quicker than
    one that is no deeper.

    The kernel's order goes up to slot max_cstate; slots behind the last are taken as empty.
    """
    result = Verified()
    first_stopping = 3 if parameters.lapic_timer_c2_ok else 2
    if machine.apic_c1e:
        first_stopping = 1
    last_latency = last_kind = 0
    for number in range(1, min(SLOTS - 1, max_cstate) + 1):
        slot = slots[number]
        if slot.kind == 1 or (slot.kind == 2 and slot.address):
            slot.valid = True
        elif slot.kind == 3 and slot.address and not machine.piix4_fdma:
            result.bm_check = needs_bm_check(machine, features)
            if not result.bm_check:
                slot.valid = bool(machine.acpi.fadt and machine.acpi.fadt.flags & FADT_WBINVD)
            elif has_cst or has_bm_control(machine, features):
                slot.valid = True
        if not slot.valid:
            continue
        if slot.kind >= last_kind and slot.latency_us < last_latency:
            result.out_of_order = True
        last_latency, last_kind = slot.latency_us, slot.kind
        if not machine.arat and result.broadcast is None and slot.kind >= first_stopping:
            result.broadcast = number
        result.tsc_unstable += slot.kind > 1 and not _tsc_runs(machine, features)
    result.out_of_order = result.out_of_order and bool(features.sorts)
    if result.out_of_order:
        sorts = {"insertion": insertion_sort, "heap": heap_sort, "early heap": early_heap_sort}
        sort = sorts[features.sorts]
        padded = [*slots[1 : max_cstate + 1], *(CstateSlot() for _ in range(SLOTS, max_cstate + 1))]
        sort(padded)
    return result


def needs_bm_check(machine: AcpiMachine, features: AcpiIdleFeatures) -> bool:
    """acpi_processor_power_init_bm_check(): C3 needs bus masters watched, no caches flushed."""
    if machine.cpus == 1 or machine.vendor == INTEL:
        return True
    if machine.vendor == CENTAUR:
        return features.centaur_caches and _is_recent_centaur(machine)
    if machine.vendor == ZHAOXIN:
        return features.zhaoxin
    return machine.vendor == AMD and machine.family >= 0x17 and features.zen


def has_bm_control(machine: AcpiMachine, features: AcpiIdleFeatures) -> bool:
    """Tells whether bus masters are stopped in C3: processors that need it not have none."""
    recent = {
        INTEL: machine.family > 15 or (machine.family == 6 and machine.model >= 15),
        ZHAOXIN: features.zhaoxin,
        AMD: machine.family >= 0x17 and features.zen,
        CENTAUR: features.centaur and _is_recent_centaur(machine),
    }
    return machine.bm_control and not recent.get(machine.vendor, False)


def _is_recent_centaur(machine: AcpiMachine) -> bool:
    return machine.family > 6 or (
        machine.family == 6 and machine.model == 15 and machine.stepping >= 14
    )


def _tsc_runs(machine: AcpiMachine, features: AcpiIdleFeatures) -> bool:
    known = machine.vendor in (AMD, INTEL)
    known = known or (machine.vendor == CENTAUR and features.centaur_tsc)
    known = known or (machine.vendor == HYGON and features.hygon_tsc)
    known = known or (machine.vendor == ZHAOXIN and features.zhaoxin)
    return known and machine.nonstop_tsc


def insertion_sort(slots: Sequence[CstateSlot]) -> None:
    """acpi_cst_latency_sort(): valid slots exchange latencies until these grow."""
    for number, slot in enumerate(slots):
        if not slot.valid:
            continue
        for before in reversed(slots[:number]):
            if before.valid:
                _order(before, slot)
                slot = before


def _order(one: CstateSlot, other: CstateSlot) -> None:
    if one.latency_us > other.latency_us:
        _exchange(one, other)


def heap_sort(slots: Sequence[CstateSlot]) -> None:
    """sort() of lib/sort.c with the driver's comparison, to which a slot that is not valid equals
    all others, and with its exchange, which leaves such a slot alone."""
    start, end = len(slots) // 2, len(slots)
    if not start:
        return
    while True:
        if start:
            start -= 1
        else:
            end -= 1
            if not end:
                return
            _exchange(slots[0], slots[end])
        _sift(slots, start, end)


def early_heap_sort(slots: Sequence[CstateSlot]) -> None:
    """sort() of Linux before 5.2: a latency moves down the heap to its place, by exchanges."""
    for start in reversed(range(len(slots) // 2)):
        _sink(slots, start, len(slots))
    for end in reversed(range(1, len(slots))):
        _exchange(slots[0], slots[end])
        _sink(slots, 0, end)


def _sink(slots: Sequence[CstateSlot], at: int, end: int) -> None:
    while (below := 2 * at + 1) < end:
        if below + 1 < end and _compare(slots[below], slots[below + 1]) < 0:
            below += 1
        if _compare(slots[at], slots[below]) >= 0:
            return
        _exchange(slots[at], slots[below])
        at = below


def _sift(slots: Sequence[CstateSlot], start: int, end: int) -> None:
    """Moves a slot's latency down the heap: to the leaves, back up to its place, exchanging."""
    at = start
    while (right := 2 * at + 2) < end:
        at = right - 1 if _compare(slots[right - 1], slots[right]) >= 0 else right
    if right == end:
        at = right - 1
    while at != start and _compare(slots[start], slots[at]) >= 0:
        at = (at - 1) // 2
    place = at
    while at != start:
        at = (at - 1) // 2
        _exchange(slots[at], slots[place])


def _compare(one: CstateSlot, other: CstateSlot) -> int:
    if not (one.valid and other.valid):
        return 0
    return (one.latency_us > other.latency_us) - (one.latency_us < other.latency_us)


def _exchange(one: CstateSlot, other: CstateSlot) -> None:
    if one.valid and other.valid:
        one.latency_us, other.latency_us = other.latency_us, one.latency_us
