"""The states that intel_idle registers, and what it makes them of."""

from collections.abc import Mapping, Sequence

from ....base.dataclass import dataclass
from ....base.model.beyond_opal import MatchedCpu
from ..cpuidle_flags import (
    ALWAYS_ENABLE,
    HINT_SHIFT,
    IBRS,
    INIT_XSTATE,
    IRQ_ENABLE,
    PARTIAL,
    POLLING,
    TLB_FLUSHED,
    UNUSABLE,
)
from .machine import X86Machine

NAME2FLAG = {
    "CPUIDLE_FLAG_UNUSABLE": UNUSABLE,
    "CPUIDLE_FLAG_TLB_FLUSHED": TLB_FLUSHED,
    "CPUIDLE_FLAG_IRQ_ENABLE": IRQ_ENABLE,
    "CPUIDLE_FLAG_ALWAYS_ENABLE": ALWAYS_ENABLE,
    "CPUIDLE_FLAG_IBRS": IBRS,
    "CPUIDLE_FLAG_INIT_XSTATE": INIT_XSTATE,
    "CPUIDLE_FLAG_PARTIAL_HINT_MATCH": PARTIAL,
}
"""The flags that tables have."""


@dataclass(frozen=True, slots=True)
class StartedState:
    """A state as registered. Times in us; flags: CPUIDLE_FLAG_* with the hint in bits 24 to 31."""

    name: str
    description: str
    exit_latency_us: int
    target_residency_us: int
    flags: int

    @property
    def hint(self) -> int:
        return self.flags >> HINT_SHIFT


@dataclass(frozen=True, slots=True)
class IntelIdleData:
    """The data of a release's driver: its arrays, and the processors of its list."""

    arrays: Mapping[str, tuple[StartedState, ...]]
    cpus: Sequence[MatchedCpu]

    def listed(self, machine: X86Machine) -> MatchedCpu | None:
        """The machine's processor in the list, where the first row that fits counts; None if it is
        not there."""
        place = machine.vendor, machine.family, machine.model
        cpus = self.cpus
        return next((cpu for cpu in cpus if (cpu.vendor, cpu.family, cpu.model) == place), None)


POLL = StartedState("POLL", "CPUIDLE CORE POLL IDLE", 0, 0, POLLING)
