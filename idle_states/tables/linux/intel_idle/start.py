"""intel_idle's start: what the driver registers on a machine, as intel_idle_init() puts it
together.

Not modelled: how a state is entered, MSRs that are written, another driver that was there first.
"""

import errno
from typing import Literal

from ....base.dataclass import dataclass, field, replace
from ....base.model.beyond_opal import MatchedCpu
from ....base.model.stages import Message
from ..cpuidle_flags import (
    ALWAYS_ENABLE,
    HINT_SHIFT,
    IBRS,
    INIT_XSTATE,
    IRQ_ENABLE,
    OFF,
    PARTIAL,
    POLLING,
    TIMER_STOP,
    TLB_FLUSHED,
    UNUSABLE,
)
from .features import IntelIdleFeatures
from .machine import AcpiState, IntelIdleParameters, X86Machine
from .states import POLL, IntelIdleData, StartedState
from .table_parameter import PREFIX, Adjustable, adjusted
from .updates import array_of, unusable_because, updated

_OWN_TLB_FLUSHED = 1 << 16
MOST_STATES = 10
_INTEL = 0
_SUBSTATES = 0xF
CST_FACTOR = 3


@dataclass(frozen=True, slots=True)
class LeftRow:
    """A row that the driver does not register. row: its number among the driver's own rows, or
    ACPI's entries; cause: short and stable, as of stages.Lost."""

    row: int
    cause: str
    reason: str


@dataclass(frozen=True, slots=True)
class IntelIdleStart:
    """The outcome of the driver's start.

    status          0, or an error number: ENODEV, EPERM; then another driver may have the CPUs
    states          as registered, POLL first; none unless status is 0
    messages        from info on, in order; the kernel log has them with the driver's name
    tsc_unstable    how often the driver found that the TSC halts in a state
    because         why it did not start, in words; "" if it did
    array           the array whose rows it registered; "" for ACPI's entries
    rows            of each state but POLL: its row in that array, or its entry
    left            rows that it did not register
    off             name -> why a state is registered switched off
    """

    status: int
    states: tuple[StartedState, ...] = ()
    messages: tuple[Message, ...] = ()
    tsc_unstable: int = 0
    because: str = field(default="", compare=False)
    array: str = ""
    rows: tuple[int, ...] = ()
    left: tuple[LeftRow, ...] = ()
    off: tuple[tuple[str, str], ...] = ()


def start(
    data: IntelIdleData,
    machine: X86Machine,
    parameters: IntelIdleParameters,
    features: IntelIdleFeatures,
) -> IntelIdleStart:
    """Returns what the driver registers."""
    return _Start(data, machine, parameters, features).run()


