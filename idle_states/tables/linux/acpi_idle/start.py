"""acpi_idle's start: what the driver registers for a machine, as processor_idle.c puts it together.

One processor is followed, the first; all others are taken to be alike, and repeat its messages.
Not modelled: how a state is entered, notifications of changed states, processors added later.
"""

from typing import Literal

from ....base.dataclass import dataclass, field, replace
from ....base.model.stages import Level, Message
from ....base.model.table import U32_MAX
from ..cpuidle_flags import POLLING, RCU_IDLE, TIMER_STOP, TLB_FLUSHED
from ..suspend_parameter import is_psci_state, is_sbi_state
from .cst import CstEvaluation, EvaluatedCst, Skipped
from .features import AcpiIdleFeatures
from .lpi import Flattened, LpiEntry, flatten
from .machine import AMD, AcpiIdleParameters, AcpiMachine
from .slots import (
    FADT_C2_MP,
    LIMITED_BOARDS,
    SLOTS,
    CstateSlot,
    Method,
    Verified,
    add_c1,
    fadt,
    verify,
)

_BITS_59_32, _SBI_TYPE = (1 << 60) - (1 << 32), 1
_TIMER_LOST = 1
"""Arm: core context; RISC-V: the hart's timer."""
_C3 = 3


@dataclass(frozen=True, slots=True)
class AcpiIdleState:
    """A state as registered. Times in us; flags: CPUIDLE_FLAG_*.

    method  how it is entered: by polling, HLT, MWAIT or what FFixedHW means on the architecture,
            a port; "integer" cannot be entered
    address  of its register
    s2idle  it can be entered in suspend-to-idle
    slot    of _CST or the FADT: where the kernel keeps it; None of _LPI and for POLL
    source  which entry of _CST it is, from 0 on; None for what the kernel made
    lpi     of _LPI: (level, entry) of each state it was combined of
    """

    name: str
    description: str
    exit_latency_us: int
    target_residency_us: int
    flags: int = 0
    method: Method | Literal["poll", "integer"] = "poll"
    address: int = 0
    s2idle: bool = False
    slot: int | None = None
    source: int | None = None
    lpi: tuple[tuple[int, int], ...] = ()


POLL = AcpiIdleState("POLL", "CPUIDLE CORE POLL IDLE", 0, 0, POLLING)


@dataclass(frozen=True, slots=True)
class AcpiIdleStart:
    """The outcome of the driver's start.

    registered    the driver is the kernel's cpuidle driver
    states        of the driver; none unless it is registered
    has_device    the processors use it, and show its states in sysfs
    origin        what the states come from: _LPI, _CST, the FADT; "" for none
    messages      from info on, in order
    tsc_unstable  how often the driver found that the TSC halts in a state
    skipped       entries of _CST without a state
    slots         C-states as the kernel keeps them
    out_of_order  latencies of C-states had to be put in order
    max_cstate    slots up to which states are looked at
    refused       why _LPI, _CST or the FADT gave nothing, in that order
    flattened     what _LPI came to; None if it was not looked at
    """

    registered: bool
    states: tuple[AcpiIdleState, ...]
    has_device: bool
    origin: Literal["", "lpi", "cst", "fadt"]
    messages: tuple[Message, ...]
    tsc_unstable: int = 0
    skipped: tuple[Skipped, ...] = ()
    slots: tuple[CstateSlot, ...] = field(default=(), compare=False)
    out_of_order: bool = False
    max_cstate: int = SLOTS
    refused: tuple[str, ...] = ()
    flattened: Flattened | None = field(default=None, compare=False)


def start(
    machine: AcpiMachine, parameters: AcpiIdleParameters, features: AcpiIdleFeatures
) -> AcpiIdleStart:
    """Returns what the driver registers."""
    return _Start(machine, parameters, features).run()


