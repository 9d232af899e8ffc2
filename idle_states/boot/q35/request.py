"""The request for a boot of q35."""

from pathlib import Path

from ...dataclass import dataclass
from ...findings import UsageError
from ...linux.governors import governor_names
from ..qemu import TIME_LIMIT_S, check_guest
from ..workload import CPUS, EVERYTHING, GuestWorkload
from . import machine


@dataclass(frozen=True, slots=True)
class Q35Request:
    """What to boot. Raises UsageError for values that make no sense.

    table      TABLE of processors with _CST or _LPI, or one that these can be made of
    kernel     a kernel image; None: the distribution's
    suite      the Debian release whose kernel it is; None: this machine's own
    smp        number of CPUs
    cpu        the processors, as QEMU's -cpu has them
    arguments  more words for the kernel's command line, such as processor.max_cstate=2
    governor   cpuidle governor of the guest; "": the kernel's default
    workload   what runs between two looks at the counters
    """

    table: str
    kernel: Path | None = None
    suite: str | None = None
    smp: int = CPUS
    cpu: str = machine.CPU
    arguments: tuple[str, ...] = ()
    governor: str = ""
    workload: GuestWorkload = EVERYTHING
    time_limit_s: float = TIME_LIMIT_S

    def __post_init__(self) -> None:
        check_guest(machine.NAME, machine.CPUS_MAX, self.smp, self.time_limit_s)
        if self.governor and self.governor not in governor_names():
            known = ", ".join(governor_names())
            raise UsageError(f"expected a governor of {known}, found {self.governor!r}")
