"""The idle loop around the governor: polling, tick, latency limits and cpuidle's sysfs counters.

Each function models one step of the idle loop, by release. Inputs and results are in ns; a value
that a release keeps in us is floored to whole us.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from ..dataclass import dataclass, field, replace
from ..history import History, Sources, rows_of
from .driver_features import SnoozeTimeout
from .governors.interface import State
from .releases import Release, folded

NO_LIMIT_US = 2_000_000_000
"""PM_QOS_CPU_LATENCY_DEFAULT_VALUE."""
POLL_MIN_NS = 10_000
POLL_CHECK_RELAXES = 201
"""poll_idle() reads the clock once in this number of rounds."""

_INT_MAX = (1 << 31) - 1
_NSEC_PER_USEC = 1000
_NO_STATES: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class IdleLoopFeatures:
    """Behaviour that differs between releases. Defaults are those of 4.4.

    governor_decides_tick  the tick is stopped after select, as it says; before, always and first
    stopped_stays          a tick that is off is stopped again for the next timer, even if the
                           governor would keep it
    resume_latency         a CPU's resume latency limits exit latencies, too
    zero_limits            a resume latency of 0 allows none; before, it is no limit
    wakeup_latency         the system-wide cpu_wakeup_latency limits exit latencies, too
    poll_limit             how long poll_idle() polls: "" until woken; "sixteenth" of a tick;
                           "slot" state 1's residency, enabled or not; "first" or "last" enabled
                           state's residency, else a tick; "capped", the first enabled state's of
                           at least 10 us, at most a sixteenth of a tick
    poll_limit_kept        computed once, whatever is switched off or on afterwards
    judged                 above and below are counted
    rejected               entries that the driver refuses are counted
    nanoseconds            residencies are measured and summed in ns; before, in us, each floored
    single_state           a table of one state: "asked", the governor is; "told", it is only told
                           how long the CPU was idle, and the tick is kept; "kept", so is the tick,
                           and nobody is told; "got_tick", the tick stops if it ended the idle
                           period before
    state_0_always         state 0 is entered where no deeper one is allowed; before, only if it is
                           enabled and its exit latency is not 0, else the default idle
    forced_idle            what idle injection enters: "" nothing of its own, "deepest" enabled
                           state, "limited", that below a latency limit
    s2idle_rechecks        a task that became runnable keeps the CPU from suspend-to-idle
    snooze_timeout         powernv: "none", "slot" state 1's residency, "enabled" the next enabled
                           one's, else a tick
    snooze_polling         powernv: snooze is flagged POLLING and tells when its time-out ended it
    """

    governor_decides_tick: bool = False
    stopped_stays: bool = False
    resume_latency: bool = False
    zero_limits: bool = False
    wakeup_latency: bool = False
    poll_limit: Literal["", "sixteenth", "slot", "first", "last", "capped"] = ""
    poll_limit_kept: bool = False
    judged: bool = False
    rejected: bool = False
    nanoseconds: bool = False
    single_state: Literal["asked", "told", "kept", "got_tick"] = "asked"
    state_0_always: bool = False
    forced_idle: Literal["", "deepest", "limited"] = ""
    s2idle_rechecks: bool = False
    snooze_timeout: SnoozeTimeout = "none"
    snooze_polling: bool = False


since = rows_of(IdleLoopFeatures)

CHANGES = (
    since("4.5", "", state_0_always=True),
    since("4.10", "", forced_idle="deepest"),
    since("4.11", "9908859acaa9", resume_latency=True),
    since("4.15", "0cc2b4e5a020", zero_limits=True),
    since("4.17", "554c8aa8ecad", governor_decides_tick=True),
    since("4.17", "4dc2375c1a4e", poll_limit="sixteenth"),
    since("4.19 4.18.7", "", stopped_stays=True),
    since("4.20", "", poll_limit="slot"),
    since("5.0", "", poll_limit="first", judged=True),
    since("5.4", "", poll_limit="last", poll_limit_kept=True),
    since("5.5 5.4.4 ubuntu-5.4.0", "36fcb4292473", poll_limit="first"),
    since("5.5", "c1d51f684c72", nanoseconds=True),
    since("5.5", "", forced_idle="limited"),
    since("5.8", "", s2idle_rechecks=True),
    since("5.10", "", rejected=True),
    since("5.11", "7a25759eaa", poll_limit="capped"),
    since("6.19", "", wakeup_latency=True),
    since(
        "7.0 6.19.6 6.18.14 6.12.75 6.6.128 6.1.165 5.15.202 5.10.252",
        "e5c9ffc6ae1b",
        single_state="told",
    ),
    since(
        "7.0 6.19.10 6.18.19 6.12.78 6.6.130 6.1.167 5.15.203 5.10.253",
        "d557640e4ce5",
        single_state="kept",
    ),
    since(
        "7.0 6.19.10 6.18.20 6.12.78 6.6.130 6.1.167 5.15.203 5.10.253",
        "f4c31b07b136",
        single_state="got_tick",
    ),
)

HISTORY = History(IdleLoopFeatures(), CHANGES)
SOURCES = Sources(compiled="4.4..")


@lru_cache(4096)
def features(release: Release) -> IdleLoopFeatures:
    """Returns the features of a release's idle loop, with snooze as in its powernv driver."""
    driver = release.features
    return replace(
        folded(HISTORY, release),
        snooze_timeout=driver.snooze_timeout,
        snooze_polling=driver.snooze_polling,
    )


