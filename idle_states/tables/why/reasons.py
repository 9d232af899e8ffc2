"""The reasons why a state is not used: a row of a table each, in the order of their rank.

Each looks at one state of CPUs that have it alike, and gives its evidence, where that stands and
the next step, or None. A reason rests on what was seen: what was not seen gives none.
"""

from collections.abc import Callable
from itertools import islice, product
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import Held, SysfsState
from ...base.model.table import IdleTable, Register
from ...base.reading.cpu_lists import cpus_listed
from ...base.reading.inputs import CPU_MAX
from ...base.wording import percent
from ..linux import request_parts
from ..linux.brackets import as_end
from ..linux.governors import Governor, UnknownGovernor, names_of
from ..linux.held import (
    ENOUGH_ENTRIES,
    POLL,
    SNOOZE,
    entries_of,
    idle_us_of,
    is_hardly_used,
    limit_us,
    register,
)
from ..prove.answer import refuting, scene_of
from ..prove.request import ProveRequest
from .machine import CPUS, SeenMachine
from .sampled import SAMPLE

_REFUSED, _FITTING, ELSEWHERE, _AT_ONCE = 2, 20, 100, 10
"""Limits, one in so many: entries refused, those that would have fitted, the time CPUs are idle,
the exit latency that an entry lasts."""
_ENDLESS_US, _THREADS = 0xFFFFFFFF, 64
_SEE_LIMITS = "see the latency limits first: collect gathers them, best as root"
Evidence = tuple[str, str, str] | None
"""Because, where that stands, and the next step."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why a state is not used."""

    kind: Annotated[str, "Short and stable, such as switched-off; unknown: none was found."]
    because: Annotated[str, "With its evidence."]
    where: Annotated[str, "The file with the evidence."]
    next: Annotated[str, "The next step."]


@dataclass(frozen=True, slots=True)
class StateView:
    """A state of some CPUs of a machine that have it alike. held: with counters of these CPUs."""

    machine: SeenMachine
    held: Held
    number: int

    @property
    def state(self) -> SysfsState:
        return self.held.states[self.number]

    def path(self, name: str, number: int | str | None = None, cpus: str = "") -> str:
        """A file of a state's directory in sysfs. number: of another state; "*": of each."""
        state = self.number if number is None else number
        return f"{CPUS}/cpu{cpus or self.held.cpus[0]}/cpuidle/state{state}/{name}"

    @property
    def profile(self) -> str:
        """The advice to look at tuned's profile, where tuned runs; else empty."""
        profile = self.machine.text_of("active_profile")
        return f"; see tuned, whose profile is {profile}" if profile else ""

    @property
    def limits_seen(self) -> bool:
        """Tells whether all latency limits of these CPUs were seen."""
        dump, sampled = self.machine.dump, self.machine.sampled
        if sampled and sampled.limit_us(self.held.cpus) is not None:
            return True
        return dump.limits.keys() >= {*self.held.cpus} and "cpu_dma_latency" in dump.texts

    @property
    def polls_on(self) -> SysfsState | None:
        """The state that would pay while state 0 polls for most of the idle time: again and again,
        so that its entries are no idle periods. None where that is not so."""
        first, states = self.held.states[0], self.held.states
        mean_us = idle_us_of([first]) / max(entries_of([first]), 1)
        after = next((each for each in states[1:] if not each.disabled), None)
        if first.name not in (POLL, SNOOZE) or idle_us_of([first]) * 2 <= idle_us_of(states):
            return None
        return after if after and mean_us >= after.residency_us else None


def online(machine: SeenMachine) -> tuple[int, ...]:
    """Returns the CPUs that are online, as far as known; else those that have states."""
    cpus = islice(cpus_listed(machine.text_of("online") or ""), CPU_MAX + 1)
    return tuple(cpus) or (*machine.dump.cpus,)


def _offline(view: StateView) -> Evidence:
    if (cpu := view.held.cpus[0]) in online(view.machine):
        return None
    step = f"echo 1 > {CPUS}/cpu{cpu}/online, or boot without maxcpus and nosmt"
    here = view.machine.text_of("online")
    return f"these CPUs are offline; online is CPU {here}", f"{CPUS}/online", step