@dataclass(slots=True)
class _Start:
    data: IntelIdleData
    machine: X86Machine
    parameters: IntelIdleParameters
    features: IntelIdleFeatures
    states: list[StartedState] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    left: list[LeftRow] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    array: str = ""
    tsc_unstable: int = 0
    acpi: tuple[AcpiState, ...] = ()
    has_lpi: bool = False

    def run(self) -> IntelIdleStart:
        machine, parameters = self.machine, self.parameters
        if parameters.idle:
            return self.fails("the kernel was given an idle= option")
        if parameters.max_cstate == 0:
            return self.fails("max_cstate is 0", errno.EPERM)
        cpu = self.data.listed(self.machine)
        if not machine.mwait:
            return self.fails("the processor has no MWAIT, or firmware hides it")
        if cpu is None and not self.is_any_intel():
            return self.fails("the driver does not know the processor")
        if machine.monitor_ecx & 3 != 3 or not machine.substates:
            return self.fails("CPUID leaf 5 has no MWAIT sub-states that the driver can use")
        if self.features.no_native and parameters.no_native and not parameters.no_acpi:
            cpu = None
        if (cpu is None or not cpu.table) and not self.find_acpi():
            return self.fails(
                "the processor has no table in this release, and ACPI no states that can be used"
            )
        if cpu is not None and self.asks_acpi(cpu):
            self.find_acpi()
        self.states.append(replace(POLL, flags=POLLING | self.off(0)))
        if cpu is not None and cpu.table:
            self.add_native(cpu)
        elif self.has_lpi:
            self.add_lpi()
        else:
            self.add_cst()
        if self.features.table_parameter:
            self.adjust()
        return IntelIdleStart(
            0,
            tuple(self.states),
            tuple(self.messages),
            self.tsc_unstable,
            array=self.array,
            rows=tuple(self.rows),
            left=tuple(self.left),
            off=tuple(self.reasons.items()),
        )

    def fails(self, because: str, status: int = errno.ENODEV) -> IntelIdleStart:
        return IntelIdleStart(status, because=because)

    def is_any_intel(self) -> bool:
        """Tells whether a processor that is not listed may have ACPI's states."""
        family = self.features.any_family or self.machine.family == 6
        return self.features.acpi and self.machine.vendor == _INTEL and family

    def asks_acpi(self, cpu: MatchedCpu) -> bool:
        settings = self.parameters.use_acpi, bool(dict(cpu.settings).get("use_acpi"))
        return self.features.acpi and (all(settings) if self.features.needs_both else any(settings))

    def find_acpi(self) -> bool:
        """Takes ACPI's states if they can be used."""
        if self.parameters.no_acpi:
            return False
        found: tuple[AcpiState, ...] | None = None
        left: tuple[AcpiState, ...] = ()
        if self.features.lpi and self.machine.lpi is not None:
            self.has_lpi = True
            found = self.machine.lpi
        elif self.machine.cst is not None:
            reached = self.machine.cst[: min(MOST_STATES, self.parameters.max_cstate + 1) - 1]
            found = self.machine.cst if all(state.is_ffh for state in reached) else None
            if found is None and self.features.keeps_unusable:
                left = self.machine.cst
        if found is None or not self.machine.claims:
            self.acpi = left
            return False
        self.acpi = found
        return True

    def off(self, index: int, name: str = POLL.name) -> int:
        if not self.features.states_off or not self.parameters.states_off >> index & 1:
            return 0
        self.reasons[name] = f"bit {index} of states_off is set"
        return OFF

    def say(self, text: str, level: Literal["info", "warning", "error"] = "info") -> None:
        self.messages.append(Message(level, PREFIX + text))

    def is_beyond(self, number: int, row: int, count: int) -> bool:
        """Tells whether max_cstate ends the list before its place `number`, at row `row` of
        `count`."""
        limit = self.parameters.max_cstate
        if number + 1 > limit:
            self.say(f"max_cstate {limit} reached", self.features.limit_level)
            reason = f"max_cstate={limit} stops after row {limit}; unregistered rows count too"
            self.left += (LeftRow(each, "max-cstate", reason) for each in range(row, count))
            return True
        return False

    def timer_stop(self, flags: int) -> int:
        deeper = flags >> HINT_SHIFT + 4 & 0xF
        stops = self.features.timer_stop and not self.machine.arat and deeper
        return TIMER_STOP if stops else 0

    # the driver's own tables

    def add_native(self, cpu: MatchedCpu) -> None:
        given = self.machine, self.parameters, self.features
        rows, dropped = updated(self.data, cpu, *given)
        self.array = array_of(cpu, self.machine)
        if dropped:
            self.say(f"Dropping idle state {dropped} because PC6 is disabled")
        for number in range(MOST_STATES):
            at_end = number >= len(rows)
            if at_end and not self.features.acpi:
                return
            if self.is_beyond(number, number, len(rows)) or at_end:
                return
            row = rows[number]
            if row.flags & UNUSABLE:
                self.leave(number, "unusable", unusable_because(row, self.machine, dropped))
                continue
            if not self.has_substates(row.hint):
                reason = f"CPUID leaf 5 has no sub-states for MWAIT hint {row.hint:#04x}"
                self.leave(number, "no-substate", reason)
                continue
            flags = self.entered(row.flags, number) | self.off(len(self.states), row.name)
            if self.asks_acpi(cpu) and self.is_missing(row) and not flags & ALWAYS_ENABLE:
                flags |= OFF
                self.reasons.setdefault(row.name, f"ACPI names no state of hint {row.hint:#04x}")
            self.rows.append(number)
            self.states.append(replace(row, flags=flags | self.timer_stop(flags)))

    def leave(self, row: int, cause: str, reason: str) -> None:
        self.left.append(LeftRow(row, cause, reason))

    def has_substates(self, hint: int) -> bool:
        cstate = (hint >> 4) + 1 & 0xF
        if not self.machine.substates >> cstate * 4 & _SUBSTATES:
            return False
        self.tsc_unstable += cstate > 2 and not self.machine.nonstop_tsc
        return True

    def entered(self, flags: int, number: int) -> int:
        """The flags after the way to enter a state was chosen."""
        ibrs_off = self.features.ibrs_off and self.parameters.ibrs_off
        forced = f"forced intel_idle_irq for state {number}"
        if self.features.force_irq_on == "any":
            if self.parameters.force_irq_on or flags & IRQ_ENABLE:
                self.say(forced, "warning")
            return flags
        if flags & INIT_XSTATE:
            return flags
        if self.machine.kernel_ibrs and (flags & IBRS or ibrs_off):
            return flags & ~IRQ_ENABLE if ibrs_off else flags
        force = self.features.force_irq_on == "rest" and self.parameters.force_irq_on
        if force and not flags & IRQ_ENABLE:
            self.say(forced)
        return flags

    def is_missing(self, row: StartedState) -> bool:
        """Tells whether ACPI names states, and none with this hint."""
        if not self.acpi:
            return False
        ignored = 0xF if self.features.partial_hints and row.flags & PARTIAL else 0
        # an array of the kernel's has room for MOST_STATES, the first of them empty for _CST
        known = self.acpi if self.has_lpi else self.acpi[: MOST_STATES - 1]
        return all((state.address & 0xFFFFFFFF | ignored) != row.hint | ignored for state in known)

    # ACPI's states

    def add_cst(self) -> None:
        for number, state in enumerate(self.acpi[: MOST_STATES - 1], 1):
            place = number - 1 if self.features.exact_limit else number
            if self.is_beyond(place, number - 1, len(self.acpi)):
                return
            deeper, name = state.cstate > 1, f"C{number}_ACPI"
            flags = (state.address & 0xFF) << HINT_SHIFT | self.off(number, name)
            if state.cstate > 2:
                flags |= _OWN_TLB_FLUSHED if self.features.own_tlb_flag else TLB_FLUSHED
            self.tsc_unstable += self.features.marks_tsc and deeper and not self.machine.nonstop_tsc
            self.rows.append(number - 1)
            self.states.append(
                StartedState(
                    name,
                    state.description,
                    state.latency_us,
                    state.latency_us * (CST_FACTOR if deeper else 1) & 0xFFFFFFFF,
                    flags | self.timer_stop(flags),
                )
            )

    def add_lpi(self) -> None:
        count = 0
        for index, state in enumerate(self.acpi):
            if self.is_beyond(index, index, len(self.acpi)):
                break
            count += 1
            name = f"C{index + 1}_LPI"
            flags = (state.address & 0xFF) << HINT_SHIFT | self.off(index + 1, name)
            flags |= TLB_FLUSHED if index > 1 else 0
            flags |= self.timer_stop(flags)
            times = state.latency_us, state.residency_us
            self.rows.append(index)
            self.states.append(StartedState(name, state.description, *times, flags))
            self.say(f"{name}: MWAIT hint {flags >> HINT_SHIFT:#x}")
        self.tsc_unstable += count > 1 and not self.machine.nonstop_tsc

    def adjust(self) -> None:
        """The parameter table=."""
        result = adjusted(
            [Adjustable(s.name, s.exit_latency_us, s.target_residency_us) for s in self.states],
            self.parameters.table,
        )
        self.messages += result.messages
        self.states = [
            replace(
                state,
                exit_latency_us=times.exit_latency_us,
                target_residency_us=times.target_residency_us,
            )
            for state, times in zip(self.states, result.states, strict=True)
        ]
