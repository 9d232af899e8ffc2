"""A machine as intel_idle finds it, and the driver's parameters."""

from ....base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AcpiState:
    """A state of ACPI's _CST or _LPI, as the kernel keeps it. Times in us.

    cstate       its type, 1 for C1; of _LPI it does not count
    is_ffh       it is entered by MWAIT (functional fixed hardware)
    address      of its register: the hint
    residency_us  of _LPI; _CST has none
    """

    description: str
    address: int
    latency_us: int
    cstate: int = 1
    is_ffh: bool = True
    residency_us: int = 0


@dataclass(frozen=True, slots=True)
class X86Machine:
    """A machine, by what its processors and firmware answer.

    vendor         X86_VENDOR_*: 0 for Intel
    mwait          the CPU flag of that name, which firmware may hide
    arat           the local timer runs in every state
    nonstop_tsc    the TSC does, too
    kernel_ibrs    the kernel sets IBRS on entry (a mitigation that was chosen)
    monitor_ecx    ECX of CPUID leaf 5: bits 0 and 1 are needed
    substates      EDX of it: four bits for each C-state, from C0 on
    pkg_cst        MSR_PKG_CST_CONFIG_CONTROL
    sgx, sgx_on    processor has SGX; firmware enabled it
    irtl           MSRs of interrupt response limits for package C6, C7, C8, C9, C10
    packages       physical packages
    cst, lpi       ACPI's objects; None where there is none that the kernel can use
    claims         firmware lets the kernel have control of _CST
    """

    model: int
    family: int = 6
    vendor: int = 0
    mwait: bool = True
    arat: bool = True
    nonstop_tsc: bool = True
    kernel_ibrs: bool = False
    monitor_ecx: int = 3
    substates: int = 0x11111111
    pkg_cst: int = 7
    sgx: bool = False
    sgx_on: bool = False
    irtl: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    packages: int = 1
    cst: tuple[AcpiState, ...] | None = None
    lpi: tuple[AcpiState, ...] | None = None
    claims: bool = True


@dataclass(frozen=True, slots=True)
class IntelIdleParameters:
    """intel_idle's parameters; what a release does not have is ignored. idle: the kernel was given
    an idle= option."""

    max_cstate: int = 9
    states_off: int = 0
    use_acpi: bool = False
    no_acpi: bool = False
    no_native: bool = False
    preferred_cstates: int = 0
    force_irq_on: bool = False
    ibrs_off: bool = False
    table: bytes = b""
    idle: bool = False