def _switched_off(view: StateView) -> Evidence:
    if not view.state.disabled:
        return None
    first, where = view.state.default_disabled, view.path("disable")
    step = f"echo 0 | sudo tee {view.path('disable', cpus='*')} switches it on until the next boot"
    off = view.machine.parameter("intel_idle", "states_off")
    if first is not False and off and off[0].isdigit() and int(off[0]) >> view.number & 1:
        return f"intel_idle.states_off={off[0]} switches it off", off[1], step
    if first:
        because = "the driver registered it switched off (default_status is disabled)"
        return because, view.path("default_status"), step
    # kernels that have no default_status do not tell when
    when = " while the machine ran" if first is False else ""
    return f"it was switched off{when}", where, step + view.profile


def _beyond_cpu_limit(view: StateView) -> Evidence:
    limit, name = limit_us(view.held), "power/pm_qos_resume_latency_us"
    if view.state.latency_us <= limit:
        return None
    because = f"it takes {view.state.latency_us} us to leave; these CPUs accept {limit} us"
    step = "find what wrote it; "
    step += f"echo 0 | sudo tee {CPUS}/cpu*/{name} takes the limit away{view.profile}"
    return because, f"{CPUS}/cpu{view.held.cpus[0]}/{name}", step


def _beyond_system_limit(view: StateView) -> Evidence:
    text, by = (view.machine.text_of(f"cpu_dma_latency{end}") or "" for end in ("", "/holders"))
    if not text.isdigit() or view.state.latency_us <= int(text):
        return None
    because = f"it takes {view.state.latency_us} us to leave; the machine is limited to {text} us"
    step = "the limit ends when its holder closes the file"
    who = "" if by else "; root sees the holder: fuser -v /dev/cpu_dma_latency"
    held = f", held by {by}" if by else ""
    return because + held, "/dev/cpu_dma_latency", step + who + view.profile


def _beyond_sampled_limit(view: StateView) -> Evidence:
    sampled = view.machine.sampled
    limit = sampled.limit_us(view.held.cpus) if sampled else None
    if limit is None or view.state.latency_us <= limit:
        return None
    because = f"it takes {view.state.latency_us} us to leave; the governor was given {limit} us"
    step = "fuser -v /dev/cpu_dma_latency names holders; power/pm_qos_resume_latency_us is a CPU's"
    return because, SAMPLE, step + view.profile


def _polls_always(view: StateView) -> Evidence:
    words = (view.machine.text_of("cmdline") or "").split()
    found = next((word for word in words if word in ("nohlt", "idle=poll")), None)
    if found is None or entries_of(view.held.states):
        return None
    because = f"{found} lets idle CPUs poll: no state was ever entered"
    return because, "/proc/cmdline", "boot without it"


def _for_suspend(view: StateView) -> Evidence:
    if view.state.residency_us < _ENDLESS_US:
        return None
    because = "it is for suspend-to-idle: no idle period is as long as its target residency"
    return because, view.path("residency"), "nothing is wrong: s2idle/usage counts its entries"


def _never_selected(view: StateView) -> Evidence:
    machine, governor, because = view.machine, view.machine.dump.governor, ""
    release, hz = machine.release, machine.hz
    if release is None or not governor or view.state.usage:
        return None
    # what a kernel that is not known may be, and whatever its HZ is, has to agree
    ends = [as_end(release, number) for number in range(len(release.ends))] or [release]
    rates = (100, 250, 300, 1000) if isinstance(hz, request_parts.AssumedHz) else (hz,)
    for end, rate in product(ends, rates):
        request = ProveRequest(request_parts.GovernorRequest(governor, rate, machine.name), end)
        driver = register(IdleTable("", (), Register.NONE, origin=view.held), end)
        try:
            model = Governor.for_kernel(governor, end, driver, rate)
        except UnknownGovernor:
            return None
        names = names_of(driver, model.states)
        proof = refuting(model, scene_of(request, driver), names)(view.number)
        if proof is None:
            return None
        because = f"{governor} of Linux {release.name} never selects it: {proof.because}"
    step = "idle-states prove shows the proof; another governor or other times may select it"
    return because.rstrip("."), f"{CPUS}/cpuidle/current_governor", step


