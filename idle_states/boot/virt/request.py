"""The request for a boot of a virt machine."""

from pathlib import Path

from ...dataclass import dataclass
from ...findings import UsageError
from ...linux.governors import governor_names
from ...record.script import GOVERNORS as RECORDED
from ..qemu import TIME_LIMIT_S, check_guest
from ..workload import CPUS, EVERYTHING, GuestWorkload
from .machines import VIRT, VirtMachine


@dataclass(frozen=True, slots=True)
class VirtRequest:
    """What to boot. Raises UsageError for values that make no sense.

    machine   a name in machines.VIRT
    table     TABLE of CPUs whose states the machine's CPUs are to list
    kernel    a kernel image; None: the distribution's
    smp       number of CPUs; CPUs of each of the TABLE's lists have a place, if there are enough
    governor  cpuidle governor of the guest; "": the kernel's default
    workload  what runs between two looks at the counters
    recorded  whether the governor's decisions are recorded meanwhile, and made again
    """

    machine: str
    table: str
    kernel: Path | None = None
    smp: int = CPUS
    governor: str = ""
    workload: GuestWorkload = EVERYTHING
    recorded: bool = False
    time_limit_s: float = TIME_LIMIT_S

    def __post_init__(self) -> None:
        if self.machine not in VIRT:
            known = ", ".join(VIRT)
            raise UsageError(f"expected a machine of {known}, found {self.machine!r}")
        check_guest(self.machine, self.of_machine.cpus_max, self.smp, self.time_limit_s)
        if self.governor and self.governor not in governor_names():
            known = ", ".join(governor_names())
            raise UsageError(f"expected a governor of {known}, found {self.governor!r}")
        if self.recorded and self.governor and self.governor not in RECORDED:
            known = ", ".join(RECORDED)
            raise UsageError(
                f"expected a governor whose decisions can be recorded ({known}) with --workload, "
                f"found {self.governor!r}"
            )

    @property
    def of_machine(self) -> VirtMachine:
        return VIRT[self.machine]