class _Start:
    def __init__(
        self, machine: AcpiMachine, parameters: AcpiIdleParameters, features: AcpiIdleFeatures
    ) -> None:
        self.machine = machine
        self.parameters = parameters
        self.features = features
        self.max_cstate = parameters.max_cstate
        self.checked = self.has_lpi = self.has_cst = self.has_power = False
        self.is_set_up = self.registered = self.has_device = False
        self.cst = EvaluatedCst()
        self.verified = Verified()
        self.flattened: Flattened | None = None
        self.origin: Literal["", "lpi", "cst", "fadt"] = ""
        self.states: list[AcpiIdleState] = []
        self.messages: list[Message] = []
        self.refused: list[str] = []
        self.tsc_unstable = 0

    def run(self) -> AcpiIdleStart:
        if self.features.registers_first:
            self.register_first()
        self.init_processor()
        return AcpiIdleStart(
            self.registered,
            tuple(self.states) if self.registered else (),
            self.has_device,
            self.origin,
            tuple(self.messages),
            self.tsc_unstable,
            tuple(self.cst.skipped),
            tuple(self.cst.slots),
            self.verified.out_of_order,
            self.max_cstate,
            tuple(self.refused),
            self.flattened,
        )

    def say(self, level: Level, text: str) -> None:
        self.messages.append(Message(level, text))

    # the order of things

    def register_first(self) -> None:
        """acpi_processor_register_idle_driver()."""
        self.check_limits()
        if self.read():
            self.is_set_up = True
            self.set_up_states()
            self.registered = bool(self.states)

    def init_processor(self) -> None:
        """acpi_processor_power_init()."""
        if self.features.needs_driver and not self.registered:
            return
        if self.machine.is_x86 and self.parameters.idle in ("halt", "poll"):
            return
        if not self.features.checks_once:
            self.check_limits()
        if self.read():
            self.is_set_up = True
        if not self.has_power:
            return
        if not self.features.registers_first:
            self.set_up_states()
            self.registered = bool(self.states)
            if not self.registered:
                return
        self.set_up_device()
        self.has_device = self.registered

    def check_limits(self) -> None:
        """acpi_processor_cstate_first_run_checks()."""
        if self.checked or not self.machine.is_x86:
            return
        self.checked = True
        machine, board = self.machine, self.machine.dmi
        limit = LIMITED_BOARDS.get(board)
        known = limit is not None and (self.features.t40 or board != "IBM ThinkPad T40")
        if limit is not None and known and self.max_cstate <= SLOTS:
            override = f'Override with "processor.max_cstate={SLOTS + 1}"'
            text = f"ACPI: {board} detected - limiting to C{limit} max_cstate. {override}"
            self.say("notice", text)
            self.max_cstate = limit
        early_amd = machine.vendor == AMD and machine.family == 15 and machine.model <= 5
        if machine.apic_c1e or (early_amd and machine.stepping < 10):
            self.max_cstate = 1
        if self.max_cstate < _C3:
            prefix = "ACPI: ACPI: " if self.features.prefix else "ACPI: "
            text = f"{prefix}processor limited to max C-state {self.max_cstate}"
            self.say("notice", text)
        table = machine.acpi.fadt
        if self.parameters.nocst or not (table and table.cst_control) or machine.claims:
            return
        if self.features.shared_cst:
            prefix = "ACPI: ACPI: " if self.features.claim_prefix else "ACPI: "
            self.say("warning", f"{prefix}Failed to claim processor _CST control")

    def read(self) -> bool:
        """acpi_processor_get_power_info(). Returns whether there is something to use."""
        self.refused = []
        if not self.read_lpi():
            return self.machine.is_x86 and self.read_cstates()
        if self.features.validates_lpi and self.lpi_error():
            self.say("error", "ACPI: CPU0: Invalid FFH LPI data")
            return False
        return True

    # _LPI

    def read_lpi(self) -> bool:
        if not self.features.lpi:
            self.refused.append("this kernel does not read _LPI")
            return False
        if self.features.asks_arch and self.lpi_error() == "unsupported":
            arm = self.machine.acpi.arch == "arm64"
            why = "PSCI has no CPU_SUSPEND" if arm else "the architecture knows no _LPI"
            self.refused.append(why)
            return False
        found = flatten(self.machine, self.features, self.say)
        if found.refused:
            self.refused.append(found.refused)
            return False
        self.flattened, self.origin = found, "lpi"
        self.has_lpi = self.has_power = True
        return True

    def lpi_error(self) -> str:
        """acpi_processor_ffh_lpi_probe() of the architecture: why it refuses the states; "" if it
        does not."""
        arch = self.machine.acpi.arch
        if self.machine.is_x86 or (arch == "riscv64" and not self.features.riscv):
            return "unsupported"
        suspends = arch == "riscv64" or self.machine.psci_suspends
        if self.features.asks_psci and not suspends:
            return "unsupported"
        if not self.has_lpi:
            return "invalid"
        found = self.flattened
        assert found is not None
        if arch == "riscv64":
            return self.sbi_error(found)
        if not suspends:
            return "unsupported"
        if len(found.states) < 2 and not self.features.lone_lpi:
            return "no state beyond the first"
        for state in found.states[1:]:
            power_state = state.address & U32_MAX
            if not is_psci_state(power_state, self.machine.psci):
                prefix = "psci: " if self.features.psci_prefix else ""
                self.say("warning", f"{prefix}Invalid PSCI power state {_hex(power_state)}")
                return "invalid"
        return ""

    def sbi_error(self, found: Flattened) -> str:
        if not self.machine.sbi_hsm:
            return "no HSM"
        if len(found.states) < 2:
            return "no state beyond the first"
        for state in found.states[1:]:
            if state.address >> 60 != _SBI_TYPE or state.address & _BITS_59_32:
                self.say("warning", f"Invalid LPI entry method {_hex(state.address)}")
                return "invalid"
            if not is_sbi_state(state.address & U32_MAX):
                text = f"Invalid SBI power state {_hex(state.address & U32_MAX)}"
                self.say("warning", text)
                return "invalid"
        return ""

    # C-states

    def read_cstates(self) -> bool:
        """acpi_processor_get_cstate_info()."""
        machine, features, cst = self.machine, self.features, self.machine.acpi.cst
        self.cst = EvaluatedCst()
        if cst is None or self.parameters.nocst:
            self.refused.append("the parameter nocst" if cst is not None else "there is no _CST")
            if not fadt(self.cst.slots, machine, features):
                self.refused.append("the FADT has no port for C2 or C3")
                return False
            origin: Literal["cst", "fadt"] = "fadt"
        else:
            self.cst = CstEvaluation(machine, self.parameters, features, self.say).run(cst)
            if self.cst.refused:
                self.refused.append(self.cst.refused)
                return False
            origin, self.has_cst = "cst", True
        self.origin = origin
        slots = self.cst.slots
        add_c1(slots, self.features)
        limits = self.max_cstate, self.has_cst
        self.verified = verify(slots, machine, self.parameters, *limits, features)
        self.tsc_unstable += self.verified.tsc_unstable
        if self.verified.out_of_order:
            text = "ACPI: FW issue: working around C-state latencies out of order"
            self.say("notice", text)
        deep = any(slot.valid and slot.kind > 1 for slot in slots)
        self.has_power = self.has_power or deep or not features.needs_c2
        return True

    # registration

    def set_up_states(self) -> None:
        """acpi_processor_setup_cpuidle_states()."""
        if not self.is_set_up or not self.has_power:
            return
        if self.has_lpi:
            assert self.flattened is not None
            self.states = [
                self.lpi_state(at, state) for at, state in enumerate(self.flattened.states)
            ]
            if self.machine.is_x86 and not self.features.own_poll:
                self.states[:1] = (
                    replace(POLL, flags=first.flags | POLLING, s2idle=first.s2idle)
                    for first in self.states[:1]
                )
            return
        self.max_cstate = self.max_cstate or 1
        self.states = [POLL, *(self.cstate(number) for number in self.used())]

    def used(self) -> list[int]:
        """The slots that make states."""
        last = min(SLOTS - 1, self.max_cstate)
        return [number for number in range(1, last + 1) if self.cst.slots[number].valid]

    def cstate(self, number: int) -> AcpiIdleState:
        slot = self.cst.slots[number]
        table = self.machine.acpi.fadt
        shares_c2 = self.has_cst or bool(table and table.flags & FADT_C2_MP)
        return AcpiIdleState(
            f"C{number}",
            slot.description,
            slot.latency_us,
            slot.latency_us * self.parameters.latency_factor & U32_MAX,
            self.flags(number) if self.features.state_flags == "driver" else 0,
            slot.method,
            slot.address,
            slot.kind != 1 and shares_c2,
            number,
            slot.source,
        )

    def flags(self, number: int) -> int:
        """Returns the flags of the C-state in a slot."""
        slot, verified = self.cst.slots[number], self.verified
        flags = 0
        if verified.broadcast is not None and number >= verified.broadcast:
            flags |= TIMER_STOP
        if slot.kind == _C3:
            flags |= TLB_FLUSHED | (RCU_IDLE if verified.bm_check else 0)
        return flags

    def set_up_device(self) -> None:
        """acpi_processor_setup_cpuidle_dev()."""
        if self.has_lpi:
            if not self.features.validates_lpi:
                self.lpi_error()
        elif self.features.state_flags == "device":
            marked = zip(self.states[1:], self.used(), strict=True)
            self.states[1:] = [
                replace(state, flags=state.flags | self.flags(number)) for state, number in marked
            ]

    def lpi_state(self, at: int, state: LpiEntry) -> AcpiIdleState:
        flags = 0
        if state.arch_flags & self.timer_flags():
            flags |= TIMER_STOP
        if self.features.lpi_rcu and at and state.entry == "ffh":
            flags |= RCU_IDLE
        return AcpiIdleState(
            f"LPI-{at}",
            state.description,
            state.latency_us,
            state.residency_us,
            flags,
            state.entry or "io",
            state.address,
            lpi=state.sources,
        )

    def timer_flags(self) -> int:
        """The architectural flags of states of _LPI whose timer stops."""
        if self.features.lpi_timer == "any":
            return U32_MAX
        arch = self.machine.acpi.arch
        known = arch == "arm64" or (arch == "riscv64" and self.features.lpi_timer == "each")
        return _TIMER_LOST if known else 0


def _hex(number: int) -> str:
    """Returns a number as printk() writes it with %#x."""
    return f"{number:#x}" if number else "0"
