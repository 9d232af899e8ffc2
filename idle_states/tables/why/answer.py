"""The answer to `why`."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import Held, SysfsState
from ...base.model.findings import UsageError
from ...base.model.forms import Count
from ...base.reading.acpi.signs import OBTAINED
from ...base.wording import number_ranges
from ..linux.held import ENOUGH_ENTRIES, entries_of, held_of, idle_us_of, is_hardly_used
from ..linux.intel_idle.origin import INTEL
from ..linux.request_parts import AssumedHz
from .absent import ACPI_DRIVERS, absence
from .machine import CPUS, SeenMachine, machine_of
from .reasons import ELSEWHERE, KEEPING, Reason, StateView, online, reasons
from .request import WhyRequest

_MOST_UNREAD = 4
_RECORDED = "of `idle-states collect --record --wake-ups` there"
_CPU = re.compile(r"\bcpu(\d+)/", re.ASCII)
DEEPER = "idle states beyond the first"
"""Stands for the states of a machine that has one at most."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A state of some CPUs, and what is known of its use."""

    state: Annotated[str, "Its name."]
    cpus: Annotated[tuple[Count, ...], "CPUs that have it and use it alike; none: no CPU has it."]
    used: Annotated[
        bool,
        "True if it is used there, or was; the reasons are then those that keep it off now, "
        "or that many entries are refused.",
    ]
    reasons: Annotated[tuple[Reason, ...], "By rank, the first the most important."]

    @property
    def title(self) -> str:
        """The state and its use: "C6 is hardly used on CPU 0-3"."""
        off = self.reasons and self.reasons[0].kind in KEEPING
        how = "is hardly used" if not self.used else "is no longer used" if off else "is used"
        if not self.cpus:
            none = "such a state" if self.state != DEEPER else "any"
            return f"{self.state}: no CPU has {none}"
        return f"{self.state} {how} on CPU {number_ranges(self.cpus)}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The result of a request.

    states    all states of all CPUs, with their counters together; of several kinds of CPUs, each
    not_seen  what might tell more, and was not seen
    """

    machine: SeenMachine
    states: tuple[tuple[tuple[int, ...], tuple[SysfsState, ...]], ...]
    explained: tuple[Explained, ...]
    not_seen: tuple[str, ...]


def why(request: WhyRequest, machine: SeenMachine | None = None) -> Explanation:
    """Explains a state, or each that is hardly used. machine: with a sample; None: it is read.
    Raises Unreadable, OSError, and UsageError for a number that no state has."""
    assert request.machine
    machine = machine or machine_of(request.machine)
    groups: dict[object, list[int]] = {}
    for cpu, states in machine.dump.cpus.items():
        groups.setdefault(tuple(state.row for state in states), []).append(cpu)
    tables = tuple(
        (tuple(cpus), held_of(machine.dump, cpus, machine.kernel).states)
        for cpus in groups.values()
    )
    found: list[Explained] = []
    for cpus, states in tables:
        for number in _wanted(request.state, states):
            found += explained(machine, cpus, number)
    if request.state is None:
        found = [e for e in found if e.reasons and e.reasons[0].kind != "offline"]
        if all(len(states) == 1 for _, states in tables):
            found.append(Explained(DEEPER, (), False, (absence(machine, ""),)))
    elif not found:
        if request.state.isdigit():
            raise UsageError(f"expected a state of this machine, found number {request.state}")
        found.append(Explained(request.state, (), False, (absence(machine, request.state),)))
    elif not request.state.isdigit():
        found += _lacking(machine, request.state, {cpu for each in found for cpu in each.cpus})
    return Explanation(machine, tables, tuple(found), tuple(_not_seen(machine)))


def _wanted(word: str | None, states: tuple[SysfsState, ...]) -> Iterator[int]:
    """Yields the numbers of the states to be explained; state 0 only if it is asked for."""
    for number, state in enumerate(states):
        if word is None:
            if number:
                yield number
        elif state.name.lower() == word.lower() or word == str(number):
            yield number


def explained(machine: SeenMachine, cpus: Sequence[int], number: int) -> Iterator[Explained]:
    """Yields a state CPU by CPU, those together that have it, and use it, alike."""
    dump = machine.dump
    here = set(online(machine))
    most_us = max(map(idle_us_of, dump.cpus.values()))
    alike: dict[tuple[bool, object, object, bool], list[int]] = {}
    for cpu in cpus:
        states = dump.cpus[cpu]
        few = is_hardly_used(states[number], states) or idle_us_of(states) * ELSEWHERE < most_us
        used = states[number].usage is None or not few
        off = tuple((state.disabled, state.default_disabled) for state in states)
        alike.setdefault((used, off, dump.limit_us(cpu), cpu in here), []).append(cpu)
    for (used, *_), members in alike.items():
        held = held_of(dump, members, machine.kernel)
        found = tuple(reasons(StateView(machine, held, number), used=used)) if number else ()
        yield Explained(held.states[number].name, tuple(members), used, found)


def _lacking(machine: SeenMachine, state: str, having: set[int]) -> Iterator[Explained]:
    """Yields the CPUs that lack a state which others have, those with the same states together."""
    lacking: dict[str, list[int]] = {}
    unread = {int(cpu) for text in machine.dump.missed for cpu in _CPU.findall(text)}
    for cpu in sorted({*machine.dump.cpus, *online(machine)} - having - unread):
        names = ", ".join(each.name for each in machine.dump.cpus.get(cpu, ()))
        lacking.setdefault(names, []).append(cpu)
    for names, cpus in lacking.items():
        because = f"these CPUs have {names or 'no states that were seen'}"
        step = "compare the CPUs' tables in firmware, and see the kernel log"
        reason = Reason("other-states", because, f"{CPUS}/cpu{cpus[0]}/cpuidle", step)
        yield Explained(state, tuple(cpus), False, (reason,))


def explained_of(held: Held) -> Iterator[tuple[int, Explained]]:
    """Yields the states of a dump's CPUs, by number, that have reasons; none of states that are of
    no dump. That none is known counts from a thousand entries on."""
    if held.dump is None:
        return
    machine = SeenMachine("", held.dump, held.kernel)
    early = entries_of(held.states) < ENOUGH_ENTRIES
    for number in range(1, len(held.states)):
        for each in explained(machine, held.cpus, number):
            if each.reasons and each.reasons[0].kind not in ("offline", "unknown" if early else ""):
                yield number, each


def _not_seen(machine: SeenMachine) -> Iterator[str]:
    """Yields what might tell more of a state's use, and was not seen."""
    dump = machine.dump
    if not dump.governor:
        yield "the governor (/sys/devices/system/cpu/cpuidle)"
    if not machine.kernel:
        yield "the kernel (/proc/version)"
    elif machine.release is None:
        yield f"a model of the kernel, {machine.kernel.split(' (')[0]}"
    if isinstance(machine.hz, AssumedHz):
        yield f"HZ: {machine.hz} is assumed"
    if without := [cpu for cpu in dump.cpus if cpu not in dump.limits]:
        yield f"latency limits of CPU {number_ranges(without)}"
    if offline := dump.cpus.keys() - {*online(machine)}:
        yield f"use of CPU {number_ranges(offline)}, offline"
    if machine.text_of("cpu_dma_latency") is None:
        yield "the limit of the whole machine, and who holds it (/dev/cpu_dma_latency, as root)"
    if machine.text_of("cmdline") is None:
        yield "the kernel's command line and its modules' parameters"
    if not machine.firmware:
        acpi = f", which is ACPI's; get it {OBTAINED}" if machine.driver in ACPI_DRIVERS else ""
        yield f"firmware's own table{acpi}"
    yield from machine.unread[:_MOST_UNREAD]
    if more := machine.unread[_MOST_UNREAD:]:
        yield f"{len(more)} more that could not be read"
    if not offline and (away := machine.text_of("offline")):
        yield f"states of CPU {away}: offline, or not there"
    perf = " (perf stat -a -e cstate_core/c6-residency/)" if machine.driver == INTEL else ""
    hardware = f"package limits, busy siblings, cstate counters{perf}"
    yield f"what the hardware makes of an entry: {hardware}"
    if machine.sampled is None:
        how = "--for 10, as root" if machine.is_this else f"--recording, {_RECORDED}"
        yield f"what ends idle periods: interrupts and timers ({how})"
