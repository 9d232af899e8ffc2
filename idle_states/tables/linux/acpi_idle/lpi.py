"""_LPI as the kernel takes it apart: the states of a processor, and of the containers around it,
combined into one list.

acpi_processor_evaluate_lpi(), flatten_lpi_states() and what calls them: of processor_idle.c, from
7.3 on of acpi_processor.c.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from ....base.dataclass import dataclass, field
from ....base.model.acpi_objects import FIXED_HARDWARE, SYSTEM_IO, AcpiObject
from ....base.model.stages import Level
from ....base.model.table import U32_MAX, U64_MAX
from .cst import register_of
from .features import AcpiIdleFeatures
from .machine import AcpiMachine

MOST = 8
"""ACPI_PROCESSOR_MAX_POWER: states of all levels together."""
_DESCRIPTION = 31
_REGISTER_BYTES = 15
_ENABLED = 1
_UNKNOWN_US = 10
"""The value that is taken where residency or latency is no integer."""
Say = Callable[[Level, str], None]


@dataclass(slots=True)
class LpiEntry:
    """A struct acpi_lpi_state. Times in us.

    index    number in its level, from 1 on, by which a level below names the deepest it allows
    parent   the deepest state that the level above may be in with it
    entry    what `address` is: a register of FFixedHW or SystemIO, an integer; "" for an entry that
             the kernel cannot use
    sources  (level, entry) of each state that it was combined of, the processor's first, from 0 on
    """

    index: int = 0
    residency_us: int = 0
    latency_us: int = 0
    flags: int = 0
    arch_flags: int = 0
    parent: int = 0
    address: int = 0
    entry: Literal["", "ffh", "io", "integer"] = ""
    description: str = ""
    sources: tuple[tuple[int, int], ...] = ()
    reason: str = ""


@dataclass(slots=True)
class Flattened:
    """The states of a processor and its containers.

    states    in the kernel's order, at most as many as fit
    refused   why there are none at all; "" if _LPI was taken
    overflow  how many states the kernel writes behind the last place there is, over other memory
    levels    entries of each level that was looked at, those that cannot be used too
    """

    states: list[LpiEntry] = field(default_factory=list)
    refused: str = ""
    overflow: int = 0
    levels: list[list[LpiEntry]] = field(default_factory=list)


def evaluate(
    lpi: AcpiObject, features: AcpiIdleFeatures, level: int = 0, *, strict: bool = False
) -> list[LpiEntry] | str:
    """Returns the entries of a level, or why the kernel refuses its _LPI. See flatten()."""
    if not isinstance(lpi, tuple) or len(lpi) < 4:
        return "expected a package of 4 elements or more"
    count = lpi[2]
    if not isinstance(count, int) or count & U32_MAX != len(lpi) - 3:
        return f"expected {len(lpi) - 3} as number of states"
    entries = []
    for number, element in enumerate(lpi[3:]):
        entry = _entry(element, number + 1, features, strict)
        entry.sources = ((level, number),)
        entries.append(entry)
    return entries


def _entry(element: AcpiObject, number: int, features: AcpiIdleFeatures, strict: bool) -> LpiEntry:
    result = LpiEntry(number & 0xFF)
    if not isinstance(element, tuple) or len(element) < 7:
        result.reason = "expected a package of at least 7 elements"
        return result
    method = element[6]
    if isinstance(method, bytes):
        register = register_of(method)
        spaces = {FIXED_HARDWARE: "ffh", SYSTEM_IO: "io"}
        if features.checks_register and len(method) < _REGISTER_BYTES:
            result.reason = f"expected a register of {_REGISTER_BYTES} bytes, found {len(method)}"
            return result
        if features.lpi_bounds == "leaf":
            del spaces[SYSTEM_IO]
        if register.space not in spaces:
            result.reason = f"cannot be entered by {register}"
            return result
        result.address = register.address
        result.entry = "ffh" if register.space == FIXED_HARDWARE else "io"
    elif isinstance(method, int):
        result.address, result.entry = method & U64_MAX, "integer"
    else:
        result.reason = "expected a register or an integer to enter it by"
        return result
    numbers = [each & U32_MAX if isinstance(each, int) else None for each in element[:6]]
    residency, latency, flags, arch_flags, _, parent = numbers
    if strict and (residency is None or latency is None):
        result.reason = "has no integer for its residency or its latency"
        return result
    result.residency_us = _UNKNOWN_US if residency is None else residency
    result.latency_us = _UNKNOWN_US if latency is None else latency
    result.flags, result.arch_flags, result.parent = flags or 0, arch_flags or 0, parent or 0
    if len(element) >= 10 and isinstance(element[9], str):
        result.description = element[9][:_DESCRIPTION]
    if not result.flags & _ENABLED:
        result.reason = "its flag says that it is disabled"
    return result


def flatten(
    machine: AcpiMachine, features: AcpiIdleFeatures, say: Say, *, strict: bool = False
) -> Flattened:
    """The states of a processor, combined with those of its containers.

    say     is told each message of the kernel
    strict  entries without integers for residency and latency are left out, as intel_idle asks
    """
    return _Flattening(machine, features, say, strict).run()


@dataclass(slots=True)
class _Flattening:
    machine: AcpiMachine
    features: AcpiIdleFeatures
    say: Say
    strict: bool
    result: Flattened = field(default_factory=Flattened)

    def run(self) -> Flattened:
        result, levels = self.result, self.machine.acpi.lpi
        if not self.machine.osc_lpi:
            result.refused = "firmware did not confirm _LPI by _OSC"
            return result
        own = evaluate(levels[0].lpi if levels else None, self.features, strict=self.strict)
        if isinstance(own, str):
            result.refused = own if levels and levels[0].lpi is not None else "there is no _LPI"
            return result
        result.levels.append(own)
        below = self.own(own)
        if self.features.lpi_bounds == "leaf" and not result.states:
            result.refused = "no state of the processor's own can be used"
            return result
        for number, level in enumerate(levels[1:], 1):
            entries = evaluate(level.lpi, self.features, number, strict=self.strict)
            if isinstance(entries, str):
                break
            result.levels.append(entries)
            below = self.combined(entries, below)
        result.overflow = max(0, len(result.states) - MOST)
        del result.states[MOST:]
        return result

    def own(self, entries: Sequence[LpiEntry]) -> list[LpiEntry]:
        """Takes the processor's own states. Returns them."""
        kept = []
        for entry in entries:
            if not entry.flags & _ENABLED:
                continue
            if self.features.lpi_bounds == "leaf" and entry.entry == "integer":
                entry.reason = "a processor's own state needs a register"
                continue
            if self.is_full():
                break
            kept.append(entry)
            self.result.states.append(entry)
        return kept

    def combined(self, entries: Sequence[LpiEntry], below: Sequence[LpiEntry]) -> list[LpiEntry]:
        """Takes the states of a container, each with those of the level below that allow it."""
        kept: list[LpiEntry] = []
        for entry in entries:
            if not entry.flags & _ENABLED:
                continue
            if self.is_full():
                break
            for local in below:
                if entry.index > local.parent:
                    continue
                if entry.entry == "integer" and not entry.address:
                    continue
                state = _combine(local, entry)
                kept.append(state)
                self.result.states.append(state)
                if self.features.lpi_bounds and len(self.result.states) >= MOST:
                    break
        return kept

    def is_full(self) -> bool:
        if len(self.result.states) < MOST:
            return False
        if self.features.lpi_bounds == "leaf":
            text = f"ACPI: {self.machine.path}: No space for more _LPI states than {MOST}"
            self.say("info", text)
        else:
            self.say("warning", f"ACPI: Limiting number of LPI states to max ({MOST})")
            more = "Please increase ACPI_PROCESSOR_MAX_POWER if needed."
            self.say("warning", f"ACPI: {more}")
        return True


def _combine(local: LpiEntry, parent: LpiEntry) -> LpiEntry:
    address = parent.address
    if parent.entry == "integer":
        address = local.address + parent.address & U64_MAX
    return LpiEntry(
        parent.index,
        max(local.residency_us, parent.residency_us),
        local.latency_us + parent.latency_us & U32_MAX,
        parent.flags,
        parent.arch_flags,
        parent.parent,
        address,
        local.entry,
        f"{local.description}+{parent.description}"[:_DESCRIPTION],
        local.sources + parent.sources,
    )