# Before the idle period


def latency_limit_us(
    features: IdleLoopFeatures,
    system_us: int = NO_LIMIT_US,
    resume_us: int | None = None,
    wakeup_us: int | None = None,
) -> int:
    """Returns the latency limit given to governors, in us: the least of those the release knows.

    resume_us: the CPU's resume latency; wakeup_us: cpu_wakeup_latency; None: not set.
    """
    limits = [system_us]
    if features.resume_latency and resume_us is not None and (resume_us or features.zero_limits):
        limits.append(resume_us)
    if features.wakeup_latency and wakeup_us is not None:
        limits.append(wakeup_us)
    return min(limits)


# Polling


def poll_limit_ns(
    features: IdleLoopFeatures,
    states: Sequence[State],
    tick: int,
    disabled: frozenset[int] = _NO_STATES,
) -> int | None:
    """Returns how long poll_idle() polls, in ns; None: until woken. tick: TICK_NSEC."""
    unit = 1 if features.nanoseconds else _NSEC_PER_USEC
    enabled = [
        states[i].residency_ns // unit * unit for i in range(1, len(states)) if i not in disabled
    ]
    match features.poll_limit:
        case "":
            return None
        case "sixteenth":
            return tick // 16
        case "slot":
            return states[1].residency_ns // unit * unit if len(states) > 1 else 0
        case "first":
            return enabled[0] if enabled else tick
        case "last":
            return enabled[-1] if enabled else tick
        case _:
            long = (residency for residency in enabled if residency >= POLL_MIN_NS)
            return min(next(long, tick // 16), tick // 16)


@dataclass(slots=True)
class PollLimit:
    """A CPU's poll limit; in releases that keep it, it is computed at its first use only.

    A limit of 0, from a first state without residency, is computed again each time.
    """

    features: IdleLoopFeatures
    states: Sequence[State]
    tick: int
    kept_ns: int | None = None

    def ns(self, disabled: frozenset[int] = _NO_STATES) -> int | None:
        if self.kept_ns:
            return self.kept_ns
        limit = poll_limit_ns(self.features, self.states, self.tick, disabled)
        if self.features.poll_limit_kept:
            self.kept_ns = limit
        return limit


def snooze_timeout_ns(
    features: IdleLoopFeatures,
    states: Sequence[State],
    tick: int,
    disabled: frozenset[int] = _NO_STATES,
) -> int | None:
    """Returns the time in ns after which powernv's snooze ends; None: never, as there is no deeper
    state to enter.

    Up to 4.17 the time-out is fixed when the driver starts, so it still applies if its state is
    disabled later.
    """
    if features.snooze_timeout == "none" or len(states) < 2:
        return None
    if features.snooze_timeout == "slot":
        return states[1].residency_ns
    enabled = (states[i].residency_ns for i in range(1, len(states)) if i not in disabled)
    return next(enabled, tick)


@dataclass(frozen=True, slots=True)
class Polled:
    """The end of polling.

    ns          time polled
    timed_out   the limit ended it: nothing woke the CPU, and a state is selected again
    time_limit  dev->poll_time_limit, by which the governor learns of it
    """

    ns: int
    timed_out: bool
    time_limit: bool


def poll(wakeup_ns: int, limit_ns: int | None, check_ns: int = 0) -> Polled:
    """poll_idle(): notices a wake-up after wakeup_ns at once, but the limit only when it reads the
    clock.

    check_ns: time between two clock reads, POLL_CHECK_RELAXES rounds; 0: none.
    """
    if limit_ns is None:
        return Polled(wakeup_ns, False, False)
    end = limit_ns if check_ns <= 0 else (limit_ns // check_ns + 1) * check_ns
    timed_out = wakeup_ns > end
    return Polled(end if timed_out else wakeup_ns, timed_out, timed_out)


def snooze(features: IdleLoopFeatures, wakeup_ns: int, timeout_ns: int | None) -> Polled:
    """powernv's snooze: a wakeup or the time-out ends it."""
    if timeout_ns is None or wakeup_ns <= timeout_ns:
        return Polled(wakeup_ns, False, False)
    return Polled(timeout_ns, True, features.snooze_polling)


# After the idle period


def measured_ns(features: IdleLoopFeatures, elapsed_ns: int) -> int:
    """Returns dev->last_residency of an idle period of elapsed_ns, exit latency included."""
    if features.nanoseconds:
        return elapsed_ns
    return min(elapsed_ns // _NSEC_PER_USEC, _INT_MAX) * _NSEC_PER_USEC


def judge(
    features: IdleLoopFeatures,
    states: Sequence[State],
    state: int,
    residency_ns: int,
    disabled: frozenset[int] = _NO_STATES,
) -> str:
    """Returns the sysfs counter of an idle period in `state`: "above", "below" or "".

    above: too deep; it was shorter than the target residency, and a shallower state is enabled.
    below: too shallow; without the exit latency, it reached the target residency of the next
    enabled deeper state. So above uses the residency with the exit latency, below without it.
    """

    def time(ns: int) -> int:
        return ns if features.nanoseconds else ns // _NSEC_PER_USEC

    if not features.judged:
        return ""
    residency = time(measured_ns(features, residency_ns))
    if residency < time(states[state].residency_ns):
        return "above" if any(i not in disabled for i in range(state)) else ""
    left = residency - time(states[state].exit_ns)
    deeper = (states[i] for i in range(state + 1, len(states)) if i not in disabled)
    following = next(deeper, None)
    if following is None or left <= 0 or left < time(following.residency_ns):
        return ""
    return "below"


@dataclass(slots=True)
class Counters:
    """One CPU's counters, by state. times_ns: the kernel's sums; sysfs shows time_us()."""

    features: IdleLoopFeatures
    states: Sequence[State]
    usage: list[int] = field(default_factory=list)
    times_ns: list[int] = field(default_factory=list)
    above: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for counter in (self.usage, self.times_ns, self.above, self.below, self.rejected):
            counter.extend([0] * (len(self.states) - len(counter)))

    def entered(self, state: int, residency_ns: int, disabled: frozenset[int] = _NO_STATES) -> str:
        """Counts an idle period in the state that was entered; returns the result of judge()."""
        self.usage[state] += 1
        self.times_ns[state] += measured_ns(self.features, residency_ns)
        verdict = judge(self.features, self.states, state, residency_ns, disabled)
        if verdict:
            counter = self.above if verdict == "above" else self.below
            counter[state] += 1
        return verdict

    def refused(self, state: int) -> None:
        """Counts an entry into the selected state that the driver refused."""
        if self.features.rejected:
            self.rejected[state] += 1

    def time_us(self, state: int) -> int:
        """Returns the state's `time` file: floored here, before 5.5 also at each idle period."""
        return self.times_ns[state] // _NSEC_PER_USEC
