"""What the guest of a virt machine runs and prints."""

from ...resources import template
from ..guest import initramfs_of
from ..workload import GuestWorkload

SECTIONS = (
    *("fdt", "uname", "cpuidle", "dmesg", "cpus", "governors", "psci", "domains"),
    *("before", "after", "domains_before", "domains_after"),
)
"""What the script prints: the flat device tree, the kernel's name, attributes of every CPU's idle
states, the kernel's log, the CPUs and their nodes, the governors, what PSCI can do (Arm), the power
domains; states and domains before and after the work."""
SECONDS = 2
"""How long each kind of work goes on."""


def initramfs(busybox: bytes, workload: GuestWorkload, smp: int) -> bytes:
    """The guest's whole file system as a gzipped cpio archive."""
    return initramfs_of(busybox, init_script(workload, smp))


def init_script(workload: GuestWorkload, smp: int) -> str:
    return template("guest_virt.sh.j2").render(
        sections=SECTIONS,
        workload=workload.kinds,
        loads=workload.loads(smp),
        seconds=SECONDS,
    )
