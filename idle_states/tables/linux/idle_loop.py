"""The idle loop around the governor: polling, tick, latency limits and cpuidle's sysfs counters.

Each function models one step of the idle loop, by release. Inputs and results are in ns; a value
that a release keeps in us is floored to whole us.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from ...base.dataclass import dataclass, replace
from ...base.model.history import History, Sources, rows_of
from ...base.model.traces import Trace, Traces
from .driver_features import SnoozeTimeout
from .governors.interface import State
from .qos import NO_LIMIT_US
from .releases import Release, folded

POLL_MIN_NS = 10_000

_NSEC_PER_USEC = 1000
_USEC_PER_SEC = 1_000_000
_USER_HZ = 100
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
                           one's, else a tick; "user" the same, else 10 ms
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
    since("4.19 4.18.7 rhel-4.18.0-80", "", stopped_stays=True),
    since("4.20", "", poll_limit="slot"),
    since("5.0", "", poll_limit="first"),
    since("5.0 rhel-4.18.0-193", "", judged=True),
    since("5.4 rhel-4.18.0-147.3.1", "", poll_limit="last", poll_limit_kept=True),
    since("5.5 5.4.4 ubuntu-5.4.0 rhel-4.18.0-240", "36fcb4292473", poll_limit="first"),
    since("5.5 rhel-4.18.0-240", "c1d51f684c72", nanoseconds=True),
    since("5.5 rhel-4.18.0-240", "", forced_idle="limited"),
    since("5.8 rhel-4.18.0-305", "", s2idle_rechecks=True),
    since("5.10 rhel-4.18.0-348", "", rejected=True),
    since("5.11 rhel-4.18.0-348", "7a25759eaa", poll_limit="capped"),
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
SOURCES = Sources(
    compiled="4.4.. rhel-4.18.. rhel-5.14.. rhel-6.12.. ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. "
    "ubuntu-6.8.. "
    "ubuntu-6.11.. suse-4.12.14"
)
_LOOP = "core: cpuidle_enter_state()"
_RESUME: Trace = [
    "gov: dev_pm_qos_raw_resume_latency",
    "gov: dev_pm_qos_raw_read_value",
    "menu: dev_pm_qos_read_value",
    "menu: dev_pm_qos_raw_read_value",
]
TRACES = Traces(
    {
        "idle": "kernel/sched/idle.c",
        "core": "drivers/cpuidle/cpuidle.c",
        "gov": "drivers/cpuidle/governor.c",
        "menu": "drivers/cpuidle/governors/menu.c",
        "poll": "drivers/cpuidle/poll_state.c",
    },
    {
        "governor_decides_tick": "idle: cpuidle_select ( drv , dev , & stop_tick )",
        "stopped_stays": "idle: stop_tick || tick_nohz_tick_stopped ( )",
        "resume_latency": (_LOOP, _RESUME),
        "zero_limits": (_LOOP, _RESUME, "menu: !if ( resume_latency &&"),
        "wakeup_latency": "gov: cpu_wakeup_latency_qos_limit",
        "poll_limit": {
            "capped": "core: cpuidle_poll_time() CPUIDLE_POLL_MIN",
            "first": ["core: cpuidle_poll_time() break", "poll: poll_idle() NSEC_PER_USEC ; break"],
            "last": "core: cpuidle_poll_time()",
            "slot": "poll: poll_idle() states [ 1 ]",
            "sixteenth": "poll: POLL_IDLE_TIME_LIMIT",
            "": ["poll: poll_idle()", (_LOOP, "poll!")],
        },
        "poll_limit_kept": "core: poll_limit_ns = limit_ns",
        "judged": "core: cpuidle_enter_state() above",
        "rejected": "core: cpuidle_enter_state() rejected",
        "nanoseconds": "core: last_residency_ns",
        "single_state": {
            "got_tick": "idle: got_tick",
            "kept": "idle: cpuidle_idle_call() state_count > 1",
            "told": "core: cpuidle_select() state_count",
            "asked": "idle: cpuidle_idle_call()",
        },
        "state_0_always": "core: find_deepest_state() ret = 0",
        "forced_idle": {
            "limited": "idle: forced_idle_latency_limit_ns",
            "deepest": "idle: use_deepest_state",
            "": "idle: cpuidle_idle_call()",
        },
        "s2idle_rechecks": "idle: call_cpuidle_s2idle",
    },
)
"""Without the two features of powernv's driver, which has their traces."""


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


def asks_governor(features: IdleLoopFeatures, states: int) -> bool:
    """Returns False if state 0 is entered at once, as there is no other."""
    return states > 1 or features.single_state == "asked"


def is_asked(features: IdleLoopFeatures, governor: str, states: Sequence[State]) -> bool:
    """Returns whether the governor of that name is asked, and has an answer.

    Of a single state haltpoll selects the next, as ladder does if it polls. The kernel enters
    what is not there; for the models, such a governor is not asked.
    """
    if len(states) > 1:
        return True
    beyond = governor == "haltpoll" or (governor == "ladder" and states[0].polling)
    return asks_governor(features, len(states)) and not beyond


def unasked_stop_tick(features: IdleLoopFeatures, got_tick: bool) -> bool:
    """Returns whether to stop the tick where no governor is asked. got_tick: the tick ended the
    idle period before, and no task ran since."""
    return features.single_state == "got_tick" and got_tick


def tick_stops(features: IdleLoopFeatures, stop_tick: bool, stopped: bool) -> bool:
    """Returns whether the tick is off during the idle period. stop_tick: the governor's decision;
    stopped: the tick is off already, and is not restarted."""
    return stop_tick or stopped or not features.governor_decides_tick


def latency_limit_us(
    features: IdleLoopFeatures,
    system_us: int = NO_LIMIT_US,
    resume_us: int | None = None,
    wakeup_us: int | None = None,
) -> int:
    """Returns the latency limit given to governors, in us: the least of those the release knows.
    resume_us: the CPU's resume latency; wakeup_us: cpu_wakeup_latency; None: not set."""
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


def snooze_timeout_ns(
    features: IdleLoopFeatures,
    states: Sequence[State],
    hz: int,
    disabled: frozenset[int] = _NO_STATES,
) -> int | None:
    """Returns the time in ns after which powernv's snooze ends; None: never, as there is no deeper
    state to enter.

    Up to 4.17 the time-out is fixed when the driver starts, so it still applies if its state is
    disabled later. Where no deeper state is enabled it is TICK_USEC, whole us: of HZ from 4.17 on,
    before of USER_HZ.
    """
    if features.snooze_timeout == "none" or len(states) < 2:
        return None
    if features.snooze_timeout == "slot":
        return states[1].residency_ns
    enabled = (states[i].residency_ns for i in range(1, len(states)) if i not in disabled)
    ticks = _USER_HZ if features.snooze_timeout == "user" else hz
    return next(enabled, (_USEC_PER_SEC + ticks // 2) // ticks * _NSEC_PER_USEC)
