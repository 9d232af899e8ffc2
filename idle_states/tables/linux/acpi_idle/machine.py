"""A machine as acpi_idle finds it, and the driver's parameters."""

from typing import Literal

from ....base.dataclass import dataclass
from ....base.model.beyond_opal import AcpiIdle
from ..psci_firmware import USUAL_FIRMWARE, PsciFirmware

INTEL, AMD, CENTAUR, HYGON, ZHAOXIN = 0, 2, 5, 9, 10
"""X86_VENDOR_*."""
PBLK_BYTES = 6

Place = tuple[int, int]
"""The place of an entry in ACPI's objects: level (-1 for _CST) and number, from 0 on."""


@dataclass(frozen=True, slots=True)
class AcpiMachine:
    """A machine, by what its ACPI tables, processors and firmware answer. Its processors are taken
    to be alike.

    acpi           objects of its processors
    cpus           processors that are online
    vendor         X86_VENDOR_*
    stepping       of CPUID leaf 1, as family and model
    cpuid_level    highest basic leaf of CPUID
    monitor_ecx    ECX of CPUID leaf 5: bits 0 and 1 are needed for MWAIT
    substates      EDX of it: four bits for each C-state, from C0 on
    arat           the local timer runs in every state
    nonstop_tsc    the TSC does, too
    apic_c1e       AMD's erratum 400: the local timer stops in C1E
    bm_control     the FADT has a PM2 control block: bus masters can be stopped
    piix4_fdma     a PIIX4 with fast DMA: no C3
    dmi            name of a board that the driver limits (`slots.LIMITED_BOARDS`); "" for any other
    claims         firmware lets the kernel have control of _CST
    osc_lpi        firmware confirmed _LPI by _OSC
    psci_suspends  Arm: PSCI has CPU_SUSPEND
    psci           Arm: what else it offers
    sbi_hsm        RISC-V: SBI has the extension HSM
    """

    acpi: AcpiIdle
    cpus: int = 4
    vendor: int = INTEL
    family: int = 6
    model: int = 0x8E
    stepping: int = 0
    cpuid_level: int = 22
    monitor_ecx: int = 3
    substates: int = 0x11111111
    arat: bool = True
    nonstop_tsc: bool = True
    apic_c1e: bool = False
    bm_control: bool = True
    piix4_fdma: bool = False
    dmi: str = ""
    claims: bool = True
    osc_lpi: bool = True
    psci_suspends: bool = True
    psci: PsciFirmware = USUAL_FIRMWARE
    sbi_hsm: bool = True

    @property
    def is_x86(self) -> bool:
        return self.acpi.arch in ("x86", "")

    @property
    def block(self) -> int:
        """Port of P_BLK if it has P_LVL2 and P_LVL3, else 0."""
        processor = self.acpi.processors[0]
        return processor.block if processor.block_bytes == PBLK_BYTES else 0

    @property
    def path(self) -> str:
        """The first processor's path as the kernel writes it, names padded to four characters."""
        root, *names = self.acpi.processors[0].path.lstrip("\\^").split(".")
        return "\\" + ".".join(name.ljust(4, "_") for name in (root, *names))


@dataclass(frozen=True, slots=True)
class AcpiIdleParameters:
    """The parameters of the module `processor`, and of the kernel.

    bm_check_disable  decides when a state is entered, not whether it is registered
    idle              idle=
    lapic_timer_c2_ok  the kernel was given the parameter of that name
    """

    max_cstate: int = 8
    nocst: bool = False
    bm_check_disable: bool = False
    latency_factor: int = 2
    idle: Literal["", "halt", "nomwait", "poll"] = ""
    lapic_timer_c2_ok: bool = False
