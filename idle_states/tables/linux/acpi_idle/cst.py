"""_CST as the kernel takes it apart: acpi_processor_evaluate_cst(), or before 5.6
acpi_processor_get_power_info_cst(), and acpi_processor_ffh_cstate_probe()."""

from collections.abc import Callable

from ....base.dataclass import dataclass, field, replace
from ....base.model.acpi_objects import (
    FIXED_HARDWARE,
    SYSTEM_IO,
    AcpiObject,
    AcpiReference,
    AcpiRegister,
    kind,
)
from ....base.model.stages import Level
from ....base.model.table import U32_MAX
from .features import AcpiIdleFeatures
from .machine import AMD, HYGON, INTEL, AcpiIdleParameters, AcpiMachine
from .slots import HALT, SLOTS, CstateSlot

MWAIT_CLASS = 2
"""Bit offset of a register of FFixedHW that is entered by MWAIT (NATIVE_CSTATE_BEYOND_HALT)."""
_REGISTER_BYTES = 15
_NIBBLE = 0xF
_MWAIT_LEAF = 5
Say = Callable[[Level, str], None]


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry of _CST that has no slot. index: from 0 on."""

    index: int
    cause: str
    reason: str


@dataclass(slots=True)
class EvaluatedCst:
    """The result of evaluating _CST.

    slots    with empty ones; the first is C0's
    count    slots that are used, the empty one of a C1 that firmware does not name too; None where
             _CST as a whole is not what it should be
    refused  why acpi_idle refuses _CST as a whole; "" if it does not
    """

    slots: list[CstateSlot] = field(default_factory=lambda: [CstateSlot() for _ in range(SLOTS)])
    skipped: list[Skipped] = field(default_factory=list)
    count: int | None = None
    refused: str = ""


class _Skip(Exception):
    """cause, reason, and what the kernel says since 5.11 behind the entry's number."""

    def __init__(self, cause: str, reason: str, logged: str) -> None:
        super().__init__(cause, reason, logged)
        self.cause, self.reason, self.logged = cause, reason, logged


def register_of(buffer: bytes) -> AcpiRegister:
    """The register that the kernel sees in a buffer, whatever its first bytes say. It reads beyond
    a buffer that is too short; what lies there is taken as 0."""
    padded = buffer.ljust(_REGISTER_BYTES, b"\0")
    space, width, offset, access_size = padded[3:7]
    return AcpiRegister(space, width, offset, access_size, int.from_bytes(padded[7:15], "little"))


def type_number(found: AcpiObject) -> int:
    """ACPI_TYPE_* of an object, by which the kernel names it."""
    if found is None:
        return 0
    types = ((int, 1), (str, 2), (bytes, 3), (tuple, 4), (AcpiReference, 0x14))
    return next(number for kind_, number in types if isinstance(found, kind_))


