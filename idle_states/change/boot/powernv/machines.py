"""QEMU's machines that skiboot boots."""

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