def _refused(view: StateView) -> Evidence:
    entered, rejected = view.state.usage or 0, view.state.rejected or 0
    if not rejected or rejected * _REFUSED < entered:
        return None
    because = f"the driver refused {rejected:,} of {entered + rejected:,} entries"
    step = "the kernel log may tell why: firmware, a device, or a sibling that is awake"
    return because, view.path("rejected"), step


def _left_at_once(view: StateView) -> Evidence:
    entries, time_us, latency = view.state.usage or 0, view.state.time_us, view.state.latency_us
    if entries < ENOUGH_ENTRIES or time_us is None or time_us * _AT_ONCE >= entries * latency:
        return None
    lasted = f"{entries:,} entries lasted {time_us / entries:.1f} us on average"
    because = f"it is left at once: {lasted}, and to leave it takes {latency:,} us"
    step = "the hardware (or a hypervisor) does not enter it, or interrupts end each entry"
    return because, view.path("time"), step


def _busy_sibling(view: StateView) -> Evidence:
    cpus, number, time_us, most_us = view.machine.dump.cpus, view.number, 0, 0
    for cpu in view.held.cpus:
        mine = cpus[cpu][number].time_us or 0
        siblings = view.machine.text_of(f"cpu{cpu}/topology/thread_siblings_list") or ""
        threads = islice(cpus_listed(siblings), _THREADS)
        time_us += mine
        most_us += min([mine, *(idle_us_of(cpus[each]) for each in threads if each in cpus)])
    if most_us * 2 >= time_us or any(not each.disabled for each in view.held.states[number + 1 :]):
        return None
    because = f"siblings are busy: threads were in it for {time_us:,} us, and their cores for "
    step = "threads of work on as few cores as they fit leave others idle"
    return f"{because}{most_us:,} us at most", f"{CPUS}/cpu*/topology/thread_siblings_list", step


def _idle_elsewhere(view: StateView) -> Evidence:
    cpus = view.machine.dump.cpus
    times = {cpu: idle_us_of(cpus[cpu]) for cpu in cpus}
    most = max(times, key=lambda cpu: times[cpu])
    here = max(times[cpu] for cpu in view.held.cpus)
    if here * ELSEWHERE >= times[most]:
        return None
    because = f"these CPUs were idle for {here:,} us at most; CPU {most} for {times[most]:,} us"
    return because, view.path("time", "*"), "they are busy or were offline: see what runs there"


def _polls_first(view: StateView) -> Evidence:
    polled, idle_us = idle_us_of(view.held.states[:1]), idle_us_of(view.held.states)
    share, after = percent(polled, idle_us), view.polls_on
    if polled * 2 <= idle_us:
        return None
    if view.machine.dump.governor == "haltpoll":
        because = f"haltpoll polled for {share} of the idle time before halting"
        step = "/sys/module/haltpoll/parameters/guest_halt_poll_ns is how long; 0 ends polling"
        return because, view.path("time", 0), step
    if after is None or view.limits_seen:
        return None
    because = f"polling has {share} of the idle time, though {after.name} pays sooner"
    because += f", as under a latency limit below {after.latency_us} us (not all limits were seen)"
    return because, view.path("time", 0), _SEE_LIMITS


def _same_residency(view: StateView) -> Evidence:
    machine, states = view.machine, view.held.states
    others = (s for s in states[view.number + 1 :] if not (s.disabled or is_hardly_used(s, states)))
    deeper = next(others, None)
    # whatever the kernel is, as far as these governors are known
    if machine.dump.governor not in ("menu", "teo") or (machine.kernel and not machine.release):
        return None
    if deeper is None or deeper.residency_us > view.state.residency_us:
        return None
    because = (
        f"{deeper.name} is deeper and has a target residency of only {deeper.residency_us:,} "
        f"us: it is chosen wherever its exit latency of {deeper.latency_us:,} us is accepted"
    )
    step = f"a latency limit below that, or {deeper.name} off, leaves {view.state.name}"
    return because, view.path("residency", states.index(deeper)), step


