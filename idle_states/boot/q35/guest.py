"""What the guest of q35 runs and prints."""

from ...resources import template
from ..guest import initramfs_of
from ..workload import GuestWorkload

SECTIONS = (
    *("uname", "cpuidle", "dmesg", "cpus", "governors", "processor", "parameters", "tables"),
    *("before", "after"),
)
"""What the script prints: the kernel's name, attributes of every CPU's idle states, the kernel's
log, the numbers of CPUs, the governors, the first CPU as /proc/cpuinfo has it, the drivers'
parameters, ACPI's tables as a tar archive; the states' attributes before and after the work."""
SECONDS = 1
"""How long each kind of work goes on."""


def initramfs(busybox: bytes, workload: GuestWorkload, smp: int) -> bytes:
    """The guest's whole file system as a gzipped cpio archive."""
    return initramfs_of(busybox, init_script(workload, smp))


def init_script(workload: GuestWorkload, smp: int) -> str:
    return template("guest_q35.sh.j2").render(
        sections=SECTIONS,
        workload=workload.kinds,
        loads=workload.loads(smp),
        seconds=SECONDS,
    )
