"""QEMU's machines that skiboot boots."""

from ....tables.skiboot.choosing import MachineKind
from ..machine import GUEST, Machine

CPUS_MAX = {"powernv8": 12, "powernv9": 16, "powernv10": 16}
"""Machine -> greatest number of CPUs to boot it with. QEMU's POWER8 chip has 12 cores; powernv9 is
a Nimbus DD2.0."""
_BARE = (
    "-nodefaults", "-device", "ipmi-bmc-sim,id=bmc", "-device", "isa-ipmi-bt,bmc=bmc,irq=10"
)  # fmt: skip
"""No PCI host bridges: firmware waits 6 s for what might be in their slots, and nothing is. But the
controller by which the machine is switched off."""

POWERNV = {
    name: Machine(
        name=name,
        architecture="ppc64el",
        program="qemu-system-ppc64",
        package="qemu-system-ppc",
        options=("-M", name, "-m", "2G", "-display", "none", "-serial", "stdio", *_BARE),
        arguments=f"console=hvc0 quiet {GUEST}",
        kernel="linux-image-powerpc64le",
        members=("boot/vmlinux-*",),
        full_kernel=None,
        suite=None,
        cpus=1,
        cpus_max=cpus_max,
    )
    for name, cpus_max in CPUS_MAX.items()
}
"""Name -> machine."""

_QUIRKS = frozenset({"QUIRK_QEMU", "QUIRK_NO_CHIPTOD", "QUIRK_NO_DIRECT_CTL", "QUIRK_NO_RNG"})
KINDS = {
    "powernv8": MachineKind("P8_VENICE", 0x20, _QUIRKS),
    "powernv9": MachineKind("P9_NIMBUS", 0x20, _QUIRKS),
    "powernv10": MachineKind("P10", 0x10, _QUIRKS),
}
"""Name -> what skiboot chooses a table by: the chip that OPAL's log names, and the quirks that
probe_chips() of core/chip.c sets under QEMU."""