def _deeper_selected(view: StateView) -> Evidence:
    deeper, idle_us = view.held.states[view.number + 1 :], idle_us_of(view.held.states)
    if idle_us_of(deeper) * 2 <= idle_us:
        return None
    name = max(deeper, key=lambda state: state.time_us or 0).name
    because = (
        f"deeper states have {percent(idle_us_of(deeper), idle_us)} of the idle time, {name} most"
    )
    return because, view.path("time", view.number + 1), "select shows which idle lengths are left"


def _idle_lengths(view: StateView) -> Evidence:
    polls_on = view.polls_on is not None
    others = [each for each in view.held.states[polls_on:] if each is not view.state]
    entries, idle_us = entries_of(others), idle_us_of(others)
    residency, sampled = view.state.residency_us, view.machine.sampled
    most, cut, by = sampled.cut_short(view.held.cpus, residency) if sampled else (False, "", "")
    if most:
        because = f"idle periods are too short for its target residency of {residency:,} us: {cut}"
        return because, SAMPLE, by or "collect --record --wake-ups tells what ends them"
    if entries < ENOUGH_ENTRIES or not residency:
        return None
    fit = idle_us // residency
    because = (
        f"idle periods are too short: {idle_us // entries:,} us on average, for a target "
        f"residency of {residency:,} us; at most {fit:,} of {entries:,} were as long"
        f"{cut and '; '}{cut}"
    )
    step = by or "something wakes these CPUs: see /proc/interrupts, timers and the tick"
    if not by and (most_often := view.machine.interrupts(view.held.cpus)):
        step = f"something wakes these CPUs; their most frequent interrupt: {most_often}"
    short = because, view.path("time", "*"), step
    if fit * _FITTING < entries:
        return short
    # a limit that was not seen would show the same
    before = [s for s in view.held.states[: view.number] if not s.disabled][-1:]
    if not before or not view.limits_seen:
        return None
    (last,) = before
    fitting, among = last.below or 0, last.usage or 0
    if not fitting or fitting * _FITTING < entries:
        return short if fit * 2 < entries else None
    because = "shallower states were chosen for idle periods that were long enough"
    counted = f"{fitting:,} of {among:,} in {last.name}"
    step = "collect --record shows the decisions; select and replay compare other governors"
    return f"{because}: {counted}", view.path("below", view.held.states.index(last)), step


def _unknown(view: StateView) -> Evidence:
    entries = entries_of(view.held.states)
    because = f"not known: nothing seen in {entries:,} idle periods keeps it from being used"
    step = "collect --record tells" if view.limits_seen else _SEE_LIMITS
    step = "look again after more of them" if entries < ENOUGH_ENTRIES else step
    return because, view.path("usage"), step


KEEPING: dict[str, Callable[[StateView], Evidence]] = {
    "offline": _offline,
    "switched-off": _switched_off,
    "cpu-limit": _beyond_cpu_limit,
    "system-limit": _beyond_system_limit,
    "sampled-limit": _beyond_sampled_limit,
    "polls-always": _polls_always,
}
"""Reasons that keep a state from being selected, whatever the governor; several may hold."""
UNDONE: dict[str, Callable[[StateView], Evidence]] = {
    "refused": _refused,
    "left-at-once": _left_at_once,
    "busy-sibling": _busy_sibling,
}
"""Reasons why entries come to nothing, of states that are used, too."""
OTHERWISE: dict[str, Callable[[StateView], Evidence]] = {
    "for-suspend": _for_suspend,
    "never-selected": _never_selected,
    **UNDONE,
    "idle-elsewhere": _idle_elsewhere,
    "polls-first": _polls_first,
    "same-residency": _same_residency,
    "deeper-states": _deeper_selected,
    "idle-lengths": _idle_lengths,
    "unknown": _unknown,
}
"""Reasons where nothing keeps it from being selected; the first that holds is given."""


def reasons(view: StateView, *, used: bool) -> list[Reason]:
    """The reasons for a state that CPUs have, by rank. used: only what keeps it off by now, or ends
    its entries."""
    kept = [Reason(kind, *found) for kind, row in KEEPING.items() if (found := row(view))]
    if kept:
        return kept
    rows = UNDONE if used else OTHERWISE
    others = (Reason(kind, *found) for kind, row in rows.items() if (found := row(view)))
    return [*islice(others, 1)]
