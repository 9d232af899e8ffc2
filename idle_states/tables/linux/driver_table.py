"""The states that a Linux cpuidle driver registered: the value governors work on.

`DriverState.index` is the number in /sys/devices/system/cpu/cpuN/cpuidle/stateINDEX.
"""

from typing import TYPE_CHECKING, Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import HIDDEN, U64
from ...base.model.stages import Changed, Lost, Message
from .qos import NO_LIMIT_US

if TYPE_CHECKING:
    from .genpd.tables import CpuDomain


@dataclass(frozen=True, slots=True)
class DriverState:
    """One registered state, times in microseconds as in sysfs.

    source       index of the state in the exported tree; None for snooze
    enter        snooze, nap, fastsleep, stop, cede, wfi, psci, sbi, ...; "" where not known
    polling      CPUIDLE_FLAG_POLLING
    timer_stop   CPUIDLE_FLAG_TIMER_STOP
    psscr, mask  what entering it really writes; None where no PSSCR is involved
    parameter    what PSCI or SBI is asked with; None where neither is, as for WFI
    off          CPUIDLE_FLAG_OFF: disabled until the user enables it; of a dump, disabled there
    beyond_us    nanoseconds of both times beyond whole microseconds, which sysfs does not show
    """

    index: int
    name: str
    exit_latency_us: int
    target_residency_us: int
    enter: str
    source: int | None = None
    polling: bool = False
    timer_stop: bool = False
    psscr: int | None = None
    mask: int | None = None
    parameter: int | None = None
    off: bool = False
    beyond_us: tuple[int, int] = (0, 0)

    @property
    def times_ns(self) -> tuple[int, int]:
        """Returns exit latency and target residency as the governor sees them."""
        latency, residency = self.beyond_us
        return self.exit_latency_us * 1000 + latency, self.target_residency_us * 1000 + residency


@dataclass(frozen=True, slots=True)
class StopChoice:
    """A PSSCR that the platform code chose. source: index in the tree; None: a built-in value."""

    psscr: U64
    mask: U64
    source: Annotated[int | None, HIDDEN]


@dataclass(frozen=True, slots=True)
class DriverTable:
    """One kernel's view of one tree.

    kernel             the release's name
    states             registered, snooze first; empty if the driver never registered
    lost, changed      every state that is missing or altered, with reasons
    messages           what the kernel log says, in order
    default_stop       what an idle CPU does before cpuidle takes over; None: nothing
    deepest_stop       what an offlined CPU does; None: see `offline`
    offline            stop, winkle, sleep, nap, cede or "busy wait"; "" where not known
    spr_loss_level     first stop level that may lose SPRs, None before ISA 3.0
    tb_loss_level      first stop level that may lose the timebase
    snooze_timeout_us  with every state enabled; None: snooze polls until woken
    fatal              why the kernel crashes, None if it does not
    crashing           of ACPI: paths of the processors whose objects are the reason
    domains            power domains that the table's CPUs sit in, the innermost first; their states
                       are genpd's, not cpuidle's
    domain_notes       what these rest on that neither tree nor release tells
    assumptions        what else is taken for granted of the machine, in words
    driver             which driver registers ACPI's states, and why not another, in words
    limit_us           latency limit of the CPUs that a dump was read of
    """

    kernel: str
    states: tuple[DriverState, ...]
    lost: tuple[Lost, ...] = ()
    changed: tuple[Changed, ...] = ()
    messages: tuple[Message, ...] = ()
    default_stop: StopChoice | None = None
    deepest_stop: StopChoice | None = None
    offline: str = "busy wait"
    spr_loss_level: int | None = None
    tb_loss_level: int | None = None
    snooze_timeout_us: int | None = None
    fatal: str | None = None
    crashing: tuple[str, ...] = ()
    domains: "tuple[CpuDomain, ...]" = ()
    domain_notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    driver: str = ""
    limit_us: int = NO_LIMIT_US

    @property
    def off(self) -> frozenset[int]:
        """Numbers of the states that are disabled until the user enables them."""
        return frozenset(state.index for state in self.states if state.off)
