"""Input and result of a governor, for one idle period of one CPU.

Units are nanoseconds unless a name says otherwise. u32(), u64() and s64() wrap values where the
kernel's arithmetic of that width wraps.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from ....base.dataclass import dataclass, field

KTIME_MAX = (1 << 63) - 1
NSEC_PER_SEC = 1_000_000_000
U32_MAX = (1 << 32) - 1
U64_MAX = (1 << 64) - 1
NO_STATE = -1
CPU_CAPACITY = 1024
"""SCHED_CAPACITY_SCALE: the capacity of a machine's biggest CPU."""


def u32(value: int) -> int:
    return value & U32_MAX


def u64(value: int) -> int:
    return value & U64_MAX


def s64(value: int) -> int:
    value &= U64_MAX
    return value - (1 << 64) if value >> 63 else value


def tick_ns(hz: int) -> int:
    """TICK_NSEC."""
    return (NSEC_PER_SEC + hz // 2) // hz


@dataclass(frozen=True, slots=True)
class State:
    """A registered state as governors see it. Times in ns; releases before 5.5 work in us."""

    exit_ns: int
    residency_ns: int
    polling: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """Inputs of one select(): the vectors' columns.

    latency_req_us   cpuidle_governor_latency_req(), in us
    sleep_length_ns  what tick_nohz_get_sleep_length() returns; may be negative or KTIME_MAX
    delta_next_ns    what it stores: time to the next tick or timer
    nr_iowaiters     tasks in iowait on this CPU's run queue
    load             run-queue load weight; used up to 4.19
    clock_ns         local_clock() at select
    disabled         numbers of states switched off
    cpu_util         sched_cpu_util(), of 1024; teo asks for it from 6.3 to 6.10
    cpu_capacity     arch_scale_cpu_capacity(), which utilisation does not exceed
    """

    latency_req_us: int
    sleep_length_ns: int
    delta_next_ns: int
    tick_stopped: bool = False
    nr_iowaiters: int = 0
    load: int = 0
    clock_ns: int = 0
    disabled: frozenset[int] = frozenset()
    cpu_util: int = 0
    cpu_capacity: int = CPU_CAPACITY


@dataclass(frozen=True, slots=True)
class Decision:
    """state: the number selected; NO_STATE: none, and the CPU idles without cpuidle (4.4's menu).

    stop_tick: stays True if the governor does not decide it.

    why: intermediate values by name, in order, for `conform` to print.
    """

    state: int
    stop_tick: bool = True
    why: dict[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The idle period that followed a decision.

    state            the number entered; NO_STATE: the CPU idled without cpuidle, which no governor
                     hears of
    rejected         the driver refused: last residency 0, reflect() is not called
    residency_ns     dev->last_residency_ns, measured, exit latency included
    got_tick         the tick woke the CPU
    poll_time_limit  polling ended by its time limit
    clock_ns         local_clock() at reflect
    """

    state: int
    residency_ns: int
    rejected: bool = False
    got_tick: bool = False
    poll_time_limit: bool = False
    clock_ns: int = 0


class GovernorModel(Protocol):
    """One CPU's governor. select() and finished() alternate; both change its state."""

    states: Sequence[State]
    hz: int

    def switched_on(self, earlier: Outcome) -> None:
        """Called before the first select() if the CPU was idle before, under another governor.

        Enabling a governor clears its own state, but not struct cpuidle_device. earlier: the last
        idle period there (last_state_idx, last_residency_ns); state -1: the last selection led to
        no idle period. After boot all is 0 and this is not called.
        """
        ...

    @property
    def features(self) -> object: ...

    def select(self, situation: Situation) -> Decision: ...

    def finished(self, outcome: Outcome) -> None:
        """The idle period is over: sets last residency, calls reflect() unless rejected."""
        ...
