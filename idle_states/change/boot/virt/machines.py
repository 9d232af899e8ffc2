"""QEMU's virt machines, and what their firmware does with a suspend parameter."""

from collections.abc import Callable

from ....base.dataclass import dataclass
from ....tables.linux.psci_firmware import PsciFirmware
from ....tables.linux.suspend_parameter import PSCI_PARAMETER, SBI_PARAMETER
from ..machine import GUEST, Machine

_PSCI_RUNS = 0xFFFF
_PSCI_POWER_DOWN = 1 << 16
_SBI_DEFAULTS = (0, 0x8000_0000)
_HARDWARE = ("-m", "512M", "-nographic", "-monitor", "none", "-nic", "none")


@dataclass(frozen=True, slots=True)
class VirtMachine(Machine):
    """A machine without OPAL.

    riscv         its CPUs are RISC-V's; otherwise Arm's
    firmware      of which it asks to suspend a CPU
    parameter     the property with the argument for firmware
    refuses       why firmware does not suspend a CPU with this argument; "" if it does
    offers        what PSCI's firmware does (Arm)
    says          lines of the kernel that say so
    domain_name   what CPUs call their power domain in power-domain-names
    driver, wfi   name of the cpuidle driver; description of its state 0
    """

    riscv: bool
    firmware: str
    parameter: str
    refuses: Callable[[int], str]
    offers: PsciFirmware
    says: tuple[str, ...]
    domain_name: str
    driver: str
    wfi: str


def _psci(parameter: int) -> str:
    """QEMU target/arm/psci.c arm_handle_psci_call(), CPU_SUSPEND; the power-down types return as
    WFI does, which Linux's cpu_suspend() takes for a failure."""
    if parameter & ~(_PSCI_RUNS | _PSCI_POWER_DOWN):
        return "QEMU's PSCI knows affinity level 0 alone, and no bit above 16"
    if parameter & _PSCI_POWER_DOWN:
        return "QEMU's PSCI returns from a power-down state, which for Linux is a failure"
    return ""


def _sbi(parameter: int) -> str:
    """OpenSBI lib/sbi/sbi_hsm.c sbi_hsm_hart_suspend(), where the platform has no suspend of its
    own."""
    if parameter in _SBI_DEFAULTS:
        return ""
    return "QEMU's OpenSBI knows the default suspend types alone, 0x0 and 0x80000000"


ARM64 = VirtMachine(
    name="virt-arm64",
    architecture="arm64",
    riscv=False,
    program="qemu-system-aarch64",
    package="qemu-system-arm",
    options=("-M", "virt", "-cpu", "cortex-a57", *_HARDWARE),
    arguments=f"console=ttyAMA0 {GUEST}",
    firmware="QEMU's PSCI",
    kernel="linux-image-cloud-arm64",
    members=("boot/vmlinuz-*", "boot/config-*"),
    full_kernel=None,
    suite=None,
    cpus=2,
    cpus_max=8,
    parameter=PSCI_PARAMETER,
    refuses=_psci,
    offers=PsciFirmware(osi=False, extended=False, sets_mode=False),
    says=("OSI is not supported", "Original StateID format is used"),
    domain_name="psci",
    driver="psci_idle",
    wfi="ARM WFI",
)
RISCV64 = VirtMachine(
    name="virt-riscv64",
    architecture="riscv64",
    riscv=True,
    program="qemu-system-riscv64",
    package="qemu-system-misc",
    options=("-M", "virt", *_HARDWARE),
    arguments=f"console=ttyS0 {GUEST}",
    firmware="OpenSBI",
    kernel="linux-image-riscv64",
    members=("boot/vmlinu[xz]-*", "boot/config-*"),
    full_kernel=None,
    suite="trixie",
    cpus=2,
    cpus_max=8,
    parameter=SBI_PARAMETER,
    refuses=_sbi,
    offers=PsciFirmware(),
    says=("SBI HSM extension detected",),
    domain_name="sbi",
    driver="sbi_cpuidle",
    wfi="RISC-V WFI",
)
VIRT = {machine.name: machine for machine in (ARM64, RISCV64)}
"""Name -> machine."""
