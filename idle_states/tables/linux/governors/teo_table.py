"""Shared by both generations of teo: the table in the release's units, wakeups, choices."""

from collections.abc import Sequence

from ....base.dataclass import dataclass
from .interface import State, tick_ns, u32, u64
from .teo_features import TeoFeatures

PULSE = 1024
"""Amount added to a metric for a wakeup."""
DECAY_SHIFT = 3
"""Each wakeup first reduces a metric by 1/8."""

_NSEC_PER_USEC = 1000
_USEC_PER_SEC = 1_000_000


@dataclass(frozen=True, slots=True)
class Wakeup:
    """One finished idle, as teo learns from it. Times in ns.

    state         the state entered
    sleep_length  what select remembered of the timers; KTIME_MAX where it did not ask
    time_span     from select to reflect; the sleep length itself after a safety net
    residency     measured, exit latency included
    safety_net    the polling limit ended it, or the tick although the timer was farther off
    got_tick      the tick ended it
    poll_limit    the polling limit ended it
    """

    state: int
    sleep_length: int
    time_span: int
    residency: int
    safety_net: bool = False
    got_tick: bool = False
    poll_limit: bool = False


NEVER_IDLE = Wakeup(0, 0, 0, 0)
"""Before its first idle, a CPU counts as woken from state 0 with nothing measured."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A state found, before the tick is decided.

    duration      the idle expected, in the release's units
    sleep_length  to be remembered for the wakeup, in ns
    settled       the tick is kept and the state is final, whatever the duration
    uses_timers   the timers were asked; if not, the next event counts as half a tick away
    """

    state: int
    duration: int
    sleep_length: int
    settled: bool = False
    uses_timers: bool = True


class TeoTable:
    """States in the release's units, us up to 5.4 and ns after."""

    def __init__(self, states: Sequence[State], features: TeoFeatures, hz: int) -> None:
        unit = 1 if features.nanoseconds else _NSEC_PER_USEC
        self.features = features
        self.count = len(states)
        self.residency_ns = [state.residency_ns for state in states]
        self.residency = [each // unit for each in self.residency_ns]
        self.exit = [state.exit_ns // unit for state in states]
        self.polling = [state.polling for state in states]
        self.tick_ns = tick_ns(hz)
        self.tick = self.tick_ns if features.nanoseconds else (_USEC_PER_SEC + hz // 2) // hz

    def time(self, ns: int) -> int:
        """A ktime in the release's units and width."""
        if not self.features.nanoseconds:
            whole = abs(ns) // _NSEC_PER_USEC
            return u32(whole if ns >= 0 else -whole)
        return self.ktime(ns)

    def ktime(self, ns: int) -> int:
        """A ktime as the release compares it: unsigned up to 5.12."""
        return ns if self.features.signed else u64(ns)

    def latency(self, us: int) -> int:
        if self.features.mixed_units:
            return u32(us * _NSEC_PER_USEC)
        return us * _NSEC_PER_USEC if self.features.nanoseconds else us

    def idle(self, measured: int, state: int) -> int:
        """Returns the measured time less half the exit latency, the assumed average."""
        latency = self.exit[state]
        return measured - latency // 2 if measured >= latency else measured // 2

    def shallower(
        self, state: int, duration: int, disabled: frozenset[int], *, polls: bool = True
    ) -> int:
        """The deepest enabled state above `state` fit for the duration; else the shallowest. polls:
        polling states are eligible."""
        found = state
        for i in range(state - 1, -1, -1):
            if i in disabled or (self.polling[i] and not polls):
                continue
            found = i
            if self.residency[i] <= duration:
                break
        return found
