"""genpd's governor for CPU domains: the deepest state that fits, or none.

Model of drivers/pmdomain/governor.c: _default_power_down_ok(), cpu_power_down_ok() and
cpu_system_power_down_ok(). What no domain of CPUs has is left out: GENPD_FLAG_MIN_RESIDENCY.
"""

from collections.abc import Mapping, Sequence

from ....base.dataclass import dataclass, field
from ..governors.interface import KTIME_MAX, s64
from .features import GenpdFeatures
from .tables import DomainState

_NSEC_PER_USEC = 1000
NO_LATENCY_LIMIT_US = 2_000_000_000
"""PM_QOS_CPU_LATENCY_DEFAULT_VALUE."""
NO_RESUME_LIMIT_US = (1 << 31) - 1
"""PM_QOS_RESUME_LATENCY_NO_CONSTRAINT."""
NO_CONSTRAINT_NS = NO_RESUME_LIMIT_US * _NSEC_PER_USEC
"""PM_QOS_RESUME_LATENCY_NO_CONSTRAINT_NS: a device restricts nothing."""
_NO_COST = (DomainState("", 0, 0, 0),)
"""The state that genpd makes for a domain without states: genpd_set_default_power_state()."""


@dataclass(slots=True, eq=False)
class Domain:
    """A power domain as genpd keeps it from one idle period to the next.

    states            as CpuDomain.states; none: one without cost
    cpus              numbers of its CPUs, those of domains within included
    governed          the governor of CPU domains chooses; otherwise it takes state 0
    always_on         it is never off; run_time_on: not while the system runs
    constraints_ns    of each attached device, the resume latency it allows; NO_CONSTRAINT_NS: any.
                      0 is none: the device would not be suspended
    active            attached devices that are not suspended
    state             number of the state it is or was off in
    max_off_ns        how long it may be off for its devices' sake; -1: any time
    changed           a constraint changed since the last choice
    """

    states: Sequence[DomainState]
    cpus: frozenset[int] = frozenset()
    governed: bool = True
    always_on: bool = False
    run_time_on: bool = False
    constraints_ns: Sequence[int] = ()
    active: int = 0
    parents: list["Domain"] = field(default_factory=list, repr=False)
    children: list["Domain"] = field(default_factory=list, repr=False)
    on: bool = True
    state: int = 0
    max_off_ns: int = -1
    changed: bool = True
    _cached_ok: bool = False
    _cached_state: int = 0

    def __post_init__(self) -> None:
        self.states = self.states or _NO_COST

    def add(self, child: "Domain") -> None:
        """Makes a domain part of this one: pm_genpd_add_subdomain()."""
        self.children.append(child)
        child.parents.append(self)

    def default_power_down_ok(self) -> bool:
        """_default_power_down_ok(): what the constraints of devices and of domains within leave,
        as the state to start from.

        The answer is kept until a constraint changes, and the state's number with it, but in a
        bool (cached_power_down_state_idx): any number above 1 comes back as 1.
        """
        if not self.changed:
            self.state = self._cached_state
            return self._cached_ok
        for parent in self.parents:
            if parent.governed:
                parent.changed = True
        self.max_off_ns = -1
        self.changed = False
        self._cached_ok = True
        state = len(self.states) - 1
        while not self._allows(self.states[state]):
            if state == 0:
                self._cached_ok = False
                break
            state -= 1
        self.state, self._cached_state = state, min(state, 1)
        return self._cached_ok

    def _allows(self, state: DomainState) -> bool:
        """__default_power_down_ok()."""
        off_on_ns = state.power_off_ns + state.power_on_ns
        limits = [child.max_off_ns for child in self.children if child.max_off_ns >= 0]
        limits += [limit for limit in self.constraints_ns if limit != NO_CONSTRAINT_NS]
        if any(limit <= off_on_ns for limit in limits):
            return False
        if limits:
            self.max_off_ns = min(limits) - state.power_on_ns
        return True


@dataclass(frozen=True, slots=True)
class Moment:
    """The governor's inputs when a domain's last CPU idles.

    now_ns            ktime_get()
    timers_ns         CPU -> when its next timer expires (dev->next_hrtimer), the tick included;
                      CPUs without cpuidle are missing
    latency_limit_us  cpu_latency_qos_limit()
    cpu_limits_us     CPU -> the resume latency it allows (pm_qos_resume_latency_us, raw); CPUs
                      without limit may be missing
    wakeup_limit_us   cpu_wakeup_latency_qos_limit(); NO_RESUME_LIMIT_US: none
    pending_ipi       CPUs that an interrupt from another CPU is pending for
    offline           CPUs that are not online
    """

    now_ns: int
    timers_ns: Mapping[int, int]
    latency_limit_us: int = NO_LATENCY_LIMIT_US
    cpu_limits_us: Mapping[int, int] = field(default_factory=dict)
    wakeup_limit_us: int = NO_RESUME_LIMIT_US
    pending_ipi: frozenset[int] = frozenset()
    offline: frozenset[int] = frozenset()


def power_down_ok(domain: Domain, moment: Moment, features: GenpdFeatures) -> bool:
    """cpu_power_down_ok(): whether a domain is to be off now; if so, domain.state says how. The
    CPUs' next timer is all that is known of when they wake up. The domain must have states."""
    if not domain.default_power_down_ok():
        return False
    online = domain.cpus - moment.offline
    wakeup_ns = min((moment.timers_ns.get(cpu, KTIME_MAX) for cpu in online), default=KTIME_MAX)
    idle_ns = s64(wakeup_ns - moment.now_ns)
    if idle_ns <= 0:
        return False
    limit_ns = _limit_ns(online, moment, features)
    for number in range(domain.state, -1, -1):
        state = domain.states[number]
        if idle_ns >= state.residency_ns + state.power_off_ns and (
            limit_ns is None or limit_ns >= state.power_on_ns + state.power_off_ns
        ):
            break
    else:
        return False
    if features.pending_ipi and domain.cpus & moment.pending_ipi:
        return False
    domain.state = number
    return True


def system_power_down_ok(domain: Domain, wakeup_limit_us: int) -> bool:
    """cpu_system_power_down_ok(): the same in suspend-to-idle, where no timer counts."""
    limit_ns = wakeup_limit_us * _NSEC_PER_USEC
    for number in range(len(domain.states) - 1, -1, -1):
        state = domain.states[number]
        if state.power_off_ns + state.power_on_ns <= limit_ns:
            domain.state = number
            return True
    return False


def _limit_ns(online: frozenset[int], moment: Moment, features: GenpdFeatures) -> int | None:
    """The latency that is allowed; None if limits do not hold."""
    if not features.latency_limits:
        return None
    limits_us = [moment.latency_limit_us]
    limits_us += [moment.cpu_limits_us.get(cpu, NO_RESUME_LIMIT_US) for cpu in online]
    if features.wakeup_limit:
        limits_us.append(moment.wakeup_limit_us)
    return min(limits_us) * _NSEC_PER_USEC
