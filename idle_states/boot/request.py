"""The request for a boot."""

from pathlib import Path

from ..dataclass import dataclass
from ..findings import UsageError
from ..record.script import GOVERNORS
from . import qemu
from .q35 import machine as q35
from .virt.machines import VIRT
from .workload import GuestWorkload


@dataclass(frozen=True, slots=True)
class BootRequest:
    """What to boot. Raises UsageError for values that make no sense.

    table     TABLE that replaces the machine's table in firmware; None: firmware's own
    lid, tree firmware: an image, or a source tree to build; neither: QEMU's own image
    patch     what is booted before and after: a SERIES for the tree, as `change_of` takes it
    kernel    a kernel image; None: the distribution's
    smp       number of CPUs
    governor  cpuidle governor of the guest; "": the kernel's default
    levels    ibm,enabled-stop-levels that firmware is given; None: QEMU's
    """

    machine: str
    table: str | None = None
    lid: Path | None = None
    tree: Path | None = None
    patch: str | None = None
    kernel: Path | None = None
    smp: int = 1
    governor: str = ""
    workload: GuestWorkload | None = None
    levels: int | None = None
    time_limit_s: float = qemu.TIME_LIMIT_S

    def __post_init__(self) -> None:
        if self.machine not in qemu.MACHINES:
            known = ", ".join((*qemu.MACHINES, *VIRT, q35.NAME))
            raise UsageError(f"expected a machine of {known}, found {self.machine!r}")
        qemu.check_guest(self.machine, qemu.CPUS_MAX[self.machine], self.smp, self.time_limit_s)
        if self.governor and self.governor not in GOVERNORS:
            known = ", ".join(GOVERNORS)
            raise UsageError(f"expected a governor of {known}, found {self.governor!r}")
        if self.patch is not None and self.tree is None:
            raise UsageError("expected --patch with --tree DIR, the source that it changes")
        if self.patch is not None and self.table is not None:
            raise UsageError(
                "expected a TABLE or --patch, found both: --patch compares the tree's own table "
                "before and after"
            )
        if self.workload is not None and self.smp < self.workload.cpus_min:
            raise UsageError(
                f"expected --smp {self.workload.cpus_min} or more with {self.workload.name}, found "
                f"{self.smp}: {self.workload.why}"
            )
        if self.levels is not None and self.machine == "powernv8":
            raise UsageError(
                "expected --levels with powernv9 or powernv10: powernv8 has no stop levels"
            )