@dataclass(slots=True)
class CstEvaluation:
    """Puts the entries of _CST into slots. say: is told each message of the kernel."""

    machine: AcpiMachine
    parameters: AcpiIdleParameters
    features: AcpiIdleFeatures
    say: Say
    result: EvaluatedCst = field(default_factory=EvaluatedCst)
    last: int = 0

    def run(self, cst: AcpiObject) -> EvaluatedCst:
        shared = self.features.shared_cst
        if not isinstance(cst, tuple) or len(cst) < 2:
            self.complain("Invalid _CST output" if shared else "not enough elements in _CST")
            self.result.refused = f"expected a package of a number and C-states, found {kind(cst)}"
            return self.result
        if not isinstance(cst[0], int) or cst[0] != len(cst) - 1:
            self.complain(
                "Inconsistent _CST data" if shared else "count given by _CST is not valid"
            )
            self.result.refused = f"expected {len(cst) - 1} as number of C-states, "
            self.result.refused += f"found {kind(cst[0])}"
            return self.result
        for number, element in enumerate(cst[1:], 1):
            if self.last >= SLOTS - 1:
                self.say_full()
                for left in range(number, len(cst)):
                    self.skip(left, "no-room", f"the kernel has room for {SLOTS - 1} C-states")
                break
            try:
                slot = self.slot(number, element)
            except _Skip as skip:
                self.skip(number, skip.cause, skip.reason)
                if self.features.says_skipped:
                    where = "C[%d]" if skip.cause == "type" else "C%d"
                    self.say_handle("info", f"_CST {where % number} {skip.logged}")
                continue
            self.last += 1
            self.result.slots[self.last] = slot
            if not shared and self.last >= SLOTS - 1:
                prefix = "ACPI: " if self.features.room_prefix else ""
                for text in (
                    f"Limiting number of power states to max ({SLOTS})",
                    "Please increase ACPI_PROCESSOR_MAX_POWER if needed.",
                ):
                    self.say("warning", prefix + text)
        self.result.count = self.last
        if self.features.says_found:
            self.say_handle("info", f"Found {self.last} idle states")
        if self.last < self.features.least_states:
            least = self.features.least_states
            self.result.refused = f"expected at least {least} that can be used, found {self.last}"
        return self.result

    def complain(self, text: str) -> None:
        if self.features.shared_cst:
            self.say_handle("warning", text)
        else:
            self.say("error", f"ACPI: {text}")

    def say_handle(self, level: Level, text: str) -> None:
        self.say(level, f"ACPI: {self.machine.path}: {text}")

    def say_full(self) -> None:
        if self.features.shared_cst:
            self.say_handle("warning", f"No room for more idle states (limit: {SLOTS - 1})")

    def skip(self, number: int, cause: str, reason: str) -> None:
        self.result.skipped.append(Skipped(number - 1, cause, reason))

    def slot(self, number: int, element: AcpiObject) -> CstateSlot:
        """The slot of an entry. Raises _Skip."""
        if not isinstance(element, tuple):
            logged = f"type({type_number(element):x}) is not package, skip..."
            raise _Skip("entry", f"expected a package, found {kind(element)}", logged)
        if len(element) != 4:
            logged = f"package count({len(element)}) is not 4, skip..."
            raise _Skip("entry", f"expected 4 elements, found {len(element)}", logged)
        buffer, cstate, latency, power = element
        if not isinstance(buffer, bytes):
            raise self.wrong("register", 0, buffer, "is not buffer")
        register = register_of(buffer)
        other_space = register.space not in (FIXED_HARDWARE, SYSTEM_IO)
        if other_space and not self.features.shared_cst:
            raise self.wrong_space(register)
        if not isinstance(cstate, int):
            raise self.wrong("type", 1, cstate, "is not integer")
        slot = CstateSlot(cstate & 0xFF, address=register.address & U32_MAX, source=number - 1)
        if number == 1 and slot.kind != 1:
            # left for a C1 that firmware does not name
            self.last = 1
        if other_space:
            raise self.wrong_space(register)
        if register.space == SYSTEM_IO:
            slot.description = f"ACPI IOPORT {slot.address:#x}"
        elif not self.enters_by_mwait(slot, register):
            if slot.kind != 1:
                what = "declares FIXED_HARDWARE C-state but not supported in hardware, skip..."
                reason = f"the processor does not have MWAIT hint {slot.address:#x}"
                raise _Skip("mwait", reason, what)
            slot.method, slot.description = "halt", HALT
        elif slot.kind == 1 and self.parameters.idle == "nomwait":
            slot.method, slot.description = "halt", HALT
        slot.valid = slot.kind == 1
        if not isinstance(latency, int):
            raise self.wrong("latency", 2, latency, "not integer")
        if not isinstance(power, int):
            raise self.wrong("power", 3, power, "not integer")
        return replace(slot, latency_us=latency & U32_MAX)

    def wrong(self, name: str, index: int, found: AcpiObject, text: str) -> _Skip:
        logged = f"package element[{index}] type({type_number(found):x}) {text}, skip..."
        expected = "a buffer" if index == 0 else "an integer"
        return _Skip(name, f"expected the {name} as {expected}, found {kind(found)}", logged)

    def wrong_space(self, register: AcpiRegister) -> _Skip:
        logged = f"space_id({register.space:x}) neither FIXED_HARDWARE nor SYSTEM_IO, skip..."
        reason = f"expected a register of FFixedHW or SystemIO, found {register}"
        return _Skip("space", reason, logged)

    def enters_by_mwait(self, slot: CstateSlot, register: AcpiRegister) -> bool:
        """acpi_processor_ffh_cstate_probe(): whether MWAIT has the hint."""
        machine = self.machine
        vendors = (INTEL, *[AMD] * self.features.amd, *[HYGON] * self.features.hygon)
        known = machine.vendor in vendors and machine.cpuid_level >= _MWAIT_LEAF
        if not known or register.offset != MWAIT_CLASS:
            return False
        # a shift by 32 or more is one by what remains, as the processor takes it
        shift = ((slot.address >> 4 & _NIBBLE) + 1) * 4 & 31
        part = machine.substates >> shift
        if not part & _NIBBLE:
            text = f"ACPI MWAIT C-state {slot.address:#x} not supported by HW ({part:#x})"
            self.say("warning", f"[Firmware Bug]: {text}")
            return False
        if machine.monitor_ecx & 3 != 3:
            return False
        maker = "INTEL " if self.features.names_intel else ""
        slot.method, slot.description = "ffh", f"ACPI FFH {maker}MWAIT {slot.address:#x}"
        return True
