"""Tables that intel_idle.table= can give a machine: those whose residencies its driver accepts."""

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...tables.linux.intel_idle.boot_time import argument_for
from ...tables.linux.intel_idle.cmdline import TableArgument
from ...tables.linux.intel_idle.platform import X86Platform
from ...tables.linux.releases import Release
from ..replay.machine import CpuTable
from .evaluate import Candidate


@dataclass(frozen=True, slots=True)
class BootTimes:
    """What the parameter makes of tables that are tried.

    release, platform  the kernel and the machine that take it
    latencies          (name, exit latency in us) of the states after the first
    """

    release: Release
    platform: X86Platform
    latencies: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, table: CpuTable, release: Release, platform: X86Platform) -> "BootTimes":
        """Raises UsageError where the kernel takes no such parameter, or not for this table."""
        pairs = list(zip(table.names, table.states, strict=True))[1:]
        found = cls(release, platform, tuple((name, s.exit_ns // 1000) for name, s in pairs))
        found.argument(tuple(state.residency_ns // 1000 for _, state in pairs))
        return found

    def argument(self, candidate: Candidate) -> TableArgument:
        """The value for residencies in us. Raises UsageError if the driver would refuse it."""
        pairs = zip(self.latencies, candidate, strict=True)
        wanted = {name: (latency, residency) for (name, latency), residency in pairs}
        return argument_for(wanted, self.release, self.platform)

    def accepts(self, candidate: Candidate) -> bool:
        try:
            self.argument(candidate)
        except UsageError:
            return False
        return True
