"""What the guest of a virt machine runs and prints."""

from ...resources import template
from ..guest import RECORDING, initramfs_of
from ..workload import GuestWorkload

SECTIONS = (
    *("fdt", "uname", "config", "cpuidle", "dmesg", "cpus", "governors", "psci", "domains"),
    *("before", "after", "domains_before", "domains_after"),
)
"""What the script prints: the flat device tree, the kernel's name and (where it holds it) its
configuration, attributes of every CPU's idle states, the kernel's log, the CPUs and their nodes,
the governors, what PSCI can do (Arm), the power domains; states and domains before and after the
work."""
RECORDED = ("recorder", "recording")
"""What it prints in addition where decisions are recorded: the recording script's standard error,
and the recording."""
_BUFFER_KB = 2048
"""Size of the trace buffer. Where firmware refuses a state, a CPU asks again at once and fills any
buffer, all of which the console has to print."""
SECONDS = 2
"""How long each kind of work goes on."""


def initramfs(busybox: bytes, workload: GuestWorkload, smp: int, recorded: str = "") -> bytes:
    """The guest's whole file system as a gzipped cpio archive. recorded: the governor whose
    decisions are recorded; "": none are."""
    init = init_script(workload, smp, bool(recorded))
    return initramfs_of(busybox, init, recorded, _BUFFER_KB)


def init_script(workload: GuestWorkload, smp: int, recorded: bool = False) -> str:
    return template("guest_virt.sh.j2").render(
        sections=(*SECTIONS, *RECORDED) if recorded else SECTIONS,
        recorded=recorded,
        steps=workload.steps,
        workload=workload.kinds,
        loads=workload.loads(smp),
        seconds=SECONDS,
        **RECORDING,
    )
